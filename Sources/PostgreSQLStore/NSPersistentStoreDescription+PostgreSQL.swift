public import CoreData
public import Foundation

/// The type of stores on a PostgreSQL server, for `NSPersistentStoreDescription.type` and the coordinator's methods.
/// Naming it makes the store class known.
public var NSPostgreSQLStoreType: String {
  PostgreSQLStore.register()
  return PostgreSQLStore.storeType
}

/// A flag: whether connections keep prepared statements. Default: true. Off for a pool of connections between program
/// and server that gives each transaction another one, such as PgBouncer's before its version 1.21.
/// Leave `schema` out of the URL then, and set the role's search path.
public let PostgreSQLPreparedStatementsOption = "PostgreSQLPreparedStatementsOption"

/// A flag: whether a commit notifies the processes that listen, and the store listens itself if it is to post remote
/// changes. Default: true. Without it a store with persistent history looks into the history every two seconds.
public let PostgreSQLNotificationsOption = "PostgreSQLNotificationsOption"

extension NSPersistentStoreDescription {
  /// A store in a database of a PostgreSQL server.
  ///
  ///     let url = URL(string: "postgresql://mary@db.example.com/library")!
  ///     container.persistentStoreDescriptions = [NSPersistentStoreDescription(postgreSQL: url)]
  ///
  /// The URL is libpq's, with one item more: `schema=NAME`, the schema of the database in which the store's tables are.
  /// The database must be there; the schema and its tables are made when the store is first opened. Keep the password
  /// out of the URL, in a password file or the environment, as libpq has it; from the store's `url` it is taken out.
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
