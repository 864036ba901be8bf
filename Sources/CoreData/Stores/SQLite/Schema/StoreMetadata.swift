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
        url: url ?? .storeInMemory, table: "Z_METADATA",
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
