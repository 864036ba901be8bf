/// Where the key paths of predicates become many values.
extension EntityLayout {
  /// The place where a key path that starts here first goes through a to-many relationship; nil if it doesn't.
  func placeOfMany(on path: [PredicateKey]) -> Int? { many(on: path)?.place }

  /// That place, and the relationship.
  func many(on path: [PredicateKey]) -> (place: Int, property: LayoutProperty)? {
    var layout = self
    for (place, key) in path.enumerated() {
      guard let property = layout.property(named: key.name), property.isRelationship else { return nil }
      if property.kind == .toMany { return (place, property) }
      layout = model.layouts[property.destination]
    }
    return nil
  }
}
