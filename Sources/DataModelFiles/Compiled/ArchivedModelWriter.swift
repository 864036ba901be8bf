/// Writes a model as the archive of a `.mom`.
///
/// The model's class names must be complete (`Module.Class`). Some content has no known place in Apple's form: a few
/// flags, and the text of predicates and expressions that are not archivable. Their keys begin with "Strata".
struct ArchivedModelWriter {
  private let model: DataModel
  private var archive = KeyedArchiveBuilder()
  private var modelPlace: PropertyList
  private var entityPlaces: [String: PropertyList] = [:]
  /// The places of the properties, by entity name and property name.
  private var propertyPlaces: [String: [String: PropertyList]] = [:]
  /// The names of the composites that are being written.
  private var openComposites: Set<String> = []

  static func write(_ model: DataModel) -> [UInt8] {
    var writer = ArchivedModelWriter(model)
    writer.writeModel()
    return writer.archive.archive(root: writer.modelPlace)
  }

  private init(_ model: DataModel) {
    self.model = model
    modelPlace = archive.reserve()
    for entity in model.entities {
      entityPlaces[entity.name] = archive.reserve()
      for name in entity.propertyNames {
        propertyPlaces[entity.name, default: [:]][name] = archive.reserve()
      }
    }
  }

  private mutating func writeModel() {
    for entity in model.entities { write(entity) }
    let entities = archive.dictionary(model.entities.map { ($0.name, place(ofEntity: $0.name)) })
    var fields: [String: PropertyList] = [
      "NSEntities": entities,
      "NSVersionIdentifiers": archive.set(model.versionIdentifiers.map { archive.string($0) }),
      "NSFetchRequestTemplates": KeyedArchiveBuilder.null,
    ]
    if !model.fetchRequestTemplates.isEmpty {
      let requests = model.fetchRequestTemplates.map { ($0.name, write($0)) }
      fields["NSFetchRequestTemplates"] = archive.dictionary(requests)
    }
    if !model.configurations.isEmpty {
      let configurations = model.configurations.map { configuration in
        (configuration.name, archive.array(configuration.entityNames.map { place(ofEntity: $0) }))
      }
      fields["NSConfigurations"] = archive.dictionary(configurations)
    }
    archive.fill(modelPlace, ["NSManagedObjectModel", "NSObject"], fields)
  }

  private mutating func write(_ entity: DataModel.Entity) {
    let own = place(ofEntity: entity.name)
    for attribute in entity.attributes {
      // The old flag is also set for an attribute with a binary fetch index of its own.
      let hasIndex = entity.fetchIndexes.contains { index in
        index.elements.count == 1 && index.elements[0].propertyName == attribute.name
          && index.elements[0].type == .binary
      }
      write(
        attribute, at: place(of: attribute.name, in: entity.name), entity: own,
        isIndexed: attribute.isIndexed || hasIndex)
    }
    for relationship in entity.relationships { write(relationship, of: entity) }
    for property in entity.fetchedProperties { write(property, of: entity) }

    // Inherited properties are listed too, each with the object of the entity that declares it.
    let properties = model.lineage(of: entity).reversed().flatMap { ancestor in
      ancestor.propertyNames.map { ($0, place(of: $0, in: ancestor.name)) }
    }
    let subentities = model.entities.filter { $0.parentName == entity.name }
    var fields: [String: PropertyList] = [
      "NSEntityName": archive.string(entity.name),
      "NSClassNameForEntity": archive.string(entity.className == "NSManagedObject" ? nil : entity.className),
      "NSManagedObjectModel": modelPlace,
      "NSProperties": archive.dictionary(properties),
      "NSSubentities": archive.dictionary(subentities.map { ($0.name, place(ofEntity: $0.name)) }),
      "NSSuperentity": entity.parentName.map { place(ofEntity: $0) } ?? KeyedArchiveBuilder.null,
      "NSUserInfo": userInfo(entity.userInfo),
      "NSVersionHashModifier": archive.string(entity.versionHashModifier),
      "NSRenamingIdentifier": archive.string(entity.renamingIdentifier ?? entity.name),
    ]
    if entity.isAbstract { fields["NSIsAbstract"] = .boolean(true) }
    if !entity.uniquenessConstraints.isEmpty {
      fields["NSUniqueTuples"] = nameLists(entity.uniquenessConstraints)
    }
    // An entity with one kind of index has the fields of both kinds.
    let indexes = entity.compiledFetchIndexes
    if !indexes.isEmpty || !entity.compoundIndexes.isEmpty {
      fields["NSCompoundIndexes"] = nameLists(entity.compoundIndexes)
      var places: [PropertyList] = []
      for index in indexes {
        // An index made from an attribute's old flag has no entity.
        let isFlag =
          index.elements.count == 1
          && entity.attributes.contains { $0.isIndexed && $0.name == index.name }
        places.append(write(index, entity: isFlag ? KeyedArchiveBuilder.null : own))
      }
      fields["NSFetchIndexDescriptions"] = archive.mutableArray(places)
    }
    if let expression = entity.coreSpotlightDisplayNameExpression {
      fields["StrataSpotlightDisplayName"] = archive.string(expression)
    }
    archive.fill(own, ["NSEntityDescription", "NSObject"], fields)
  }

