/// The plan for tables and their rows.
struct RowMoves {
  var statements = MigrationStatements()
  /// The source's roots whose tables become tables of the destination.
  var kept: Set<SourceRoot> = []
}

/// Plans tables and their rows. For each table, one table of the source is altered, and rows of others are copied.
struct RowPlanner {
  private let versions: MigrationVersions
  private let sources: ColumnSources
  private var result = RowMoves()
  private var names: TemporaryNames

  static func plan(
    _ versions: MigrationVersions, moves: TableMoves, sources: ColumnSources, names: inout TemporaryNames
  ) -> RowMoves {
    var planner = RowPlanner(versions: versions, sources: sources, names: names)
    for table in versions.destination.tables { planner.plan(table, moves[table]) }
    names = planner.names
    return planner.result
  }

  private init(versions: MigrationVersions, sources: ColumnSources, names: TemporaryNames) {
    self.versions = versions
    self.sources = sources
    self.names = names
  }

  private mutating func plan(_ table: TablePlan, _ planned: TableMove) {
    var move = planned
    if let predecessor = move.predecessor, let flow = move.flows.first(where: { $0.root == predecessor }) {
      let alteration = TableAlteration(of: flow, to: table, versions: versions, sources: sources, names: &names)
      if isBetterCopied(alteration) {
        move.predecessor = nil
      } else {
        alter(alteration, table: table, flow: flow)
      }
    }
    if let predecessor = move.predecessor { result.kept.insert(predecessor) }
    copyRows(move, to: table)
    let root = DestinationRoot(index: table.root.index)
    let oldName = move.predecessor.map(versions.table) ?? table.name
    for lookup in sources.lookups[root] ?? [] {
      planLookup(lookup, table)
      result.statements.touched[oldName, default: []].insert(lookup.column)
    }
    for numbering in sources.numberings[root] ?? [] { number(numbering, table) }
  }

  // Altering.

  /// Whether it is better to copy the rows than to alter the table. Each dropped column rewrites the table, and so does
  /// an UPDATE of all rows. Copying costs as much as two such passes, and one more for each index, which has to be
  /// created again (measured with a million rows). A constraint in the table's declaration, as old frameworks wrote it,
  /// can only be removed by copying.
  private func isBetterCopied(_ alteration: TableAlteration) -> Bool {
    if !versions.dialect.rewritesTables { return false }
    let facts = versions.facts
    if versions.isSharedWithOthers(alteration.oldName) { return false }
    if facts.constrainedTables.contains(alteration.oldName) { return true }
    if versions.defers { return false }
    let passes = alteration.drops.count + (alteration.updatesAllRows ? 1 : 0)
    return passes > 2 + facts.indexes.filter { $0.table == alteration.oldName }.count
  }

  private mutating func alter(_ alteration: TableAlteration, table: TablePlan, flow: TableMove.Flow) {
    let name = alteration.oldName
    removeRows(but: flow)
    func add(_ sql: String, _ purpose: String) {
      result.statements.altering.append(.init(sql: sql, purpose: purpose))
    }
    for rename in alteration.renames {
      add("ALTER TABLE \(name) RENAME COLUMN \(rename.from) TO \(rename.to)", "naming the column \(name).\(rename.to)")
    }
    for column in alteration.additions {
      add(
        "ALTER TABLE \(name) ADD COLUMN \(column.name) \(versions.type(of: column, in: table).declaration)",
        "adding the column \(name).\(column.name)")
    }
    if let update = alteration.update { add(update, "writing the new values of \(name)") }
    for column in alteration.drops { result.statements.drop(column, of: name, versions) }
    result.statements.touched[name, default: []].formUnion(alteration.touched)
    if name == table.name { result.statements.staying.insert(name) }
    result.statements.renames.append((name, table.name))
  }

  /// Removes the rows of a table that don't belong in its successor.
  private mutating func removeRows(but flow: TableMove.Flow) {
    let layout = versions.layout(flow.root.entity)
    guard layout.hasSubentities else { return }
    let members = layout.subtree.compactMap { versions.source.schema.entities[$0] }
    let kept = Set(flow.entities.map { versions.number($0.source) })
    let table = versions.table(of: flow.root)
    let gone = members.map(\.number).filter { !kept.contains($0) }.sorted()
    let condition: String
    if members.contains(where: \.hasUnknownEntities) {
      condition = "Z_ENT IS NULL OR Z_ENT NOT IN (\(MigrationPlanner.list(kept.sorted())))"
    } else if !gone.isEmpty {
      condition = "Z_ENT IN (\(MigrationPlanner.list(gone)))"
    } else {
      return
    }
    result.statements.altering.append(
      .init(sql: "DELETE FROM \(table) WHERE \(condition)", purpose: "removing rows from \(table)"))
  }

  // Copying.

