package import CoreData
import Foundation

/// Migration to another version of the model, by what the two versions imply: in place, in one transaction.
extension PostgreSQLStore: InPlaceMigrating {
  package static func migrateInPlace(
    at url: URL, by delta: ModelDelta, to layouts: ModelLayouts, configuration: String?, options: [AnyHashable: Any]?
  ) throws {
    try ServerMigration(
      address: StoreAddress(url), delta: delta, layouts: layouts, configuration: configuration,
      patience: StoreSettings(options).patience
    ).run()
  }

  /// The model that the database keeps.
  package static func keptModel(at url: URL) -> NSManagedObjectModel? {
    try? MetadataTable.withConnection(to: url) { connection in
      let metadata = try MetadataTable.read(connection) ?? [:]
      return try ModelTable.read(connection, metadata)
    }
  }

  /// Nothing is ever put off: dropping a column is no work for the server.
  package func finishDeferredMigration(isOne: Bool) throws -> Bool { false }

  package static func shown(_ url: URL) -> URL { StoreAddress(url).shown }
}

/// `Z_MODELCACHE`: the model that the store was made with, or migrated to, as a SQLite file keeps it.
enum ModelTable {
  /// nil where there is none, or none that can be read.
  static func read(_ connection: Connection, _ metadata: [String: Any]) throws -> NSManagedObjectModel? {
    guard try !connection.execute("SELECT 1 WHERE to_regclass('z_modelcache') IS NOT NULL").isEmpty else { return nil }
    let rows = try connection.execute("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    guard rows.count > 0, !rows.isNull(0, 0) else { return nil }
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    return ModelCache.model(of: Array(rows.bytes(0, 0)), named: "Z_MODELCACHE", hashes: hashes)
  }

  /// In whatever transaction is open.
  static func write(_ model: NSManagedObjectModel, _ connection: Connection) throws {
    try connection.run("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT bytea); DELETE FROM Z_MODELCACHE")
    guard let content = ModelCache.content(of: model) else { return }
    var parameters = Parameters()
    parameters.add(content)
    try connection.execute("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES ($1)", parameters)
  }
}

/// Keeps a process that has the store open with one version of the model from writing to another version's tables.
///
/// A migration removes all rows of `Z_WRITERS`, without which no connection writes. For a new one a connection comes
/// here.
struct VersionGuard: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  let model: NSManagedObjectModel
  let configuration: String?
  let options: [AnyHashable: Any]?
  let url: URL

  func check(_ connection: Connection) throws {
    guard let metadata = try MetadataTable.read(connection) else { return }
    _ = try StoreCompatibility.check(
      metadata, type: PostgreSQLStore.storeType, url: url, model: model, configuration: configuration,
      options: options)
  }
}
