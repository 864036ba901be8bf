/// Plans the removal of tables, and of references to removed rows.
enum LeavingPlanner {
  /// - Parameters:
  ///   - kept: the roots whose tables stay.
  ///   - joins: the join tables that stay.
  ///   - keys: the columns that may refer to rows that are removed.
  static func plan(
    _ versions: MigrationVersions, kept: Set<SourceRoot>, joins: Set<String>, _ keys: KeyColumns
  ) -> (clearing: MigrationStatements, tables: MigrationStatements) {
    var clearing = MigrationStatements()
    clearing.clearing = keys.order.map { step($0, use: keys.uses[$0]!, versions: versions) }
    let tables = versions.source.tables.filter { !kept.contains(SourceRoot(index: $0.root.index)) }.map(\.name)
    let unused = tables + versions.source.schema.joins.map(\.name).filter { !joins.contains($0) }
    return (clearing, dropping(unused, versions))
  }

  /// Drops the source's tables that have no successor, or puts them aside.
  private static func dropping(_ tables: [String], _ versions: MigrationVersions) -> MigrationStatements {
    var statements = MigrationStatements()
    if versions.defers {
      statements.defers = !tables.isEmpty
      statements.putAside = tables.reversed().map { ($0, versions.deferredName($0)) }
    } else {
      statements.altering = tables.map { .init(sql: "DROP TABLE \($0)", purpose: "dropping the table \($0)") }
    }
    return statements
  }

  /// The step that clears references to removed rows.
  private static func step(
    _ key: KeyColumns.KeyColumn, use: KeyColumns.Use, versions: MigrationVersions
  ) -> MigrationPlan.Step {
    let numbers = MigrationPlanner.list(use.leaving.sorted())
    let table = versions.table(of: versions.root(of: use.target))
    let referring = "\(key.column) IN (SELECT Z_PK FROM \(table) WHERE Z_ENT IN (\(numbers)))"
    let purpose = "clearing what \(key.table).\(key.column) refers to and is removed"
    guard let companions = use.companions else {
      return .init(sql: "DELETE FROM \(key.table) WHERE \(referring)", purpose: purpose)
    }
    let columns = ([key.column] + companions).map { "\($0) = NULL" }.joined(separator: ", ")
    let condition = use.entityColumn.map { "\($0) IN (\(numbers))" } ?? referring
    return .init(sql: "UPDATE \(key.table) SET \(columns) WHERE \(condition)", purpose: purpose)
  }
}