  /// Copies the rows of tables that don't become this one. Creates the table if no table becomes it.
  private mutating func copyRows(_ move: TableMove, to table: TablePlan) {
    let flows = move.flows.filter { $0.root != move.predecessor && !$0.entitiesWithRows(versions).isEmpty }
    if flows.isEmpty, move.predecessor != nil { return }
    let isFree = move.predecessor == nil && !versions.facts.names.contains(MigrationPlanner.bare(table.name))
    let name = isFree ? table.name : names.next()
    result.statements.gathering.append(
      .init(
        sql: versions.dialect.create(table, named: name, versions.destination.schema),
        purpose: "making the table \(table.name)"))
    for flow in flows {
      let selection = flow.selection(for: table, versions, sources)
      let from = versions.table(of: flow.root) + condition(flow)
      result.statements.gathering.append(
        .init(
          sql: "INSERT INTO \(name)(\(selection.map(\.column).joined(separator: ", "))) SELECT "
            + "\(selection.map(\.expression).joined(separator: ", ")) FROM \(from) ORDER BY Z_PK",
          purpose: "copying rows to \(table.name)", count: "SELECT COUNT(*) FROM \(from)"))
    }
    if move.predecessor == nil {
      result.statements.renames.append((name, table.name))
      return
    }
    let columns = (["Z_PK", "Z_ENT", "Z_OPT"] + table.columnsInOrder.map(\.name)).joined(separator: ", ")
    result.statements.filling.append(
      .init(
        sql: "INSERT INTO \(table.name)(\(columns)) SELECT \(columns) FROM \(name)",
        purpose: "adding rows to \(table.name)", count: "SELECT COUNT(*) FROM \(name)"))
    fill("DROP TABLE \(name)", "removing what was put aside")
  }

  /// The condition for the rows of its table that a flow takes.
  private func condition(_ flow: TableMove.Flow) -> String {
    guard versions.layout(flow.root.entity).hasSubentities else { return "" }
    let numbers = flow.entitiesWithRows(versions).map { versions.number($0.source) }.sorted()
    return " WHERE Z_ENT IN (\(MigrationPlanner.list(numbers)))"
  }

  // Filling.

  private mutating func fill(_ sql: String, _ purpose: String) {
    result.statements.filling.append(.init(sql: sql, purpose: purpose))
  }

  private mutating func planLookup(_ lookup: LinkLookup, _ table: TablePlan) {
    let name = names.next()
    func gather(_ sql: String) {
      result.statements.gathering.append(
        .init(sql: sql, purpose: "gathering links for \(table.name).\(lookup.column)"))
    }
    let integer = versions.dialect.integer
    gather("CREATE TABLE \(name) (k \(integer) PRIMARY KEY, v \(integer), n \(integer))")
    for pair in lookup.pairs {
      gather(
        versions.dialect.insertOnce(
          "\(name)(k, v, n)",
          "SELECT \(pair.member), \(pair.owner), \(pair.memberOrder ?? "NULL") FROM \(pair.from) ORDER BY 1, 2"))
    }
    let target = "(SELECT v FROM \(name) WHERE k = \(table.name).Z_PK)"
    var sets = ["\(lookup.column) = \(target)"]
    if let column = lookup.entityColumn {
      // An alias, because the target may be the table itself, and its name has to mean the row being written.
      sets.append("\(column) = (SELECT t.Z_ENT FROM \(lookup.target) AS t WHERE t.Z_PK = \(target))")
    }
    if let column = lookup.orderColumn {
      sets.append("\(column) = (SELECT n FROM \(name) WHERE k = \(table.name).Z_PK)")
    }
    fill(
      "UPDATE \(table.name) SET \(sets.joined(separator: ", ")) WHERE Z_PK IN (SELECT k FROM \(name))"
        + entities(lookup.numbers), "writing \(table.name).\(lookup.column)")
    if let column = lookup.columnsReferringBack.first {
      fill(
        "UPDATE \(lookup.target) SET "
          + lookup.columnsReferringBack.map { "\($0) = NULL" }.joined(separator: ", ")
          + " WHERE \(column) IS NOT NULL AND Z_PK NOT IN (SELECT v FROM \(name))",
        "clearing references that are not returned")
    }
    fill("DROP TABLE \(name)", "removing what was put aside")
  }

  /// Numbers the rows that have no position yet in a new order column.
  private mutating func number(_ numbering: LinkNumbering, _ table: TablePlan) {
    let condition = "\(numbering.column) IS NOT NULL AND \(numbering.order) IS NULL\(entities(numbering.numbers))"
    fill(
      "UPDATE \(table.name) SET \(numbering.order) = r.n FROM (SELECT Z_PK AS k, 1024 + 1024 * ROW_NUMBER() "
        + "OVER (PARTITION BY \(numbering.column) ORDER BY Z_PK) AS n FROM \(table.name) WHERE \(condition)) AS r "
        + "WHERE r.k = \(table.name).Z_PK", "numbering \(table.name).\(numbering.order)")
  }

  private func entities(_ numbers: [Int]?) -> String {
    numbers.map { " AND Z_ENT IN (\(MigrationPlanner.list($0.sorted())))" } ?? ""
  }
}
