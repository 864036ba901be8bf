/// The rows that a batch request is about, kept in a table of the writing connection while it runs.
///
/// `Z_ROOT` is the number of the root entity, which names the table that the row is in; `Z_STEP` counts the
/// cascades that led to the row, 0 for those that the request chose. Entities' tables begin with Z, so none of
/// them is hidden by this one.
enum BatchRows {
  static let table = "temp._Z_BATCH"

  static let create = StatementText(
    "CREATE TEMP TABLE IF NOT EXISTS _Z_BATCH (Z_ROOT INTEGER, Z_PK INTEGER, Z_ENT INTEGER, Z_STEP INTEGER, "
      + "PRIMARY KEY (Z_ROOT, Z_PK)) WITHOUT ROWID")
  static let clear = StatementText("DELETE FROM \(table)")

  /// Those that the request chose: Z_ENT, Z_PK.
  static let chosen = StatementText("SELECT Z_ENT, Z_PK FROM \(table) WHERE Z_STEP = 0 ORDER BY Z_ROOT, Z_PK")
  static let all = StatementText("SELECT Z_ENT, Z_PK FROM \(table)")

  private static let insert = "INSERT OR IGNORE INTO \(table)(Z_ROOT, Z_PK, Z_ENT, Z_STEP)"

  /// Adds what a fetch finds.
  static func add(_ fetch: FetchDescription, _ query: RowQuery, _ planner: FetchPlanner) throws -> SQLFragment {
    let columns: [SQLExpression] = [
      .number(Int64(planner.schema.entity(at: query.entity.layout.rootIndex).number)), .column("t0", "Z_PK"),
      query.entity.sharesTable ? .column("t0", "Z_ENT") : .number(Int64(query.entity.number)), .number(0),
    ]
    let select = try planner.select(fetch, query, columns: columns)
    return SQLPrinter.print {
      $0.write("\(insert) ")
      $0.print(select)
    }
  }

  /// Adds the row of a key, the parameter, if there is one.
  static func addKey(_ entity: EntitySchema, _ schema: StoreSchema) -> String {
    "\(insert) SELECT \(number(entity.layout, schema)), t0.Z_PK, \(entityColumn(entity)), 0 FROM \(entity.table) t0 "
      + "WHERE t0.Z_PK = ?"
  }

  /// Adds rows of an entity that rows of the last step lead to: the parameter is that step's number.
  static func addNext(_ entity: EntitySchema, _ schema: StoreSchema, _ from: String) -> String {
    "\(insert) SELECT \(number(entity.layout, schema)), t0.Z_PK, \(entityColumn(entity)), ?1 + 1 "
      + "FROM \(entity.table) t0 \(from)"
  }

  /// A select of keys, of the entity and those that inherit from it.
  static func keys(_ layout: EntityLayout, _ schema: StoreSchema, lastStep: Bool = false) -> String {
    var text = "SELECT Z_PK FROM \(table) WHERE Z_ROOT = \(number(layout, schema))"
    if !layout.isRoot {
      let numbers = schema.numbers(layout.subtree).map(String.init)
      text += " AND Z_ENT IN (\(numbers.joined(separator: ",")))"
    }
    return text + (lastStep ? " AND Z_STEP = ?1" : "")
  }

  private static func number(_ layout: EntityLayout, _ schema: StoreSchema) -> String {
    String(schema.entity(at: layout.rootIndex).number)
  }

  /// A table of one entity may have rows that do not say so.
  private static func entityColumn(_ entity: EntitySchema) -> String {
    entity.sharesTable ? "t0.Z_ENT" : String(entity.number)
  }
}
