internal import DataModelFiles
import Foundation

/// Makes the descriptions of a model from the plain values of its file.
struct ModelBuilder {
  private let file: ModelFile
  private var source: DataModel { file.model }
  private let composites: [String: DataModel.CompositeType]
  /// The properties by name in a large model; nil in others, whose few names are compared one by one.
  private let tables: PropertyTables?

  init(_ file: ModelFile) {
    self.file = file
    composites = file.model.compositesByName
    let count = file.model.entities.reduce(0) { count, entity in
      count + entity.attributes.count + entity.relationships.count + entity.fetchedProperties.count
    }
    tables = count > 4096 ? PropertyTables() : nil
  }

  /// - Throws: `InvalidDataModel` if the file asks for something that the stack can't do.
  func fill(_ model: NSManagedObjectModel) throws {
    // Entities first, since properties refer to them; then properties, since inverses refer to those.
    var entities: [String: NSEntityDescription] = [:]
    var children: [String: [NSEntityDescription]] = [:]
    for value in source.entities {
      let made = entity(value)
      entities[value.name] = made
      if let parent = value.parentName { children[parent, default: []].append(made) }
    }
    for (parent, children) in children { entities[parent]?.subentities = children }
    for value in source.entities {
      guard let entity = entities[value.name] else { continue }
      entity.properties =
        try value.attributes.map { try attribute($0, of: value.name) }
        + value.relationships.map { relationship($0, entities) }
        + value.fetchedProperties.map { try fetchedProperty($0, of: value.name) }
    }
    for value in source.entities {
      guard let entity = entities[value.name] else { continue }
      for relationship in value.relationships { connect(relationship, of: entity) }
      if !value.uniquenessConstraints.isEmpty { entity.uniquenessConstraints = value.uniquenessConstraints }
      if !value.compoundIndexes.isEmpty { entity.compoundIndexes = value.compoundIndexes }
      entity.indexes = value.compiledFetchIndexes.compactMap { index($0, of: entity) }
    }
    model.entities = source.entities.compactMap { entities[$0.name] }
    model.versionIdentifiers = Set(source.versionIdentifiers.map { AnyHashable($0) })
    for configuration in source.configurations {
      model.setEntities(
        configuration.entityNames.compactMap { entities[$0] }, forConfigurationName: configuration.name)
    }
    for template in source.fetchRequestTemplates {
      model.storedTemplates[template.name] = try request(
        template, entity: nil, property: "fetch request \"\(template.name)\"")
    }
    model.listsDefaultConfiguration = true
    model.statedVersionHashes = file.statedHashes.mapValues { Data($0) }
  }

