import CoreData
import DataModelFiles
import Foundation

/// A report on a store: its metadata, its model, its rows, and the tables and columns that the model does not explain.
public struct StoreReport {
  private let file: StoreFile
  private let journal: JournalReport?
  private let tables: TableReport?
  private let history: HistoryReport?
  private let entities: [EntityReport]

  public init(_ file: StoreFile) throws {
    self.file = file
    journal = file.reader == nil ? nil : try JournalReport(file.url)
    let indexNames = file.model?.entities.flatMap { entity in
      entity.fetchIndexes.map { "Z_\(entity.name)_\($0.name)" }
    }
    tables = try file.tables.map { reader in
      try StoreFile.naming(file.url) {
        try TableReport(reader, file.store, indexNames: Set(indexNames ?? []))
      }
    }
    history = try file.tables.flatMap { reader in
      try StoreFile.naming(file.url) { try HistoryReport(reader) }
    }
    entities = try Self.entities(file, tables)
  }

  private static func entities(_ file: StoreFile, _ tables: TableReport?) throws -> [EntityReport] {
    let stored = file.storedHashes
    guard let model = file.model else {
      // Only the names are known.
      let names = tables.map { $0.names.filter { $0.key < 16_000 } } ?? [:]
      return names.sorted { $0.key < $1.key }.map { number, name in
        EntityReport(
          DataModel.Entity(name: name), in: DataModel(name: ""), hash: stored[name],
          stored: .init(number: number, rowsInFile: tables?.rows[number] ?? 0))
      }
    }
    let map = file.store?.tableMap
    var reports = try model.entities.map { entity in
      var facts = EntityReport.Stored()
      facts.number = map?.entity(named: entity.name)?.number ?? tables?.names.first { $0.value == entity.name }?.key
      facts.agreement = file.agreement(of: entity, in: model)
      facts.unknownKinds = file.kindsOfUnknownHash(of: entity, in: model)
      let isThere = !file.kind.hasTables || map?.entity(named: entity.name) != nil
      if isThere { facts.rows = try file.countOwnRows(of: entity.name) }
      if let number = facts.number, let tables { facts.rowsInFile = tables.rows[number] ?? 0 }
      return EntityReport(entity, in: model, hash: file.modelHashes[entity.name], stored: facts)
    }
    for (name, hash) in stored where model.entity(named: name) == nil {
      reports.append(
        EntityReport(
          DataModel.Entity(name: name), in: model, hash: hash,
          stored: .init(
            number: tables?.names.first { $0.value == name }?.key, agreement: .onlyInStore)))
    }
    return reports.sorted {
      ($0.stored?.number ?? .max, $0.entity.name) < ($1.stored?.number ?? .max, $1.entity.name)
    }
  }

  private static let ownKeys: Set<String> = [
    NSStoreTypeKey, NSStoreUUIDKey, NSStoreModelVersionHashesKey, NSStoreModelVersionIdentifiersKey,
    NSStoreModelVersionHashesVersionKey, "NSPersistenceFrameworkVersion",
    "NSPersistenceMaximumFrameworkVersion",
    "NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey", "_NSAutoVacuumLevel",
    "migrationManagerClass",
  ]

  /// The metadata that the application added.
  private var ownMetadata: [(key: String, value: Any)] {
    file.metadata.filter { !Self.ownKeys.contains($0.key) }.sorted { $0.key < $1.key }.map {
      ($0.key, $0.value)
    }
  }

  private func metadata(_ key: String) -> String? { file.metadata[key].map { "\($0)" } }

  private var identifiers: [String] {
    file.metadata[NSStoreModelVersionIdentifiersKey] as? [String] ?? []
  }

  /// The schema's version if SwiftData made the store; it always keeps a history.
  private var schemaOfSwiftData: String? { history == nil ? nil : file.model?.schemaVersionOfSwiftData }

  // Text.

  public var text: String {
    var lines = [file.url.inWords]
    var head = TextTable()
    head.add(["type", file.kind.form])
    head.add(["UUID", metadata(NSStoreUUIDKey)])
    head.add(["framework", metadata("NSPersistenceFrameworkVersion")])
    head.add(["identifiers", identifiers.map { "\"\($0)\"" }.joined(separator: ", ")])
    head.add(["checksum", metadata("NSStoreModelVersionChecksumKey")])
    head.add(["digest", metadata("NSStoreModelVersionHashesDigest")])
    if metadata("migrationManagerClass") != nil { head.add(["migrated", "in place"]) }
    journal?.add(to: &head)
    if let schemaOfSwiftData { head.add(["schema", "SwiftData's, version \(schemaOfSwiftData)"]) }
    head.add(["model", file.origin.words(file.kind)])
    head.add(["hashes", hashWords])
    if let obstacle = file.obstacle, file.model != nil { head.add(["NOT OPENED", obstacle]) }
    lines += head.lines(indent: 2)
    if !entities.isEmpty {
      var table = TextTable(figures: [0, 3])
      for report in entities {
        table.add([
          report.stored?.number.map { "\($0)" }, report.entity.name,
          report.entity.parentName.map { "a kind of \($0)" },
          (report.stored?.rows ?? report.stored?.rowsInFile).map(grouped),
        ])
      }
      lines += ["", "Entities (Z_ENT, name, rows of their own)"] + table.lines(indent: 2)
    }
    if file.model != nil {
      for report in entities { lines += [""] + report.lines }
    }
    if let tables, !tables.lines.isEmpty {
      lines += ["", "What the model does not explain"] + tables.lines.map { "  " + $0 }
    }
    if let history { lines += ["", "History"] + history.lines }
    if !ownMetadata.isEmpty {
      var table = TextTable()
      for (key, value) in ownMetadata { table.add([key, MetadataValue(value).words]) }
      lines += ["", "Metadata of the application"] + table.lines(indent: 2)
    }
    return lines.asText
  }

