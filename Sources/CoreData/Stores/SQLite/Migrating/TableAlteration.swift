/// How the table of one root becomes that of another without its rows being copied.
struct TableAlteration {
  struct Assignment {
    let column: String
    let expression: String
    /// Which rows it changes; nil for all.
    let condition: String?
  }

  let before: String
  /// By the destination's column: the source's that becomes it.
  var bases: [String: String] = [:]
  var renames: [(from: String, to: String)] = []
  var additions: [TablePlan.Column] = []
  var assignments: [Assignment] = []
  var drops: [String] = []

  /// One UPDATE for everything; nil where no row changes.
  var update: String? {
    if assignments.isEmpty { return nil }
    let sets = assignments.map { "\($0.column) = \($0.expression)" }.joined(separator: ", ")
    return "UPDATE \(before) SET \(sets)" + condition.map { " WHERE \($0)" }.orEmpty
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
}

extension Optional where Wrapped == String {
  fileprivate var orEmpty: String { self ?? "" }
}

extension MigrationPlanner {
  /// The entities of a flow that have rows.
  func entitiesWithRows(_ flow: TableMove.Flow) -> [(before: Int, after: Int)] {
    flow.entities.filter { !layout(before: $0.before).isAbstract }
  }

  /// What a column gets in the rows of an entity: nothing where the entity doesn't have it.
  func feed(_ column: String, _ root: Int, _ entity: Int) -> ColumnFeed {
    feeds[root]?[column]?[entity] ?? .null
  }

  func alteration(of table: TablePlan, heir: Int, _ flow: TableMove.Flow) -> TableAlteration {
    let root = table.root.index
    var alteration = TableAlteration(before: tableName(ofSource: heir))
    let entities = entitiesWithRows(flow)
    let present = existing.tables[alteration.before] ?? []
    let types = Dictionary(present.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    let known = source.tables.first { $0.root.index == heir }!.columns.map(\.name)

    // Which column becomes which: the one that most entities have there; before all others one of the same name.
    var taken: Set<String> = []
    func candidates(_ column: TablePlan.Column) -> [String] {
      var counts: [String: Int] = [:]
      for entity in entities.isEmpty ? flow.entities : entities {
        let feed = feed(column.name, root, entity.after)
        if let name = feed.column, feed.isBase, types[name] == column.type.sql { counts[name, default: 0] += 1 }
      }
      return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
    }
    let columns = table.columnsInOrder
    for column in columns where candidates(column).contains(column.name) {
      alteration.bases[column.name] = column.name
      taken.insert(column.name)
    }
    for column in columns where alteration.bases[column.name] == nil {
      guard let base = candidates(column).first(where: { !taken.contains($0) }) else { continue }
      alteration.bases[column.name] = base
      taken.insert(base)
    }

    // Names: what goes makes room first.
    var physical: [String: String] = [:]
    let wanted = Set(columns.map(\.name))
    for name in present.map(\.name) where !taken.contains(name) && !["Z_PK", "Z_ENT", "Z_OPT"].contains(name) {
      guard known.contains(name) || wanted.contains(name) else { continue }
      var now = name
      if wanted.contains(name) {
        now = temporaryName()
        alteration.renames.append((name, now))
      }
      physical[name] = now
      alteration.drops.append(now)
    }
    let renames = columns.compactMap { column in alteration.bases[column.name].map { (from: $0, to: column.name) } }
    alteration.renames += MigrationPlanner.ordered(renames, temporary: temporaryName)
    for rename in renames { physical[rename.from] = rename.to }
    alteration.additions = columns.filter { alteration.bases[$0.name] == nil }

    assign(&alteration, flow, entities, columns, root) { physical[$0] ?? $0 }
    return alteration
  }

  private func assign(
    _ alteration: inout TableAlteration, _ flow: TableMove.Flow, _ entities: [(before: Int, after: Int)],
    _ columns: [TablePlan.Column], _ root: Int, _ physical: (String) -> String
  ) {
    let changes = entities.map { (number(before: $0.before), number(after: $0.after)) }.filter { $0.0 != $0.1 }
    if !layout(before: flow.root).hasSubentities {
      if let change = changes.first {
        alteration.assignments.append(.init(column: "Z_ENT", expression: "\(change.1)", condition: nil))
      }
    } else if !changes.isEmpty {
      let isAll = changes.count == entities.count
      alteration.assignments.append(
        .init(
          column: "Z_ENT", expression: MigrationPlanner.renumbering("Z_ENT", changes),
          condition: isAll ? nil : "Z_ENT IN (\(MigrationPlanner.list(changes.map(\.0))))"))
    }
    for column in columns {
      let base = alteration.bases[column.name]
      var groups: [(expression: String, condition: String?, numbers: [Int])] = []
      var unchanged = 0
      for entity in entities {
        let feed = feed(column.name, root, entity.after)
        let isSame =
          feed == .null
          ? base.map { !sourceHas($0, entity.before) } ?? true : feed.column == base && base != nil && feed.isPlain
        if isSame {
          unchanged += 1
          continue
        }
        let expression = feed.expression(physical)
        let condition = feed.condition.flatMap { condition in
          feed.column == base ? condition.replacingOccurrences(of: ColumnFeed.mark, with: column.name) : nil
        }
        let number = number(before: entity.before)
        if let place = groups.firstIndex(where: { $0.expression == expression && $0.condition == condition }) {
          groups[place].numbers.append(number)
        } else {
          groups.append((expression, condition, [number]))
        }
      }
      if groups.isEmpty { continue }
      if groups.count == 1, unchanged == 0 {
        alteration.assignments.append(
          .init(column: column.name, expression: groups[0].expression, condition: groups[0].condition))
      } else {
        let cases = groups.map { "WHEN Z_ENT IN (\(MigrationPlanner.list($0.numbers))) THEN \($0.expression)" }
        let numbers = MigrationPlanner.list(groups.flatMap(\.numbers))
        alteration.assignments.append(
          .init(
            column: column.name, expression: "CASE \(cases.joined(separator: " ")) ELSE \(column.name) END",
            condition: "Z_ENT IN (\(numbers))"))
      }
    }
  }

  /// What the columns of copied rows are, by the destination's column; those that are null are left out.
  func selection(_ flow: TableMove.Flow, of table: TablePlan) -> [(column: String, expression: String)] {
    let entities = entitiesWithRows(flow)
    let root = table.root.index
    func expression(_ value: (Int) -> String) -> String {
      var groups: [(expression: String, numbers: [Int])] = []
      for entity in entities {
        let text = value(entity.after)
        if let place = groups.firstIndex(where: { $0.expression == text }) {
          groups[place].numbers.append(number(before: entity.before))
        } else {
          groups.append((text, [number(before: entity.before)]))
        }
      }
      if groups.count <= 1 { return groups.first?.expression ?? "NULL" }
      let cases = groups.filter { $0.expression != "NULL" }
        .map { "WHEN Z_ENT IN (\(MigrationPlanner.list($0.numbers))) THEN \($0.expression)" }
      return "CASE \(cases.joined(separator: " ")) END"
    }
    var result = [
      ("Z_PK", MigrationPlanner.adding(flow.offset, to: "Z_PK")),
      ("Z_ENT", expression { "\(number(after: $0))" }), ("Z_OPT", "Z_OPT"),
    ]
    for column in table.columnsInOrder {
      let value = expression { feed(column.name, root, $0).expression { $0 } }
      if value != "NULL" { result.append((column.name, value)) }
    }
    return result
  }
}
