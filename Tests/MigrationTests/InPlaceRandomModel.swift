import CoreData
import Foundation

/// A model as plain values, to be changed at random.
struct InPlaceRandomModel {
  struct Attribute {
    var entity: String
    var name: String
    var was: String?
    var type: NSAttributeType
    var isOptional = true
    var isExternal = false
  }

  struct Relationship {
    var entity: String
    var name: String
    var was: String?
    var count: InPlace.Count
    var destination: String
    var inverse: String?
  }

  struct Entity {
    var name: String
    var was: String?
    var parent: String?
    var isAbstract = false
  }

  var entities: [Entity] = []
  var attributes: [Attribute] = []
  var relationships: [Relationship] = []
  private var counter = 0

  static let types: [NSAttributeType] = [
    .stringAttributeType, .integer32AttributeType, .doubleAttributeType, .dateAttributeType, .booleanAttributeType,
    .binaryDataAttributeType, .UUIDAttributeType, .decimalAttributeType,
  ]

  init<R: RandomNumberGenerator>(_ random: inout R) {
    for _ in 0..<Int.random(in: 2...4, using: &random) { addEntity(&random) }
    for _ in 0..<Int.random(in: 2...6, using: &random) { addAttribute(&random) }
    for _ in 0..<Int.random(in: 1...4, using: &random) { addRelationship(&random) }
  }

  // Names.

  private mutating func fresh<R: RandomNumberGenerator>(_ prefix: String, _ random: inout R) -> String {
    counter += 1
    // So that names don't come in the order in which they were made.
    return prefix + String(UnicodeScalar(UInt8(97 + Int.random(in: 0..<26, using: &random)))) + "\(counter)"
  }

  func ancestors(_ name: String) -> [String] {
    guard let parent = entities.first(where: { $0.name == name })?.parent else { return [] }
    return [parent] + ancestors(parent)
  }

  func descendants(_ name: String) -> [String] {
    entities.filter { $0.parent == name }.flatMap { [$0.name] + descendants($0.name) }
  }

  private func line(_ name: String) -> Set<String> { Set([name] + ancestors(name) + descendants(name)) }

  private func isTaken(_ property: String, _ entity: String) -> Bool {
    let line = line(entity)
    return attributes.contains { $0.name == property && line.contains($0.entity) }
      || relationships.contains { $0.name == property && line.contains($0.entity) }
  }

  // Growing.

  private mutating func addEntity<R: RandomNumberGenerator>(_ random: inout R) {
    let name = fresh("E", &random)
    let parent = Bool.random(using: &random) ? entities.randomElement(using: &random)?.name : nil
    entities.append(Entity(name: name, parent: parent))
    if parent == nil { attributes.append(Attribute(entity: name, name: "uid", type: .stringAttributeType)) }
  }

  private mutating func addAttribute<R: RandomNumberGenerator>(_ random: inout R) {
    let entity = entities.randomElement(using: &random)!.name
    var name = ["x", "y"].randomElement(using: &random)!
    let isShared = Int.random(in: 0..<3, using: &random) == 0 && !isTaken(name, entity)
    if !isShared { name = fresh("a", &random) }
    var attribute = Attribute(
      entity: entity, name: name,
      type: isShared ? .stringAttributeType : InPlaceRandomModel.types.randomElement(using: &random)!)
    attribute.isOptional = Bool.random(using: &random)
    attribute.isExternal = attribute.type == .binaryDataAttributeType && Bool.random(using: &random)
    attributes.append(attribute)
  }

  private mutating func addRelationship<R: RandomNumberGenerator>(_ random: inout R) {
    let (from, to) = (entities.randomElement(using: &random)!.name, entities.randomElement(using: &random)!.name)
    let counts: [InPlace.Count] = [.one, .many, .ordered]
    let name = fresh("r", &random)
    relationships.append(
      Relationship(entity: from, name: name, count: counts.randomElement(using: &random)!, destination: to))
    if Int.random(in: 0..<4, using: &random) > 0 { addInverse(relationships.count - 1, counts, &random) }
  }

  private mutating func addInverse<R: RandomNumberGenerator>(
    _ place: Int, _ counts: [InPlace.Count], _ random: inout R
  ) {
    let name = fresh("i", &random)
    let relationship = relationships[place]
    relationships[place].inverse = name
    relationships.append(
      Relationship(
        entity: relationship.destination, name: name, count: counts.randomElement(using: &random)!,
        destination: relationship.entity, inverse: relationship.name))
  }

