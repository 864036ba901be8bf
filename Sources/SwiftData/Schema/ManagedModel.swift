import CoreData

extension Schema {
  /// The schema as a managed object model whose entities all have the class `ModelObject`.
  ///
  /// - Parameter configurations: the entity names of each configuration, by the configuration's name.
  func makeManagedObjectModel(configurations: [String: Set<String>] = [:]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.versionIdentifiers = ["\(version)"]
    let made = types.map { ($0, NSEntityDescription()) }
    let entitiesByName = Dictionary(uniqueKeysWithValues: made.map { ($0.name, $1) })
    for (type, entity) in made {
      entity.name = type.name
      entity.unnamedObjectClass = ModelObject.self
      entity.properties = type.ownProperties.map { $0.makeDescription(of: type.name, destinations: entitiesByName) }
    }
    for (type, entity) in made {
      let below = made.filter { $0.0.supertype === type }.map(\.1)
      if !below.isEmpty { entity.subentities = below }
    }
    for (type, entity) in made {
      entity.uniquenessConstraints = type.uniquenessConstraints(all: false)
      entity.indexes = type.indices.map { names, isRTree in
        NSFetchIndexDescription(
          name: (isRTree ? "SwiftDataIndexOnRTree" : "SwiftDataIndexOnBinary") + names.joined(),
          elements: names.map {
            // The names come from this class's own properties, so the entity has them.
            NSFetchIndexElementDescription(
              property: entity.propertiesByName[$0]!, collationType: isRTree ? .rTree : .binary)
          })
      }
    }
    for (one, other) in InversePairs(types).pairs {
      let (a, b) = (one.description(in: entitiesByName), other.description(in: entitiesByName))
      a.inverseRelationship = b
      b.inverseRelationship = a
    }
    model.entities = made.map(\.1)
    let all = Set(entitiesByName.keys)
    for (name, entities) in configurations.isEmpty ? ["default": all] : configurations {
      // A configuration with a subclass has its superclasses.
      let members = Set(
        types.filter { entities.contains($0.name) }.flatMap { sequence(first: $0, next: \.supertype) }.map(\.name))
      model.setEntities(model.entities.filter { members.contains($0.name ?? "") }, forConfigurationName: name)
    }
    return model
  }
}

/// The names of the relationships that lead back. They are paired when a name is first asked for: a wrong `inverse:`
/// ends the program, which a schema alone does not.
final class InverseNames: @unchecked Sendable {
  // `@unchecked Sendable`: `names` is used under `lock` only.

  private let types: [ModelType]
  private let lock = NSLock()
  private var names: [InversePairs.End: String]?

  /// - Parameter types: all of a schema.
  init(_ types: [ModelType]) { self.types = types }

  /// The name of a property's inverse; nil if it has none.
  ///
  /// - Parameter entity: the name of the class that declares the property.
  func name(ofInverseOf property: String, in entity: String) -> String? {
    lock.withLock {
      let names = self.names ?? InversePairs(types).names
      self.names = names
      return names[InversePairs.End(entity: entity, property: property)]
    }
  }
}

/// Pairs the relationships that are each other's inverse.
private struct InversePairs {
  struct End: Hashable {
    let entity: String
    let property: String

    func description(in entities: [String: NSEntityDescription]) -> NSRelationshipDescription {
      // An `End` always names a relationship of a type in the schema.
      entities[entity]!.relationshipsByName[property]!
    }
  }

  private(set) var pairs: [(End, End)] = []
  private var paired: Set<End> = []
  private let typesByName: [String: ModelType]

  init(_ types: [ModelType]) {
    typesByName = Dictionary(uniqueKeysWithValues: types.map { ($0.name, $0) })
    for type in types { for property in type.ownProperties { addStated(type, property) } }
    for type in types { for property in type.ownProperties { addOnlyOne(type, property) } }
  }

  /// The name of each one's partner.
  var names: [End: String] {
    var names: [End: String] = [:]
    for (one, other) in pairs { (names[one], names[other]) = (other.property, one.property) }
    return names
  }

  /// The schema's class for one that a relationship is declared to lead to, which may be of another version.
  private func own(_ destination: any PersistentModel.Type) -> ModelType {
    let declared = ModelType.of(destination)
    return typesByName[declared.name] ?? declared
  }

  private mutating func pair(_ one: End, _ other: End) {
    if paired.contains(one) || paired.contains(other) { return }
    paired.formUnion([one, other])
    pairs.append((one, other))
  }

  /// Pairs relationships whose `inverse:` is given.
  private mutating func addStated(_ type: ModelType, _ property: ModelProperty) {
    guard let destination = property.destination, let keyPath = property.relationship?.inverseKeyPath else { return }
    let there = own(destination)
    guard let stated = ModelType.of(destination).property(statedAs: keyPath),
      let back = there.property(named: stated.name), let backDestination = back.destination,
      own(backDestination) === type
    else {
      misuse(
        MisuseReport(
          "The inverse of \(type.name).\(property.name) is no relationship back.",
          facts: [("Leads to", there.name), ("Inverse", "\(keyPath)")],
          how: "`inverse:` has to name a property of \(there.name) whose type is \(type.name), or an array of it.",
          remedy: "Correct the key path, or leave it out."))
    }
    let declarer = there.declarer(of: back)
    guard declarer === there else {
      misuse(
        MisuseReport(
          "The inverse of \(type.name).\(property.name), \(declarer.name).\(back.name), is declared by a superclass of "
            + "\(there.name).",
          facts: [("Leads to", there.name), ("Inverse", "\(declarer.name).\(back.name)")],
          how: "Each \(declarer.name) that leads to a \(type.name) would be a member of its \(property.name), also "
            + "one that is no \(there.name).",
          remedy: "Let \(type.name).\(property.name) lead to \(declarer.name), or name a property as its inverse that "
            + "\(there.name) declares itself."))
    }
    pair(End(entity: type.name, property: property.name), End(entity: there.name, property: back.name))
  }

