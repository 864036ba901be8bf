import Foundation

extension NSManagedObjectModel {
  /// Makes one model of the entities of several, which stay as they are. Relationships between the models are connected
  /// by the name of the destination.
  ///
  /// An entity that several models define in the same way is taken once. Two different definitions of one name trap;
  /// `merging(_:)` throws instead.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    guard let models, !models.isEmpty else { return nil }
    self.init()
    mergeOrTrap(models)
  }

  private func mergeOrTrap(_ models: [NSManagedObjectModel]) {
    do {
      try merge(models)
    } catch Failure.modelsDisagree(let entity) {
      misuse(.modelsDisagree(entity: entity))
    } catch Failure.templatesDisagree(let name) {
      misuse(.templatesDisagree(name: name))
    } catch {
      misuse(.unusableModel(self, error: error as NSError))
    }
  }

  /// The throwing twin of `init(byMerging:)`.
  public static func merging(_ models: [NSManagedObjectModel]) throws -> NSManagedObjectModel {
    let merged = NSManagedObjectModel()
    try publicErrors { try merged.merge(models) }
    return merged
  }

  /// Makes one model of those entities in `models` that the store's metadata names with the same hash; nil if one of
  /// the metadata's entities is missing. Whole models that fit come first: a store of a configuration has only some of
  /// a model's entities.
  ///
  /// Models may define an entity differently in what its hash doesn't tell, such as the name of its class.
  /// The first one counts, and a model that adds no entity adds nothing else.
  public convenience init?(byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]) {
    guard let stored = metadata["NSStoreModelVersionHashes"] as? [String: Data] else { return nil }
    let fitting = models.filter { model in
      let hashes = model.entityVersionHashesByName
      return !hashes.isEmpty && hashes.allSatisfy { stored[$0.key] == $0.value }
    }
    self.init()
    for model in fitting { copyEntities(of: model, orDetailsAlone: false) }
    joinPendingRelationships()
    if Failure.Difference(stored: stored, model: entityVersionHashesByName).isEmpty { return }
    for model in models {
      copyEntities(of: model, orDetailsAlone: false) { entity in
        entity.storedName.map { stored[$0] == entity.versionHash } ?? false
      }
    }
    joinPendingRelationships()
    guard Failure.Difference(stored: stored, model: entityVersionHashesByName).isEmpty else { return nil }
  }

  /// A copy: mutable, with copies of all entities, of their properties, and of what connects them.
  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSManagedObjectModel()
    copy.copyEntities(of: self)
    copy.joinPendingRelationships()
    return copy
  }

  private func merge(_ models: [NSManagedObjectModel]) throws {
    for model in models {
      let known = NSManagedObjectModel.byName(storedEntities)
      for entity in model.storedEntities {
        guard let name = entity.storedName, let twin = known[name] else { continue }
        guard twin.hasSameDefinition(as: entity) else { throw Failure.modelsDisagree(entity: name) }
      }
      for (name, template) in model.storedTemplates {
        guard let twin = storedTemplates[name] else { continue }
        guard twin.definition == template.definition else { throw Failure.templatesDisagree(name: name) }
      }
      copyEntities(of: model)
    }
    joinPendingRelationships()
  }

  /// Adds copies of those entities of `model` whose names are new here. Connections are kept by name.
  ///
  /// - Parameter orDetailsAlone: whether the model's configurations, templates and the like are added if none of its
  ///   entities is.
  private func copyEntities(
    of model: NSManagedObjectModel, orDetailsAlone: Bool = true,
    where isWanted: (NSEntityDescription) -> Bool = { _ in true }
  ) {
    var known = NSManagedObjectModel.byName(storedEntities)
    var stated = statedVersionHashes
    var copies: [(original: NSEntityDescription, copy: NSEntityDescription)] = []
    for original in model.storedEntities {
      if let name = original.storedName, known[name] != nil { continue }
      guard isWanted(original) else { continue }
      let copy = NSEntityDescription()
      original.copyDefinition(to: copy)
      if let name = copy.storedName { known[name] = copy }
      copies.append((original, copy))
      addEntities([copy])
    }
    if copies.isEmpty, !orDetailsAlone { return }
    for (original, copy) in copies where !original.storedSubentities.isEmpty {
      copy.subentities = original.storedSubentities.compactMap { $0.storedName.flatMap { known[$0] } }
    }
    // Of a superentity that was there before, only its own model's subentities are known.
    for (original, copy) in copies where copy.storedSuperentity == nil {
      guard let name = original.storedSuperentity?.storedName, let parent = known[name] else { continue }
      parent.subentities.append(copy)
    }
    for (_, copy) in copies {
      copy.connectIndexes()
      copy.rememberDestinationsByName()
    }
    copyDetails(of: model, known: known)
    // Last, because connecting the copies redefines them.
    stated.merge(model.statedVersionHashes, uniquingKeysWith: { mine, _ in mine })
    statedVersionHashes = stated
  }

  private func copyDetails(of model: NSManagedObjectModel, known: [String: NSEntityDescription]) {
    storedVersionIdentifiers.formUnion(model.storedVersionIdentifiers)
    if model.listsDefaultConfiguration { listsDefaultConfiguration = true }
    for (name, template) in model.storedTemplates where storedTemplates[name] == nil {
      storedTemplates[name] = template.copy(of: known)
    }
    for case let property as NSFetchedPropertyDescription in storedEntities.flatMap(\.ownProperties) {
      property.storedFetchRequest = property.storedFetchRequest?.copy(of: known)
    }
    if let theirs = model.storedLocalizationDictionary {
      storedLocalizationDictionary = (storedLocalizationDictionary ?? [:])
        .merging(theirs, uniquingKeysWith: { mine, _ in mine })
    }
    for (name, entities) in model.storedConfigurations {
      var members = storedConfigurations[name] ?? []
      for entity in entities.compactMap({ $0.storedName.flatMap { known[$0] } })
      where !members.contains(where: { $0 === entity }) {
        members.append(entity)
      }
      storedConfigurations[name] = members
    }
  }

  /// Connects relationships whose destination and inverse are only known by name. A name that is not in the model stays
  /// pending, and `validateForUse()` reports it.
  final func joinPendingRelationships() {
    let stated = statedVersionHashes
    defer { statedVersionHashes = stated }
    let entities = NSManagedObjectModel.byName(storedEntities)
    let relationships = storedEntities.flatMap(\.ownProperties).compactMap {
      $0 as? NSRelationshipDescription
    }
    for relationship in relationships {
      guard let name = relationship.pendingDestinationName, let entity = entities[name] else { continue }
      relationship.destinationEntity = entity
    }
    for relationship in relationships {
      guard let name = relationship.pendingInverseName,
        let destination = relationship.storedDestinationEntity,
        let inverse = destination.relationshipsByName[name]
      else { continue }
      relationship.inverseRelationship = inverse
    }
  }
}

