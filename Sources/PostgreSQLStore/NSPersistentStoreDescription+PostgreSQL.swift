public import CoreData
public import Foundation

/// The type of stores on a PostgreSQL server, for `NSPersistentStoreDescription.type` and the coordinator's methods.
/// Reading it registers the store class.
public var NSPostgreSQLStoreType: String {
  PostgreSQLStore.register()
  return PostgreSQLStore.storeType
}

/// A flag: whether connections keep prepared statements. Default: true. Turn it off if a connection pooler between
/// your program and the server gives each transaction a different connection, as PgBouncer before version 1.21 does.
/// In that case leave `schema` out of the URL too, and set the role's search path.
public let PostgreSQLPreparedStatementsOption = "PostgreSQLPreparedStatementsOption"

/// A flag: whether a commit notifies listening processes, and whether a store that posts remote changes listens for
/// them. Default: true. If it is off, a store with persistent history checks the history every two seconds.
public let PostgreSQLNotificationsOption = "PostgreSQLNotificationsOption"

/// The URL of a streaming replica of the store's server, which then answers fetches and faults. Default: none.
///
///     description.setOption(URL(string: "postgresql://mary@copy.example.com/library")! as NSURL,
///       forKey: PostgreSQLReadReplicaOption)
///
/// Saves, batch requests, the history, migrations and pinned contexts stay with the server of the store's own URL. A
/// context never finds its own save undone: after a save, and after the store was told of a change, that server answers
/// until the replica has replayed everything that was committed by then. A replica that is away, behind or promoted is
/// left alone for a while. A server that is no copy of the store's is refused when the store is opened.
public let PostgreSQLReadReplicaOption = "PostgreSQLReadReplicaOption"

extension NSPersistentStoreDescription {
  /// Describes a store in a PostgreSQL database.
  ///
  ///     let url = URL(string: "postgresql://mary@db.example.com/library")!
  ///     container.persistentStoreDescriptions = [NSPersistentStoreDescription(postgreSQL: url)]
  ///
  /// The URL has libpq's form, with one more parameter: `schema=NAME` names the database schema for the store's tables.
  /// The database must exist; the schema and its tables are created when the store is first opened. Keep the password
  /// out of the URL: put it in a password file or in the environment, where libpq finds it. The store's `url` never
  /// shows a password.
  public convenience init(postgreSQL url: URL) {
    self.init(url: url)
    type = NSPostgreSQLStoreType
  }
}

extension PostgreSQLStore {
  static let storeType = "PostgreSQL"

  private static let registration: Void = NSPersistentStoreCoordinator.registerStoreClass(
    PostgreSQLStore.self, forStoreType: storeType)

  static func register() { _ = registration }
}