  // Changing.

  /// Another version: a few changes.
  func changed<R: RandomNumberGenerator>(_ random: inout R) -> InPlaceRandomModel {
    var new = self
    for place in new.entities.indices { new.entities[place].was = nil }
    for place in new.attributes.indices { new.attributes[place].was = nil }
    for place in new.relationships.indices { new.relationships[place].was = nil }
    for _ in 0..<Int.random(in: 1...4, using: &random) { new.change(&random) }
    return new
  }

  private mutating func change<R: RandomNumberGenerator>(_ random: inout R) {
    let attribute = attributes.indices.filter { attributes[$0].name != "uid" }.randomElement(using: &random)
    let relationship = relationships.indices.randomElement(using: &random)
    switch Int.random(in: 0..<19, using: &random) {
    case 0: addAttribute(&random)
    case 1: if let attribute { attributes.remove(at: attribute) }
    case 2:
      if let attribute, attributes[attribute].was == nil {
        attributes[attribute].was = attributes[attribute].name
        attributes[attribute].name = fresh("a", &random)
      }
    case 3: if let attribute { attributes[attribute].isOptional.toggle() }
    case 4:
      if let attribute, attributes[attribute].type == .binaryDataAttributeType {
        attributes[attribute].isExternal.toggle()
      }
    case 5: addEntity(&random)
    case 6: removeEntity(&random)
    case 7: renameEntity(&random)
    case 8: addRelationship(&random)
    case 9: if let relationship { remove(relationship) }
    case 10: if let relationship { removeInverse(relationship) }
    case 11:
      if let relationship, relationships[relationship].inverse == nil {
        addInverse(relationship, [.many, .ordered, .one], &random)
      }
    case 12, 13:
      if let relationship {
        switch relationships[relationship].count {
        case .one: relationships[relationship].count = Bool.random(using: &random) ? .many : .ordered
        case .many: relationships[relationship].count = .ordered
        case .ordered: relationships[relationship].count = .many
        }
      }
    case 14:
      if let relationship, relationships[relationship].was == nil {
        let (old, new) = (relationships[relationship].name, fresh("r", &random))
        relationships[relationship].was = old
        relationships[relationship].name = new
        for place in relationships.indices where relationships[place].inverse == old {
          relationships[place].inverse = new
        }
      }
    case 15: if let attribute { pullUp(attribute) }
    case 16: if let attribute { pushDown(attribute, &random) }
    case 17: insertParent(&random)
    default: reparent(&random)
    }
  }

  private mutating func remove(_ place: Int) {
    let relationship = relationships.remove(at: place)
    relationships.removeAll { $0.name == relationship.inverse }
  }

  private mutating func removeInverse(_ place: Int) {
    guard let inverse = relationships[place].inverse else { return }
    relationships[place].inverse = nil
    relationships.removeAll { $0.name == inverse }
  }

  private mutating func removeEntity<R: RandomNumberGenerator>(_ random: inout R) {
    let leaves = entities.filter { entity in !entities.contains { $0.parent == entity.name } }
    guard entities.count > 2, let name = leaves.randomElement(using: &random)?.name else { return }
    entities.removeAll { $0.name == name }
    attributes.removeAll { $0.entity == name }
    while let place = relationships.firstIndex(where: { $0.entity == name || $0.destination == name }) { remove(place) }
  }

  private mutating func renameEntity<R: RandomNumberGenerator>(_ random: inout R) {
    guard let place = entities.indices.randomElement(using: &random), entities[place].was == nil else { return }
    let (old, new) = (entities[place].name, fresh("E", &random))
    entities[place].was = old
    entities[place].name = new
    for place in entities.indices where entities[place].parent == old { entities[place].parent = new }
    for place in attributes.indices where attributes[place].entity == old { attributes[place].entity = new }
    for place in relationships.indices {
      if relationships[place].entity == old { relationships[place].entity = new }
      if relationships[place].destination == old { relationships[place].destination = new }
    }
  }

  private mutating func pullUp(_ place: Int) {
    guard let parent = entities.first(where: { $0.name == attributes[place].entity })?.parent else { return }
    let name = attributes[place].name
    // All children that have one of the name have it from their parent then.
    let children = Set(descendants(parent))
    let own = attributes[place]
    guard !attributes.contains(where: { $0.name == name && children.contains($0.entity) && $0.type != own.type }),
      !ancestors(parent).contains(where: { entity in attributes.contains { $0.entity == entity && $0.name == name } })
    else { return }
    attributes.removeAll { $0.name == name && children.contains($0.entity) }
    var moved = own
    moved.entity = parent
    attributes.append(moved)
  }

