@testable import CoreData

/// The managed object model of the oracle's schema.
extension OracleSchema {
  func managedObjectModel() -> NSManagedObjectModel {
    let descriptions = Dictionary(
      uniqueKeysWithValues: entities.map { ($0.name, NSEntityDescription()) })
    for plain in entities {
      let entity = descriptions[plain.name]!
      entity.name = plain.name
      entity.properties = plain.attributes.map(\.attributeDescription)
      if let parent = plain.parent { descriptions[parent]!.subentities.append(entity) }
    }
    var made: [String: NSRelationshipDescription] = [:]
    for plain in entities {
      for relationship in plain.relationships {
        let count: Count = relationship.isOrdered ? .ordered : relationship.isToMany ? .many : .one
        let description = relate(
          descriptions[plain.name]!, relationship.name, count,
          to: descriptions[relationship.destination]!,
          rule: relationship.rule.deleteRule, optional: relationship.isOptional)
        made["\(plain.name).\(relationship.name)"] = description
        if let inverse = made["\(relationship.destination).\(relationship.inverse)"] {
          join(description, inverse)
        }
      }
    }
    return model(Array(descriptions.values))
  }
}

extension OracleRelationship.DeleteRule {
  fileprivate var deleteRule: NSDeleteRule {
    switch self {
    case .noAction: .noActionDeleteRule
    case .nullify: .nullifyDeleteRule
    case .cascade: .cascadeDeleteRule
    case .deny: .denyDeleteRule
    }
  }
}

extension OracleAttribute {
  fileprivate var attributeDescription: NSAttributeDescription {
    let types: [Kind: NSAttributeType] = [
      .integer: .integer32AttributeType, .real: .doubleAttributeType, .text: .stringAttributeType,
      .flag: .booleanAttributeType,
    ]
    let description = attribute(name, types[kind]!, optional: isOptional, default: standard.boxed)
    if let limits, kind == .text {
      description.limits = AttributeLimits(
        minLength: limits.lowerBound, maxLength: limits.upperBound)
    } else if let limits {
      description.limits = AttributeLimits(
        minNumber: Decimal(limits.lowerBound), maxNumber: Decimal(limits.upperBound))
    }
    return description
  }
}

extension OracleValue {
  /// As key-value coding takes it.
  var boxed: Any? {
    switch self {
    case .null: nil
    case .integer(let value): value
    case .real(let value): value
    case .text(let value): value
    case .flag(let value): value
    }
  }

  /// What key-value coding returned.
  init(_ value: Any?, _ kind: OracleAttribute.Kind) {
    switch (kind, value) {
    case (.integer, let number as Int): self = .integer(number)
    case (.real, let number as Double): self = .real(number)
    case (.text, let text as String): self = .text(text)
    case (.flag, let flag as Bool): self = .flag(flag)
    case (_, nil): self = .null
    default: self = .text("not \(kind): \(value!)")
    }
  }
}

extension OraclePolicy {
  var policy: NSMergePolicy {
    switch self {
    case .error: .error
    case .storeTrump: .mergeByPropertyStoreTrump
    case .objectTrump: .mergeByPropertyObjectTrump
    case .overwrite: .overwrite
    case .rollback: .rollback
    }
  }
}
