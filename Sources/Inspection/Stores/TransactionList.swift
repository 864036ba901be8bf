import DataModelFiles
import Foundation
import StoreFileReader

/// The newest transactions of a store's history, with their changes.
public struct TransactionList {
  struct Change {
    let kind: Int
    let entity: String
    let key: Int64
    /// The names of the changed properties; nil if the file does not say, or the model is not known.
    let properties: [String]?
    let tombstone: [(name: String, value: JSONValue)]
  }

  struct Transaction {
    let number: Int64
    let time: Double?
    let author: String?
    let context: String?
    let process: String?
    let bundle: String?
    var changes: [Change] = []
  }

  private let url: URL
  private let transactions: [Transaction]
  private let leftOut: Int

  /// - Parameter limit: the largest number of transactions; nil for all.
  public init(_ file: StoreFile, limit: Int?) throws {
    url = file.url
    if let server = file.tables as? ServerTables {
      (transactions, leftOut) = try Self.read(server, file, limit)
      return
    }
    guard let reader = file.reader else {
      throw InspectionFailure(
        "The store \(file.url.inWords) has no history: only SQLite's stores and those on a server keep one.")
    }
    (transactions, leftOut) = try StoreFile.naming(file.url) {
      guard let tables = try HistoryTables(reader) else { throw Self.none(file) }
      return try Self.read(reader, tables, file, limit)
    }
  }

  static func none(_ file: StoreFile) -> InspectionFailure {
    InspectionFailure("The store \(file.url.inWords) keeps no history.")
  }

  private static func read(
    _ reader: StoreFileReader, _ tables: HistoryTables, _ file: StoreFile, _ limit: Int?
  ) throws -> ([Transaction], Int) {
    let total = try reader.rowCount(of: "ATRANSACTION")
    let names = ["AUTHOR", "CONTEXTNAME", "PROCESSID", "BUNDLEID"].map(tables.text).joined(separator: ", ")
    var transactions = try reader.rows(
      "SELECT t.Z_PK, t.ZTIMESTAMP, \(names) \(tables.from) ORDER BY t.Z_PK DESC LIMIT \(limit ?? -1)"
    ).reversed().map { row in
      Transaction(
        number: row[0].integer ?? 0, time: row[1].number, author: row[2].text, context: row[3].text,
        process: row[4].text, bundle: row[5].text)
    }
    guard let first = transactions.first?.number else { return ([], 0) }
    // A damaged file may have a number twice.
    let places = Dictionary(transactions.indices.map { (transactions[$0].number, $0) }) { first, _ in first }
    let entities = HistoryEntities(reader: reader, model: file.model)
    let columns = try reader.columns(of: "ACHANGE")
    let tombstones = columns.filter { $0.hasPrefix("ZTOMBSTONE") }
      .sorted { (Int($0.dropFirst(10)) ?? 0) < (Int($1.dropFirst(10)) ?? 0) }
    let fields =
      ["ZTRANSACTIONID", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK"]
      + [columns.contains("ZCOLUMNS") ? "ZCOLUMNS" : "NULL"] + tombstones
    for row in try reader.rows(
      "SELECT \(fields.joined(separator: ", ")) FROM ACHANGE WHERE ZTRANSACTIONID >= \(first) ORDER BY Z_PK")
    {
      guard let place = row[0].integer.flatMap({ places[$0] }) else { continue }
      let number = Int(row[2].integer ?? 0)
      let kind = Int(row[1].integer ?? -1)
      transactions[place].changes.append(
        Change(
          kind: kind, entity: entities.name(number), key: row[3].integer ?? 0,
          properties: entities.properties(number, changed: row[4]),
          tombstone: kind == 2 ? entities.tombstone(number, Array(row[5...])) : []))
    }
    return (transactions, total - transactions.count)
  }

  // Text.

  public var text: String {
    var lines: [String] = []
    for transaction in transactions {
      var facts = [transaction.time.map { Moments.text(secondsSince2001: $0) } ?? "no date"]
      if let author = transaction.author { facts.append("author \(author.inOneLine)") }
      if let context = transaction.context { facts.append("context \(context.inOneLine)") }
      if let process = transaction.process { facts.append("process \(process.inOneLine)") }
      if let bundle = transaction.bundle { facts.append("bundle \(bundle.inOneLine)") }
      lines.append("Transaction \(transaction.number)  \(facts.joined(separator: ", "))")
      var table = TextTable()
      for change in transaction.changes {
        var words = change.properties?.joined(separator: ", ") ?? ""
        if !change.tombstone.isEmpty {
          words = change.tombstone.map { "\($0.name) = \($0.value.text.inOneLine.cut(to: 40))" }
            .joined(separator: ", ")
        }
        table.add([Self.word(change.kind), "\(change.entity)/p\(change.key)", words])
      }
      lines += table.lines(indent: 2)
    }
    if transactions.isEmpty { lines.append("The history is empty.") }
    if leftOut > 0 {
      lines.append("\(counted(leftOut, "earlier transaction")) left out; --limit shows more.")
    }
    return lines.asText
  }

  private static func word(_ kind: Int) -> String {
    HistoryReport.kinds.indices.contains(kind) ? HistoryReport.kinds[kind] : "kind \(kind)"
  }

  public var json: JSONValue {
    .record([
      "kind": .string("history"), "path": .string(url.path), "leftOut": .int(leftOut),
      "transactions": .array(transactions.map(Self.json)),
    ])
  }

  private static func json(_ transaction: Transaction) -> JSONValue {
    .record([
      "number": .integer(transaction.number), "date": .moment(transaction.time),
      "author": .text(transaction.author), "context": .text(transaction.context),
      "process": .text(transaction.process), "bundle": .text(transaction.bundle),
      "changes": .array(transaction.changes.map(Self.json)),
    ])
  }

  private static func json(_ change: Change) -> JSONValue {
    let tombstone = change.tombstone.map { JSONValue.Member(key: $0.name, value: $0.value) }
    let properties = change.properties.map(JSONValue.strings)
    return .record([
      "change": .string(word(change.kind)), "object": .string("\(change.entity)/p\(change.key)"),
      "properties": properties ?? .null, "tombstone": tombstone.isEmpty ? nil : JSONValue.object(tombstone),
    ])
  }
}

/// The entities by Z_ENT, as the history's tables refer to them, with their properties by position.
private struct HistoryEntities {
  private let names: [Int: String]
  private let model: DataModel?
  /// By Z_ENT: stored properties by name, and the attributes that tombstones keep.
  private var stored: [Int: [String]] = [:]
  private var kept: [Int: [DataModel.Attribute]] = [:]

