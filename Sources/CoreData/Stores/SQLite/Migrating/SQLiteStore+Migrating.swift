import Foundation

extension SQLiteStore {
  /// Migrates a store in one transaction. Does nothing if another process has migrated it in the meantime.
  package static func migrateInPlace(
    at url: URL, by delta: ModelDelta, to layouts: ModelLayouts, configuration: String?,
    options: [AnyHashable: Any]?
  ) throws {
    let migration = InPlaceMigration(
      url: url, delta: delta, layouts: layouts, configuration: configuration, options: StoreOptions(options))
    try migration.run()
  }
}

/// One migration in place.
///
/// The file keeps its journal mode, usually a write-ahead log. The log writes twice what a rollback journal would also
/// write twice. Other processes can read during the migration, and a kill at any moment leaves either the old state or
/// the new one. Afterwards the log is emptied into the file.
struct InPlaceMigration {
  let url: URL
  let delta: ModelDelta
  let layouts: ModelLayouts
  let configuration: String?
  let options: StoreOptions
  /// Called with the number of each step before it runs, so that tests can make it fail.
  @TaskLocal static var willRun: (@Sendable (Int) throws -> Void)?

  /// The metadata entry of a file that was migrated in place, as in Apple's files.
  static let managerKey = "migrationManagerClass"
  static let managerName = "NSSQLiteInPlaceMigrationManager"

  func run() throws {
    let connection: Connection
    do {
      connection = try open()
    } catch let error as SQLiteError {
      throw error.openingFailure(at: url)
    }
    let externals = ExternalStorage(ExternalFiles(store: url), uuid: try storedUUID(connection))
    do {
      let forgotten = try connection.transaction(.exclusive) {
        let before = try externals.files.named(in: connection)
        try migrate(connection)
        // The files of dropped columns, and of values that are in the column now.
        let forgotten = before.isEmpty ? [] : before.subtracting(try externals.files.named(in: connection)).sorted()
        try externals.willCommit(made: [], forgotten: forgotten)
        return forgotten
      }
      externals.didCommit(made: [], forgotten: forgotten, connection)
    } catch let error as SQLiteError {
      if error.isBusy { throw Failure.storeLocked(url: url, message: error.message) }
      throw Failure.migrationFailed(
        url: url, reason: "its file can't be changed", underlying: error.failure(at: url).nsError)
    }
    // Another reader may hold the log; then the next checkpoint empties it.
    _ = try? connection.withoutWaiting { try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)") }
    externals.close(connection)
  }

  private func storedUUID(_ connection: Connection) throws -> String {
    do { return try StoreMetadata.readIfPresent(at: url, from: connection)?[NSStoreUUIDKey] as? String ?? "" } catch let
      error as SQLiteError
    {
      throw error.openingFailure(at: url)
    }
  }

  private func open() throws -> Connection {
    var options = Connection.Options()
    options.busyTimeout = self.options.busyTimeout
    let files = ExternalFiles(store: url)
    options.configure = { connection in
      try StoreFunctions.register(in: connection)
      try StoreFunctions.registerFiles(files, in: connection)
    }
    let connection = try Connection(path: url.path, options: options)
    connection.trace = .requested
    connection.trace?.annotate("Migrating the sqlite database file at \"\(url.path)\"")
    guard !connection.isReadOnly else {
      throw SQLiteError(extendedCode: 8, message: "attempt to write a readonly database")
    }
    for pragma in self.options.connectionPragmas where pragma.name != "recursive_triggers" {
      try connection.set(pragma: pragma.name, to: pragma.value)
    }
    // Keeps pages that are written more than once in memory, within limits.
    try connection.set(pragma: "cache_size", to: "-32000")
    return connection
  }