  private mutating func write(
    _ attribute: DataModel.Attribute, at place: PropertyList, entity: PropertyList, isIndexed: Bool = false
  ) {
    var predicates: [PropertyList] = []
    var warnings: [PropertyList] = []
    let subject = ArchivedLimit.subject(of: attribute.type)
    for (kind, value, code) in attribute.limits {
      let limit = ArchivedLimit.predicate(kind, subject: kind == .pattern ? nil : subject, value: value)
      predicates.append(ArchivedPredicateWriter.write(limit, to: &archive))
      warnings.append(archive.scalar(.integer(code)))
    }
    for rule in attribute.validationRules {
      guard let predicate = PredicateNode(modelText: rule.predicateFormat), predicate.isArchivable else { continue }
      predicates.append(ArchivedPredicateWriter.write(predicate, to: &archive))
      warnings.append(rule.warning.map { ArchivedValue.write($0, to: &archive) } ?? KeyedArchiveBuilder.null)
    }
    var fields = propertyFields(
      name: attribute.name, entity: entity, renaming: attribute.renamingIdentifier,
      modifier: attribute.versionHashModifier, userInfo: attribute.userInfo,
      bits: (attribute.isOptional ? 2 : 0) | (attribute.isDerived ? 4 : 0) | (attribute.isTransient ? 8 : 0)
        | (predicates.isEmpty ? 16 | 32 : 0))
    if attribute.isOptional { fields["NSIsOptional"] = .boolean(true) }
    if attribute.isTransient { fields["NSIsTransient"] = .boolean(true) }
    if isIndexed { fields["NSIsIndexed"] = .boolean(true) }
    fields["NSAttributeType"] = .integer(Int64(attribute.type.rawValue))
    fields["NSAttributeValueClassName"] = archive.string(
      attribute.customClassName ?? attribute.type.valueClassName)
    fields["NSDefaultValue"] =
      attribute.defaultValue.map { ArchivedValue.write($0, to: &archive) } ?? KeyedArchiveBuilder.null
    fields["NSValueTransformerName"] = archive.string(attribute.valueTransformerName)
    var flags: ArchivedFlags = []
    if attribute.allowsExternalBinaryDataStorage { flags.insert(.externalBinaryStorage) }
    if attribute.preservesValueInHistoryOnDeletion { flags.insert(.preservedInHistory) }
    fields["NSFlagsKey"] = .integer(Int64(flags.rawValue))
    if !predicates.isEmpty {
      fields["NSValidationPredicates"] = archive.array(predicates)
      fields["NSValidationWarnings"] = archive.array(warnings)
    }
    if let flags = attribute.ownFlags { fields["StrataFlags"] = .integer(Int64(flags.rawValue)) }
    var classes = ["NSAttributeDescription", "NSPropertyDescription", "NSObject"]
    if let expression = attribute.derivationExpression {
      classes.insert("NSDerivedAttributeDescription", at: 0)
      fields["NSIsReadOnly"] = .boolean(true)
      fields["NSFilteringPredicate"] = KeyedArchiveBuilder.null
      if let tree = ExpressionNode(modelText: expression), tree.isArchivable {
        fields["NSDerivationExpression"] = ArchivedPredicateWriter.write(tree, to: &archive)
      } else {
        fields["NSDerivationExpression"] = KeyedArchiveBuilder.null
        fields["StrataDerivationExpression"] = archive.string(expression)
      }
    }
    if attribute.type == .composite {
      classes.insert("NSCompositeAttributeDescription", at: 0)
      fields["NSCompositeElements"] = elements(of: attribute, entity: entity)
    }
    archive.fill(place, classes, fields)
  }

