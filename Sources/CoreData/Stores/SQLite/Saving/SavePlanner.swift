/// Turns a change set into steps. Pure but for the statements it keeps: the same changes give the same steps.
///
/// The order of the steps, in one transaction:
/// 1. locked rows are checked;
/// 2. where members come to the end of an ordered relationship, its last number is read;
/// 3. links are removed: those that the changes remove, and all links of deleted rows;
/// 4. rows are deleted, then updated, then inserted, so that a unique value can move from a deleted row to a new one.
///    Rows that exchange unique values need a detour: see `SaveRun`;
/// 5. links are added, then members of ordered relationships are numbered, unless they were written with their number.
///
/// Any thread; the tables of plans are under `lock`.
final class SavePlanner: @unchecked Sendable {
  // `@unchecked Sendable`: the tables are only touched under `lock`.

  private struct UpdateKey: Hashable {
    let entity: Int
    let changed: SlotMask
  }

  let schema: StoreSchema
  private let lock = NSLock()
  // Unchecked, as the count of `write1` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var inserts: [RowWritePlan?]
  @exclusivity(unchecked) private var numberedInserts: [RowWritePlan?]
  @exclusivity(unchecked) private var deletes: [RowWritePlan?]
  @exclusivity(unchecked) private var checks: [RowWritePlan?]
  private var updates: [UpdateKey: RowWritePlan] = [:]
  private var texts: [String: StatementText] = [:]
  private var joins: [String: JoinPlan] = [:]
  private var orders: [Int: OrderPlan] = [:]

  init(_ schema: StoreSchema) {
    self.schema = schema
    let empty = [RowWritePlan?](repeating: nil, count: schema.layouts.layouts.count)
    (inserts, numberedInserts, deletes, checks) = (empty, empty, empty, empty)
  }

  func steps(for changes: ChangeSet) throws -> [SaveStep] {
    lock.lock()
    defer { lock.unlock() }
    let links = try LinkSteps(changes, schema: schema)
    var steps: [SaveStep] = []
    for (entity, rows) in grouped(changes.locked) {
      steps.append(.check(try plan(entity, in: &checks, RowWritePlan.check), rows))
    }
    let numbers = changes.links.isEmpty ? OrderNumbers() : OrderNumbers(changes, schema)
    if !numbers.isEmpty {
      steps.append(.orderNumbers(numbers))
      for (link, members) in numbers.followers.sorted(on: \.link.owner.key) {
        if let plan = try orderPlan(link) { steps.append(.findEnd(plan, owner: link.owner.key, members)) }
      }
    }
    for link in links.removals { steps.append(step(link)) }
    for (entity, rows) in grouped(changes.deleted) {
      steps.append(.delete(try plan(entity, in: &deletes, RowWritePlan.delete), rows))
    }
    try addUpdates(changes.updated, to: &steps)
    for (entity, rows) in groupedNew(changes.inserted) {
      if !numbers.isEmpty, schema.entity(at: entity).slots.contains(where: { $0?.orderName != nil }) {
        steps.append(.insert(try plan(entity, in: &numberedInserts, RowWritePlan.insertNumbered), rows))
      } else {
        steps.append(.insert(try plan(entity, in: &inserts, RowWritePlan.insert), rows))
      }
    }
    for link in links.additions { steps.append(step(link)) }
    try addOrders(numbers.others, to: &steps)
    return steps
  }

  /// The rows grouped by entity, in the order in which the entities first appear.
  private func grouped(_ rows: [RowSnapshot]) -> [(entity: Int, rows: [RowSnapshot])] {
    guard let first = rows.first?.entity else { return [] }
    if rows.allSatisfy({ $0.entity == first }) { return [(first, rows)] }
    return grouped(rows, on: \.entity).map { (entity: $0.key, rows: $0.rows) }
  }

  /// New rows grouped by entity, in the order in which the entities first appear. There may be many of them. Objects of
  /// one entity are often made one after the other; then their rows are a part of the list, and none is copied.
  private func groupedNew(_ rows: [RowSnapshot]) -> [(entity: Int, rows: ArraySlice<RowSnapshot>)] {
    var groups: [(entity: Int, rows: ArraySlice<RowSnapshot>)] = []
    var index = 0
    while index < rows.count {
      let (start, entity) = (index, rows[index].entity)
      if groups.contains(where: { $0.entity == entity }) {
        return grouped(rows).map { ($0.entity, $0.rows[...]) }
      }
      index = rows.forEachHeld(from: start, while: { $0.entity == entity }, { _ in })
      groups.append((entity, rows[start..<index]))
    }
    return groups
  }