  private mutating func pushDown<R: RandomNumberGenerator>(_ place: Int, _ random: inout R) {
    let children = entities.filter { $0.parent == attributes[place].entity }.map(\.name)
    guard !children.isEmpty else { return }
    let own = attributes.remove(at: place)
    for child in children where Int.random(in: 0..<3, using: &random) > 0 {
      var moved = own
      moved.entity = child
      attributes.append(moved)
    }
  }

  private mutating func insertParent<R: RandomNumberGenerator>(_ random: inout R) {
    guard let place = entities.indices.randomElement(using: &random) else { return }
    let name = fresh("E", &random)
    let child = entities[place]
    entities.append(Entity(name: name, parent: child.parent, isAbstract: Bool.random(using: &random)))
    entities[place].parent = name
    if child.parent == nil {
      for place in attributes.indices where attributes[place].entity == child.name && attributes[place].name == "uid" {
        attributes[place].entity = name
      }
    }
  }

  private mutating func reparent<R: RandomNumberGenerator>(_ random: inout R) {
    guard let place = entities.indices.randomElement(using: &random) else { return }
    let entity = entities[place]
    if entity.parent != nil, Bool.random(using: &random) {
      entities[place].parent = nil
      attributes.append(Attribute(entity: entity.name, name: "uid", type: .stringAttributeType))
      return
    }
    let below = Set([entity.name] + descendants(entity.name))
    guard let parent = entities.filter({ !below.contains($0.name) }).randomElement(using: &random)?.name else { return }
    let above = Set([parent] + ancestors(parent))
    let names = Set(attributes.filter { above.contains($0.entity) }.map(\.name))
    guard !attributes.contains(where: { below.contains($0.entity) && $0.name != "uid" && names.contains($0.name) })
    else {
      return
    }
    entities[place].parent = parent
    attributes.removeAll { $0.name == "uid" && $0.entity == entity.name }
  }

  // The real thing.

  func model() -> NSManagedObjectModel {
    var made: [String: NSEntityDescription] = [:]
    for entity in entities {
      made[entity.name] = InPlace.entity(entity.name, was: entity.was)
      made[entity.name]!.isAbstract = entity.isAbstract
    }
    for attribute in attributes {
      let description = InPlace.attribute(
        attribute.name, attribute.type, default: attribute.name == "uid" ? nil : standard(attribute.type),
        optional: attribute.isOptional, was: attribute.was)
      description.allowsExternalBinaryDataStorage = attribute.isExternal
      made[attribute.entity]!.properties.append(description)
    }
    var links: [String: NSRelationshipDescription] = [:]
    for relationship in relationships {
      links[relationship.name] = InPlace.relate(
        made[relationship.entity]!, relationship.name, relationship.count, made[relationship.destination]!,
        was: relationship.was)
    }
    for relationship in relationships {
      links[relationship.name]!.inverseRelationship = relationship.inverse.map { links[$0]! }
    }
    for entity in entities {
      made[entity.name]!.subentities = entities.filter { $0.parent == entity.name }.map { made[$0.name]! }
    }
    // By their names, so that they stay with an attribute that stays.
    for attribute in attributes {
      let owner = made[attribute.entity]!
      let number = (owner.name! + attribute.name).utf8.reduce(0) { $0 &+ Int($1) }
      if attribute.name == "uid" {
        if number % 2 == 0 { owner.uniquenessConstraints = [["uid"]] }
      } else if number % 3 == 0 {
        let element = NSFetchIndexElementDescription(
          property: owner.attributesByName[attribute.name]!, collationType: .binary)
        owner.indexes.append(NSFetchIndexDescription(name: "by\(attribute.name)", elements: [element]))
      }
    }
    let model = NSManagedObjectModel()
    model.entities = entities.map { made[$0.name]! }
    return model
  }

  private func standard(_ type: NSAttributeType) -> Any {
    switch type {
    case .integer32AttributeType: 7
    case .doubleAttributeType: 0.1
    case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 12345.5)
    case .booleanAttributeType: NSNumber(value: true)
    case .binaryDataAttributeType: Data([1, 0, 2])
    case .UUIDAttributeType: UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
    case .decimalAttributeType: NSDecimalNumber(string: "3.25")
    default: "it's"
    }
  }
}
