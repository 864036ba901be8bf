import Foundation

extension NSEntityDescription {
  /// All properties: the inherited ones, from the root down, then the entity's own, each in the order given.
  ///
  /// Setting it sets the entity's own properties; inherited ones in the list are ignored.
  public var properties: [NSPropertyDescription] {
    get { frozen?.properties ?? ancestors.reversed().flatMap(\.ownProperties) + ownProperties }
    set {
      willRedefine("properties")
      for property in ownProperties { property.owningEntity = nil }
      ownProperties = newValue.filter { !isInherited($0) }
      for property in ownProperties {
        if let owner = property.owningEntity, owner !== self {
          misuse(.propertyOfAnotherEntity(property, owner: owner, taker: self))
        }
        property.owningEntity = self
      }
    }
  }

  /// All properties by name, inherited ones included.
  public var propertiesByName: [String: NSPropertyDescription] {
    frozen?.propertiesByName ?? FrozenEntity.byName(properties)
  }

  /// All attributes by name, inherited ones included.
  public var attributesByName: [String: NSAttributeDescription] {
    frozen?.attributesByName ?? FrozenEntity.byName(properties.compactMap { $0 as? NSAttributeDescription })
  }

  /// All relationships by name, inherited ones included.
  public var relationshipsByName: [String: NSRelationshipDescription] {
    frozen?.relationshipsByName
      ?? FrozenEntity.byName(properties.compactMap { $0 as? NSRelationshipDescription })
  }

  /// The relationships that lead to `entity`.
  public func relationships(forDestination entity: NSEntityDescription) -> [NSRelationshipDescription] {
    properties.compactMap { property in
      guard let relationship = property as? NSRelationshipDescription,
        relationship.storedDestinationEntity === entity
      else { return nil }
      return relationship
    }
  }

  /// Whether an ancestor declares this property.
  private func isInherited(_ property: NSPropertyDescription) -> Bool {
    guard let owner = property.owningEntity, owner !== self else { return false }
    return ancestors.contains { $0 === owner }
  }
}

/// Facts about an entity that are computed when its model is frozen.
struct FrozenEntity {
  var properties: [NSPropertyDescription]
  var propertiesByName: [String: NSPropertyDescription]
  var attributesByName: [String: NSAttributeDescription]
  var relationshipsByName: [String: NSRelationshipDescription]
  var versionHash: Data
  /// The identities of the entity and of its ancestors, itself first.
  var lineage: [ObjectIdentifier]

  init(_ entity: NSEntityDescription) {
    properties = entity.properties
    propertiesByName = FrozenEntity.byName(properties)
    attributesByName = FrozenEntity.byName(properties.compactMap { $0 as? NSAttributeDescription })
    relationshipsByName = FrozenEntity.byName(properties.compactMap { $0 as? NSRelationshipDescription })
    versionHash = entity.versionHash
    lineage = [ObjectIdentifier(entity)] + entity.ancestors.map(ObjectIdentifier.init)
  }

  /// A later property wins over an earlier one of the same name; a model with such names cannot be used.
  static func byName<Property: NSPropertyDescription>(_ properties: [Property]) -> [String: Property] {
    var byName = [String: Property](minimumCapacity: properties.count)
    for property in properties { byName[property.storedName] = property }
    return byName
  }
}
