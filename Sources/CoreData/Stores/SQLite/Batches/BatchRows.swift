/// The rows that a batch request works on, kept in a temporary table of the writing connection while it runs.
///
/// `Z_ROOT` is the number of the root entity, which determines the row's table. `Z_STEP` counts the cascades that led
/// to the row; it is 0 for rows that the request chose. Tables of entities begin with Z, so this table hides none of
/// them.
package struct BatchRows {
  /// The table's name in SQLite.
  private static let table = "temp._Z_BATCH"

  private let schema: StoreSchema
  private let dialect: SQLDialect

  package init(_ schema: StoreSchema, _ dialect: SQLDialect = .sqlite) {
    self.schema = schema
    self.dialect = dialect
  }

  private var table: String { dialect == .sqlite ? BatchRows.table : "pg_temp._Z_BATCH" }

  static let create = StatementText(
    "CREATE TEMP TABLE IF NOT EXISTS _Z_BATCH (Z_ROOT INTEGER, Z_PK INTEGER, Z_ENT INTEGER, Z_STEP INTEGER, "
      + "PRIMARY KEY (Z_ROOT, Z_PK)) WITHOUT ROWID")
  static let indexSteps = StatementText(
    "CREATE INDEX IF NOT EXISTS temp._Z_BATCH_STEP ON _Z_BATCH (Z_ROOT, Z_STEP)")
  static let dropStepIndex = StatementText("DROP INDEX IF EXISTS temp._Z_BATCH_STEP")
  static let clear = StatementText("DELETE FROM \(table)")

  /// Selects Z_ENT and Z_PK of the rows that the request chose.
  static let chosen = StatementText("SELECT Z_ENT, Z_PK FROM \(table) WHERE Z_STEP = 0 ORDER BY Z_ROOT, Z_PK")
  static let all = StatementText("SELECT Z_ENT, Z_PK FROM \(table)")

  /// The text before and after a select of the columns. A row that is already in the table stays as it is. In
  /// PostgreSQL others may write meanwhile, so the rows are locked, and the condition still holds for them in the end.
  private var insert: (head: String, tail: String) {
    let into = "INTO \(table)(Z_ROOT, Z_PK, Z_ENT, Z_STEP)"
    return dialect == .sqlite
      ? ("INSERT OR IGNORE \(into)", "") : ("INSERT \(into)", " FOR UPDATE OF t0 ON CONFLICT DO NOTHING")
  }

  /// The statement's parameter: the number of the step.
  private var step: String { dialect == .sqlite ? "?1" : "$1" }

  /// The statement that adds the rows a fetch finds.
  package func add(_ fetch: FetchDescription, _ query: RowQuery, by planner: FetchPlanner) throws -> SQLFragment {
    let columns: [SQLExpression] = [
      .number(Int64(planner.schema.entity(at: query.entity.layout.rootIndex).number)), .column("t0", "Z_PK"),
      query.entity.sharesTable ? .column("t0", "Z_ENT") : .number(Int64(query.entity.number)), .number(0),
    ]
    let select = try planner.select(fetch, query, columns: columns)
    let (head, tail) = insert
    return SQLPrinter.print(dialect) {
      $0.write("\(head) ")
      $0.print(select)
      $0.write(tail)
    }
  }

  /// The statement that adds the row of a key, if there is one. Parameter: the key.
  func addKey(_ entity: EntitySchema) -> String {
    "\(insert.head) \(select(entity, step: "0")) WHERE t0.Z_PK = ?"
  }

  /// The statement that adds the rows of several keys. Parameter: the array of keys.
  package func addKeys(_ entity: EntitySchema) -> String {
    "\(insert.head) \(select(entity, step: "0")) WHERE t0.Z_PK = ANY ($1)\(insert.tail)"
  }

  /// The statement that adds rows of an entity to which rows of the last step lead. Parameter: that step's number.
  func addNext(_ entity: EntitySchema, _ from: String) -> String {
    "\(insert.head) \(select(entity, step: "\(step) + 1")) \(from)\(insert.tail)"
  }

  private func select(_ entity: EntitySchema, step: String) -> String {
    "SELECT \(number(entity.layout)), t0.Z_PK, \(BatchRows.entityColumn(entity)), \(step) FROM \(entity.table) t0"
  }

  /// Selects the keys of an entity and its subentities.
  package func keys(_ layout: EntityLayout, lastStep: Bool = false) -> String {
    var text = "SELECT Z_PK FROM \(table) WHERE Z_ROOT = \(number(layout))"
    if !layout.isRoot {
      let numbers = schema.numbers(layout.subtree).map(String.init)
      text += " AND Z_ENT IN (\(numbers.joined(separator: ",")))"
    }
    return text + (lastStep ? " AND Z_STEP = \(step)" : "")
  }

  private func number(_ layout: EntityLayout) -> String {
    String(schema.entity(at: layout.rootIndex).number)
  }

  /// The Z_ENT of a row. In a table of a single entity it is a constant, because rows may lack it there.
  private static func entityColumn(_ entity: EntitySchema) -> String {
    entity.sharesTable ? "t0.Z_ENT" : String(entity.number)
  }
}
