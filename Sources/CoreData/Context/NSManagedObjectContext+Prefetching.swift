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
      let members = try source.readMembers(key, of: level, for: self)
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
}
