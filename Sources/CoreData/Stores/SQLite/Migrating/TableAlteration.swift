/// The changes that turn one root's table into another root's table without copying rows.
struct TableAlteration {
  struct Assignment {
    let column: String
    let expression: String
    /// The condition for the rows that it changes; nil for all rows.
    let condition: String?
  }

  let oldName: String
  /// The source's column that becomes a column of the destination, by the destination's name.
  private(set) var bases: [String: String] = [:]
  private(set) var renames: [MigrationStatements.Rename] = []
  private(set) var additions: [TablePlan.Column] = []
  private(set) var assignments: [Assignment] = []
  private(set) var drops: [String] = []

  /// The columns whose values, names or existence change.
  var touched: [String] {
    renames.flatMap { [$0.from, $0.to] } + additions.map(\.name) + assignments.map(\.column) + drops
  }

  /// The one UPDATE that makes all assignments; nil if no row changes.
  var update: String? {
    if assignments.isEmpty { return nil }
    let sets = assignments.map { "\($0.column) = \($0.expression)" }.joined(separator: ", ")
    return "UPDATE \(oldName) SET \(sets)" + (condition.map { " WHERE \($0)" } ?? "")
  }

  var updatesAllRows: Bool { !assignments.isEmpty && condition == nil }

  private var condition: String? {
    var conditions: [String] = []
    for assignment in assignments {
      guard let condition = assignment.condition else { return nil }
      if !conditions.contains(condition) { conditions.append(condition) }
    }
    return conditions.count == 1 ? conditions[0] : conditions.map { "(\($0))" }.joined(separator: " OR ")
  }

  init(
    of flow: TableMove.Flow, to table: TablePlan, versions: MigrationVersions, sources: ColumnSources,
    names: inout TemporaryNames
  ) {
    oldName = versions.table(of: flow.root)
    let entities = flow.entitiesWithRows(versions)
    let columns = table.columnsInOrder
    let present = versions.existing.tables[oldName] ?? []
    bases = TableAlteration.bases(
      columns, entities: entities.isEmpty ? flow.entities : entities, sources: sources,
      types: Dictionary(present.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first }),
      wanted: { versions.type(of: $0, in: table).name })

    // Columns that are dropped give up their names first.
    var physical: [String: String] = [:]
    let wanted = Set(columns.map(\.name))
    let known = Set(versions.source.tables.first { $0.root.index == flow.root.index }!.columns.map(\.name))
    let taken = Set(bases.values)
    for name in present.map(\.name) where !taken.contains(name) && !["Z_PK", "Z_ENT", "Z_OPT"].contains(name) {
      guard known.contains(name) || wanted.contains(name) else { continue }
      var now = name
      if wanted.contains(name) {
        now = names.next()
        renames.append((name, now))
      }
      physical[name] = now
      drops.append(now)
    }
    let kept = columns.compactMap { column in bases[column.name].map { (from: $0, to: column.name) } }
    renames += MigrationStatements.ordered(kept, &names)
    for rename in kept { physical[rename.from] = rename.to }
    additions = columns.filter { bases[$0.name] == nil }

