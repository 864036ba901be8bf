/// The rows that a batch request is about, kept in a table of the writing connection while it runs.
///
/// `Z_ROOT` is the number of the root entity, which names the table that the row is in; `Z_STEP` counts the
/// cascades that led to the row, 0 for those that the request chose. Entities' tables begin with Z, so none of
/// them is hidden by this one.
package struct BatchRows {
  /// As SQLite has it.
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
  static let clear = StatementText("DELETE FROM \(table)")

  /// Those that the request chose: Z_ENT, Z_PK.
  static let chosen = StatementText("SELECT Z_ENT, Z_PK FROM \(table) WHERE Z_STEP = 0 ORDER BY Z_ROOT, Z_PK")
  static let all = StatementText("SELECT Z_ENT, Z_PK FROM \(table)")

  /// Around a select of the columns: a row that is there stays as it is. Where others may write meanwhile the rows are
  /// locked, so that the condition still holds for them in the end.
  private var insert: (head: String, tail: String) {
    let into = "INTO \(table)(Z_ROOT, Z_PK, Z_ENT, Z_STEP)"
    return dialect == .sqlite
      ? ("INSERT OR IGNORE \(into)", "") : ("INSERT \(into)", " FOR UPDATE OF t0 ON CONFLICT DO NOTHING")
  }

  /// The number of the step, which is the statement's parameter.
  private var step: String { dialect == .sqlite ? "?1" : "$1" }

  /// Adds what a fetch finds.
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

  /// Adds the row of a key, the parameter, if there is one.
  func addKey(_ entity: EntitySchema) -> String {
    "\(insert.head) \(select(entity, step: "0")) WHERE t0.Z_PK = ?"
  }

  /// The same for the keys of an array.
  package func addKeys(_ entity: EntitySchema) -> String {
    "\(insert.head) \(select(entity, step: "0")) WHERE t0.Z_PK = ANY ($1)\(insert.tail)"
  }

  /// Adds rows of an entity that rows of the last step lead to: the parameter is that step's number.
  func addNext(_ entity: EntitySchema, _ from: String) -> String {
    "\(insert.head) \(select(entity, step: "\(step) + 1")) \(from)\(insert.tail)"
  }

  private func select(_ entity: EntitySchema, step: String) -> String {
    "SELECT \(number(entity.layout)), t0.Z_PK, \(BatchRows.entityColumn(entity)), \(step) FROM \(entity.table) t0"
  }

  /// A select of keys, of the entity and those that inherit from it.
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

  /// A table of one entity may have rows that do not say so.
  private static func entityColumn(_ entity: EntitySchema) -> String {
    entity.sharesTable ? "t0.Z_ENT" : String(entity.number)
  }
}
