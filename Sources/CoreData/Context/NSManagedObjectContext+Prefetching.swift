/// Reading the destinations of relationships together with the objects.
extension NSManagedObjectContext {
  /// Reads the destinations along a path of relationships, level by level, unless they were read already. Each step and
  /// entity takes a statement or two for some hundred objects.
  ///
  /// The objects keep the rows that were read for them. Otherwise these would be freed before they are used.
  func prefetch(_ path: String, from objects: [NSManagedObject]) throws {
    var level = objects
    for key in path.split(separator: ".").map(String.init) {
      try readRows(of: level.filter { $0.state.contains(.fault) })
      for object in level where object.state.contains(.fault) { object.fire() }
      let members = try source.readMembers(key, of: level, for: self)
      var next: [NSManagedObject] = []
      for object in level {
        guard let property = object.layout.property(named: key), property.isRelationship else { continue }
        if property.kind == .toOne {
          guard let destination = object.toOne(property) else { continue }
          object.keep(destination, property)
          next.append(destination)
        } else {
          let members = object.members(property)
          object.toManyState(property).use(members)
          next += members
        }
      }
      try withExtendedLifetime(members) { try readRows(of: next.filter { $0.state.contains(.fault) }) }
      level = next
    }
  }
}
