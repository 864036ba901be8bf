import CoreData

/// Models in few words.
///
///     model(Entity("Book", [attribute("title"), toOne("author", "Author", back: "books")]), …)
enum InferenceModels {
  /// One entity: its words, and what it inherits from.
  struct Entity {
    var name: String
    var parent: String?
    var identifier: String?
    var isAbstract = false
    var properties: [NSPropertyDescription] = []
    var constraints: [[String]] = []

    init(
      _ name: String, of parent: String? = nil, was identifier: String? = nil, isAbstract: Bool = false,
      unique constraints: [[String]] = [], _ properties: [NSPropertyDescription] = []
    ) {
      self.name = name
      self.parent = parent
      self.identifier = identifier
      self.isAbstract = isAbstract
      self.properties = properties
      self.constraints = constraints
    }
  }

  static func model(_ entities: Entity...) -> NSManagedObjectModel { model(entities) }

  static func model(_ entities: [Entity]) -> NSManagedObjectModel {
    var made: [String: NSEntityDescription] = [:]
    for entity in entities {
      let description = NSEntityDescription()
      description.name = entity.name
      description.isAbstract = entity.isAbstract
      if let identifier = entity.identifier { description.renamingIdentifier = identifier }
      description.properties = entity.properties
      made[entity.name] = description
    }
    for (name, description) in made {
      description.subentities = entities.filter { $0.parent == name }.map { made[$0.name]! }
    }
    for entity in entities {
      for case let link as Link in entity.properties {
        link.destinationEntity = made[link.leadsTo]!
      }
    }
    for entity in entities {
      for case let link as Link in entity.properties {
        guard let inverse = link.leadsBack else { continue }
        link.inverseRelationship = link.destinationEntity!.relationshipsByName[inverse]!
      }
      if !entity.constraints.isEmpty { made[entity.name]!.uniquenessConstraints = entity.constraints }
    }
    let model = NSManagedObjectModel()
    model.entities = entities.map { made[$0.name]! }
    return model
  }

  static func attribute(
    _ name: String, _ type: NSAttributeType = .stringAttributeType, was identifier: String? = nil,
    isOptional: Bool = true, isTransient: Bool = false, default value: Any? = nil
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isOptional = isOptional
    attribute.isTransient = isTransient
    attribute.defaultValue = value
    if let identifier { attribute.renamingIdentifier = identifier }
    return attribute
  }

  static func composite(
    _ name: String, _ elements: [NSAttributeDescription], was identifier: String? = nil
  ) -> NSCompositeAttributeDescription {
    let attribute = NSCompositeAttributeDescription()
    attribute.name = name
    attribute.isOptional = true
    attribute.elements = elements
    if let identifier { attribute.renamingIdentifier = identifier }
    return attribute
  }

  static func derived(_ name: String, _ type: NSAttributeType, as format: String) -> NSDerivedAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.derivationExpression = FoundationExpression(format: format)
    return attribute
  }

  static func toOne(
    _ name: String, _ destination: String, back inverse: String? = nil, was identifier: String? = nil,
    isOptional: Bool = true
  ) -> Link {
    let link = Link(name, destination, inverse, identifier)
    link.maxCount = 1
    link.isOptional = isOptional
    return link
  }

  static func toMany(
    _ name: String, _ destination: String, back inverse: String? = nil, was identifier: String? = nil,
    isOrdered: Bool = false
  ) -> Link {
    let link = Link(name, destination, inverse, identifier)
    link.isOrdered = isOrdered
    return link
  }

  /// A relationship that is connected by names once all entities are there.
  final class Link: NSRelationshipDescription {
    var leadsTo = ""
    var leadsBack: String?

    fileprivate convenience init(
      _ name: String, _ destination: String, _ inverse: String?, _ identifier: String?
    ) {
      self.init()
      self.name = name
      leadsTo = destination
      leadsBack = inverse
      if let identifier { renamingIdentifier = identifier }
    }
  }
}
