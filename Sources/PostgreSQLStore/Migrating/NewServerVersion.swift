package import CoreData
import Foundation

/// The new version of a store, in a schema of its own in the same database, until it takes the store's place.
///
/// 1. A transaction takes the lock of openings and migrations, and locks the store's tables against writing. Others may
///    read the old version all the time.
/// 2. The new version is made in the schema `z_migrating_N` over other connections. N is the number of the store's
///    schema, so what an earlier migration has left there is found, and dropped.
/// 3. The transaction locks out readers, drops the store's tables, makes those of the new version, copies the rows, and
///    drops the schema.
///
/// So the old version is there until the transaction commits, and then the new one, whoever is killed.
final class NewServerVersion: NewVersion {
  private let address: StoreAddress
  private let source: NSManagedObjectModel
  private let destination: NSManagedObjectModel
  private let patience: TimeInterval
  /// In the transaction that holds the locks.
  private let connection: Connection
  /// The store's schema, and the new version's.
  private let schema: String
  private let place: String
  let url: URL

  let readsOldAsOwn = false
  let readsNewAsOwn = false

  /// A schema with this prefix holds new versions of stores.
  static let prefix = "z_migrating_"

  init(
    of store: URL, from source: NSManagedObjectModel, _ metadata: [String: Any], to destination: NSManagedObjectModel,
    _ options: [AnyHashable: Any]?
  ) throws {
    address = StoreAddress(store)
    self.source = source
    self.destination = destination
    patience = StoreSettings(options).patience
    connection = try Connection(address, preparesStatements: false, trace: StatementTrace.requested)
    try connection.run("\(Connection.begin); SET LOCAL idle_in_transaction_session_timeout = 0")
    try StoreOpening.takeLock(address.schema, connection)
    let now = try MetadataTable.read(connection)?[NSStoreModelVersionHashesKey] as? [String: Data]
    guard now == metadata[NSStoreModelVersionHashesKey] as? [String: Data] else {
      throw StoreFailure.migrationFailed(address.shown, "another process has changed its version meanwhile")
    }
    try StoreTables(connection).lock("SHARE", patience: patience, connection)
    let names = try connection.execute(
      "SELECT nspname::text, '\(NewServerVersion.prefix)' || oid FROM pg_namespace WHERE nspname = current_schema()")
    guard let schema = names.text(0, 0), let place = names.text(0, 1) else {
      throw StoreFailure.incompatibleSchema(address.shown, table: "Z_METADATA", "it is in no schema")
    }
    (self.schema, self.place) = (schema, place)
    url = StoreAddress.url(store, schema: place)
    try withConnection { try NewServerVersion.drop(place, $0) }
  }

  func copyStore() throws {
    try translatingErrors {
      try withConnection { connection in
        try connection.transaction {
          try connection.run("CREATE SCHEMA \(SQLName.identifier(place))")
          try StoreDuplicate(source: schema, target: place, model: source, url: address.shown).make(connection)
        }
      }
    }
  }

  /// None that the server would not have told.
  func damage() throws -> String? { nil }

  /// Nobody else could write.
  func check() throws {}

  func putInPlace() throws {
    try translatingErrors {
      try connection.finishingTransaction {
        let tables = try StoreTables(connection)
        try tables.lock("ACCESS EXCLUSIVE", patience: patience, connection)
        let duplicate = StoreDuplicate(source: place, target: schema, model: destination, url: address.shown)
        try duplicate.enter(place, connection)
        let bringsHistory = try HistoryTables.look(connection).areThere
        try duplicate.enter(schema, connection)
        if tables.haveHistory, !bringsHistory { try connection.run(HistoryTables.startOver) }
        try tables.drop(keepingHistory: !bringsHistory, connection)
        try duplicate.make(connection)
        try NewServerVersion.drop(place, connection)
      }
    }
  }

  func remove() {
    connection.rollback()
    try? withConnection { try NewServerVersion.drop(place, $0) }
  }

  private static func drop(_ schema: String, _ connection: Connection) throws {
    try connection.run("DROP SCHEMA IF EXISTS \(SQLName.identifier(schema)) CASCADE")
  }

  private func withConnection<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try body(Connection(address, preparesStatements: false, trace: StatementTrace.requested))
  }

  private func translatingErrors(_ body: () throws -> Void) throws {
    do { try body() } catch let error as ServerError {
      throw StoreFailure.migrationFailed(address.shown, "its database can't be changed", because: error.failure)
    }
  }
}

extension PostgreSQLStore {
  package static func newVersion(
    of url: URL, from source: NSManagedObjectModel, _ metadata: [String: Any], to destination: NSManagedObjectModel,
    _ options: [AnyHashable: Any]?
  ) throws -> any NewVersion {
    do { return try NewServerVersion(of: url, from: source, metadata, to: destination, options) } catch let error
      as ServerError
    {
      throw StoreFailure.migrationFailed(url.withoutPassword, "its database can't be changed", because: error.failure)
    }
  }
}
