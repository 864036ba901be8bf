internal import CoreData
import Foundation

/// Opens a store:
///
/// 1. Without metadata, it creates the tables in one transaction, and the URL's schema if it is missing; a read-only
///    store is refused. If several processes do so at once, one creates the tables and the others find them.
/// 2. It refuses metadata of another store type, or with hashes that differ from the model's.
/// 3. It refuses tables that don't fit the model although the hashes do. The error names the table and what is wrong.
/// 4. It replaces functions that an earlier version of this module made. A read-only store leaves them, and says so.
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
      let opened = try openOrMake(connection)
      try renewFunctions(opened.schema, connection)
      return opened
    }
  }

  private func openOrMake(_ connection: Connection) throws -> Opened {
    // Of one state of the database: a migration may be committed between two statements.
    try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    let found = try connection.finishingTransaction {
      try MetadataTable.read(connection).map { try open($0, connection) }
    }
    if let found { return found }
    guard !store.isReadOnly else { throw StoreFailure.readOnly(url) }
    return try connection.transaction {
      try store.lockOpening(connection)
      if let schema = store.schemaName { try StoreOpening.makeSchema(schema, connection) }
      if let metadata = try MetadataTable.read(connection) { return try open(metadata, connection) }
      return try make(connection)
    }
  }

  /// Replaces the functions that an earlier version of this module made, and those of triggers. Does not wait for the
  /// lock: the process that has it sees to them, too.
  private func renewFunctions(_ schema: StoreSchema, _ connection: Connection) throws {
    guard try StoreFunctions.madeVersion(connection) < StoreFunctions.version else { return }
    if store.isReadOnly { return warn(.olderFunctions(url, "the store is read-only")) }
    do {
      try connection.transaction {
        guard try StoreOpening.tryLock(store.schemaName, connection) else { return }
        try StoreFunctions.renew(connection)
        for statement in try DerivedTriggers.functionStatements(schema) { try connection.run(statement) }
      }
    } catch let error as ServerError where error.state == "42501" {
      // A role may write rows, and not own the functions.
      warn(.olderFunctions(url, error.message))
    }
  }

  /// Takes the lock that lets one process at a time create or migrate the tables. It lasts until the transaction ends.
  ///
  /// A schema that the URL names may not be there yet. Where the URL names none, the role's path leads to one: a
  /// process that names that schema takes the same lock.
  static func takeLock(_ schema: String?, _ connection: Connection) throws {
    try lock(by: "pg_advisory_xact_lock", schema, connection)
  }

  /// Takes that lock if it is free. Returns whether it did.
  private static func tryLock(_ schema: String?, _ connection: Connection) throws -> Bool {
    try lock(by: "pg_try_advisory_xact_lock", schema, connection).bytes(0, 0).first == 1
  }

  @discardableResult
  private static func lock(by function: String, _ schema: String?, _ connection: Connection) throws -> ServerRows {
    guard let schema else {
      return try connection.execute(
        "SELECT \(function)(hashtext(COALESCE(current_schema()::text, '') || '.z_metadata'))")
    }
    var name = Parameters()
    name.add(schema + ".z_metadata")
    return try connection.execute("SELECT \(function)(hashtext($1))", name)
  }

  /// Makes a schema that is not there. The server asks for the right to make schemas even where `IF NOT EXISTS` finds
  /// one, and a role that may make tables in its schema need not have it.
  static func makeSchema(_ schema: String, _ connection: Connection) throws {
    var name = Parameters()
    name.add(schema)
    guard try connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = $1", name).isEmpty else { return }
    try connection.run("CREATE SCHEMA IF NOT EXISTS \(SQLName.identifier(schema))")
  }

  /// Writes the numbers of entities.
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
    try StoreFunctions.renew(connection)
    for statement in statements { try connection.run(statement) }
    try StoreOpening.writeEntities(plan, connection)
    try MetadataTable.write(metadata, connection)
    try ModelTable.write(store.layouts.model, connection)
    plan.warnOfIndexesLeftOut()
    return Opened(schema: plan.schema, metadata: metadata)
  }

  private func open(_ metadata: [String: Any], _ connection: Connection) throws -> Opened {
    _ = try ModelMetadata.fits(
      metadata, type: PostgreSQLStore.storeType, url: url, model: store.layouts.model,
      configuration: store.configuration, options: store.options)
    let uuid = metadata[NSStoreUUIDKey] as? String ?? ""
    guard StoreIdentity.canBeUUID(uuid) else {
      throw StoreFailure.incompatibleSchema(url, table: "Z_METADATA", "its Z_UUID is \"\(uuid.prefix(60))\"")
    }
    let existing = try ServerSchema.read(connection, url: url, metadata: metadata)
    let plan = try SchemaPlanner.plan(
      store.layouts, configuration: store.configuration, existing: existing, keepsFiles: false)
    try ServerSchema.checkTypes(of: plan, existing, url: url)
    return Opened(schema: plan.schema, metadata: metadata)
  }
}

extension PostgreSQLStore {
  /// Makes other calls for the same tables wait until the transaction ends.
  func lockOpening(_ connection: Connection) throws {
    try StoreOpening.takeLock(schemaName, connection)
  }
}

extension MisuseReport {
  fileprivate static func olderFunctions(_ url: URL, _ why: String) -> MisuseReport {
    MisuseReport(
      "The functions of the store at \(url.absoluteString) are of an earlier version, and stay: \(why).",
      how: "Searches that ignore case or marks may not find letters of another width there, as they do in memory. "
        + "Powers, exponentials and shifts may be refused, and so may what a program with another search_path writes.",
      remedy: "Open the store once to write it, as the role that owns the functions.")
  }
}
