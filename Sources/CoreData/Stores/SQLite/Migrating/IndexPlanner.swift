/// Plans triggers and indexes. It drops those of the source, except for indexes that the destination also has and whose
/// table and columns don't change. Other programs' indexes stay unless one of their columns changes.
enum IndexPlanner {
  /// - Parameter written: the statements for tables and columns.
  static func plan(
    _ versions: MigrationVersions, after written: MigrationStatements
  ) throws -> MigrationStatements {
    let wanted = try versions.dialect.indexes(versions.destination)
    let facts = versions.facts
    var statements = MigrationStatements()
    statements.clearing = facts.triggers.map { .init(sql: "DROP TRIGGER \($0)", purpose: "dropping the trigger \($0)") }
    var kept: Set<String> = []
    let tables = Set(versions.source.tables.map(\.name) + versions.source.schema.joins.map(\.name))
    for index in facts.indexes where tables.contains(index.table) {
      let touched = written.touched[index.table] ?? []
      guard versions.isOurs(index) || index.columns.contains(where: touched.contains) else { continue }
      if written.staying.contains(index.table), !index.mentions(touched),
        let same = wanted.first(where: { MigrationFacts.plain($0.sql) == index.plainSQL })
      {
        kept.insert(same.sql)
      } else {
        statements.altering.append(
          .init(sql: versions.dialect.drop(index), purpose: "dropping the index \(index.name)"))
      }
    }
    statements.finishing = wanted.filter { !kept.contains($0.sql) }.map {
      .init(sql: $0.sql, purpose: "making an index", constraint: $0.constraint)
    }
    return statements
  }
}

extension MigrationVersions {
  /// Whether another program has put an index or a trigger on a table.
  func isSharedWithOthers(_ table: String) -> Bool {
    facts.triggeredTables.contains(table) || facts.indexes.contains { $0.table == table && !isOurs($0) }
  }

  func isOurs(_ index: MigrationFacts.Index) -> Bool {
    if index.isOfModel { return true }
    let table = MigrationPlanner.bare(index.table)
    // Older frameworks put no word at the end of the name.
    if index.name.hasPrefix("\(table)_Z") || index.name == "\(table)_\(JoinTable.reflexive)_INDEX" { return true }
    return source.schema.entities.contains { entity in
      entity.map { index.name.hasPrefix("Z_\($0.layout.name)_") } ?? false
    }
  }
}

extension MigrationFacts.Index {
  /// Whether its statement mentions one of these columns.
  fileprivate func mentions(_ columns: Set<String>) -> Bool {
    if columns.isEmpty { return false }
    let words = plainSQL.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { $0.uppercased() }
    return words.contains { columns.contains(SQLName.quoted($0)) }
  }
}
