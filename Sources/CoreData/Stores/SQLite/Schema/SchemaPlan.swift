/// The plan of one entity hierarchy's table.
package struct TablePlan {
  package struct Column {
    package let name: String
    package let type: ColumnType
    /// Whether it holds positions in an ordered relationship. These columns come after the entity's foreign keys.
    var isOrder = false
    /// The layout index of the entity that the column belongs to; one past the last for hidden keys.
    let entity: Int

    fileprivate func place(_ offset: Int) -> (Int, Int, Int, Int) { (type.group, entity, isOrder ? 1 : 0, offset) }
  }

  package let name: String
  package let root: EntityLayout
  /// The columns in the order in which they got their names: entity by entity, attributes before relationships.
  package var columns: [Column] = []
  package var foreignKeys: [String] = []
  package var joins: [JoinTable] = []

  /// The columns grouped by type. In a group they have the order of `columns`, with hidden keys last.
  var columnsInOrder: [Column] {
    columns.enumerated().sorted {
      $0.element.place($0.offset) < $1.element.place($1.offset)
    }.map(\.element)
  }
}

/// A store's schema and the plans of its tables.
package struct SchemaPlan {
  package let schema: StoreSchema
  package let tables: [TablePlan]

  /// All statements that create a new file, in the order of `sqlite_master`.
  func createStatements() throws -> [String] {
    try createTables() + createIndexes() + createBookkeeping()
  }

  private func createTables() -> [String] {
    tables.flatMap { table in [SchemaPlan.create(table)] + table.joins.map { SchemaPlan.create($0) } }
  }

  /// The statement that creates a table, under another name if one is given.
  static func create(_ table: TablePlan, named name: String? = nil) -> String {
    let columns = table.columnsInOrder.map { ", \($0.name) \($0.type.sql)" }.joined()
    return "CREATE TABLE \(name ?? table.name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns) )"
  }

  static func create(_ join: JoinTable, named name: String? = nil) -> String {
    "CREATE TABLE \(name ?? join.name) ( \(join.columns.map { "\($0) INTEGER" }.joined(separator: ", ")), "
      + "PRIMARY KEY (\(join.first), \(join.second)) )"
  }

  private func createBookkeeping() -> [String] {
    [
      "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
      "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]
  }

  /// The rows of Z_PRIMARYKEY: Z_ENT, name, Z_ENT of the parent.
  package var primaryKeyRows: [(number: Int, name: String, parent: Int)] {
    schema.entities.compactMap { $0 }.sorted(on: \.number).map { entity in
      let parent = entity.layout.superIndex < 0 ? nil : schema.entities[entity.layout.superIndex]
      return (entity.number, entity.layout.name, parent?.number ?? 0)
    }
  }
}