    assignments += TableAlteration.numbers(flow, entities: entities, versions: versions)
    assignments += columns.compactMap { column in
      TableAlteration.assignment(
        column, base: bases[column.name], entities: entities, versions: versions, sources: sources
      ) { physical[$0] ?? $0 }
    }
  }

  /// Chooses the column that becomes each column: one of the same name, or else the one that most entities use for it.
  private static func bases(
    _ columns: [TablePlan.Column], entities: [TableMove.EntityMove], sources: ColumnSources,
    types: [String: String], wanted: (TablePlan.Column) -> String
  ) -> [String: String] {
    func candidates(_ column: TablePlan.Column) -> [String] {
      var counts: [String: Int] = [:]
      for entity in entities {
        let feed = sources.feed(column.name, of: entity.destination)
        if let name = feed.column, feed.mayBecomeColumn, types[name] == wanted(column) { counts[name, default: 0] += 1 }
      }
      return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
    var bases: [String: String] = [:]
    for column in columns where candidates(column).contains(column.name) { bases[column.name] = column.name }
    var taken = Set(bases.values)
    for column in columns where bases[column.name] == nil {
      guard let base = candidates(column).first(where: { !taken.contains($0) }) else { continue }
      bases[column.name] = base
      taken.insert(base)
    }
    return bases
  }

  /// The assignments of new entity numbers.
  private static func numbers(
    _ flow: TableMove.Flow, entities: [TableMove.EntityMove], versions: MigrationVersions
  ) -> [Assignment] {
    let changes = entities.map { (versions.number($0.source), versions.number($0.destination)) }.filter { $0.0 != $0.1 }
    guard let first = changes.first else { return [] }
    if !versions.layout(flow.root.entity).hasSubentities {
      return [Assignment(column: "Z_ENT", expression: "\(first.1)", condition: nil)]
    }
    let isAll = changes.count == entities.count
    return [
      Assignment(
        column: "Z_ENT", expression: MigrationPlanner.renumbering("Z_ENT", changes),
        condition: isAll ? nil : "Z_ENT IN (\(MigrationPlanner.list(changes.map(\.0))))")
    ]
  }

  /// - Parameter physical: returns the name of a source's column at the time the UPDATE runs.
  private static func assignment(
    _ column: TablePlan.Column, base: String?, entities: [TableMove.EntityMove], versions: MigrationVersions,
    sources: ColumnSources, physical: (String) -> String
  ) -> Assignment? {
    var groups: [(expression: String, condition: String?, numbers: [Int])] = []
    var unchanged = 0
    for entity in entities {
      let feed = sources.feed(column.name, of: entity.destination)
      let isSame =
        feed == .null
        ? base.map { !versions.has($0, entity.source) } ?? true : feed.column == base && base != nil && feed.isPlain
      if isSame {
        unchanged += 1
        continue
      }
      let expression = feed.expression(physical)
      let condition = feed.condition.flatMap { condition in
        feed.column == base ? condition.replacingOccurrences(of: ColumnFeed.mark, with: column.name) : nil
      }
      let number = versions.number(entity.source)
      if let place = groups.firstIndex(where: { $0.expression == expression && $0.condition == condition }) {
        groups[place].numbers.append(number)
      } else {
        groups.append((expression, condition, [number]))
      }
    }
    if groups.isEmpty { return nil }
    if groups.count == 1, unchanged == 0 {
      return Assignment(column: column.name, expression: groups[0].expression, condition: groups[0].condition)
    }
    let cases = groups.map { "WHEN Z_ENT IN (\(MigrationPlanner.list($0.numbers))) THEN \($0.expression)" }
    return Assignment(
      column: column.name, expression: "CASE \(cases.joined(separator: " ")) ELSE \(column.name) END",
      condition: "Z_ENT IN (\(MigrationPlanner.list(groups.flatMap(\.numbers))))")
  }
}

extension TableMove.Flow {
  func entitiesWithRows(_ versions: MigrationVersions) -> [TableMove.EntityMove] {
    entities.filter { !versions.layout($0.source).isAbstract }
  }

  /// The expressions for copied rows, with the destination's columns. Columns that are null are left out.
  func selection(
    for table: TablePlan, _ versions: MigrationVersions, _ sources: ColumnSources
  ) -> [(column: String, expression: String)] {
    let entities = entitiesWithRows(versions)
    func expression(_ value: (DestinationEntity) -> String) -> String {
      var groups: [(expression: String, numbers: [Int])] = []
      for entity in entities {
        let text = value(entity.destination)
        if let place = groups.firstIndex(where: { $0.expression == text }) {
          groups[place].numbers.append(versions.number(entity.source))
        } else {
          groups.append((text, [versions.number(entity.source)]))
        }
      }
      if groups.count <= 1 { return groups.first?.expression ?? "NULL" }
      let cases = groups.filter { $0.expression != "NULL" }
        .map { "WHEN Z_ENT IN (\(MigrationPlanner.list($0.numbers))) THEN \($0.expression)" }
      return "CASE \(cases.joined(separator: " ")) END"
    }
    var result = [
      ("Z_PK", MigrationPlanner.adding(offset, to: "Z_PK")),
      ("Z_ENT", expression { "\(versions.number($0))" }), ("Z_OPT", "Z_OPT"),
    ]
    for column in table.columnsInOrder {
      let value = expression { sources.feed(column.name, of: $0).expression { $0 } }
      if value != "NULL" { result.append((column.name, value)) }
    }
    return result
  }
}