  /// The attributes in a composite. Each use of the type writes its own objects.
  private mutating func elements(of attribute: DataModel.Attribute, entity: PropertyList) -> PropertyList {
    let type = model.composites.first { $0.name == attribute.compositeName }
    // Validation reports a composite that contains itself; here the recursion only has to end.
    guard let type, openComposites.insert(type.name).inserted else { return archive.mutableArray([]) }
    defer { openComposites.remove(type.name) }
    var places: [PropertyList] = []
    for element in type.attributes {
      let place = archive.reserve()
      write(element, at: place, entity: entity)
      places.append(place)
    }
    return archive.mutableArray(places)
  }

  private mutating func write(_ relationship: DataModel.Relationship, of entity: DataModel.Entity) {
    var fields = propertyFields(
      name: relationship.name, entity: place(ofEntity: entity.name),
      renaming: relationship.renamingIdentifier, modifier: relationship.versionHashModifier,
      userInfo: relationship.userInfo,
      bits: (relationship.isOptional ? 2 : 0) | (relationship.isTransient ? 8 : 0) | 16 | 32
        | (relationship.isOrdered ? 1024 : 0))
    if relationship.isOptional { fields["NSIsOptional"] = .boolean(true) }
    if relationship.isTransient { fields["NSIsTransient"] = .boolean(true) }
    if relationship.isIndexed { fields["NSIsIndexed"] = .boolean(true) }
    if relationship.isOrdered { fields["NSIsOrdered"] = .boolean(true) }
    fields["NSDestinationEntity"] = place(ofEntity: relationship.destinationName)
    fields["_NSDestinationEntityName"] = archive.string(relationship.destinationName)
    fields["_NSInverseRelationshipName"] = archive.string(relationship.inverseName)
    fields["NSInverseRelationship"] = inversePlace(of: relationship)
    fields["NSDeleteRule"] = .integer(Int64(relationship.deleteRule.rawValue))
    fields["NSMinCount"] = .integer(Int64(relationship.minCount))
    fields["NSMaxCount"] = .integer(Int64(relationship.maxCount))
    if relationship.isIndexedBySpotlight {
      fields["StrataFlags"] = .integer(Int64(ArchivedOwnFlags.spotlight.rawValue))
    }
    archive.fill(
      place(of: relationship.name, in: entity.name),
      ["NSRelationshipDescription", "NSPropertyDescription", "NSObject"], fields)
  }

  /// The place of the inverse relationship, which an ancestor of the destination may declare.
  private func inversePlace(of relationship: DataModel.Relationship) -> PropertyList {
    guard let inverse = relationship.inverseName,
      let destination = model.entity(named: relationship.destinationName),
      let owner = model.lineage(of: destination).first(where: { $0.propertyNames.contains(inverse) })
    else { return KeyedArchiveBuilder.null }
    return place(of: inverse, in: owner.name)
  }

  private mutating func write(_ property: DataModel.FetchedProperty, of entity: DataModel.Entity) {
    var fields = propertyFields(
      name: property.name, entity: place(ofEntity: entity.name), renaming: property.renamingIdentifier,
      modifier: property.versionHashModifier, userInfo: property.userInfo,
      bits: (property.isOptional ? 2 : 0) | 4 | 8 | 16 | 32)
    if property.isOptional { fields["NSIsOptional"] = .boolean(true) }
    fields["NSIsTransient"] = .boolean(true)
    fields["NSIsReadOnly"] = .boolean(true)
    fields["NSFetchRequest"] = write(property.request)
    fields["_NSFetchRequestEntityName"] = archive.string(property.request.entityName)
    archive.fill(
      place(of: property.name, in: entity.name),
      ["NSFetchedPropertyDescription", "NSPropertyDescription", "NSObject"], fields)
  }

  /// The fields that every kind of property has. `bits` is the value of `_P` without the bits that say that user info
  /// or version hash modifier is missing.
  private mutating func propertyFields(
    name: String, entity: PropertyList, renaming: String?, modifier: String?, userInfo: [String: String],
    bits: Int64
  ) -> [String: PropertyList] {
    var fields: [String: PropertyList] = [
      "NSPropertyName": archive.string(name), "NSEntity": entity,
      "NSRenamingIdentifier": archive.string(renaming ?? name),
    ]
    if !userInfo.isEmpty { fields["NSUserInfo"] = self.userInfo(userInfo) }
    if let modifier { fields["NSVersionHashModifier"] = archive.string(modifier) }
    fields["_P"] = .integer(bits | 1 | (userInfo.isEmpty ? 64 : 0) | (modifier == nil ? 128 : 0))
    return fields
  }

