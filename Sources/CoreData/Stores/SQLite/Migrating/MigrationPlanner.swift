/// Plans a migration in place.
///
/// Pure: what the file has comes in as ``ExistingSchema`` and ``MigrationFacts``. The steps stand in this order; up to
/// the fourth, everything still has the names and numbers of the source.
///
/// | phase | what it does |
/// |---|---|
/// | clearing | triggers and indexes go; references to what goes become null, its rows are deleted |
/// | gathering | rows that change their table, and links that are stored in another way, are put aside |
/// | altering | columns are added, renamed and dropped; one UPDATE for each table writes what is new, and new numbers |
/// | naming | tables get their names |
/// | filling | what was put aside goes where it belongs |
/// | finishing | indexes, derived attributes, triggers, history |
///
/// A table has at most one **heir**, the table that it becomes without a row being copied. Rows that come from another
/// table into one that has an heir's rows get keys behind those: the same number is added to all of them and to all
/// that refers to them.
final class MigrationPlanner {
  let source: SchemaPlan
  let destination: SchemaPlan
  let existing: ExistingSchema
  let facts: MigrationFacts
  /// Whether columns and tables that go are only renamed.
  let defers: Bool

  /// The index of the entity that a destination's entity was, and the other way round.
  private(set) var origin: [Int: Int] = [:]
  private(set) var successor: [Int: Int] = [:]
  /// By the destination's entity: the source's property of each kept one.
  private var formerProperties: [Int: [String: NSPropertyDescription]] = [:]
  /// By the destination's root.
  var moves: [Int: TableMove] = [:]

  var clearing: [MigrationPlan.Step] = []
  var gathering: [MigrationPlan.Step] = []
  var altering: [MigrationPlan.Step] = []
  var filling: [MigrationPlan.Step] = []
  var finishing: [MigrationPlan.Step] = []
  /// Tables that get another name: from, to.
  var renames: [(from: String, to: String)] = []
  var plan = MigrationPlan()
  /// Columns that change in a table, by the table's name before: their indexes are made anew.
  var touched: [String: Set<String>] = [:]
  /// Tables that stay the same under their name.
  var staying: Set<String> = []
  var keyColumns = KeyColumns()
  /// By the destination's root, column and entity.
  var feeds: [Int: [String: [Int: ColumnFeed]]] = [:]
  /// By the destination's root.
  var lookups: [Int: [LinkLookup]] = [:]
  var rankings: [Int: [LinkRanking]] = [:]
  /// The source's join tables that stay under whatever name.
  var takenJoins: Set<String> = []
  var columnsOfEntities: [Int: Set<String>] = [:]
  private var temporaries = 0

  static func plan(
    _ delta: ModelDelta, from source: SchemaPlan, _ existing: ExistingSchema, _ facts: MigrationFacts,
    to destination: SchemaPlan, defers: Bool = false
  ) throws -> MigrationPlan {
    let planner = MigrationPlanner(delta, source, existing, facts, destination, defers)
    try planner.run()
    return planner.plan
  }

  private init(
    _ delta: ModelDelta, _ source: SchemaPlan, _ existing: ExistingSchema, _ facts: MigrationFacts,
    _ destination: SchemaPlan, _ defers: Bool
  ) {
    self.source = source
    self.destination = destination
    self.existing = existing
    self.facts = facts
    self.defers = defers
    for pair in delta.pairs {
      guard let after = destination.schema.layouts.layout(of: pair.destination),
        let before = source.schema.layouts.layout(of: pair.source),
        destination.schema.entities[after.index] != nil, source.schema.entities[before.index] != nil
      else { continue }
      origin[after.index] = before.index
      successor[before.index] = after.index
      formerProperties[after.index] = Dictionary(
        pair.properties.map { ($0.destination.name, $0.source) }, uniquingKeysWith: { first, _ in first })
    }
  }

  private func run() throws {
    matchTables()
    for table in destination.tables { try planFeeds(of: table) }
    try planJoins()
    for table in destination.tables { try planRows(of: table) }
    dropTables()
    planCleaning()
    try planIndexes()
    try planDerived()
    planHistory()
    plan.steps = clearing + gathering + altering + naming() + filling + finishing
    for table in destination.tables {
      let move = moves[table.root.index]!
      let last = move.flows.map { $0.offset + maximumKey(ofSource: $0.root) }.max() ?? 0
      plan.maximumKeys[number(after: table.root.index)] = last
    }
  }

  // What is what.

  func number(before entity: Int) -> Int { source.schema.entity(at: entity).number }
  func number(after entity: Int) -> Int { destination.schema.entity(at: entity).number }
  func layout(before entity: Int) -> EntityLayout { source.schema.layouts.layouts[entity] }
  func layout(after entity: Int) -> EntityLayout { destination.schema.layouts.layouts[entity] }
  func tableName(ofSource root: Int) -> String { source.schema.entity(at: root).table }

  func maximumKey(ofSource root: Int) -> Int64 { facts.maximumKeys[tableName(ofSource: root)] ?? 0 }

