internal import CoreData
import Foundation

/// Opening a store, case by case:
///
/// 1. No metadata: the tables are made, unless the store is read-only, in one transaction, and the schema that the URL
///    names if there is none. Of several processes that do so at a time one goes first, and the others find its tables.
/// 2. Metadata of another type, or hashes that differ from the model's: refused.
/// 3. Tables that don't fit the model though the hashes do: refused, with the table and what is wrong with it.
struct StoreOpening {
  struct Opened {
    let schema: StoreSchema
    let metadata: [String: Any]
  }

  private let store: PostgreSQLStore
  private let url: URL

  init(_ store: PostgreSQLStore, _ url: URL) {
    self.store = store
    self.url = url
  }

  func run() throws -> Opened {
    try store.pool.read { connection in
      try checkServer(connection)
      if let metadata = try MetadataTable.read(connection) { return try open(metadata, connection) }
      guard !store.isReadOnly else { throw StoreFailure.readOnly(url) }
      return try connection.transaction {
        try store.lockOpening(connection)
        if let schema = store.schemaName {
          try connection.run("CREATE SCHEMA IF NOT EXISTS \(SQLName.identifier(schema))")
        }
        if let metadata = try MetadataTable.read(connection) { return try open(metadata, connection) }
        return try make(connection)
      }
    }
  }

  /// Whoever comes second waits here until the first has committed.
  static func takeLock(_ schema: String?, _ connection: Connection) throws {
    var name = Parameters()
    name.add((schema ?? "") + ".z_metadata")
    try connection.execute("SELECT pg_advisory_xact_lock(hashtext($1))", name)
  }

  /// Which number is which entity's.
  static func writeEntities(_ plan: SchemaPlan, _ connection: Connection) throws {
    for row in plan.primaryKeyRows {
      var parameters = Parameters()
      parameters.add(Int64(row.number))
      parameters.add(row.name)
      parameters.add(Int64(row.parent))
      try connection.execute("INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER) VALUES ($1, $2, $3)", parameters)
    }
  }

  private func checkServer(_ connection: Connection) throws {
    if connection.version < 130_000 {
      throw StoreFailure.unsupported("A PostgreSQL server of version \(connection.version / 10_000), older than 13,")
    }
  }

  private func make(_ connection: Connection) throws -> Opened {
    let plan = try SchemaPlanner.plan(
      store.layouts, configuration: store.configuration, existing: nil, keepsFiles: false)
    var metadata = StoreMetadata.make(
      for: store.layouts.model, configuration: store.configuration, uuid: UUID().uuidString)
    metadata[NSStoreTypeKey] = PostgreSQLStore.storeType
    let statements = try SchemaStatements(plan).all
    for statement in statements { try connection.run(statement) }
    try StoreOpening.writeEntities(plan, connection)
    try MetadataTable.write(metadata, connection)
    try ModelTable.write(store.layouts.model, connection)
    return Opened(schema: plan.schema, metadata: metadata)
  }

  private func open(_ metadata: [String: Any], _ connection: Connection) throws -> Opened {
    _ = try StoreCompatibility.check(
      metadata, type: PostgreSQLStore.storeType, url: url, model: store.layouts.model,
      configuration: store.configuration, options: store.options)
    let existing = try ServerSchema.read(connection, url: url, metadata: metadata)
    let plan = try SchemaPlanner.plan(
      store.layouts, configuration: store.configuration, existing: existing, keepsFiles: false)
    try ServerSchema.checkTypes(of: plan, existing, url: url)
    return Opened(schema: plan.schema, metadata: metadata)
  }
}

extension PostgreSQLStore {
  /// Until the transaction ends nobody else who calls this for the same tables goes on.
  func lockOpening(_ connection: Connection) throws {
    try StoreOpening.takeLock(schemaName, connection)
  }
}