  private mutating func write(_ request: DataModel.FetchRequestTemplate) -> PropertyList {
    var flags: ArchivedRequestFlags = []
    if request.returnsDistinctResults { flags.insert(.distinctResults) }
    if request.includesSubentities { flags.insert(.subentities) }
    if request.includesPropertyValues { flags.insert(.propertyValues) }
    if request.returnsObjectsAsFaults { flags.insert(.objectsAsFaults) }
    if request.includesPendingChanges { flags.insert(.pendingChanges) }
    let null = KeyedArchiveBuilder.null
    var fields: [String: PropertyList] = [
      "NSEntity": place(ofEntity: request.entityName), "NSSortDescriptors": null,
      "NSFetchLimit": .integer(Int64(request.fetchLimit)),
      "NSFetchOffset": .integer(Int64(request.fetchOffset)),
      "NSBatchSize": .integer(Int64(request.fetchBatchSize)),
      "NSResultType": .integer(Int64(request.resultType.rawValue)), "NSValuesToFetch": null,
      "NSValuesToGroupBy": null, "NSHavingPredicate": null, "NSRelationshipKeyPathsForPrefetching": null,
      "NSHasFetchRequestFlags": .boolean(true), "NSFetchRequestFlags": .integer(Int64(flags.rawValue)),
    ]
    write(request.predicateFormat, under: "NSPredicate", in: &fields)
    return archive.object(["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"], fields)
  }

  /// Writes a predicate's objects under `key`, or its text under a key of ours if it can't be parsed or archived.
  private mutating func write(_ format: String?, under key: String, in fields: inout [String: PropertyList]) {
    fields[key] = KeyedArchiveBuilder.null
    guard let format else { return }
    if let tree = PredicateNode(modelText: format), tree.isArchivable {
      fields[key] = ArchivedPredicateWriter.write(tree, to: &archive)
    } else {
      fields["StrataPredicateFormat"] = archive.string(format)
    }
  }

  private mutating func write(_ index: DataModel.FetchIndex, entity: PropertyList) -> PropertyList {
    let place = archive.reserve()
    let elements = index.elements.map { element in
      var fields: [String: PropertyList] = [
        "NSFetchIndexDescription": place, "NSFetchIndexElementType": .integer(Int64(element.type.rawValue)),
        "NSPropertyName": archive.string(element.propertyName), "NSAscending": .boolean(element.isAscending),
      ]
      if let expression = element.expression { fields["StrataExpressionFormat"] = archive.string(expression) }
      return archive.object(["NSFetchIndexElementDescription", "NSObject"], fields)
    }
    var fields: [String: PropertyList] = [
      "NSIndexName": archive.string(index.name), "NSIndexElements": archive.array(elements),
      "NSEntity": entity,
    ]
    write(index.partialIndexPredicate, under: "NSPartialIndexPredicate", in: &fields)
    archive.fill(place, ["NSFetchIndexDescription", "NSObject"], fields)
    return place
  }

  private mutating func nameLists(_ lists: [[String]]) -> PropertyList {
    let arrays = lists.map { names in archive.mutableArray(names.map { archive.string($0) }) }
    return archive.mutableArray(arrays)
  }

  private mutating func userInfo(_ info: [String: String]) -> PropertyList {
    archive.dictionary(
      info.sorted { $0.key < $1.key }.map { ($0.key, archive.string($0.value)) }, isMutable: false)
  }

  private func place(ofEntity name: String) -> PropertyList { entityPlaces[name] ?? KeyedArchiveBuilder.null }

  private func place(of property: String, in entity: String) -> PropertyList {
    propertyPlaces[entity]?[property] ?? KeyedArchiveBuilder.null
  }
}

extension DataModel.Attribute {
  /// The limits, each with the code of the error for a value outside it.
  fileprivate var limits: [(ArchivedLimit.Kind, DataModel.Value, code: Int64)] {
    let codes: (low: Int64, high: Int64) =
      switch type.notation {
      case .text: (1670, 1660)
      case .date: (1640, 1630)
      case .integer, .real, .decimal, .boolean, .uuid, .uri, .none: (1620, 1610)
      }
    return [
      minimum.map { (.minimum, $0, codes.low) }, maximum.map { (.maximum, $0, codes.high) },
      regularExpression.map { (.pattern, .string($0), 1680) },
    ].compactMap { $0 }
  }

  fileprivate var ownFlags: ArchivedOwnFlags? {
    var flags: ArchivedOwnFlags = []
    if allowsCloudEncryption { flags.insert(.cloudEncryption) }
    if isIndexedBySpotlight { flags.insert(.spotlight) }
    if isStoredInExternalRecord { flags.insert(.externalRecord) }
    if usesScalarValue { flags.insert(.scalar) }
    return flags.isEmpty ? nil : flags
  }
}
