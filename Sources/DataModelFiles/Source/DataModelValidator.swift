/// Whether the parts of a model fit together. Finds every problem, not only the first.
struct DataModelValidator {
  let model: DataModel
  let file: String
  let lines: DataModelLines
  private(set) var problems: [DataModelProblem] = []

  init(model: DataModel, file: String, lines: DataModelLines = DataModelLines()) {
    self.model = model
    self.file = file
    self.lines = lines
  }

  mutating func validate() {
    var names: Set<String> = []
    for entity in model.entities where !names.insert(entity.name).inserted {
      report(.error, entity.name, nil, "there are two entities of this name")
    }
    for entity in model.entities {
      validateParent(of: entity)
      validatePropertyNames(of: entity)
      for attribute in entity.attributes { validate(attribute, of: entity.name) }
      for relationship in entity.relationships { validate(relationship, of: entity) }
      for property in entity.fetchedProperties where model.entity(named: property.request.entityName) == nil {
        report(.error, entity.name, property.name, "unknown entity \"\(property.request.entityName)\"")
      }
      validateConstraints(of: entity)
      validateIndexes(of: entity)
    }
    validateRequests()
    validateConfigurations()
    validateComposites()
  }

  private mutating func validateParent(of entity: DataModel.Entity) {
    guard let parentName = entity.parentName else { return }
    guard model.entity(named: parentName) != nil else {
      report(.error, entity.name, nil, "unknown parent entity \"\(parentName)\"")
      return
    }
    let last = model.lineage(of: entity).last
    if last?.parentName.flatMap(model.entity(named:)) != nil {
      report(.error, entity.name, nil, "the entity is its own ancestor (parent \"\(parentName)\")")
    }
  }

  private mutating func validatePropertyNames(of entity: DataModel.Entity) {
    var seen: Set<String> = []
    for name in entity.propertyNames {
      if !seen.insert(name).inserted {
        report(.error, entity.name, name, "there are two properties of this name")
      }
      if let ancestor = model.lineage(of: entity).dropFirst().first(where: { $0.propertyNames.contains(name) }
      ) {
        report(.error, entity.name, name, "\(ancestor.name), an ancestor, has a property of this name")
      }
      if name.isEmpty { continue }
      if !(name.first?.isLetter ?? false) {
        report(.error, entity.name, name, "a property's name must begin with a letter")
      } else if let odd = name.first(where: { !$0.isLetter && !$0.isNumber && $0 != "_" }) {
        report(.error, entity.name, name, "a property's name cannot hold \"\(odd)\"")
      } else if PropertyNames.reserved.contains(name) {
        report(.error, entity.name, name, "the name is taken: NSManagedObject has a member of this name")
      }
    }
  }

  private mutating func validate(_ attribute: DataModel.Attribute, of owner: String) {
    if attribute.type == .undefined, !attribute.isTransient {
      report(.error, owner, attribute.name, "the attribute has no attributeType (only a transient one may)")
    }
    if let expression = attribute.derivationExpression, expression.isEmpty {
      report(.error, owner, attribute.name, "a derived attribute needs a derivationExpression")
    }
    if attribute.type == .composite,
      !model.composites.contains(where: { $0.name == attribute.compositeName })
    {
      report(.error, owner, attribute.name, "unknown composite \"\(attribute.compositeName ?? "")\"")
    }
    if let low = attribute.minimum?.number, let high = attribute.maximum?.number, low > high {
      report(.warning, owner, attribute.name, "the minimum is greater than the maximum")
    }
  }

  private mutating func validate(_ relationship: DataModel.Relationship, of entity: DataModel.Entity) {
    let name = relationship.name
    if relationship.minCount < 0 || relationship.maxCount < 0 {
      report(.error, entity.name, name, "minCount and maxCount cannot be negative")
    } else if relationship.maxCount != 0, relationship.minCount > relationship.maxCount {
      report(
        .error, entity.name, name,
        "minCount \(relationship.minCount) is greater than maxCount \(relationship.maxCount)")
    }
    if relationship.isOrdered, !relationship.isToMany {
      report(.warning, entity.name, name, "a to-one relationship cannot be ordered")
    }
    guard let destination = model.entity(named: relationship.destinationName) else {
      report(.error, entity.name, name, "unknown destination entity \"\(relationship.destinationName)\"")
      return
    }
    guard let inverseName = relationship.inverseName else { return }
    if let inverseEntity = relationship.inverseEntityName, inverseEntity != destination.name,
      !model.lineage(of: destination).contains(where: { $0.name == inverseEntity })
    {
      report(
        .error, entity.name, name,
        "inverseEntity \"\(inverseEntity)\" is not the destination \"\(destination.name)\"")
      return
    }
    guard let inverse = model.allRelationships(of: destination).first(where: { $0.name == inverseName })
    else {
      report(
        .error, entity.name, name, "the inverse \"\(inverseName)\" is no relationship of \(destination.name)")
      return
    }
    guard inverse.inverseName == name, areRelated(inverse.destinationName, entity.name) else {
      let actual = inverse.inverseName.map { "\(inverse.destinationName).\($0)" } ?? "nothing"
      report(
        .error, entity.name, name,
        "the inverse is not mutual: \(destination.name).\(inverseName) has \(actual) for its inverse")
      return
    }
  }