  private func migrate(_ connection: Connection) throws {
    let metadata = try StoreMetadata.read(at: url, from: connection)
    let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    if layouts.model.isVersion(ofStore: stored, configuration) { return }
    let existing = try ExistingSchema(url: url, connection: connection, metadata: metadata)
    let before = try SchemaPlanner.plan(
      ModelLayouts.of(delta.source),
      configuration: try delta.configuration(ofStore: stored, at: url, or: configuration), existing: existing)
    let after = try SchemaPlanner.plan(layouts, configuration: configuration, existing: nil)
    let facts = try MigrationFacts(connection, before)
    let plan = try MigrationPlanner.plan(
      delta, from: before, existing: existing, facts: facts, to: after, defers: options.defersMigration)
    try MigrationFunctions.register(in: connection, plan.columnMaps)
    for (number, step) in plan.steps.enumerated() {
      do {
        try InPlaceMigration.willRun?(number)
        try runStep(step, connection)
      } catch let error as SQLiteError {
        throw try failure(error, step: step, after: after, connection: connection)
      }
    }
    try writeBookkeeping(plan, after: after, metadata: metadata, connection: connection)
    after.warnOfIndexesLeftOut()
  }

  private func runStep(_ step: MigrationPlan.Step, _ connection: Connection) throws {
    guard let count = step.count else { return try connection.execute(step.sql) }
    let expected = try connection.rows(count).first?[0].flatMap { Int($0) } ?? 0
    try connection.execute(step.sql)
    guard connection.changes == expected else {
      throw Failure.migrationFailed(
        url: url, reason: "\(step.purpose) took \(connection.changes) rows of \(expected)", underlying: nil)
    }
  }

  private func failure(
    _ error: SQLiteError, step: MigrationPlan.Step, after: SchemaPlan, connection: Connection
  ) throws -> Failure {
    if let constraint = step.constraint, error.code == 19 {
      return .migrationViolatesConstraint(
        url: url, entity: constraint.entity.layout.name, attributes: constraint.attributes,
        values: try duplicate(constraint.entity, attributes: constraint.attributes, connection: connection) {
          after.schema.entity(at: $0).number
        })
    }
    return .migrationFailed(
      url: url, reason: "\(step.purpose) failed", underlying: error.failure(at: url).nsError)
  }

  /// The first values that several rows share.
  private func duplicate(
    _ entity: EntitySchema, attributes: [String], connection: Connection, number: (Int) -> Int
  ) throws -> [Any?] {
    let columns = attributes.compactMap { name -> SlotColumn? in
      entity.layout.property(named: name).flatMap { $0.slot >= 0 ? entity.slots[$0.slot] : nil }
    }
    let list = columns.map(\.name).joined(separator: ", ")
    var conditions = columns.map { "\($0.name) IS NOT NULL" }
    if entity.sharesTable {
      conditions.append("Z_ENT IN (\(MigrationPlanner.list(entity.layout.subtree.map(number))))")
    }
    let sql =
      "SELECT \(list) FROM \(entity.table) WHERE \(conditions.joined(separator: " AND ")) "
      + "GROUP BY \(list) HAVING COUNT(*) > 1 LIMIT 1"
    guard let row = try connection.rows(sql).first else { return [] }
    return row
  }

  // The file's bookkeeping.

  private func writeBookkeeping(
    _ plan: MigrationPlan, after: SchemaPlan, metadata: [String: Any], connection: Connection
  ) throws {
    try connection.execute("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < \(ExistingSchema.firstForeignNumber)")
    for row in after.primaryKeyRows {
      let name = Binding.text(row.name).literal
      try connection.execute(
        "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
          + "VALUES(\(row.number), \(name), \(row.parent), \(plan.maximumKeys[row.number] ?? 0))")
    }
    var metadata = metadata
    metadata.merge(ModelMetadata.entries(for: layouts.model, configuration: configuration)) { $1 }
    metadata[InPlaceMigration.managerKey] = InPlaceMigration.managerName
    if plan.defers { metadata[NSPersistentStoreDeferredLightweightMigrationOptionKey] = true }
    try StoreMetadata.write(metadata, to: connection)
    try connection.execute("CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB)")
    try ModelCache.replace(by: layouts.model, in: connection)
  }
}
