import Foundation

/// Decides which changes of a model need no mapping model.
///
/// Entities and properties are matched by `RenamingMatch`. Attributes are matched with attributes, relationships with
/// relationships; transient properties are ignored.
extension ModelDelta {
  /// Matches entities and properties of both models.
  ///
  /// - Parameters:
  ///   - configuration: the configuration of the destination; nil for all entities.
  ///   - hashes: the version hashes of the store that is to be migrated, which state what entities it has.
  ///     Without a store, or for a later step of several, these are the configuration's, if the source has it.
  /// - Throws: `Failure.notInferable` for the first change that needs a mapping model, parents before children, by
  ///   name; or the error that makes one of the models unusable.
  init(
    inferredFrom source: NSManagedObjectModel, to destination: NSManagedObjectModel, configuration: String? = nil,
    ofStore hashes: [String: Data]? = nil
  ) throws {
    for model in [source, destination] {
      model.connectCopiedRelationships()
      try model.validateForUse()
    }
    let match = try EntityMatch(from: source, to: destination)
    let from =
      hashes.flatMap { source.entitiesInStoreOrder(ofStore: $0, or: configuration) }
      ?? source.entitiesInStoreOrder(forConfigurationName: configuration) ?? source.entitiesInStoreOrder
    guard let to = destination.entitiesInStoreOrder(forConfigurationName: configuration) else {
      throw Failure.unknownConfiguration(
        name: configuration ?? "", configurations: destination.namedConfigurations)
    }
    var left = Set(from.map(ObjectIdentifier.init))
    var pairs: [EntityPair] = []
    var added: [NSEntityDescription] = []
    for entity in to {
      guard let source = match.source(of: entity), left.remove(ObjectIdentifier(source)) != nil else {
        added.append(entity)
        continue
      }
      pairs.append(try EntityPair(source, destination: entity, match: match))
    }
    self.init(
      source: source, destination: destination, pairs: pairs, added: added,
      removed: from.filter { left.contains(ObjectIdentifier($0)) })
    try checkInverses()
  }

  /// Two relationships that were inverses may be separated, and two without inverses may become inverses. But an
  /// inverse can't change from one relationship to another.
  private func checkInverses() throws {
    for pair in pairs {
      for property in pair.properties {
        guard let source = property.source as? NSRelationshipDescription,
          let destination = property.destination as? NSRelationshipDescription,
          let formerInverse = source.inverseRelationship, let inverse = destination.inverseRelationship,
          let owner = inverse.owningEntity,
          let kept = self.pair(ofDestination: owner)?.source(of: inverse.name) as? NSRelationshipDescription,
          kept !== formerInverse, kept.inverseRelationship != nil
        else { continue }
        throw Failure.notInferable(
          entity: pair.destination.storedName, property: destination.name,
          reason: "Its inverse was \(formerInverse.name), and now is the relationship that was called \(kept.name)",
          remedy: "Say in a mapping model which objects belong together")
      }
    }
  }
}

extension ModelDelta.EntityPair {
  /// - Throws: `Failure.notInferable`.
  fileprivate init(
    _ source: NSEntityDescription, destination: NSEntityDescription, match: EntityMatch
  ) throws {
    let from = source.properties.filter(\.takesPartInMigration)
    let to = destination.properties.filter(\.takesPartInMigration)
    let sameVersion = source.versionHash == destination.versionHash
    let isAttribute = { (property: NSPropertyDescription) in property is NSAttributeDescription }
    var matched: [ObjectIdentifier: NSPropertyDescription] = [:]
    for kind in [true, false] {
      let kept = to.filter { isAttribute($0) == kind }
      let formers = try Self.inferring(destination) {
        try RenamingMatch.sources(of: kept, among: from.filter { isAttribute($0) == kind }, sameVersion: sameVersion)
      }
      for (property, former) in zip(kept, formers) { matched[ObjectIdentifier(property)] = former }
    }
    let sources = to.map { matched[ObjectIdentifier($0)] }
    let inOrder = to.indices.sorted { to[$0].storedName.utf16.lexicographicallyPrecedes(to[$1].storedName.utf16) }
    var properties: [ModelDelta.PropertyPair] = []
    var needed: [ModelDelta.NeededValue] = []
    for place in inOrder {
      let property = to[place]
      let former = sources[place]
      if let refusal = property.reasonAgainst(former) {
        throw Failure.notInferable(
          entity: destination.storedName, property: property.storedName, reason: refusal.reason, remedy: refusal.remedy)
      }
      if let attribute = property as? NSAttributeDescription,
        attribute.needsValue(ofFormer: former as? NSAttributeDescription)
      {
        needed.append(ModelDelta.NeededValue(name: property.storedName, formerName: former?.storedName))
      }
      let isKept = former.map { property.keepsValue(of: $0, match) } ?? false
      if let relationship = property as? NSRelationshipDescription,
        relationship.needsMember(ofFormer: isKept ? former as? NSRelationshipDescription : nil)
      {
        needed.append(
          ModelDelta.NeededValue(
            name: property.storedName, formerName: isKept ? former?.storedName : nil, isAttribute: false))
      }
      guard let former, isKept else { continue }
      var formerPaths: [String: String] = [:]
      if let group = property as? NSCompositeAttributeDescription,
        let formerGroup = former as? NSCompositeAttributeDescription
      {
        let match = try Self.inferring(destination, in: property) {
          try ElementMatch(from: formerGroup, to: group, sameVersion: sameVersion)
        }
        for element in match.elements {
          if let refusal = element.attribute.reasonAgainst(element.former) {
            throw Failure.notInferable(
              entity: destination.storedName, property: property.storedName, reason: refusal.reason,
              remedy: refusal.remedy)
          }
          if group.defaultValue == nil, !(element.attribute is NSCompositeAttributeDescription),
            element.attribute.needsValue(ofFormer: element.former)
          {
            needed.append(
              ModelDelta.NeededValue(
                name: "\(property.storedName).\(element.path)",
                formerName: element.formerPath.map { "\(former.storedName).\($0)" }, group: former.storedName))
          }
        }
        formerPaths = match.formerPaths
      }
      properties.append(ModelDelta.PropertyPair(source: former, destination: property, formerPaths: formerPaths))
    }
    self.init(source: source, destination: destination, properties: properties, needed: needed)
  }

  /// Throws a tie as the failure of an inference.
  private static func inferring<Result>(
    _ entity: NSEntityDescription, in group: NSPropertyDescription? = nil, _ match: () throws -> Result
  ) throws -> Result {
    do {
      return try match()
    } catch let tie as RenamingMatch.Tie {
      let property = [group?.storedName, tie.destinations[0]].compactMap(\.self).joined(separator: ".")
      throw Failure.notInferable(entity: entity.storedName, property: property, reason: tie.reason)
    }
  }
}
