internal import DataModelFiles
import Foundation

/// The metadata of a store in its file: a row of `Z_METADATA`.
///
/// | column | holds |
/// |---|---|
/// | Z_VERSION | 1 |
/// | Z_UUID | the store's UUID in capitals; `NSStoreUUID` in the dictionary |
/// | Z_PLIST | the rest of the dictionary, a binary property list |
package enum StoreMetadata {
  static let frameworkVersionKey = "NSPersistenceFrameworkVersion"
  static let maximumFrameworkVersionKey = "NSPersistenceMaximumFrameworkVersion"
  static let autoVacuumKey = "_NSAutoVacuumLevel"

  /// The version of Apple's framework that writes files of this form.
  static let frameworkVersion = Int(NSCoreDataVersionNumber)

  /// The metadata of a new store.
  package static func make(for model: NSManagedObjectModel, configuration: String?, uuid: String) -> [String: Any] {
    let own: [String: Any] = [
      NSStoreTypeKey: NSSQLiteStoreType,
      NSStoreUUIDKey: uuid,
      frameworkVersionKey: frameworkVersion,
      maximumFrameworkVersionKey: frameworkVersion,
      autoVacuumKey: "2",
    ]
    return own.merging(ModelMetadata.entries(for: model, configuration: configuration)) { $1 }
  }

  /// The table exists, but has no row.
  struct Emptied: Error {}

  /// Reads the row. Throws an error if the file has no metadata table, or no row in it.
  static func read(at url: URL, from connection: Connection) throws -> [String: Any] {
    guard let metadata = try readIfPresent(at: url, from: connection) else {
      throw Failure.incompatibleSchema(url: url, table: "Z_METADATA", what: "there is no such table")
    }
    return metadata
  }

  /// Reads the row; nil if the file has no metadata table. Throws an error if the table has no row.
  static func readIfPresent(at url: URL?, from connection: Connection) throws -> [String: Any]? {
    do {
      return try read(from: connection)
    } catch is Emptied {
      throw Failure.incompatibleSchema(
        url: url ?? URL(fileURLWithPath: "/dev/null"), table: "Z_METADATA",
        what: "it is empty, so the store's UUID and the version of its model are not known. Its rows may be whole: "
          + "put in the row of Z_METADATA from a backup")
    }
  }

  /// Reads the row; nil if the file has no metadata table. Throws `Emptied` if the table has no row.
  static func read(from connection: Connection) throws -> [String: Any]? {
    guard try hasTable("Z_METADATA", connection) else { return nil }
    let statement = try Statement(
      "SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA", in: connection.database, isKept: false)
    connection.trace?.willRun(statement.sql)
    guard try statement.step() else { throw Emptied() }
    var metadata = entries(of: Array(statement.blobBytes(2)))
    metadata[NSStoreUUIDKey] = statement.text(1) ?? ""
    if metadata[NSStoreTypeKey] == nil { metadata[NSStoreTypeKey] = NSSQLiteStoreType }
    return metadata
  }

  /// The entries of the property list as Foundation's objects; empty if the bytes aren't a property list.
  package static func entries(of plist: [UInt8]) -> [String: Any] {
    (try? PropertyListReader.read(plist).dictionary)?.mapValues(\.foundationValue) ?? [:]
  }

  /// Writes the row in the open transaction. The values must be of property list types.
  static func write(_ metadata: [String: Any], to connection: Connection) throws {
    var plist = metadata
    let uuid = plist.removeValue(forKey: NSStoreUUIDKey) as? String ?? ""
    let data = try PropertyListSerialization.data(fromPropertyList: plist, format: .binary, options: 0)
    let sql = "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)"
    let statement = try Statement(sql, in: connection.database, isKept: false)
    connection.trace?.willRun(sql)
    statement.bind(text: uuid, at: 1)
    data.withUnsafeBytes { statement.bind(blob: $0, at: 2) }
    try statement.run()
  }

  static func hasTable(_ name: String, _ connection: Connection) throws -> Bool {
    try !connection.rows("SELECT TBL_NAME FROM SQLITE_MASTER WHERE TBL_NAME = '\(name)'").isEmpty
  }
}

extension ExistingSchema {
  /// Reads the file's schema.
  init(url: URL, connection: Connection, metadata: [String: Any]) throws {
    guard try StoreMetadata.hasTable("Z_PRIMARYKEY", connection) else {
      throw Failure.incompatibleSchema(url: url, table: "Z_PRIMARYKEY", what: "there is no such table")
    }
    let rows = try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    let entities = rows.compactMap { row -> Entity? in
      guard let number = row[0].flatMap(Int.init), let name = row[1],
        (1..<ExistingSchema.firstForeignNumber).contains(number)
      else { return nil }
      return Entity(number: number, name: name, parent: row[2].flatMap(Int.init) ?? 0)
    }
    // The number is the table's key, unless somebody has made the table anew.
    var numbers: Set<Int> = []
    for entity in entities where !numbers.insert(entity.number).inserted {
      throw Failure.incompatibleSchema(
        url: url, table: "Z_PRIMARYKEY", what: "two rows have the Z_ENT \(entity.number)")
    }
    let tables = try ExistingSchema.readTables(connection)
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
    self.init(url: url, entities: entities, hashedNames: Set(hashes.keys), tables: tables)
    deferredTables = Set(
      try connection.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\(DeferredNames.prefix)%'"
      )
      .compactMap { $0[0].map { SQLName.quoted($0.uppercased()) } })
    hasUnknownEntities = { table, numbers in
      // The index of Z_ENT answers this fast, because each range lies before, after or between the known numbers.
      let sorted = numbers.sorted()
      let gaps = zip(sorted, sorted.dropFirst()).filter { $1 - $0 > 1 }.map { "Z_ENT > \($0) AND Z_ENT < \($1)" }
      let ranges = ["Z_ENT IS NULL", "Z_ENT < \(sorted.first ?? 0)", "Z_ENT > \(sorted.last ?? 0)"] + gaps
      let probes = ranges.map { "EXISTS (SELECT 1 FROM \(table) WHERE \($0))" }.joined(separator: " OR ")
      return try connection.rows("SELECT \(probes)").first?[0] == "1"
    }
  }
}

extension ExistingSchema {
  /// The columns of all tables of the store, by the table's name.
  private static func readTables(_ connection: Connection) throws -> [String: [Column]] {
    var tables: [String: [Column]] = [:]
    var others: [String] = []
    try connection.forEachRow("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'") { row in
      guard let name = row.text(0) else { return }
      if let bytes = row.textBytes(0), let sql = row.textBytes(1), let table = TableDefinition(sql, table: bytes) {
        tables[SQLName.quoted(SQLName.inCapitals(name)), default: []] += table.columns
      } else {
        others.append(name)
      }
    }
    for name in others {
      tables[SQLName.quoted(SQLName.inCapitals(name)), default: []] += try columns(of: name, connection)
    }
    return tables
  }

  /// The columns of a table that was not made by a statement of ours.
  private static func columns(of table: String, _ connection: Connection) throws -> [Column] {
    try connection.rows("SELECT name, type, pk FROM pragma_table_info(\(SQLName.literal(table))) ORDER BY cid")
      .compactMap {
        row in
        guard let name = row[0] else { return nil }
        return Column(
          name: SQLName.quoted(SQLName.inCapitals(name)), type: SQLName.inCapitals(row[1] ?? ""), isKey: row[2] != "0")
      }
  }
}
