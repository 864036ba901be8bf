internal import CoreData
import Foundation

/// Makes the statements that create a store's tables. Runs none of them.
///
/// Names are the same as in a SQLite file: `ZBOOK` with `Z_PK`, `Z_ENT`, `Z_OPT` and `ZTITLE`. The server stores them
/// in lower case. Four things differ. Columns have the types of `ServerType`. The keys of a table come from a sequence,
/// in blocks. The server checks uniqueness at the end of the transaction. The functions that SQLite calls in the
/// program are in the database.
struct SchemaStatements {
  private let plan: SchemaPlan

  init(_ plan: SchemaPlan) { self.plan = plan }

  /// All but the functions, which have to be there before: the condition of an index may call one.
  var all: [String] {
    get throws {
      try SchemaStatements.checkNames(plan)
      let keys = plan.tables.map { KeyBlocks.create(plan.schema.entity(at: $0.root.index)) }
      return try tables + keys + indexes().map(\.sql)
        + DerivedTriggers.createStatements(plan.schema, .postgreSQL) + SchemaStatements.bookkeeping
    }
  }

  /// Throws if the server would cut the name of a table or column: the store could be made, but not opened again.
  static func checkNames(_ plan: SchemaPlan) throws {
    for table in plan.tables {
      let names = [table.name] + table.columns.map(\.name) + table.joins.flatMap { [$0.name] + $0.columns }
      for name in names where name.utf8.count(where: { $0 != UInt8(ascii: "\"") }) > 63 {
        throw StoreFailure.unsupported(
          "A table or column of a PostgreSQL store with a name of more than 63 bytes, as \(name),")
      }
    }
  }

  /// The tables of entities and of links.
  var tables: [String] {
    plan.tables.flatMap { table in
      [SchemaStatements.create(table, named: table.name, plan.schema)]
        + table.joins.map { SchemaStatements.create($0, named: $0.name) }
    }
  }

  /// The store's own tables.
  static let bookkeeping = [
    "CREATE TABLE Z_PRIMARYKEY (Z_ENT bigint PRIMARY KEY, Z_NAME text, Z_SUPER bigint)",
    "CREATE TABLE Z_METADATA (Z_VERSION bigint PRIMARY KEY, Z_UUID text, Z_PLIST bytea)",
    "CREATE TABLE Z_MODELCACHE (Z_CONTENT bytea)", SaveMark.table,
  ]

  static func create(_ table: TablePlan, named name: String, _ schema: StoreSchema) -> String {
    let types = types(in: table, schema)
    let columns = table.columns.map { ", \($0.name) \((types[$0.name] ?? .integer).declaration)" }.joined()
    return "CREATE TABLE \(name) "
      + "(Z_PK bigint PRIMARY KEY, Z_ENT bigint NOT NULL, Z_OPT bigint NOT NULL\(columns))"
  }

  /// Returns the types of the columns that hold values, by name. All other columns are integers.
  static func types(in table: TablePlan, _ schema: StoreSchema) -> [String: ServerType] {
    var types: [String: ServerType] = [:]
    for entity in schema.entities.compactMap({ $0 }) where entity.layout.rootIndex == table.root.index {
      for column in entity.slots.compactMap({ $0 }) { types[column.name] = ServerType(column.property.form) }
    }
    return types
  }

  static func create(_ join: JoinTable, named name: String) -> String {
    "CREATE TABLE \(name) (\(join.columns.map { "\($0) bigint" }.joined(separator: ", ")), "
      + "PRIMARY KEY (\(join.first), \(join.second)))"
  }

  func indexes() throws -> [PlannedIndex] {
    try ServerIndexName.distinct(plan.indexes(.postgreSQL)).map { index in
      guard let (name, columns, condition) = index.parts, let entity = index.constraint?.entity else {
        return index
      }
      let deferred = "DEFERRABLE INITIALLY DEFERRED"
      let add = "ALTER TABLE \(entity.table) ADD CONSTRAINT \(name)"
      guard let condition else {
        return index.made(by: "\(add) UNIQUE (\(columns.joined(separator: ", "))) \(deferred)")
      }
      // Only an exclusion constraint can cover some rows of a table and be checked at the end.
      let equal = columns.map { "\($0) WITH =" }.joined(separator: ", ")
      return index.made(by: "\(add) EXCLUDE USING btree (\(equal)) WHERE (\(condition)) \(deferred)")
    }
  }
}

extension PlannedIndex {
  fileprivate func made(by sql: String) -> PlannedIndex { PlannedIndex(sql: sql, constraint: constraint, parts: parts) }
}