  /// Whether one entity is the other or an ancestor of it.
  private func areRelated(_ one: String, _ other: String) -> Bool {
    [(one, other), (other, one)].contains { start, sought in
      model.entity(named: start).map { model.lineage(of: $0).contains { $0.name == sought } } ?? false
    }
  }

  private mutating func validateConstraints(of entity: DataModel.Entity) {
    let known = Set(model.lineage(of: entity).flatMap(\.propertyNames))
    for name in entity.uniquenessConstraints.joined() where !known.contains(name) {
      report(.error, entity.name, nil, "a uniqueness constraint names the unknown attribute \"\(name)\"")
    }
  }

  private mutating func validateIndexes(of entity: DataModel.Entity) {
    // The editor's own indexes may name what Core Data adds, such as `self`.
    let known = Set(model.lineage(of: entity).flatMap(\.propertyNames) + ["self", "entity", "objectID"])
    for index in entity.fetchIndexes {
      for name in index.elements.compactMap(\.propertyName) where !known.contains(name) {
        report(.error, entity.name, nil, "the index \"\(index.name)\" names the unknown property \"\(name)\"")
      }
    }
    for name in entity.compoundIndexes.joined() where !known.contains(name) {
      report(.warning, entity.name, nil, "a compound index names the unknown property \"\(name)\"")
    }
  }

  private mutating func validateRequests() {
    var names: Set<String> = []
    for request in model.fetchRequestTemplates {
      let place = "fetch request \"\(request.name)\""
      if !names.insert(request.name).inserted {
        report(.error, nil, place, "there are two of this name", line: lines.fetchRequests[request.name])
      }
      if model.entity(named: request.entityName) == nil {
        report(
          .error, nil, place, "unknown entity \"\(request.entityName)\"",
          line: lines.fetchRequests[request.name])
      }
    }
  }

  private mutating func validateConfigurations() {
    var names: Set<String> = []
    for configuration in model.configurations {
      let place = "configuration \"\(configuration.name)\""
      let line = lines.configurations[configuration.name]
      if !names.insert(configuration.name).inserted {
        report(.error, nil, place, "there are two of this name", line: line)
      }
      for name in configuration.entityNames where model.entity(named: name) == nil {
        report(.error, nil, place, "unknown entity \"\(name)\"", line: line)
      }
    }
  }

  private mutating func validateComposites() {
    var names: Set<String> = []
    for composite in model.composites {
      if !names.insert(composite.name).inserted {
        report(.error, composite.name, nil, "there are two composites of this name")
      }
      var seen: Set<String> = []
      for attribute in composite.attributes {
        if !seen.insert(attribute.name).inserted {
          report(.error, composite.name, attribute.name, "there are two attributes of this name")
        }
        validate(attribute, of: composite.name)
      }
      if reaches(composite.name, from: composite, seen: []) {
        report(.error, composite.name, nil, "the composite holds itself")
      }
    }
  }

  private func reaches(_ name: String, from composite: DataModel.CompositeType, seen: Set<String>) -> Bool {
    let held = composite.attributes.filter { $0.type == .composite }.compactMap(\.compositeName)
    if held.contains(name) { return true }
    return held.filter { !seen.contains($0) }.contains { next in
      guard let type = model.composites.first(where: { $0.name == next }) else { return false }
      return reaches(name, from: type, seen: seen.union([next]))
    }
  }

  private mutating func report(
    _ severity: DataModelProblem.Severity, _ entity: String?, _ property: String?, _ message: String,
    line: Int? = nil
  ) {
    problems.append(
      DataModelProblem(
        severity, file: file,
        line: line ?? entity.flatMap { lines[$0, property] ?? lines[$0, nil] },
        entity: entity, property: property, message: message))
  }
}

extension DataModel.Entity {
  var propertyNames: [String] {
    attributes.map(\.name) + relationships.map(\.name) + fetchedProperties.map(\.name)
  }
}

extension DataModel.Value {
  /// For the comparison of limits.
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value), .date(let value): value
    case .decimal(let value): Double("\(value)")
    default: nil
    }
  }
}

/// Names that a property cannot have.
enum PropertyNames {
  /// Members without arguments of NSObject and NSManagedObject.
  static let reserved: Set<String> = [
    // NSObject
    "class", "superclass", "self", "hash", "description", "debugDescription", "zone", "isProxy", "retain",
    "release", "autorelease", "retainCount", "copy", "mutableCopy", "init", "dealloc", "finalize",
    "observationInfo", "classForCoder", "attributeKeys", "toManyRelationshipKeys", "toOneRelationshipKeys",
    // NSManagedObject
    "objectID", "entity", "managedObjectContext", "isInserted", "isUpdated", "isDeleted", "isFault",
    "hasChanges", "hasPersistentChangedValues", "changedValues", "changedValuesForCurrentEvent",
    "faultingState", "awakeFromFetch", "awakeFromInsert", "willSave", "didSave", "willTurnIntoFault",
    "didTurnIntoFault", "prepareForDeletion",
  ]
}
