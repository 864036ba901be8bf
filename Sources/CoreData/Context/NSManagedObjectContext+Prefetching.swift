/// Reading along what relationships lead to.
extension NSManagedObjectContext {
  /// Reads the destinations of the relationships of a path, level by level, where they were not read yet: for each step
  /// and entity one statement for some hundred objects.
  ///
  /// The objects hold what was read for them: nobody else does, and it would be gone before it is used.
  func prefetch(_ path: String, from objects: [NSManagedObject]) throws {
    var level = objects
    for key in path.split(separator: ".").map(String.init) {
      try readRows(of: level.filter { $0.state.contains(.fault) })
      for object in level where object.state.contains(.fault) { object.fire() }
      let members = try readMembers(key, of: level)
      var next: [NSManagedObject] = []
      for object in level {
        guard let property = object.layout.property(named: key), property.isRelationship else { continue }
        if property.kind == .toOne {
          guard let destination = object.toOne(property) else { continue }
          object.keep(destination, property)
          next.append(destination)
        } else {
          _ = object.handedOutSet(property)
          next += object.members(property)
        }
      }
      try withExtendedLifetime(members) { try readRows(of: next.filter { $0.state.contains(.fault) }) }
      level = next
    }
  }

  /// Reads the members of a to-many relationship of those objects that have not read them; returns the members. A
  /// parent is asked later, object by object.
  private func readMembers(_ key: String, of objects: [NSManagedObject]) throws -> [NSManagedObject] {
    if parent != nil { return [] }
    struct Kind: Hashable {
      let store: UInt16
      let entity: Int
    }
    var unread: [Kind: [Int64: NSManagedObject]] = [:]
    for object in objects where object.key > 0 {
      guard let property = object.layout.property(named: key), property.kind == .toMany, !property.isTransient,
        object.toManyState(property).base == nil
      else { continue }
      unread[Kind(store: object.store, entity: object.layout.index), default: [:]][object.key] = object
    }
    var members: [NSManagedObject] = []
    for (kind, owners) in unread {
      let layout = owner.layouts.layouts[kind.entity]
      guard let property = layout.property(named: key), let store = try reader(of: kind.store) else { continue }
      let rows = try publicErrors { try store.memberRows(of: property, owners: Array(owners.keys), of: layout) }
      members += owner.objects(for: rows.map(\.row), store: kind.store, refreshing: false)
      var bases: [Int64: ContiguousArray<RowReference>] = [:]
      for row in rows { bases[row.owner, default: []].append(row.row.reference) }
      for (key, object) in owners { object.toManyState(property).base = bases[key] ?? [] }
    }
    return members
  }
}
