/// The saved state of a store in memory.
///
/// It is a value, so a fetch takes a copy and reads the state of one moment while saves go on.
struct MemoryRows {
  let layouts: ModelLayouts
  /// The tables by the index of the root entity.
  private(set) var tables: [MemoryTable]
  private(set) var links: MemoryLinks
  private var constraints: [MemoryConstraint]

  init(_ layouts: ModelLayouts) {
    self.layouts = layouts
    tables = layouts.layouts.map { _ in MemoryTable() }
    links = MemoryLinks(layouts)
    constraints = layouts.layouts.flatMap { layout in
      layout.constraints.map { MemoryConstraint($0, of: layout, layouts) }
    }
  }

  private func root(_ entity: Int) -> Int { layouts[entity].rootIndex }

  func row(_ reference: RowReference) -> RowSnapshot? { tables[root(Int(reference.entity))][reference.key] }

  /// The members of a to-many relationship that have a row.
  func members(of relationship: LayoutProperty, owner: RowReference) -> [RowReference] {
    links.members(of: relationship, owner: owner).filter { row($0) != nil }
  }

  // A save first makes both kinds of checks. `apply` can't fail after that (invariant 6).

  /// The conflicts that forbid a change set; nil if there are none.
  func refusal(of changes: ChangeSet) -> SaveOutcome? {
    let versions = versionConflicts(changes)
    if !versions.isEmpty { return .versionConflicts(versions) }
    let constraints = constraintConflicts(changes)
    return constraints.isEmpty ? nil : .constraintConflicts(constraints)
  }

  /// The rows of a change set that were changed or deleted since they were read.
  func versionConflicts(_ changes: ChangeSet) -> [VersionConflict] {
    var conflicts: [VersionConflict] = []
    func check(_ base: RowSnapshot) {
      let current = row(base.reference)
      if current?.version != base.version {
        // All contexts know what is in memory.
        conflicts.append(VersionConflict(base: base, persisted: current, isCached: current != nil))
      }
    }
    for row in changes.inserted {
      if let current = self.row(row.reference) {
        conflicts.append(VersionConflict(base: row, persisted: current))
      }
    }
    for update in changes.updated { check(update.base) }
    changes.deleted.forEach(check)
    changes.locked.forEach(check)
    return conflicts
  }

  /// The uniqueness constraints that the whole change set would violate. Intermediate states don't matter, so two rows
  /// may exchange their values.
  func constraintConflicts(_ changes: ChangeSet) -> [ConstraintConflict] {
    constraints.flatMap { conflicts(with: $0, changes) }
  }

  private func conflicts(with constraint: MemoryConstraint, _ changes: ChangeSet) -> [ConstraintConflict] {
    var newcomers: [ConstraintValues: [RowReference]] = [:]
    var order: [ConstraintValues] = []
    var leaving: Set<RowReference> = []
    func insert(_ row: RowSnapshot) {
      guard let values = constraint.values(of: row) else { return }
      if newcomers[values] == nil { order.append(values) }
      newcomers[values, default: []].append(row.reference)
    }
    changes.inserted.forEach(insert)
    for update in changes.updated
    where constraint.values(of: update.row) != constraint.values(of: update.base) {
      leaving.insert(update.base.reference)
      insert(update.row)
    }
    if order.isEmpty { return [] }
    for row in changes.deleted { leaving.insert(row.reference) }
    return order.compactMap { values in
      let colliding = newcomers[values]!
      let holder = constraint.holder(of: values).flatMap { leaving.contains($0) ? nil : row($0) }
      if holder == nil && colliding.count == 1 { return nil }
      return ConstraintConflict(
        constraint: constraint.attributes, conflicting: colliding.sorted(on: \.key), persisted: holder)
    }
  }

  /// Applies a change set that was checked before.
  mutating func apply(_ changes: ChangeSet) {
    remove(changes.deleted)
    for update in changes.updated {
      let current = row(update.base.reference)
      for index in constraints.indices { if let current { constraints[index].release(current) } }
    }
    for update in changes.updated { replace(row(update.base.reference), by: update.row) }
    for row in changes.inserted { replace(nil, by: row) }
    for change in changes.links { links.apply(change) }
  }

  // Loading rows from outside, without checks.

  mutating func load(_ row: RowSnapshot) { replace(nil, by: row) }

  /// Sets the members of a relationship that the members' rows don't tell, or not in order.
  mutating func load(_ members: [RowReference], of relationship: LayoutProperty, owner: RowReference) {
    links.load(members, of: relationship, owner: owner)
  }

  private mutating func replace(_ old: RowSnapshot?, by new: RowSnapshot) {
    links.replace(old, by: new)
    for index in constraints.indices { constraints[index].take(new) }
    tables[root(new.entity)].put(new)
  }

  /// With more rows than this, a table is gone through once, rather than that each key moves those behind it.
  private static let fewRows = 64

  private mutating func remove(_ deleted: [RowSnapshot]) {
    var many: [Int: Set<Int64>] = [:]
    for row in deleted {
      if let old = self.row(row.reference) {
        links.replace(old, by: nil)
        for index in constraints.indices { constraints[index].release(old) }
        if deleted.count <= MemoryRows.fewRows {
          tables[root(old.entity)].remove(old.key)
        } else {
          many[root(old.entity), default: []].insert(old.key)
        }
      }
      links.removeAll(of: row)
    }
    for (table, keys) in many { tables[table].remove(keys) }
  }
}
