/// Tables and their rows.
extension MigrationPlanner {
  func planRows(of table: TablePlan) throws {
    let root = table.root.index
    let move = moves[root]!
    if let heir = move.heir, let flow = move.flows.first(where: { $0.root == heir }) {
      let alteration = alteration(of: table, heir: heir, flow)
      if isBetterCopied(alteration, table) {
        moves[root]!.heir = nil
      } else {
        alter(alteration, table, heir, flow)
      }
    }
    try copyRows(to: table)
    for lookup in lookups[root] ?? [] { plan(lookup, table) }
    for ranking in rankings[root] ?? [] { plan(ranking, table) }
  }

  /// Each column that is dropped, and an UPDATE of all rows, rewrites the table. Copying does it once, but costs two
  /// such passes, and one more for each index, which has to be made anew: so measured with a million rows. A constraint
  /// within the table, as old frameworks wrote it, goes no other way.
  private func isBetterCopied(_ alteration: TableAlteration, _ table: TablePlan) -> Bool {
    if facts.constrainedTables.contains(alteration.before) { return !isSharedWithOthers(alteration.before) }
    let passes = (defers ? 0 : alteration.drops.count) + (alteration.updatesAllRows ? 1 : 0)
    let indexes = facts.indexes.filter { $0.table == alteration.before }.count
    return passes > 2 + indexes && !defers && !isSharedWithOthers(alteration.before)
  }

  private func alter(_ alteration: TableAlteration, _ table: TablePlan, _ heir: Int, _ flow: TableMove.Flow) {
    let name = alteration.before
    removeRows(of: heir, but: flow)
    func add(_ sql: String, _ purpose: String) { altering.append(.init(sql: sql, purpose: purpose)) }
    for rename in alteration.renames {
      add("ALTER TABLE \(name) RENAME COLUMN \(rename.from) TO \(rename.to)", "naming the column \(name).\(rename.to)")
    }
    for column in alteration.additions {
      add(
        "ALTER TABLE \(name) ADD COLUMN \(column.name) \(column.type.sql)", "adding the column \(name).\(column.name)")
    }
    if let update = alteration.update { add(update, "writing the new values of \(name)") }
    for column in alteration.drops { drop(column, of: name) }
    touched[name, default: []].formUnion(
      alteration.renames.flatMap { [$0.from, $0.to] } + alteration.additions.map(\.name)
        + alteration.assignments.map(\.column) + alteration.drops)
    if name == table.name { staying.insert(name) }
    renames.append((name, table.name))
  }

  func drop(_ column: String, of table: String) {
    if defers {
      plan.defers = true
      altering.append(
        .init(
          sql: "ALTER TABLE \(table) RENAME COLUMN \(column) TO \(deferredName(column))",
          purpose: "putting the column \(table).\(column) aside"))
    } else {
      altering.append(
        .init(sql: "ALTER TABLE \(table) DROP COLUMN \(column)", purpose: "dropping the column \(table).\(column)"))
    }
  }

  /// Rows of a table that have no place in what becomes of it.
  private func removeRows(of root: Int, but flow: TableMove.Flow) {
    let layout = layout(before: root)
    guard layout.hasSubentities else { return }
    let members = layout.subtree.compactMap { source.schema.entities[$0] }
    let kept = Set(flow.entities.map { number(before: $0.before) })
    let table = tableName(ofSource: root)
    let gone = members.map(\.number).filter { !kept.contains($0) }.sorted()
    let purpose = "removing rows from \(table)"
    if members.contains(where: \.hasStrangers) {
      let list = MigrationPlanner.list(kept.sorted())
      altering.append(
        .init(sql: "DELETE FROM \(table) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(list))", purpose: purpose))
    } else if !gone.isEmpty {
      altering.append(
        .init(sql: "DELETE FROM \(table) WHERE Z_ENT IN (\(MigrationPlanner.list(gone)))", purpose: purpose))
    }
  }

  /// Rows from tables that don't become this one; the table itself where none does.
  private func copyRows(to table: TablePlan) throws {
    let move = moves[table.root.index]!
    let flows = move.flows.filter { $0.root != move.heir && !entitiesWithRows($0).isEmpty }
    if flows.isEmpty, move.heir != nil { return }
    let isFree = move.heir == nil && !facts.names.contains(MigrationPlanner.bare(table.name))
    let name = isFree ? table.name : temporaryName()
    gathering.append(.init(sql: SchemaPlan.create(table, named: name), purpose: "making the table \(table.name)"))
    for flow in flows {
      let selection = selection(flow, of: table)
      let from = tableName(ofSource: flow.root) + condition(flow)
      gathering.append(
        .init(
          sql: "INSERT INTO \(name)(\(selection.map(\.column).joined(separator: ", "))) SELECT "
            + "\(selection.map(\.expression).joined(separator: ", ")) FROM \(from) ORDER BY Z_PK",
          purpose: "copying rows to \(table.name)", count: "SELECT COUNT(*) FROM \(from)"))
    }
    if move.heir == nil {
      renames.append((name, table.name))
      return
    }
    let columns = (["Z_PK", "Z_ENT", "Z_OPT"] + table.columnsInOrder.map(\.name)).joined(separator: ", ")
    filling.append(
      .init(
        sql: "INSERT INTO \(table.name)(\(columns)) SELECT \(columns) FROM \(name)",
        purpose: "adding rows to \(table.name)", count: "SELECT COUNT(*) FROM \(name)"))
    filling.append(.init(sql: "DROP TABLE \(name)", purpose: "removing what was put aside"))
  }