extension NSEntityDescription {
  /// Whether two entities of different models agree in everything that a store and a save depend on.
  fileprivate func hasSameDefinition(as other: NSEntityDescription) -> Bool {
    guard versionHash == other.versionHash, managedObjectClassName == other.managedObjectClassName,
      storedSuperentity?.storedName == other.storedSuperentity?.storedName
    else { return false }
    let theirs = other.propertiesByName
    // Transient and fetched properties are not part of the hash.
    guard properties.count == theirs.count else { return false }
    return properties.allSatisfy { property in
      guard let twin = theirs[property.storedName], type(of: twin) == type(of: property) else { return false }
      let mine = property as? NSRelationshipDescription
      return mine?.storedDeleteRule == (twin as? NSRelationshipDescription)?.storedDeleteRule
    }
  }

  /// Leads the elements of indexes that are over inherited properties to the copies that the ancestors have.
  fileprivate func connectIndexes() {
    for index in storedIndexes {
      let strangers = index.storedElements.contains { element in
        let property = element.property
        let isOwn = property?.owningEntity.map { isKindOf(entity: $0) } ?? false
        return !isOwn && !(property is NSExpressionDescription)
      }
      guard strangers else { continue }
      let properties = propertiesByName
      index.elements = index.storedElements.map { element in
        guard !(element.property is NSExpressionDescription),
          let property = element.propertyName.flatMap({ properties[$0] })
        else { return element }
        return element.copy(property: property)
      }
    }
  }

  /// Makes the entity's own relationships, which were copied from another model, forget that model's entities.
  fileprivate func rememberDestinationsByName() {
    for case let relationship as NSRelationshipDescription in ownProperties {
      let destination = relationship.destinationName
      let inverse = relationship.inverseName
      relationship.destinationEntity = nil
      relationship.inverseRelationship = nil
      relationship.pendingDestinationName = destination
      relationship.pendingInverseName = inverse
    }
  }
}
