import CoreData

/// What an entity says of its properties, each in a few words: for the comparison of two models.
public struct EntityFacts {
  public let properties: [String: String]

  public init(_ entity: NSEntityDescription) {
    let unique = Set(entity.uniquenessConstraints.flatMap { $0 }.map { "\($0)" })
    properties = entity.propertiesByName.mapValues { property in
      var words: [String] = []
      if let attribute = property as? NSAttributeDescription { words.append(Self.name(of: attribute.attributeType)) }
      if let relationship = property as? NSRelationshipDescription {
        words.append("to-\(relationship.isToMany ? "many" : "one") \(relationship.destinationEntity?.name ?? "?")")
        if relationship.deleteRule == .cascadeDeleteRule { words.append("cascade") }
      }
      if property.isOptional { words.append("optional") }
      if unique.contains(property.name) { words.append("unique") }
      return words.joined(separator: ", ")
    }
  }

  private static func name(of type: NSAttributeType) -> String {
    switch type {
    case .integer16AttributeType: "Integer 16"
    case .integer64AttributeType: "Integer 64"
    case .stringAttributeType: "String"
    default: "type \(type.rawValue)"
    }
  }
}