  private var hashWords: String? {
    guard file.model != nil else { return nil }
    if file.storedHashes.isEmpty { return "the store has none" }
    if file.origin == .inferred { return "can't be compared with those of an inferred model" }
    let odd = entities.filter { $0.stored?.agreement.map { $0 != .equal && $0 != .unknown } ?? true }
    let unknown = entities.filter { $0.stored?.agreement == .unknown }.map(\.entity.name)
    let kinds = Set(entities.compactMap { $0.stored?.agreement == .unknown ? $0.stored?.unknownKinds : nil }).sorted()
    let rest =
      unknown.isEmpty
      ? "" : "; unknown for \(unknown.joined(separator: ", ")), with \(kinds.joined(separator: " or "))"
    if odd.isEmpty { return "agree, entity by entity" + rest }
    return "DISAGREE: "
      + odd.map { "\($0.entity.name) \($0.stored?.agreement?.short ?? "unknown")" }.joined(separator: ", ")
      + rest
  }

  // JSON.

  public var json: JSONValue {
    .record([
      "kind": .string("store"), "path": .string(file.url.inWords), "type": .string(file.kind.form),
      "uuid": .text(metadata(NSStoreUUIDKey)),
      "frameworkVersion": file.metadata["NSPersistenceFrameworkVersion"].map { MetadataValue($0).json }
        ?? .null,
      "identifiers": .strings(identifiers), "swiftDataSchema": .text(schemaOfSwiftData),
      "checksum": .text(metadata("NSStoreModelVersionChecksumKey")),
      "digest": .text(metadata("NSStoreModelVersionHashesDigest")),
      "journal": journal?.json ?? .null, "model": file.origin.json,
      "obstacle": .text(file.obstacle),
      "hashesAgree": file.model == nil || file.origin == .inferred
        ? .null : .bool(entities.allSatisfy { [.equal, .unknown].contains($0.stored?.agreement) }),
      "entities": .array(entities.map(\.json)), "unexplained": tables?.json ?? .null,
      "history": history?.json ?? .null,
      "metadata": .object(ownMetadata.map { .init(key: $0.key, value: MetadataValue($0.value).json) }),
    ])
  }
}

extension StoreFile {
  var storedHashes: [String: [UInt8]] {
    (metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).mapValues { Array($0) }
  }

  /// Returns whether store and model agree on an entity; nil if there is nothing to compare.
  func agreement(of entity: DataModel.Entity, in model: DataModel) -> HashAgreement? {
    if storedHashes.isEmpty || origin == .inferred { return nil }
    guard let stored = storedHashes[entity.name] else { return .onlyInModel }
    if stored == modelHashes[entity.name] { return .equal }
    // The effect of these attributes on a hash is not known; only a compiled model states the hash.
    return kindsOfUnknownHash(of: entity, in: model).isEmpty ? .different : .unknown
  }

  /// `derived attributes`, or "".
  func kindsOfUnknownHash(of entity: DataModel.Entity, in model: DataModel) -> String {
    model.allAttributes(of: entity).contains(where: \.isDerived) ? "derived attributes" : ""
  }

  /// Returns the number of an entity's own rows; nil if the stack could not open the file.
  func countOwnRows(of entity: String) throws -> Int? {
    guard let context else { return nil }
    return try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: entity)
      request.includesSubentities = false
      return try context.count(for: request)
    }
  }
}

/// A value of a property list.
struct MetadataValue {
  private let value: Any

  init(_ value: Any) { self.value = value }

  var json: JSONValue {
    switch value {
    case let value as Bool where type(of: value) == Bool.self: .bool(value)
    case let value as String: .string(value)
    case let value as Date: .string(Moments.text(value))
    case let value as Data: .string(value.base64EncodedString())
    case let value as [Any]: .array(value.map { MetadataValue($0).json })
    case let value as [String: Any]:
      .object(
        value.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: MetadataValue($0.value).json) })
    case let value as NSNumber: JSONValue(value)
    default: .string("\(value)")
    }
  }

  var words: String {
    switch value {
    case let value as String: value.inOneLine.cut(to: 80)
    case let value as Data: counted(value.count, "byte")
    case let value as Date: Moments.text(value)
    default: json.text.inOneLine.cut(to: 80)
    }
  }
}

extension JSONValue {
  init(_ number: NSNumber) {
    switch UInt8(bitPattern: number.objCType[0]) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(number.doubleValue)
    case UInt8(ascii: "B"): self = .bool(number.boolValue)
    default: self = .integer(number.int64Value)
    }
  }
}
