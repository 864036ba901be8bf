import Foundation

extension NSManagedObjectModel {
  /// Checks that the model can be used. Throws the first problem as an error that names the entity, the property and
  /// the problem.
  final func validateForUse() throws {
    if !isFrozen, let problem = firstProblem() { throw Failure.unusableModel(problem).nsError }
  }

  private func firstProblem() -> ModelProblem? {
    if let problem = firstNamingProblem() { return problem }
    for entity in storedEntities {
      if let problem = entity.hierarchyProblem(in: self) { return problem }
    }
    for entity in storedEntities {
      if let problem = entity.propertyProblem(in: self) ?? entity.constraintProblem() { return problem }
    }
    return firstConfigurationProblem()
  }

  private func firstNamingProblem() -> ModelProblem? {
    var names = Set<String>()
    for entity in storedEntities {
      guard let name = entity.storedName, !name.isEmpty else { return ModelProblem(kind: .entityWithoutName) }
      guard names.insert(name).inserted else { return ModelProblem(entity: name, kind: .duplicateEntity) }
    }
    return nil
  }

  /// A hierarchy is in one table, so a configuration with an entity must have its parents too. (It may lack
  /// subentities: its store just never has any.)
  private func firstConfigurationProblem() -> ModelProblem? {
    for (name, entities) in storedConfigurations.sorted(on: \.key) {
      let members = Set(entities.map(ObjectIdentifier.init))
      for entity in entities {
        guard let parent = entity.storedSuperentity, !members.contains(ObjectIdentifier(parent)) else { continue }
        return ModelProblem(
          entity: entity.storedName,
          kind: .superentityOutsideConfiguration(superentity: parent.storedName ?? "", configuration: name))
      }
    }
    return nil
  }
}

extension NSEntityDescription {
  fileprivate func problem(_ property: String? = nil, _ kind: ModelProblem.Kind) -> ModelProblem {
    ModelProblem(entity: storedName, property: property, kind: kind)
  }

  fileprivate func hierarchyProblem(in model: NSManagedObjectModel) -> ModelProblem? {
    guard let parent = storedSuperentity else { return nil }
    // `ancestors` stops before it would repeat an entity; without a cycle it ends at an entity without a parent.
    if ancestors.last?.storedSuperentity != nil || parent === self { return problem(nil, .inheritanceCycle) }
    if parent.owningModel !== model {
      return problem(nil, .superentityOutsideModel(superentity: parent.storedName ?? "(no name)"))
    }
    return nil
  }

  fileprivate func propertyProblem(in model: NSManagedObjectModel) -> ModelProblem? {
    if hasFewDistinctProperties {
      for property in ownProperties {
        if let kind = property.problem(in: model) { return problem(property.storedName, kind) }
      }
      return nil
    }
    var declared: [String: NSEntityDescription] = [:]
    declared.reserveCapacity(ownProperties.count)
    for property in ancestors.flatMap(\.ownProperties) {
      declared[property.storedName] = property.owningEntity
    }
    for property in ownProperties {
      if property.storedName.isEmpty { return problem(nil, .propertyWithoutName) }
      if let owner = declared.updateValue(self, forKey: property.storedName) {
        return problem(
          property.storedName, .duplicateProperty(inheritedFrom: owner === self ? nil : owner.storedName))
      }
      if let kind = property.problem(in: model) { return problem(property.storedName, kind) }
    }
    return nil
  }

  /// Whether all properties are the entity's own, few, and have names that differ. Comparing a few names with each
  /// other costs a small part of hashing them.
  private var hasFewDistinctProperties: Bool {
    guard storedSuperentity == nil, ownProperties.count <= 16 else { return false }
    for (place, property) in ownProperties.enumerated() {
      let name = property.storedName
      if name.isEmpty || ownProperties[..<place].contains(where: { $0.storedName == name }) { return false }
    }
    return true
  }

