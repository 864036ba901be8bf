package import CoreData
import Foundation

/// Inferred migration to another version of the model: in place, in one transaction.
extension PostgreSQLStore: InPlaceMigrating {
  package static func migrateInPlace(
    at url: URL, by delta: ModelDelta, to layouts: ModelLayouts, configuration: String?, options: [AnyHashable: Any]?
  ) throws {
    try ServerMigration(
      address: StoreAddress(url), delta: delta, layouts: layouts, configuration: configuration,
      patience: StoreSettings(options).patience
    ).run()
  }

  /// Returns the model kept in the database; nil if it can't be read.
  package static func keptModel(at url: URL) -> NSManagedObjectModel? {
    try? MetadataTable.withConnection(to: url) { connection in
      let metadata = try MetadataTable.read(connection) ?? [:]
      return try ModelTable.read(connection, metadata)
    }
  }

  /// Returns false: no migration is deferred, since dropping a column costs the server nothing.
  package func finishDeferredMigration(isOne: Bool) throws -> Bool { false }
}

/// The table `Z_MODELCACHE`: the model of the store's creation or last migration, kept as in a SQLite file.
enum ModelTable {
  /// Returns the model; nil if there is none or it can't be read.
  static func read(_ connection: Connection, _ metadata: [String: Any]) throws -> NSManagedObjectModel? {
    guard try !connection.execute("SELECT 1 WHERE to_regclass('z_modelcache') IS NOT NULL").isEmpty else { return nil }
    let rows = try connection.execute("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1")
    guard rows.count > 0, !rows.isNull(0, 0) else { return nil }
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    return ModelCache.model(of: Array(rows.bytes(0, 0)), named: "Z_MODELCACHE", hashes: hashes)
  }

  /// Replaces the model, as part of an open transaction if there is one.
  static func write(_ model: NSManagedObjectModel, _ connection: Connection) throws {
    try connection.run("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT bytea); DELETE FROM Z_MODELCACHE")
    guard let content = ModelCache.content(of: model) else { return }
    var parameters = Parameters()
    parameters.add(content)
    try connection.execute("INSERT INTO Z_MODELCACHE (Z_CONTENT) VALUES ($1)", parameters)
  }
}

/// Keeps a process with one version of the model from writing to tables of another version, or of another store that
/// was made in the place of its own: there, keys and versions are those of other objects.
///
/// A migration deletes all rows of `Z_WRITERS`, a new store has none, and the first store that keeps a history renames
/// all of them. A connection without a row can't write. To get a new row, it has to pass this check.
struct VersionGuard: @unchecked Sendable {
  // `@unchecked Sendable`: immutable, but for `opened`, which is safe on any thread.

  let opened = OpenedUUID()
  let model: NSManagedObjectModel
  let configuration: String?
  let options: [AnyHashable: Any]?
  let url: URL

  /// Returns whether each save has to see to it that there is no transaction of a history yet: it would be missing
  /// there. Without tables there can be none.
  func check(_ connection: Connection) throws -> Bool {
    guard let metadata = try MetadataTable.read(connection) else { return false }
    if let uuid = opened.uuid, metadata[NSStoreUUIDKey] as? String != uuid { throw StoreFailure.replaced(url) }
    _ = try ModelMetadata.fits(
      metadata, type: PostgreSQLStore.storeType, url: url, model: model, configuration: configuration,
      options: options)
    if options?.tracksHistory == true { return false }
    let (areThere, hasTransactions) = try HistoryTables.look(connection)
    if hasTransactions { throw StoreFailure.historyBegun(url) }
    return areThere
  }
}

/// The UUID of a store, once it is open. Safe on any thread.
final class OpenedUUID: @unchecked Sendable {
  // `@unchecked Sendable`: `stored` is only touched under `lock`.

  private let lock = NSLock()
  private var stored: String?

  var uuid: String? {
    get { lock.withLock { stored } }
    set { lock.withLock { stored = newValue } }
  }
}
