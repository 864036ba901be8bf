/// One entity hierarchy's table, before it exists.
package struct TablePlan {
  package struct Column {
    package let name: String
    package let type: ColumnType
    /// Whether it holds places in an ordered relationship: these stand behind the entity's foreign keys.
    var isOrder = false
    /// Layout index of the entity that brings the column; one past the last for hidden keys.
    let entity: Int

    fileprivate func place(_ offset: Int) -> (Int, Int, Int, Int) { (type.group, entity, isOrder ? 1 : 0, offset) }
  }

  package let name: String
  package let root: EntityLayout
  /// In the order in which names were given: by entity, attributes before relationships.
  package var columns: [Column] = []
  package var foreignKeys: [String] = []
  package var joins: [JoinTable] = []

  /// Grouped by type; in a group the order of `columns`, hidden keys last.
  var columnsInOrder: [Column] {
    columns.enumerated().sorted {
      $0.element.place($0.offset) < $1.element.place($1.offset)
    }.map(\.element)
  }
}

/// A store's schema together with the tables that make it up.
package struct SchemaPlan {
  package let schema: StoreSchema
  package let tables: [TablePlan]

  /// Everything that makes a new file, as statements, in the order of `sqlite_master`.
  func createStatements() throws -> [String] {
    try createTables() + createIndexes() + createBookkeeping()
  }

  private func createTables() -> [String] {
    tables.flatMap { table in [SchemaPlan.create(table)] + table.joins.map { SchemaPlan.create($0) } }
  }

  /// Makes a table, under another name where one is given.
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
    schema.entities.compactMap { $0 }.sorted { $0.number < $1.number }.map { entity in
      let parent = entity.layout.superIndex < 0 ? nil : schema.entities[entity.layout.superIndex]
      return (entity.number, entity.layout.name, parent?.number ?? 0)
    }
  }
}
