import Foundation

extension NSEntityDescription {
  /// A copy with copies of the entity's own properties and indexes. It is in no model and no hierarchy. Relationships
  /// keep their destinations until a model with the copy is used, which then connects them by name.
  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSEntityDescription()
    copyDefinition(to: copy)
    return copy
  }

  /// Gives `copy` this entity's definition. Returns the copies of its own properties by their originals.
  @discardableResult
  final func copyDefinition(to copy: NSEntityDescription) -> [ObjectIdentifier: NSPropertyDescription] {
    copy.storedName = storedName
    copy.storedManagedObjectClassName = storedManagedObjectClassName
    copy.unnamedObjectClass = unnamedObjectClass
    copy.storedIsAbstract = storedIsAbstract
    copy.storedUserInfo = storedUserInfo
    copy.storedVersionHashModifier = storedVersionHashModifier
    copy.storedRenamingIdentifier = storedRenamingIdentifier
    copy.storedCoreSpotlightDisplayNameExpression = storedCoreSpotlightDisplayNameExpression
    copy.storedCoreSpotlightDisplayNameFormat = storedCoreSpotlightDisplayNameFormat

    var copies: [ObjectIdentifier: NSPropertyDescription] = [:]
    copy.properties = ownProperties.map { property in
      let twin = property.copy() as! NSPropertyDescription
      copies[ObjectIdentifier(property)] = twin
      return twin
    }
    func translated(_ groups: [[Any]]) -> [[Any]] {
      groups.map { group in
        group.map { element in
          (element as? NSPropertyDescription).flatMap { copies[ObjectIdentifier($0)] } ?? element
        }
      }
    }
    copy.storedUniquenessConstraints = translated(storedUniquenessConstraints)
    copy.storedCompoundIndexes = translated(storedCompoundIndexes)
    // By name, since the property may be one that was made for the index.
    let twins = FrozenEntity.byName(copy.ownProperties)
    copy.indexes = storedIndexes.map { index in
      let twin = index.copy() as! NSFetchIndexDescription
      twin.elements = index.elements.map { element in
        let isExpression = element.property is NSExpressionDescription
        return element.copy(property: isExpression ? nil : element.propertyName.flatMap { twins[$0] })
      }
      return twin
    }
    return copies
  }
}
