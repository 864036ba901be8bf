internal import CoreData
import Foundation

/// One migration, in one transaction: an error or a crash on either side leaves the old version. Its steps:
///
/// 1. Take the advisory lock, as for opening: the first process migrates, and the others find it done.
/// 2. Lock all tables, so that no one reads a half-migrated store. Saves that are under way finish first.
/// 3. Run the steps of `MigrationPlanner`, as for a SQLite file, in PostgreSQL's dialect.
/// 4. Write sequences of keys, numbers of entities, metadata and the model.
struct ServerMigration {
  let address: StoreAddress
  let delta: ModelDelta
  let layouts: ModelLayouts
  let configuration: String?
  /// The longest wait for tables that others read or write, in seconds.
  let patience: TimeInterval
  /// A hook for tests of failures, called before each step with its number.
  @TaskLocal static var willRun: (@Sendable (Int) throws -> Void)?

  private var url: URL { address.shown }

  func run() throws {
    for attempt in 1... {
      do {
        let connection = try Connection(address, preparesStatements: false, trace: StatementTrace.requested)
        return try connection.transaction { try migrate(connection) }
      } catch let error as ServerError where error.isPassing && attempt < 5 {
        Thread.sleep(forTimeInterval: 0.05 * Double(attempt))
      } catch let error as ServerError {
        throw StoreFailure.migrationFailed(url, "its database can't be changed", because: error.failure)
      }
    }
  }

  private func migrate(_ connection: Connection) throws {
    try StoreOpening.takeLock(address.schema, connection)
    let metadata = try MetadataTable.read(connection) ?? [:]
    let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    if layouts.model.isVersion(ofStore: stored, configuration) { return }
    let existing = try ServerSchema.read(connection, url: url, metadata: metadata)
    let before = try SchemaPlanner.plan(
      ModelLayouts.of(delta.source),
      configuration: try delta.configuration(ofStore: stored, at: url, or: configuration), existing: existing,
      keepsFiles: false)
    let after = try SchemaPlanner.plan(layouts, configuration: configuration, existing: nil, keepsFiles: false)
    try SchemaStatements.checkNames(after)
    try lockTables(before, connection)
    // The plan makes the triggers of the new version.
    try StoreTables.dropDerived(connection)
    let dialect = ServerMigrationDialect()
    let facts = try MigrationFacts(connection, before, dialect)
    let plan = try MigrationPlanner.plan(
      delta, from: before, existing: existing, facts: facts, to: after, dialect: dialect)
    // Drops sequences first: their tables may be dropped, and other entities may get their numbers.
    for table in before.tables {
      try connection.run("DROP SEQUENCE IF EXISTS \(KeyBlocks.name(before.schema.entity(at: table.root.index)))")
    }
    let function = HistoryColumnsFunction(plan.columnMaps)
    if let function { try connection.run(function.create) }
    for (number, step) in plan.steps.enumerated() {
      try ServerMigration.willRun?(number)
      try run(step, after, connection)
    }
    if let function { try connection.run(function.drop) }
    try nameKeys(connection)
    try writeBookkeeping(plan, after, metadata, connection)
    after.warnOfIndexesLeftOut()
  }

  /// Locks all tables, starting with `Z_WRITERS`, which every save writes to first.
  private func lockTables(_ before: SchemaPlan, _ connection: Connection) throws {
    let hasHistory = try HistoryTables.look(connection).areThere
    let names =
      ["Z_WRITERS"] + before.tables.map(\.name) + before.schema.joins.map(\.name) + (hasHistory ? ["ACHANGE"] : [])
    try connection.run(
      "SET LOCAL lock_timeout = \(Int(min(max(patience, 0.001), 1_000_000) * 1000)); "
        + "LOCK TABLE \(names.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE; "
        // A pending constraint check would keep a table from being altered.
        + "SET CONSTRAINTS ALL IMMEDIATE")
  }

  // Steps.

  private func run(_ step: MigrationPlan.Step, _ after: SchemaPlan, _ connection: Connection) throws {
    if step.constraint != nil { try connection.run("SAVEPOINT made") }
    do {
      let expected = try step.count.map { try connection.execute($0).int(0, 0) }
      let written = try connection.run(step.sql).affected
      if let expected, Int64(written) != expected {
        throw StoreFailure.migrationFailed(url, "\(step.purpose) took \(written) rows of \(expected)")
      }
    } catch let error as ServerError where !error.isPassing {
      if let constraint = step.constraint, error.breaksUniqueness {
        try connection.run("ROLLBACK TO SAVEPOINT made")
        throw StoreFailure.migrationViolatesConstraint(
          url, entity: constraint.entity.layout.name, attributes: constraint.attributes,
          values: try duplicate(constraint.entity, constraint.attributes, after.schema, connection))
      }
      throw StoreFailure.migrationFailed(url, "\(step.purpose) failed", because: error.failure)
    }
  }