  private func entity(_ value: DataModel.Entity) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = value.name
    entity.managedObjectClassName = value.className ?? "NSManagedObject"
    entity.isAbstract = value.isAbstract
    if !value.userInfo.isEmpty { entity.userInfo = value.userInfo }
    entity.versionHashModifier = value.versionHashModifier
    if let renaming = value.renamingIdentifier { entity.renamingIdentifier = renaming }
    entity.storedCoreSpotlightDisplayNameFormat = value.coreSpotlightDisplayNameExpression
    return entity
  }

  private func attribute(_ value: DataModel.Attribute, of entity: String) throws -> NSAttributeDescription {
    let attribute: NSAttributeDescription
    if value.type == .composite {
      let composite = NSCompositeAttributeDescription()
      let type = value.compositeName.flatMap { composites[$0] }
      composite.elements = try type?.attributes.map { try self.attribute($0, of: type?.name ?? entity) } ?? []
      attribute = composite
    } else if let format = value.derivationExpression {
      let derived = NSDerivedAttributeDescription()
      derived.storedDerivationFormat = format
      attribute = derived
    } else {
      attribute = NSAttributeDescription()
    }
    guard value.validationRules.isEmpty else {
      let formats = value.validationRules.map(\.predicateFormat).joined(separator: "; ")
      throw unsupported(entity, property: value.name, what: "validation other than by limits and patterns (\(formats))")
    }
    attribute.name = value.name
    attribute.attributeType = NSAttributeType(value.type)
    attribute.isOptional = value.isOptional
    attribute.isTransient = value.isTransient
    attribute.isIndexed = value.isIndexed
    if !value.userInfo.isEmpty { attribute.userInfo = value.userInfo }
    attribute.versionHashModifier = value.versionHashModifier
    if let renaming = value.renamingIdentifier { attribute.renamingIdentifier = renaming }
    if let className = value.customClassName { attribute.attributeValueClassName = className }
    attribute.valueTransformerName = value.valueTransformerName
    attribute.allowsExternalBinaryDataStorage = value.allowsExternalBinaryDataStorage
    attribute.preservesValueInHistoryOnDeletion = value.preservesValueInHistoryOnDeletion
    attribute.allowsCloudEncryption = value.allowsCloudEncryption
    attribute.isIndexedBySpotlight = value.isIndexedBySpotlight
    attribute.isStoredInExternalRecord = value.isStoredInExternalRecord
    attribute.defaultValue = value.defaultValue.map { object($0, of: value.type) }
    let limits = self.limits(of: value)
    if !limits.isEmpty { attribute.limits = limits }
    return attribute
  }

  /// A constant as the object that an attribute of the type holds.
  private func object(_ value: DataModel.Value, of type: DataModel.AttributeType) -> Any {
    switch value {
    case .boolean(let flag): return NSNumber(value: flag)
    case .integer(let number):
      if type.notation == .integer(bits: 16) { return NSNumber(value: Int16(truncatingIfNeeded: number)) }
      if type.notation == .integer(bits: 32) { return NSNumber(value: Int32(truncatingIfNeeded: number)) }
      return NSNumber(value: number)
    case .double(let number): return type == .float ? NSNumber(value: Float(number)) : NSNumber(value: number)
    case .decimal(let number): return NSDecimalNumber(decimal: number)
    case .string(let text): return text
    case .date(let seconds): return Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes): return Data(bytes)
    case .uuid(let uuid): return uuid
    case .uri(let text): return URL(string: text) ?? text
    }
  }

  private func limits(of value: DataModel.Attribute) -> AttributeLimits {
    var limits = AttributeLimits(pattern: value.regularExpression)
    switch value.type.notation {
    case .text:
      if case .integer(let number)? = value.minimum { limits.minLength = Int(number) }
      if case .integer(let number)? = value.maximum { limits.maxLength = Int(number) }
    case .date:
      if case .date(let seconds)? = value.minimum {
        limits.minDate = Date(timeIntervalSinceReferenceDate: seconds)
      }
      if case .date(let seconds)? = value.maximum {
        limits.maxDate = Date(timeIntervalSinceReferenceDate: seconds)
      }
    case .integer, .real, .decimal, .boolean, .uuid, .uri, .none:
      limits.minNumber = value.minimum.flatMap(decimal)
      limits.maxNumber = value.maximum.flatMap(decimal)
    }
    return limits
  }

  private func decimal(_ value: DataModel.Value) -> Decimal? {
    switch value {
    case .integer(let number): Decimal(number)
    // Made from its shortest text: 0.1 is meant, not the nearest binary fraction.
    case .double(let number): Decimal(string: "\(number)")
    case .decimal(let number): number
    case .boolean, .string, .date, .data, .uuid, .uri: nil
    }
  }

  private func relationship(
    _ value: DataModel.Relationship, _ entities: [String: NSEntityDescription]
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = value.name
    relationship.destinationEntity = entities[value.destinationName]
    relationship.isOptional = value.isOptional
    relationship.isTransient = value.isTransient
    relationship.isIndexed = value.isIndexed
    relationship.isIndexedBySpotlight = value.isIndexedBySpotlight
    relationship.isOrdered = value.isOrdered
    relationship.minCount = value.minCount
    relationship.maxCount = value.maxCount
    relationship.deleteRule = NSDeleteRule(rawValue: UInt(value.deleteRule.rawValue)) ?? .nullifyDeleteRule
    if !value.userInfo.isEmpty { relationship.userInfo = value.userInfo }
    relationship.versionHashModifier = value.versionHashModifier
    if let renaming = value.renamingIdentifier { relationship.renamingIdentifier = renaming }
    return relationship
  }

  /// The inverse may be declared by an ancestor of the destination.
  private func connect(_ value: DataModel.Relationship, of entity: NSEntityDescription) {
    guard let inverse = value.inverseName,
      let relationship = property(named: value.name, of: entity) as? NSRelationshipDescription,
      let destination = relationship.destinationEntity
    else { return }
    relationship.inverseRelationship = property(named: inverse, of: destination) as? NSRelationshipDescription
  }

  /// A property of the entity or of one that it inherits from. Until the model is in use, each call of a description's
  /// dictionary builds it again, so they are not used here.
  private func property(named name: String, of entity: NSEntityDescription) -> NSPropertyDescription? {
    if let tables { return tables.property(named: name, of: entity) }
    var next: NSEntityDescription? = entity
    while let entity = next {
      if let property = entity.ownProperties.first(where: { $0.storedName == name }) { return property }
      next = entity.superentity
    }
    return nil
  }

  private func fetchedProperty(
    _ value: DataModel.FetchedProperty, of entity: String
  ) throws -> NSFetchedPropertyDescription {
    let property = NSFetchedPropertyDescription()
    property.name = value.name
    property.isOptional = value.isOptional
    property.userInfo = value.userInfo
    property.versionHashModifier = value.versionHashModifier
    if let renaming = value.renamingIdentifier { property.renamingIdentifier = renaming }
    property.storedFetchRequest = try request(value.request, entity: entity, property: value.name)
    return property
  }

  /// An index; nil if one of its elements can't be read, of which the file's reader has warned. Only the speed of
  /// fetches depends on an index.
  private func index(_ value: DataModel.FetchIndex, of entity: NSEntityDescription) -> NSFetchIndexDescription? {
    var elements: [NSFetchIndexElementDescription] = []
    for element in value.elements {
      guard let property = indexed(element, of: entity) else { return nil }
      let type: NSFetchIndexElementType = element.type == .rTree ? .rTree : .binary
      let made = NSFetchIndexElementDescription(property: property, collationType: type)
      made.isAscending = element.isAscending
      elements.append(made)
    }
    let index = NSFetchIndexDescription(name: value.name, elements: elements)
    index.storedPartialIndexPredicateFormat = value.partialIndexPredicate
    return index
  }

  /// The property of an index's element, or its expression; nil if the entity has no such property, or the expression
  /// can't be read.
  private func indexed(
    _ element: DataModel.FetchIndex.Element, of entity: NSEntityDescription
  ) -> NSPropertyDescription? {
    var text = element.expression
    if let name = element.propertyName {
      if let property = property(named: name, of: entity) { return property }
      // The editor writes these as it does properties.
      if DataModel.FetchIndex.objectKeys.contains(name) { text = name }
    }
    guard let text, let node = try? PredicateParser.expression(text) else { return nil }
    let expression = NSExpressionDescription()
    expression.name = text
    expression.expression = NodeExpression.make(node)
    return expression
  }

  private func request(
    _ value: DataModel.FetchRequestTemplate, entity: String?, property: String
  ) throws -> StoredFetchRequest {
    func problem(_ message: String) -> InvalidDataModel {
      InvalidDataModel(problems: [
        DataModelProblem(.error, file: file.url.path, entity: entity, property: property, message: message)
      ])
    }
    // Without its predicate the request would find everything.
    if let unreadable = value.unreadablePredicate { throw problem(unreadable) }
    let predicate: PredicateNode?
    do {
      predicate = try value.predicateFormat.map { try PredicateParser.predicate($0) }
    } catch let failure as Failure {
      throw problem(failure.description)
    }
    return StoredFetchRequest(
      entityName: value.entityName, predicate: predicate, fetchLimit: value.fetchLimit,
      fetchOffset: value.fetchOffset, fetchBatchSize: value.fetchBatchSize,
      resultType: value.resultType.rawValue, includesSubentities: value.includesSubentities,
      includesPropertyValues: value.includesPropertyValues,
      includesPendingChanges: value.includesPendingChanges,
      returnsObjectsAsFaults: value.returnsObjectsAsFaults,
      returnsDistinctResults: value.returnsDistinctResults)
  }

  private func unsupported(_ entity: String, property: String?, what: String) -> InvalidDataModel {
    InvalidDataModel(problems: [
      DataModelProblem(
        .error, file: file.url.path, entity: entity, property: property, message: "\(what): not supported")
    ])
  }
}

/// Finds the properties of entities that have thousands.
private final class PropertyTables {
  private var properties: [ObjectIdentifier: [String: NSPropertyDescription]] = [:]

  /// A property of the entity or of the nearest that it inherits from. All properties have to be there by now.
  func property(named name: String, of entity: NSEntityDescription) -> NSPropertyDescription? {
    if let known = properties[ObjectIdentifier(entity)] { return known[name] }
    var found: [String: NSPropertyDescription] = [:]
    var next: NSEntityDescription? = entity
    while let entity = next {
      for property in entity.ownProperties where found[property.storedName] == nil {
        found[property.storedName] = property
      }
      next = entity.superentity
    }
    properties[ObjectIdentifier(entity)] = found
    return found[name]
  }
}
