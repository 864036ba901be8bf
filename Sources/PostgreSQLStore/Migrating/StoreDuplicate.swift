internal import CoreData
import Foundation

/// Makes in one schema of a database what a store has in another: tables, rows, numbers, keys, metadata, history. Runs
/// in an open transaction.
struct StoreDuplicate {
  let source: String
  let target: String
  /// The model of the store in `source`.
  let model: NSManagedObjectModel
  /// The store's URL, for errors.
  let url: URL

  /// Makes everything. The target has no tables of a store; if it has the functions that predicates call, they stay,
  /// unless they are of an earlier version.
  func make(_ connection: Connection) throws {
    try enter(source, connection)
    guard let metadata = try MetadataTable.read(connection) else {
      throw StoreFailure.incompatibleSchema(url, table: "Z_METADATA", "there is no such table")
    }
    let existing = try ServerSchema.read(connection, url: url, metadata: metadata)
    let plan = try SchemaPlanner.plan(
      ModelLayouts.of(model), configuration: configuration(metadata), existing: existing, keepsFiles: false)
    var lastKeys: [Int: Int64] = [:]
    for table in plan.tables {
      let root = plan.schema.entity(at: table.root.index)
      lastKeys[root.number] = try KeyBlocks.last(root, connection)
    }
    let history = try HistoryTables.look(connection).areThere ? try HistoryTables.tombstones(connection) : nil

    try enter(target, connection)
    let statements = SchemaStatements(plan)
    try StoreFunctions.renew(connection)
    try run(statements.tables + SchemaStatements.bookkeeping, connection)
    for table in plan.tables {
      try copy(table.name, ["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name), connection)
      for join in table.joins { try copy(join.name, join.columns, connection) }
      let root = plan.schema.entity(at: table.root.index)
      try connection.run(KeyBlocks.create(root, after: lastKeys[root.number] ?? 0))
    }
    try run(statements.indexes().map(\.sql), connection)
    try run(DerivedTriggers.createStatements(plan.schema, .postgreSQL), connection)
    try StoreOpening.writeEntities(plan, connection)
    try MetadataTable.write(metadata, connection)
    try ModelTable.write(model, connection)
    if let history { try copyHistory(tombstones: history, connection) }
  }

  /// Reads and writes go to a schema from here to the end of the transaction.
  func enter(_ schema: String, _ connection: Connection) throws {
    try connection.run("SET LOCAL search_path = \(SQLName.identifier(schema))")
  }

  /// The configuration that the store was made with; nil for all entities.
  private func configuration(_ metadata: [String: Any]) -> String? {
    if model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return nil }
    return model.configurations.sorted().first {
      model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
    }
  }

  private func run(_ statements: [String], _ connection: Connection) throws {
    for statement in statements { try connection.run(statement) }
  }

  private func copy(_ table: String, _ columns: [String], _ connection: Connection) throws {
    let list = columns.joined(separator: ", ")
    try connection.run(
      "INSERT INTO \(SQLName.identifier(target)).\(table) (\(list)) "
        + "SELECT \(list) FROM \(SQLName.identifier(source)).\(table)")
  }

  private func copyHistory(tombstones: Int, _ connection: Connection) throws {
    try HistoryTables.make(tombstones: tombstones, connection)
    try connection.run("DELETE FROM ATRANSACTIONCOUNTER")
    for (table, columns) in HistoryTables.columns(tombstones: tombstones) { try copy(table, columns, connection) }
    try connection.run(HistoryTables.countTexts)
  }
}