  /// Which rows of its table a flow takes.
  private func condition(_ flow: TableMove.Flow) -> String {
    let layout = layout(before: flow.root)
    guard layout.hasSubentities else { return "" }
    let numbers = entitiesWithRows(flow).map { number(before: $0.before) }.sorted()
    return " WHERE Z_ENT IN (\(MigrationPlanner.list(numbers)))"
  }

  private func plan(_ lookup: LinkLookup, _ table: TablePlan) {
    let name = temporaryName()
    gathering.append(
      .init(
        sql: "CREATE TABLE \(name) (k INTEGER PRIMARY KEY, v INTEGER, n INTEGER)",
        purpose: "gathering links for \(table.name).\(lookup.column)"))
    for pair in lookup.pairs {
      gathering.append(
        .init(
          sql: "INSERT OR IGNORE INTO \(name)(k, v, n) SELECT \(pair.member), \(pair.owner), "
            + "\(pair.memberOrder ?? "NULL") FROM \(pair.from) ORDER BY 1, 2",
          purpose: "gathering links for \(table.name).\(lookup.column)"))
    }
    let target = "(SELECT v FROM \(name) WHERE k = \(table.name).Z_PK)"
    var sets = ["\(lookup.column) = \(target)"]
    if let column = lookup.entityColumn {
      sets.append("\(column) = (SELECT Z_ENT FROM \(lookup.target) WHERE Z_PK = \(target))")
    }
    if let column = lookup.orderColumn {
      sets.append("\(column) = (SELECT n FROM \(name) WHERE k = \(table.name).Z_PK)")
    }
    filling.append(
      .init(
        sql: "UPDATE \(table.name) SET \(sets.joined(separator: ", ")) WHERE Z_PK IN (SELECT k FROM \(name))"
          + entities(lookup.numbers),
        purpose: "writing \(table.name).\(lookup.column)"))
    if let back = lookup.back.first {
      filling.append(
        .init(
          sql: "UPDATE \(lookup.target) SET \(lookup.back.map { "\($0) = NULL" }.joined(separator: ", ")) "
            + "WHERE \(back) IS NOT NULL AND Z_PK NOT IN (SELECT v FROM \(name))",
          purpose: "clearing references that are not returned"))
    }
    filling.append(.init(sql: "DROP TABLE \(name)", purpose: "removing what was put aside"))
    touched[moves[table.root.index]!.heir.map(tableName(ofSource:)) ?? table.name, default: []].insert(lookup.column)
  }

  /// Orders that there were not, for those that have none yet.
  private func plan(_ ranking: LinkRanking, _ table: TablePlan) {
    let condition = "\(ranking.column) IS NOT NULL AND \(ranking.order) IS NULL\(entities(ranking.numbers))"
    filling.append(
      .init(
        sql: "UPDATE \(table.name) SET \(ranking.order) = r.n FROM (SELECT Z_PK AS k, 1024 + 1024 * ROW_NUMBER() "
          + "OVER (PARTITION BY \(ranking.column) ORDER BY Z_PK) AS n FROM \(table.name) WHERE \(condition)) AS r "
          + "WHERE r.k = \(table.name).Z_PK",
        purpose: "numbering \(table.name).\(ranking.order)"))
  }

  private func entities(_ numbers: [Int]?) -> String {
    numbers.map { " AND Z_ENT IN (\(MigrationPlanner.list($0.sorted())))" } ?? ""
  }

  /// The source's tables that nothing becomes.
  func dropTables() {
    let heirs = Set(moves.values.compactMap(\.heir))
    let joins = source.schema.joins.map(\.name).filter { !takenJoins.contains($0) }
    for table in source.tables.filter({ !heirs.contains($0.root.index) }).map(\.name) + joins {
      if defers {
        plan.defers = true
        renames.insert((table, deferredName(table)), at: 0)
      } else {
        altering.append(.init(sql: "DROP TABLE \(table)", purpose: "dropping the table \(table)"))
      }
    }
  }

  private func deferredName(_ name: String) -> String {
    DeferredNames.name(for: MigrationPlanner.bare(name), unlike: existing)
  }
}