  /// Pairs two relationships if each is the only unpaired one from its class to the other's.
  private mutating func addOnlyOne(_ type: ModelType, _ property: ModelProperty) {
    guard let destination = property.destination else { return }
    let there = own(destination)
    if there === type { return }
    func free(_ from: ModelType, to: ModelType) -> [End] {
      from.ownProperties.filter { $0.destination.map { own($0) } === to }
        .map { End(entity: from.name, property: $0.name) }.filter { !paired.contains($0) }
    }
    let (mine, theirs) = (free(type, to: there), free(there, to: type))
    guard mine.count == 1, theirs.count == 1, mine[0].property == property.name else { return }
    pair(mine[0], theirs[0])
  }
}

extension ModelProperty {
  fileprivate func makeDescription(
    of entity: String, destinations: [String: NSEntityDescription]
  ) -> NSPropertyDescription {
    let made: NSPropertyDescription =
      switch kind {
      case .toOne(let model), .toMany(let model):
        makeRelationship(to: destinations[ModelType.of(model).name])
      case .attribute, .composite, .archive, .transformable: makeAttribute(of: entity)
      }
    made.name = name
    made.isOptional = isOptional
    if let original = attribute?.statedOriginalName ?? relationship?.statedOriginalName {
      made.renamingIdentifier = original
      // The raw value of an enumeration is in an element of the property's name, which had the former name.
      if case .composite(let shape) = kind, shape.isRawValue, let made = made as? NSCompositeAttributeDescription {
        made.elements.first?.renamingIdentifier = original
      }
    }
    if let modifier = attribute?.hashModifier ?? relationship?.hashModifier { made.versionHashModifier = modifier }
    return made
  }

  private func makeRelationship(to destination: NSEntityDescription?) -> NSRelationshipDescription {
    let made = NSRelationshipDescription()
    made.destinationEntity = destination
    if case .toOne = kind { made.maxCount = 1 } else { made.maxCount = relationship?.maximumModelCount ?? 0 }
    made.minCount = relationship?.minimumModelCount ?? 0
    made.deleteRule =
      switch relationship?.deleteRule ?? .nullify {
      case .noAction: .noActionDeleteRule
      case .nullify: .nullifyDeleteRule
      case .cascade: .cascadeDeleteRule
      case .deny: .denyDeleteRule
      }
    return made
  }

  private func makeAttribute(of entity: String) -> NSAttributeDescription {
    let made: NSAttributeDescription
    switch kind {
    case .attribute(let type):
      made = NSAttributeDescription()
      made.attributeType = type
      made.defaultValue = defaultValue.map(AttributeTypes.boxed)
    case .composite(let shape):
      made = shape.makeDescription()
      made.defaultValue = (defaultValue as? any Encodable).map { value in
        storable(entity) { try shape.dictionary(of: value) }
      }
    case .archive:
      made = NSAttributeDescription()
      made.attributeType = .transformableAttributeType
      made.valueTransformerName = "NSSecureUnarchiveFromData"
      made.attributeValueClassName = "\(type)"
      // Rows of an earlier version, which have no value, get this one.
      made.defaultValue = (defaultValue as? any Encodable).map { value in
        storable(entity) { NSData(data: try StoredJSON.data(value)) }
      }
    case .transformable(let transformer):
      made = NSAttributeDescription()
      made.attributeType = .transformableAttributeType
      made.valueTransformerName = transformer
      // As for an archive, if the transformer is there and makes data of the value.
      if let defaultValue, (try? made.storedData(ofTransformable: defaultValue)) != nil {
        made.defaultValue = defaultValue
      }
    case .toOne, .toMany: preconditionFailure("A relationship is no attribute.")
    }
    attribute?.apply(to: made)
    return made
  }

  /// The form in which the initial value is stored.
  private func storable<Form>(_ entity: String, _ form: () throws -> Form) -> Form {
    do {
      return try form()
    } catch {
      misuse(
        MisuseReport(
          "The initial value of \(entity).\(name) cannot be stored.",
          facts: [("Type", "\(type)"), ("Why", ValueProblem.words(of: error))],
          how: "The type's `encode(to:)` failed, or writes something else than its stored properties.",
          remedy: "Let the compiler write the type's Codable conformance."))
    }
  }
}

extension ValueShape {
  fileprivate func makeDescription() -> NSCompositeAttributeDescription {
    let made = NSCompositeAttributeDescription()
    made.elements = parts.map { part in
      let element: NSAttributeDescription
      switch part.kind {
      case .simple(let type):
        element = NSAttributeDescription()
        element.attributeType = type
      case .document:
        element = NSAttributeDescription()
        element.attributeType = .binaryDataAttributeType
      case .shape(let shape): element = shape.makeDescription()
      }
      element.name = part.name
      element.isOptional = part.isOptional
      return element
    }
    if isEnumeration {
      var userInfo: [AnyHashable: Any] = ["EnumType": true]
      if let caseNames { userInfo["enum"] = caseNames }
      made.userInfo = userInfo
    }
    return made
  }
}
