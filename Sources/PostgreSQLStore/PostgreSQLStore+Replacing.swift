package import CoreData
import Foundation

/// Stores as a whole, which no coordinator of this process has open: destroying, and replacing one by another.
extension PostgreSQLStore {
  /// Drops the store's tables, functions and collations in one transaction. The schema stays, with what others have in
  /// it.
  package static func destroyStore(at url: URL, _ options: [AnyHashable: Any]?) throws {
    try MetadataTable.withConnection(to: url) { connection in
      try connection.transaction {
        try StoreOpening.takeLock(StoreAddress(url).schema, connection)
        try destroy(options, connection)
      }
    }
  }

  private static func destroy(
    keepingFunctions: Bool = false, _ options: [AnyHashable: Any]?, _ connection: Connection
  ) throws {
    guard try MetadataTable.read(connection) != nil else { return }
    let tables = try StoreTables(connection)
    try tables.lock("ACCESS EXCLUSIVE", patience: StoreSettings(options).patience, connection)
    try tables.drop(connection)
    if !keepingFunctions { try StoreTables.dropFunctions(connection) }
  }

  /// Copies one store over another in one transaction. Both are in one database, and the source is read by the model
  /// that it keeps.
  package static func replaceStore(
    at destination: URL, _ options: [AnyHashable: Any]?, from source: URL, _ sourceOptions: [AnyHashable: Any]?
  ) throws {
    guard let model = keptModel(at: source) else {
      throw StoreFailure.unsupported("Replacing a PostgreSQL store by \(source.withoutPassword), which keeps no model,")
    }
    let from = try MetadataTable.withConnection(to: source) { try Place($0) }
    try MetadataTable.withConnection(to: destination) { connection in
      let address = StoreAddress(destination)
      try connection.transaction {
        try StoreOpening.takeLock(address.schema, connection)
        if let schema = address.schema { try StoreOpening.makeSchema(schema, connection) }
        let to = try Place(connection)
        guard from.server == to.server else {
          throw StoreFailure.unsupported("Replacing a PostgreSQL store by one in another database")
        }
        if from.schema == to.schema { return }
        try destroy(keepingFunctions: true, options, connection)
        let duplicate = StoreDuplicate(
          source: from.schema, target: to.schema, model: model, url: source.withoutPassword)
        try duplicate.enter(from.schema, connection)
        try StoreTables(connection).lock("SHARE", patience: StoreSettings(options).patience, connection)
        try duplicate.make(connection)
      }
    }
  }

  /// A schema, and the database that it is in.
  private struct Place {
    let server: String
    let schema: String

    init(_ connection: Connection) throws {
      let rows = try connection.execute(
        "SELECT pg_postmaster_start_time()::text || ' ' || current_database(), current_schema()::text")
      guard let server = rows.text(0, 0), let schema = rows.text(0, 1) else {
        throw StoreFailure.unsupported("Replacing a PostgreSQL store whose search_path leads to no schema")
      }
      (self.server, self.schema) = (server, schema)
    }
  }
}
