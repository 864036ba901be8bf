import DataModelFiles
import Foundation
import StoreFileReader

/// The persistent history of a store in figures.
struct HistoryReport {
  let transactions: Int
  /// Changes by kind: inserted, updated, deleted.
  let changes: [Int]
  /// Seconds since 2001.
  let first: Double?
  let last: Double?
  let authors: [String]
  let contexts: [String]
  let processes: [String]

  /// nil when the store keeps no history.
  init?(_ reader: any TableReading) throws {
    guard let tables = try HistoryTables(reader) else { return nil }
    transactions = try reader.rowCount(of: "ATRANSACTION")
    let kinds = try reader.texts("SELECT ZCHANGETYPE, count(*) FROM ACHANGE GROUP BY ZCHANGETYPE")
    changes = (0..<3).map { kind in kinds.first { $0[0] == "\(kind)" }?[1].flatMap { Int($0) } ?? 0 }
    let times = try reader.texts("SELECT min(ZTIMESTAMP), max(ZTIMESTAMP) FROM ATRANSACTION").first ?? []
    func seconds(_ text: String??) -> Double? {
      text.flatMap { $0 }.flatMap { Double($0) }.flatMap { $0.isNaN ? nil : $0 }
    }
    first = seconds(times.first)
    last = seconds(times.last)
    func texts(_ name: String) throws -> [String] {
      try reader.texts("SELECT DISTINCT \(tables.text(name)) AS name \(tables.from) ORDER BY name").compactMap { $0[0] }
    }
    authors = try texts("AUTHOR")
    contexts = try texts("CONTEXTNAME")
    processes = try texts("PROCESSID")
  }

  static let kinds = ["inserted", "updated", "deleted"]

  var lines: [String] {
    var table = TextTable()
    let total = changes.reduce(0, +)
    table.add(["transactions", grouped(transactions)])
    table.add([
      "changes",
      grouped(total)
        + (total == 0
          ? ""
          : ": "
            + zip(changes, Self.kinds).map { "\(grouped($0)) \($1)" }
            .joined(separator: ", ")),
    ])
    table.add(["first", first.map { Moments.text(secondsSince2001: $0) }])
    table.add(["last", last.map { Moments.text(secondsSince2001: $0) }])
    for (title, names) in [("authors", authors), ("contexts", contexts), ("processes", processes)] {
      table.add([title, names.isEmpty ? "none" : names.map(\.inOneLine).joined(separator: ", ")])
    }
    return table.lines(indent: 2)
  }

  var json: JSONValue {
    .record([
      "transactions": .int(transactions),
      "changes": .record([
        "inserted": .int(changes[0]), "updated": .int(changes[1]), "deleted": .int(changes[2]),
      ]),
      "first": .moment(first),
      "last": .moment(last),
      "authors": .strings(authors), "contexts": .strings(contexts), "processes": .strings(processes),
    ])
  }
}

/// The tables of the history. Their columns have changed over the years.
struct HistoryTables {
  private let columns: Set<String>
  private let hasStrings: Bool

  init?(_ reader: any TableReading) throws {
    let tables = Set(try reader.tables())
    guard tables.isSuperset(of: ["ATRANSACTION", "ACHANGE"]) else { return nil }
    columns = Set(try reader.columns(of: "ATRANSACTION"))
    hasStrings = tables.contains("ATRANSACTIONSTRING")
  }

  private static let texts = ["AUTHOR", "CONTEXTNAME", "PROCESSID", "BUNDLEID"]

  /// Returns the SQL for a text of a transaction, from the table of texts or, in older files, from the transaction
  /// itself.
  func text(_ name: String) -> String {
    let places = [
      hasStrings && columns.contains("Z\(name)TS") ? "s\(name).ZNAME" : nil,
      columns.contains("Z\(name)") ? "t.Z\(name)" : nil,
    ].compactMap { $0 }
    switch places.count {
    case 0: return "NULL"
    case 1: return places[0]
    default: return "coalesce(\(places.joined(separator: ", ")))"
    }
  }

  /// The SQL for the transactions `t`, joined with their texts.
  var from: String {
    let joins = Self.texts.filter { hasStrings && columns.contains("Z\($0)TS") }
      .map { " LEFT JOIN ATRANSACTIONSTRING s\($0) ON s\($0).Z_PK = t.Z\($0)TS" }
    return "FROM ATRANSACTION t" + joins.joined()
  }
}

extension StoreFileValue {
  /// The value as a number, whichever way it is stored.
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }
}