  /// Returns the first values that occur in several rows.
  private func duplicate(
    _ entity: EntitySchema, _ attributes: [String], _ schema: StoreSchema, _ connection: Connection
  ) throws -> [Any?] {
    let columns = attributes.compactMap { name -> SlotColumn? in
      entity.layout.property(named: name).flatMap { $0.slot >= 0 ? entity.slots[$0.slot] : nil }
    }
    let list = columns.map(\.name).joined(separator: ", ")
    var conditions = columns.map { "\($0.name) IS NOT NULL" }
    if entity.sharesTable {
      conditions.append("Z_ENT IN (\(schema.numbers(entity.layout.subtree).map(String.init).joined(separator: ", ")))")
    }
    let rows = try connection.execute(
      "SELECT \(columns.map { "\($0.name)::text" }.joined(separator: ", ")) FROM \(entity.table) "
        + "WHERE \(conditions.joined(separator: " AND ")) GROUP BY \(list) HAVING COUNT(*) > 1 LIMIT 1")
    return rows.count == 0 ? [] : columns.indices.map { rows.text(0, $0) }
  }

  // What the database says of itself.

  /// Renames the primary keys of renamed tables, so that a save recognizes them in an error.
  private func nameKeys(_ connection: Connection) throws {
    let rows = try connection.execute(
      """
      SELECT quote_ident(t.relname), quote_ident(c.conname), quote_ident('z_' || t.oid || '_pkey')
      FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
      WHERE c.contype = 'p' AND t.relname ILIKE 'z%'
        AND t.relnamespace = \(ServerSchema.namespace)
        AND (c.conname NOT LIKE '%\\_pkey' OR c.conname LIKE 'z\\_migrating%')
      """)
    for row in 0..<rows.count {
      guard let table = rows.text(row, 0), let old = rows.text(row, 1), let new = rows.text(row, 2) else { continue }
      try connection.run("ALTER TABLE \(table) RENAME CONSTRAINT \(old) TO \(new)")
    }
  }

  private func writeBookkeeping(
    _ plan: MigrationPlan, _ after: SchemaPlan, _ metadata: [String: Any], _ connection: Connection
  ) throws {
    for table in after.tables {
      let root = after.schema.entity(at: table.root.index)
      try connection.run(KeyBlocks.create(root, after: plan.maximumKeys[root.number] ?? 0))
    }
    try connection.run("DELETE FROM Z_PRIMARYKEY; DELETE FROM Z_WRITERS")
    try StoreOpening.writeEntities(after, connection)
    var metadata = metadata
    metadata.merge(ModelMetadata.entries(for: layouts.model, configuration: configuration)) { $1 }
    try MetadataTable.write(metadata, connection)
    try ModelTable.write(layouts.model, connection)
  }
}

/// The function that brings the bits of a recorded change to the new model's, for the time of a migration.
private struct HistoryColumnsFunction {
  private let maps: [Int: HistoryColumnMap]

  init?(_ maps: [Int: HistoryColumnMap]) {
    if maps.isEmpty { return nil }
    self.maps = maps
  }

  /// A byte's first bit is its highest one, where the server's functions begin with the lowest.
  var create: String {
    let cases = maps.sorted { $0.key < $1.key }.map { number, map in
      let places = map.bits.map { $0.map(String.init) ?? "NULL" }.joined(separator: ", ")
      return "WHEN \(number) THEN places := ARRAY[\(places)]::int[]; size := \((map.count + 7) / 8);"
    }
    return """
      CREATE FUNCTION \(MigrationFunctions.columns)(entity bigint, bits bytea) RETURNS bytea LANGUAGE plpgsql STRICT AS $f$
      DECLARE places int[]; size int; result bytea; bit int;
      BEGIN
        CASE entity \(cases.joined(separator: " ")) ELSE RETURN bits; END CASE;
        result := decode(repeat('00', size), 'hex');
        FOR place IN 0..coalesce(array_length(places, 1), 0) - 1 LOOP
          bit := places[place + 1];
          IF bit IS NOT NULL AND place / 8 < length(bits) AND get_bit(bits, place / 8 * 8 + 7 - place % 8) = 1 THEN
            result := set_bit(result, bit / 8 * 8 + 7 - bit % 8, 1);
          END IF;
        END LOOP;
        RETURN result;
      END $f$
      """
  }

  var drop: String { "DROP FUNCTION \(MigrationFunctions.columns)(bigint, bytea)" }
}
