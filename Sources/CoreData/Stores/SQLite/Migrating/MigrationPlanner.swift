/// Plans a migration in place.
///
/// A pure function: it gets the file's content as ``ExistingSchema`` and ``MigrationFacts``. Each phase is a function
/// from values to a value, and none changes the result of an earlier one:
///
/// | phase | takes | returns |
/// |---|---|---|
/// | `MigrationVersions` | both models' schemas, the delta, the facts | which entity, property and table is which |
/// | `TableMoves` | the versions | for each table of the destination, whose rows it gets and the offset of their keys |
/// | `FeedPlanner` | versions, moves | `ColumnSources`: the value of each column, and later look-ups and numberings |
/// | `JoinPlanner` | versions, moves | `JoinMoves`: statements for join tables, and tables that stay |
/// | `RowPlanner` | versions, moves, column sources | `RowMoves`: statements for tables and rows, tables that stay |
/// | `LeavingPlanner` | versions, these two results | statements for removed tables and references to removed rows |
/// | `IndexPlanner`, `HistoryPlanner` | versions, moves, changed columns | statements for indexes, for the history and for mirroring |
///
/// The statements run in another order, that of the parts of `MigrationStatements`.
///
/// A table has at most one **successor**: the table that it becomes without copying a row. If rows of another table
/// move into the successor, they get keys behind its own: the same number is added to all of these keys and to all
/// references to them.
package enum MigrationPlanner {
  package static func plan(
    _ delta: ModelDelta, from source: SchemaPlan, existing: ExistingSchema, facts: MigrationFacts,
    to destination: SchemaPlan, defers: Bool = false, dialect: any MigrationDialect = SQLiteMigrationDialect()
  ) throws -> MigrationPlan {
    try plan(
      MigrationVersions(
        delta, from: source, existing: existing, facts: facts, to: destination, defers: defers, dialect: dialect))
  }

  private static func plan(_ versions: MigrationVersions) throws -> MigrationPlan {
    var names = TemporaryNames(unlike: versions.facts.names)
    let moves = try TableMoves(versions)
    let columns = try FeedPlanner.plan(versions, moves)
    let joins = JoinPlanner.plan(versions, moves: moves, names: &names)
    let rows = RowPlanner.plan(versions, moves: moves, sources: columns, names: &names)
    let keys = columns.keys.merging(joins.keys)
    let leaving = LeavingPlanner.plan(versions, kept: rows.kept, joins: joins.taken, keys)
    let written = joins.statements + rows.statements
    let indexes = try IndexPlanner.plan(versions, after: written)
    let history = HistoryPlanner.plan(versions, moves)

    let statements =
      try indexes + leaving.clearing + written + leaving.tables
      + versions.derivedValues() + history.statements
    var plan = MigrationPlan()
    plan.steps = statements.steps(&names)
    plan.defers = statements.defers
    plan.columnMaps = history.columnMaps
    plan.maximumKeys = moves.maximumKeys(versions)
    return plan
  }

  // Pieces of SQL.

  static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }

  static func adding(_ offset: Int64, to text: String) -> String { offset == 0 ? text : "\(text) + \(offset)" }

  static func renumbering(_ column: String, _ changes: [(Int, Int)]) -> String {
    "CASE \(column) \(changes.map { "WHEN \($0.0) THEN \($0.1)" }.joined(separator: " ")) ELSE \(column) END"
  }

  static func bare(_ name: String) -> String { name.replacingOccurrences(of: "\"", with: "").uppercased() }
}