  /// The property that a destination's one was, in the origin of one of the entities that have it; of an element of a
  /// composite attribute the element at the same path.
  func former(_ property: LayoutProperty, of entity: Int) -> LayoutProperty? {
    guard let before = origin[entity] else { return nil }
    let outer = property.composite ?? property
    guard let description = formerProperties[entity]?[outer.name] else { return nil }
    let path = description.name + property.name.dropFirst(outer.name.count)
    guard let found = layout(before: before).property(named: path), !found.isTransient,
      found.isRelationship == property.isRelationship,
      found.isRelationship || (found.slot >= 0 && holdsValues(of: found, property))
    else { return nil }
    return found
  }

  /// Whether a column of the new type takes the values of the former one as they are: SQLite makes floating-point
  /// numbers of integers when it writes them to a column that is declared as FLOAT.
  private func holdsValues(of former: LayoutProperty, _ property: LayoutProperty) -> Bool {
    former.kind.column == property.kind.column
      || former.attribute.attributeType.widens(to: property.attribute.attributeType)
  }

  /// The source's relationships that became one of the destination's: one, but for relationships that several
  /// entities had and that their parent has now.
  func formerRelationships(_ property: LayoutProperty, of entity: Int) -> [(entity: Int, property: LayoutProperty)] {
    var found: [(entity: Int, property: LayoutProperty)] = []
    for member in layout(after: entity).subtree {
      guard let former = former(property, of: member), former.isRelationship else { continue }
      let declaring = former.declaringEntity
      if !found.contains(where: { $0.entity == declaring && $0.property.name == former.name }) {
        found.append((declaring, layout(before: declaring).property(named: former.name) ?? former))
      }
    }
    return found
  }

  /// The numbers of the source's entities, from one downwards, that are not among those of the destination, from one
  /// downwards.
  func numbersLeaving(_ before: Int, _ after: Int) -> [Int] {
    layout(before: before).subtree.compactMap { entity in
      guard let schema = source.schema.entities[entity], !schema.layout.isAbstract else { return nil }
      if let heir = successor[entity], layout(after: after).subtree.contains(heir) { return nil }
      return schema.number
    }
  }

  func temporaryName() -> String {
    while true {
      temporaries += 1
      let name = "Z_MIGRATING_\(temporaries)"
      if !facts.names.contains(name) { return name }
    }
  }

  static func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }

  /// Names the tables, through other names where one takes another's.
  private func naming() -> [MigrationPlan.Step] {
    MigrationPlanner.ordered(renames, temporary: temporaryName).map {
      .init(sql: "ALTER TABLE \($0.from) RENAME TO \($0.to)", purpose: "naming the table \($0.to)")
    }
  }

  /// Renamings in an order in which each new name is free.
  static func ordered(
    _ renames: [(from: String, to: String)], temporary: () -> String
  ) -> [(from: String, to: String)] {
    var waiting = renames.filter { $0.from != $0.to }
    var result: [(from: String, to: String)] = []
    while !waiting.isEmpty {
      let taken = Set(waiting.map(\.from))
      if let next = waiting.firstIndex(where: { !taken.contains($0.to) }) {
        result.append(waiting.remove(at: next))
      } else {
        let name = temporary()
        result.append((waiting[0].from, name))
        waiting[0].from = name
      }
    }
    return result
  }
}

/// What a table of the destination is made of.
struct TableMove {
  /// The rows that come from one table.
  struct Flow {
    /// The source's root.
    let root: Int
    var entities: [(before: Int, after: Int)] = []
    /// What is added to their keys.
    var offset: Int64 = 0
  }

  var flows: [Flow] = []
  /// The root whose table becomes this one; nil for a table that is made anew.
  var heir: Int?
}

extension MigrationPlanner {
  fileprivate func matchTables() {
    var taken: Set<Int> = []
    for table in destination.tables {
      var move = TableMove()
      for entity in table.root.subtree {
        guard let before = origin[entity] else { continue }
        let root = layout(before: before).rootIndex
        let place = move.flows.firstIndex { $0.root == root } ?? move.flows.count
        if place == move.flows.count { move.flows.append(.init(root: root)) }
        move.flows[place].entities.append((before, entity))
      }
      if let before = origin[table.root.index], layout(before: before).isRoot, taken.insert(before).inserted {
        move.heir = before
      }
      moves[table.root.index] = move
    }
    for table in destination.tables where moves[table.root.index]!.heir == nil {
      let heir = moves[table.root.index]!.flows.first { !taken.contains($0.root) }?.root
      moves[table.root.index]!.heir = heir
      if let heir { taken.insert(heir) }
    }
    for root in moves.keys { setOffsets(root) }
  }

  private func setOffsets(_ root: Int) {
    var move = moves[root]!
    // The heir's rows keep their keys.
    move.flows.sort { ($0.root == move.heir ? 0 : 1, $0.root) < ($1.root == move.heir ? 0 : 1, $1.root) }
    var last: Int64 = 0
    for index in move.flows.indices {
      move.flows[index].offset = last
      last += maximumKey(ofSource: move.flows[index].root)
    }
    moves[root] = move
  }

  /// What is added to the keys of a source table's rows in a destination's table.
  func offset(_ before: Int, _ after: Int) -> Int64 {
    moves[after]?.flows.first { $0.root == before }?.offset ?? 0
  }

  static func adding(_ offset: Int64, to text: String) -> String { offset == 0 ? text : "\(text) + \(offset)" }
}