  init(reader: StoreFileReader, model: DataModel?) {
    self.model = model
    let rows = (try? reader.rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY")) ?? []
    names = Dictionary(
      rows.compactMap { row in
        guard let number = row[0].integer, let name = row[1].text else { return nil }
        return (Int(number), name)
      }, uniquingKeysWith: { first, _ in first })
    for (number, name) in names {
      guard let model, let entity = model.entity(named: name) else { continue }
      let attributes = model.allAttributes(of: entity).filter { !$0.isTransient }
      let relationships = model.allRelationships(of: entity).filter { !$0.isTransient }
      stored[number] = (attributes.map(\.name) + relationships.map(\.name))
        .sorted { $0.utf16.lexicographicallyPrecedes($1.utf16) }
      kept[number] = attributes.filter(\.preservesValueInHistoryOnDeletion)
        .sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
    }
  }

  func name(_ number: Int) -> String { names[number] ?? "Z_ENT \(number)" }

  /// Returns the names of the changed properties. `changed` has one bit for each stored property in order of name,
  /// starting with the highest bit of the first byte.
  func properties(_ number: Int, changed: StoreFileValue) -> [String]? {
    guard case .blob(let bits) = changed, let all = stored[number] else { return nil }
    return all.enumerated().filter { place, _ in
      place / 8 < bits.count && bits[bits.startIndex + place / 8] & (0x80 >> UInt8(place % 8)) != 0
    }.map(\.element)
  }

  func tombstone(_ number: Int, _ values: [StoreFileValue]) -> [(name: String, value: JSONValue)] {
    let attributes = kept[number] ?? []
    return values.enumerated().compactMap { place, value in
      if value == .null { return nil }
      guard attributes.indices.contains(place) else { return ("tombstone\(place)", JSONValue(value)) }
      let attribute = attributes[place]
      if attribute.type == .date, let seconds = value.number {
        return (attribute.name, .string(Moments.text(secondsSince2001: seconds)))
      }
      return (attribute.name, JSONValue(value))
    }
  }
}

extension JSONValue {
  init(_ value: StoreFileValue) {
    switch value {
    case .null: self = .null
    case .integer(let value): self = .integer(value)
    case .real(let value): self = .double(value)
    case .text(let value): self = .string(value)
    case .blob(let value): self = .string(value.base64EncodedString())
    }
  }
}
