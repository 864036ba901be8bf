import Foundation

extension NSEntityDescription {
  /// The entity that this one inherits from. Set by adding this one to its `subentities`.
  public var superentity: NSEntityDescription? { storedSuperentity }

  /// The entities that inherit from this one directly, in the order given.
  public var subentities: [NSEntityDescription] {
    get { storedSubentities }
    set {
      willRedefine("subentities")
      for entity in storedSubentities where entity.storedSuperentity === self {
        entity.storedSuperentity = nil
      }
      storedSubentities = newValue
      for entity in newValue {
        if let former = entity.storedSuperentity, former !== self {
          former.storedSubentities.removeAll { $0 === entity }
        }
        entity.storedSuperentity = self
      }
      owningModel?.addEntities(newValue)
    }
  }

  /// The entities that inherit from this one directly, by name.
  public var subentitiesByName: [String: NSEntityDescription] {
    Dictionary(
      storedSubentities.compactMap { entity in entity.storedName.map { ($0, entity) } },
      uniquingKeysWith: { $1 })
  }

  /// Whether the entity is `entity` or inherits from it.
  public func isKindOf(entity: NSEntityDescription) -> Bool {
    if self === entity { return true }
    if let frozen { return frozen.lineage.contains(ObjectIdentifier(entity)) }
    return ancestors.contains { $0 === entity }
  }

  /// The entities that this one inherits from, nearest first. Ends at a cycle.
  final var ancestors: [NSEntityDescription] {
    var found: [NSEntityDescription] = []
    var next = storedSuperentity
    while let entity = next, entity !== self, !found.contains(where: { $0 === entity }) {
      found.append(entity)
      next = entity.storedSuperentity
    }
    return found
  }

  /// Whether the entity inherits from those that it did when its model was frozen, so that what was computed then is
  /// still true.
  final var hasKnownAncestors: Bool {
    frozen.map { $0.lineage.dropFirst().elementsEqual(ancestors.map(ObjectIdentifier.init)) } ?? true
  }

  /// The top of the hierarchy: the entity whose table holds the rows.
  final var rootEntity: NSEntityDescription { ancestors.last ?? self }

  /// The entity and all that inherit from it, each followed by its subentities in order of name.
  final var withDescendants: [NSEntityDescription] {
    var found: [NSEntityDescription] = []
    var left = [self]
    while let entity = left.popLast() {
      found.append(entity)
      left += entity.storedSubentities.sorted(by: NSEntityDescription.inNameOrder).reversed()
    }
    return found
  }

  /// Compares names by code units.
  static func inNameOrder(_ left: NSEntityDescription, _ right: NSEntityDescription) -> Bool {
    (left.storedName ?? "").utf16.lexicographicallyPrecedes((right.storedName ?? "").utf16)
  }
}
