/// Key-value coding of a model's parts and of fetch requests, which Foundation on Linux lacks: `value(forKey:)`, and
/// predicates and sort descriptors for arrays of them.
protocol KeyedDescription {
  /// The value of a key; nil in the outer optional if there is no such key.
  func described(_ key: String) -> Any??
}

extension NSEntityDescription: KeyedDescription {
  /// The value of a property of the description, such as `name`. An unknown key is a misuse.
  public final func value(forKey key: String) -> Any? { DescriptionKeys.value(of: self, key) }

  func described(_ key: String) -> Any?? {
    switch key {
    case "name": .some(name)
    case "managedObjectClassName": managedObjectClassName
    case "abstract", "isAbstract": isAbstract
    case "superentity": .some(superentity)
    case "subentities": subentities
    case "properties": properties
    case "propertiesByName": propertiesByName
    case "attributesByName": attributesByName
    case "relationshipsByName": relationshipsByName
    case "userInfo": .some(userInfo)
    case "renamingIdentifier": .some(renamingIdentifier)
    case "versionHash": versionHash
    case "versionHashModifier": .some(versionHashModifier)
    default: nil
    }
  }
}

extension NSPropertyDescription: KeyedDescription {
  /// The value of a property of the description, such as `name`. An unknown key is a misuse.
  public final func value(forKey key: String) -> Any? { DescriptionKeys.value(of: self, key) }

  func described(_ key: String) -> Any?? {
    switch key {
    case "name": name
    case "entity": entity
    case "optional", "isOptional": isOptional
    case "transient", "isTransient": isTransient
    case "userInfo": .some(userInfo)
    case "renamingIdentifier": .some(renamingIdentifier)
    case "versionHash": versionHash
    case "versionHashModifier": .some(versionHashModifier)
    default:
      switch self {
      case let attribute as NSAttributeDescription: attribute.describedByAttribute(key)
      case let relationship as NSRelationshipDescription: relationship.describedByRelationship(key)
      default: nil
      }
    }
  }
}

extension NSAttributeDescription {
  fileprivate func describedByAttribute(_ key: String) -> Any?? {
    switch key {
    case "attributeType": attributeType.rawValue
    case "attributeValueClassName": .some(attributeValueClassName)
    case "defaultValue": .some(defaultValue)
    case "valueTransformerName": .some(valueTransformerName)
    case "allowsExternalBinaryDataStorage": allowsExternalBinaryDataStorage
    default: nil
    }
  }
}

extension NSRelationshipDescription {
  fileprivate func describedByRelationship(_ key: String) -> Any?? {
    switch key {
    case "destinationEntity": .some(destinationEntity)
    case "inverseRelationship": .some(inverseRelationship)
    case "deleteRule": deleteRule.rawValue
    case "minCount": minCount
    case "maxCount": maxCount
    case "toMany", "isToMany": isToMany
    case "ordered", "isOrdered": isOrdered
    default: nil
    }
  }
}

enum DescriptionKeys {
  static func value(of description: some KeyedDescription, _ key: String) -> Any? {
    guard let value = description.described(key) else {
      misuse("\(description) has no value for the key \"\(key)\".")
    }
    return value
  }
}
