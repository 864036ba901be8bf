internal import CoreData
import Foundation

/// What a replica has to be a copy of: a server, a database in it, and the store there.
struct ReplicaOrigin {
  /// The number that `initdb` gives a server and its replicas share; nil if the role may not read it.
  private let system: String?
  private let database: String
  private let uuid: String

  /// The error of a server that is a copy of something else.
  struct Mismatch: Error {
    let reason: String
  }

  /// - Parameter connection: to the primary.
  init(_ connection: Connection, uuid: String) throws {
    self.uuid = uuid
    database = try ReplicaOrigin.database(connection)
    system = try ReplicaOrigin.system(connection)
  }

  /// Throws a `Mismatch` if the connection leads to a copy of something else.
  ///
  /// - Parameter mustHaveStore: whether the tables must be there; a replica that is behind may not have them yet.
  func check(_ connection: Connection, mustHaveStore: Bool) throws {
    if let system, let found = try ReplicaOrigin.system(connection), found != system {
      throw Mismatch(reason: "it belongs to another server, with the system identifier \(found) and not \(system)")
    }
    let found = try ReplicaOrigin.database(connection)
    guard found == database else {
      throw Mismatch(reason: "it leads to the database \(found) and not to \(database)")
    }
    let uuid = try MetadataTable.read(connection)?[NSStoreUUIDKey] as? String
    if uuid == nil, !mustHaveStore { return }
    guard uuid == self.uuid else {
      throw Mismatch(reason: "the store there has the UUID \(uuid ?? "of no store") and not \(self.uuid)")
    }
  }

  private static func database(_ connection: Connection) throws -> String {
    try connection.execute("SELECT current_database()::text").text(0, 0) ?? ""
  }

  private static func system(_ connection: Connection) throws -> String? {
    do {
      return try connection.execute("SELECT system_identifier::text FROM pg_control_system()").text(0, 0)
    } catch let error as ServerError where !error.isLost {
      return nil
    }
  }
}
