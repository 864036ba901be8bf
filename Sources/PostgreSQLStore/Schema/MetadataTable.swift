internal import CoreData
import Foundation

/// The metadata of a store in its database: the one row of `Z_METADATA`, with the same columns as in a SQLite file.
enum MetadataTable {
  /// Returns the metadata; nil if the table is missing.
  static func read(_ connection: Connection) throws -> [String: Any]? {
    guard try !connection.execute("SELECT 1 WHERE to_regclass('z_metadata') IS NOT NULL").isEmpty else { return nil }
    let rows = try connection.execute("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
    guard rows.count > 0 else { return nil }
    var metadata = StoreMetadata.entries(of: Array(rows.bytes(0, 1)))
    metadata[NSStoreUUIDKey] = rows.text(0, 0) ?? ""
    return metadata
  }

  /// Returns the metadata, and keeps others from writing them until the transaction ends; nil if the table is missing.
  static func readLocked(_ connection: Connection) throws -> [String: Any]? {
    guard try read(connection) != nil else { return nil }
    try connection.run("SELECT FROM Z_METADATA FOR UPDATE")
    return try read(connection)
  }

  /// Writes the row, as part of an open transaction if there is one. Values must be property list values.
  static func write(_ metadata: [String: Any], _ connection: Connection) throws {
    var plist = metadata
    let uuid = plist.removeValue(forKey: NSStoreUUIDKey) as? String ?? ""
    let data = try PropertyListSerialization.data(fromPropertyList: plist, format: .binary, options: 0)
    var parameters = Parameters()
    parameters.add(uuid)
    parameters.add(data)
    try connection.execute(
      "INSERT INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, $1, $2) "
        + "ON CONFLICT (Z_VERSION) DO UPDATE SET Z_UUID = excluded.Z_UUID, Z_PLIST = excluded.Z_PLIST", parameters)
  }

  /// Runs `body` with a connection to a store that need not be open.
  static func withConnection<Result>(to url: URL, _ body: (Connection) throws -> Result) throws -> Result {
    do {
      return try body(Connection(StoreAddress(url), preparesStatements: false, trace: StatementTrace.requested))
    } catch let error as ServerError {
      throw error.openingFailure
    }
  }
}

extension ServerRows {
  var isEmpty: Bool { count == 0 }
}
