package import DataModelFiles

extension DataModel {
  /// Copies the parts of a model that a store depends on into plain values; the model may have been built in code.
  /// Fetch request templates and fetched properties are left out.
  package init(_ model: NSManagedObjectModel) {
    self.init(name: "")
    entities = model.entities.map(Entity.init)
    for entity in model.entities {
      for case let attribute as NSCompositeAttributeDescription in entity.ownProperties {
        addComposite(attribute, named: "\(entity.name ?? "").\(attribute.name)")
      }
    }
    configurations = model.namedConfigurations.map { name in
      Configuration(
        name: name, entityNames: (model.entities(forConfigurationName: name) ?? []).compactMap(\.name))
    }
    versionIdentifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted()
  }
}

extension DataModel {
  /// Adds the type of a composite attribute under the path to the attribute, because descriptions don't know the type's
  /// name in the model's file.
  private mutating func addComposite(_ composite: NSCompositeAttributeDescription, named name: String) {
    let attributes = composite.elements.map { element in
      var attribute = Attribute(element)
      if element is NSCompositeAttributeDescription { attribute.compositeName = "\(name).\(element.name)" }
      return attribute
    }
    composites.append(CompositeType(name: name, attributes: attributes))
    for case let element as NSCompositeAttributeDescription in composite.elements {
      addComposite(element, named: "\(name).\(element.name)")
    }
  }
}

extension DataModel.Entity {
  init(_ entity: NSEntityDescription) {
    self.init(name: entity.name ?? "")
    className = entity.managedObjectClassName
    parentName = entity.superentity?.name
    isAbstract = entity.isAbstract
    let path = name
    attributes = entity.ownProperties.compactMap { $0 as? NSAttributeDescription }.map { description in
      var attribute = DataModel.Attribute(description)
      if description is NSCompositeAttributeDescription { attribute.compositeName = "\(path).\(description.name)" }
      return attribute
    }
    relationships = entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }
      .map(DataModel.Relationship.init)
    uniquenessConstraints = entity.constraintNames
    fetchIndexes = entity.indexes.map { index in
      DataModel.FetchIndex(
        name: index.name,
        elements: index.elements.map { element in
          let expression = (element.property as? NSExpressionDescription)?.expression
          return DataModel.FetchIndex.Element(
            propertyName: element.property is NSExpressionDescription ? nil : element.propertyName,
            expression: expression.flatMap { try? $0.node }.map(PredicatePrinter.print),
            type: element.collationType == .rTree ? .rTree : .binary, isAscending: element.isAscending)
        },
        partialIndexPredicate: index.storedPartialIndexPredicateFormat
          ?? index.partialIndexPredicate.flatMap { try? $0.node }.map(PredicatePrinter.print))
    }
    renamingIdentifier = entity.storedRenamingIdentifier
    versionHashModifier = entity.versionHashModifier
    userInfo = DataModel.texts(entity.userInfo)
  }
}

extension DataModel.Attribute {
  init(_ attribute: NSAttributeDescription) {
    self.init(
      name: attribute.name,
      type: attribute.attributeType.modelType)
    isOptional = attribute.isOptional
    isTransient = attribute.isTransient
    isIndexed = attribute.isIndexed
    derivationExpression = (attribute as? NSDerivedAttributeDescription).map {
      $0.derivationFormat ?? ""
    }
    defaultValue = attribute.defaultValue.flatMap(DataModel.Value.init(object:))
    renamingIdentifier = attribute.storedRenamingIdentifier
    versionHashModifier = attribute.versionHashModifier
    valueTransformerName = attribute.valueTransformerName
    customClassName = attribute.storedAttributeValueClassName
    allowsExternalBinaryDataStorage = attribute.allowsExternalBinaryDataStorage
    allowsCloudEncryption = attribute.allowsCloudEncryption
    preservesValueInHistoryOnDeletion = attribute.preservesValueInHistoryOnDeletion
    userInfo = DataModel.texts(attribute.userInfo)
    guard let limits = attribute.limits else { return }
    regularExpression = limits.pattern
    minimum =
      limits.minNumber.map { DataModel.Value(limit: $0, of: type) }
      ?? limits.minDate.map { .date($0.timeIntervalSinceReferenceDate) } ?? limits.minLength.map { .integer(Int64($0)) }
    maximum =
      limits.maxNumber.map { DataModel.Value(limit: $0, of: type) }
      ?? limits.maxDate.map { .date($0.timeIntervalSinceReferenceDate) } ?? limits.maxLength.map { .integer(Int64($0)) }
  }
}

extension DataModel.Relationship {
  init(_ relationship: NSRelationshipDescription) {
    self.init(name: relationship.name, destinationName: relationship.destinationName ?? "")
    inverseName = relationship.inverseName
    inverseEntityName = relationship.inverseRelationship?.owningEntity?.name
    isOptional = relationship.isOptional
    isTransient = relationship.isTransient
    isOrdered = relationship.isOrdered
    deleteRule = DataModel.DeleteRule(rawValue: Int(relationship.deleteRule.rawValue)) ?? .nullify
    minCount = relationship.minCount
    maxCount = relationship.maxCount
    isIndexed = relationship.isIndexed
    renamingIdentifier = relationship.storedRenamingIdentifier
    versionHashModifier = relationship.versionHashModifier
    userInfo = DataModel.texts(relationship.userInfo)
  }
}

extension DataModel.Value {
  /// A limit of an attribute. That of an integer may be beyond all integers, or a fraction.
  fileprivate init(limit: Decimal, of type: DataModel.AttributeType) {
    if type.isInteger, let integer = Int64("\(limit)") {
      self = .integer(integer)
    } else {
      self = .decimal(limit)
    }
  }

  /// Returns nil for an object of a class that a model file can't hold.
  fileprivate init?(object: Any) {
    switch PredicateConstant(any: object) {
    case .bool(let value): self = .boolean(value)
    case .int(let value): self = .integer(value)
    case .double(let value): self = .double(value)
    case .decimal(let value): self = .decimal(value)
    case .string(let value): self = .string(value)
    case .date(let value): self = .date(value.timeIntervalSinceReferenceDate)
    case .data(let value): self = .data(Array(value))
    case .uuid(let value): self = .uuid(value)
    case .url(let value): self = .uri(value.absoluteString)
    case .nothing, .collection, .object, .other: return nil
    }
  }
}

extension DataModel {
  fileprivate static func texts(_ info: [AnyHashable: Any]?) -> [String: String] {
    Dictionary(
      (info ?? [:]).map { ("\($0.key.base)", "\($0.value)") }, uniquingKeysWith: { first, _ in first })
  }
}