  private func addUpdates(_ updates: [RowUpdate], to steps: inout [SaveStep]) throws {
    for (key, updates) in grouped(updates) {
      if self.updates[key] == nil {
        let entity = try schema.entity(schema.layouts[key.entity])
        self.updates[key] = RowWritePlan.update(entity, changed: key.changed)
      }
      steps.append(.update(self.updates[key]!, updates))
    }
  }

  /// The updates grouped by entity and changed slots, in the order in which these first appear.
  private func grouped(_ updates: [RowUpdate]) -> [(key: UpdateKey, updates: [RowUpdate])] {
    guard let first = updates.first else { return [] }
    if updates.allSatisfy({ $0.row.entity == first.row.entity && $0.changed == first.changed }) {
      return [(UpdateKey(entity: first.row.entity, changed: first.changed), updates)]
    }
    return grouped(updates) { UpdateKey(entity: $0.row.entity, changed: $0.changed) }
      .map { (key: $0.key, updates: $0.rows) }
  }

  /// Rows grouped by a key, in the order in which the keys first appear.
  private func grouped<Row, Key: Hashable>(_ rows: [Row], on key: (Row) -> Key) -> [(key: Key, rows: [Row])] {
    var groups: [(key: Key, rows: [Row])] = []
    var positions: [Key: Int] = [:]
    for row in rows {
      let key = key(row)
      if let last = groups.indices.last, groups[last].key == key {
        groups[last].rows.append(row)
      } else if let position = positions[key] {
        groups[position].rows.append(row)
      } else {
        positions[key] = groups.count
        groups.append((key, [row]))
      }
    }
    return groups
  }

  private func plan(
    _ entity: Int, in plans: inout [RowWritePlan?], _ make: (EntitySchema) -> RowWritePlan
  ) throws -> RowWritePlan {
    if let plan = plans[entity] { return plan }
    let plan = make(try schema.entity(schema.layouts[entity]))
    plans[entity] = plan
    return plan
  }

  private func step(_ link: LinkSteps.Step) -> SaveStep {
    switch link {
    case .keys(let sql, let keys): return .keys(text(sql), keys)
    case .pairs(let sql, let pairs): return .pairs(text(sql), pairs)
    case .join(let table, let sql, let pairs):
      let plan = joins[table] ?? JoinPlan(table, insert: sql)
      joins[table] = plan
      return .join(plan, pairs)
    }
  }

  private func text(_ sql: String) -> StatementText {
    if let text = texts[sql] { return text }
    let text = StatementText(sql)
    texts[sql] = text
    return text
  }

  private func addOrders(_ links: [LinkChange], to steps: inout [SaveStep]) throws {
    // Sort by key: rows with neighbouring keys are likely to lie on the same pages.
    for link in links.sorted(on: \.owner.key) {
      guard let plan = try orderPlan(link) else { continue }
      if let order = link.order {
        steps.append(.order(plan, owner: link.owner.key, members: order.map(\.key)))
      } else {
        steps.append(.append(plan, owner: link.owner.key, members: link.added.map(\.key)))
      }
    }
  }

  private func orderPlan(_ link: LinkChange) throws -> OrderPlan? {
    let entity = schema.entity(at: Int(link.owner.entity))
    let key = Int(link.owner.entity) << 16 | link.relationship.toManyIndex
    if let plan = orders[key] { return plan }
    let plan: OrderPlan
    switch entity.toMany[link.relationship.toManyIndex] {
    case .foreignKey(let table, let column, let order?), .hiddenKey(let table, let column, let order?):
      plan = OrderPlan(
        table: table, member: "Z_PK", order: order, isMember: "\(column) = ?",
        update: "UPDATE \(table) SET \(order) = ? WHERE Z_PK = ?", updateNamesOwner: false)
    case .join(let side):
      guard let order = side.order else { return nil }
      plan = OrderPlan(
        table: side.table.name, member: side.member, order: order, isMember: "\(side.owner) = ?",
        update: "UPDATE \(side.table.name) SET \(order) = ? WHERE \(side.member) = ? AND \(side.owner) = ?",
        updateNamesOwner: true)
    default: return nil
    }
    orders[key] = plan
    return plan
  }
}