  fileprivate func constraintProblem() -> ModelProblem? {
    if storedUniquenessConstraints.isEmpty { return nil }
    let properties = propertiesByName
    for constraint in constraintNames {
      for name in constraint {
        guard let property = properties[name] else {
          return problem(name, .unknownConstraintAttribute(constraint: constraint))
        }
        // A to-one relationship may take part in a constraint as well.
        let isToOne = (property as? NSRelationshipDescription).map { !$0.isToMany } ?? false
        guard (property is NSAttributeDescription && !property.storedIsTransient) || isToOne else {
          return problem(name, .constraintOnNonAttribute(constraint: constraint))
        }
      }
    }
    return nil
  }
}

extension NSPropertyDescription {
  fileprivate func problem(in model: NSManagedObjectModel) -> ModelProblem.Kind? {
    if let attribute = self as? NSAttributeDescription { return attribute.typeProblem }
    if let relationship = self as? NSRelationshipDescription {
      return relationship.connectionProblem(in: model)
    }
    return nil
  }
}

extension NSAttributeDescription {
  fileprivate var typeProblem: ModelProblem.Kind? {
    if storedAttributeType == .undefinedAttributeType, !storedIsTransient { return .undefinedAttributeType }
    if let value = storedDefaultValue, !storedAttributeType.accepts(value) {
      return .defaultValueOfWrongClass(
        value: Failure.words(for: value), expected: storedAttributeType.valueClassName ?? "object")
    }
    return nil
  }
}

extension NSRelationshipDescription {
  fileprivate func connectionProblem(in model: NSManagedObjectModel) -> ModelProblem.Kind? {
    guard let destination = storedDestinationEntity else {
      return pendingDestinationName.map { .unknownDestination(name: $0) } ?? .noDestination
    }
    var destinationName: String { destination.storedName ?? "(no name)" }
    if destination.owningModel !== model { return .destinationOutsideModel(name: destinationName) }
    if storedMaxCount > 0, storedMinCount > storedMaxCount {
      return .maxCountBelowMinCount(minCount: storedMinCount, maxCount: storedMaxCount)
    }
    guard let inverse = storedInverseRelationship else {
      return pendingInverseName.map { .unknownInverse(name: $0, destination: destinationName) }
    }
    guard isAnswered(by: inverse) else {
      return .inverseOnWrongEntity(
        inverse: inverse.storedName, owner: inverse.owningEntity?.storedName ?? "(no entity)",
        destination: destinationName)
    }
    return nil
  }
}

// Odd, but usable.

extension NSManagedObjectModel {
  /// Prints to standard error which inverses are not mutual, once in a process for each model and its copies. Called
  /// under the lock of freezing.
  final func warnOfOneSidedInverses() {
    let problems = storedEntities.flatMap { entity in
      entity.ownProperties.compactMap { ($0 as? NSRelationshipDescription)?.oneSidedInverseProblem }
    }
    guard !problems.isEmpty, NSManagedObjectModel.warned.insert(versionChecksum).inserted else { return }
    warn(.oneSidedInverses(problems))
  }

  /// The models already reported, by checksum. Only used under the lock of freezing.
  private nonisolated(unsafe) static var warned: Set<String> = []
}

extension NSRelationshipDescription {
  fileprivate var oneSidedInverseProblem: ModelProblem? {
    guard let inverse = storedInverseRelationship, !isInverseMutual else { return nil }
    func place(_ relationship: NSRelationshipDescription) -> String {
      "\(relationship.owningEntity?.storedName ?? "(no entity)").\(relationship.storedName)"
    }
    return ModelProblem(
      entity: owningEntity?.storedName, property: storedName,
      kind: .inverseNotMutual(
        inverse: place(inverse), leadsBackTo: inverse.storedInverseRelationship.map(place)))
  }
}

extension MisuseReport {
  fileprivate static func oneSidedInverses(_ problems: [ModelProblem]) -> MisuseReport {
    MisuseReport(
      "The model has inverse relationships that are not mutual.",
      facts: problems.map { ("Inverse", $0.description) },
      how: "The model works, but one way only: changing a relationship changes the inverse that it names, and "
        + "changing that inverse changes nothing back.",
      remedy: "In a new version of the model, make each of the two relationships name the other.")
  }
}
