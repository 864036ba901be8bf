import Foundation

/// Turns the archive of a compiled model (`.mom`) into plain values.
struct ArchivedModelReader {
  let file: String
  private let archive: KeyedArchive
  private(set) var warnings: [DataModelProblem] = []
  /// The composite types, one for each composite attribute: an archive does not name the types.
  private var composites: [DataModel.CompositeType] = []
  /// How deep the composites nest that are being read.
  private var depth = 0
  /// How many bytes the names of further composites may take. Each has in it the name of the one that holds it, so what
  /// is short in the archive can become long.
  private var room = 1 << 24

  init(_ bytes: [UInt8], file: String) throws {
    self.file = file
    do {
      archive = try KeyedArchive(bytes)
    } catch {
      throw InvalidDataModel(file: file, message: "\(error)")
    }
  }

  mutating func model(named name: String) throws -> DataModel {
    guard let root = archive.root, root.className == "NSManagedObjectModel" else {
      throw InvalidDataModel(file: file, message: "the archive holds no NSManagedObjectModel")
    }
    var model = DataModel(name: name)
    // An archive's dictionaries have no order, so we sort by name.
    let entities = sorted(root, "NSEntities")
    guard entities.count <= ModelLimits.entities else {
      throw InvalidDataModel(file: file, message: "the model has more than 15,999 entities")
    }
    for (_, value) in entities {
      if let object = value.object { model.entities.append(try entity(object)) }
    }
    model.versionIdentifiers = root.elements("NSVersionIdentifiers").compactMap(\.string).sorted()
    for (name, value) in sorted(root, "NSFetchRequestTemplates") {
      guard let object = value.object else { continue }
      model.fetchRequestTemplates.append(request(object, name: name, entity: nil))
    }
    for (name, value) in sorted(root, "NSConfigurations") {
      let names = value.elements.compactMap { $0.object?.string("NSEntityName") }
      model.configurations.append(DataModel.Configuration(name: name, entityNames: names))
    }
    model.composites = composites.sorted { $0.name < $1.name }
    if archive.isExhausted {
      throw InvalidDataModel(file: file, message: "its lists repeat the same objects too often")
    }
    return model
  }

  private func sorted(
    _ object: KeyedArchive.Object, _ key: StaticString
  ) -> [(key: String, value: KeyedArchive.Value)] {
    object.entries(key).sorted { $0.key < $1.key }
  }

  private mutating func entity(_ object: KeyedArchive.Object) throws -> DataModel.Entity {
    guard let name = object.string("NSEntityName") else {
      throw InvalidDataModel(file: file, message: "an entity of the archive has no name")
    }
    var entity = DataModel.Entity(name: name)
    // nil stands for NSManagedObject.
    entity.className = object.string("NSClassNameForEntity")
    if entity.className == "NSManagedObject" { entity.className = nil }
    let parent = object.object("NSSuperentity")
    entity.parentName = parent?.string("NSEntityName")
    entity.isAbstract = object.flag("NSIsAbstract")
    entity.renamingIdentifier = renaming(of: object, name: name)
    entity.versionHashModifier = object.string("NSVersionHashModifier")
    entity.userInfo = userInfo(of: object)
    entity.coreSpotlightDisplayNameExpression = object.string("StrataSpotlightDisplayName")
    let inherited = Set(parent?.entries("NSProperties").map(\.key) ?? [])
    let properties = sorted(object, "NSProperties")
    for (propertyName, value) in properties where !inherited.contains(propertyName) {
      guard let property = value.object else { continue }
      switch property.className {
      case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
        entity.attributes.append(try attribute(property, of: name))
      case "NSRelationshipDescription":
        entity.relationships.append(try relationship(property, of: name))
      case "NSFetchedPropertyDescription":
        entity.fetchedProperties.append(fetchedProperty(property, of: name))
      default:
        warn(name, propertyName, "a property of the unknown class \(property.className ?? "-") is ignored")
      }
    }
    entity.uniquenessConstraints = nameLists(object, "NSUniqueTuples")
    let indexes = object.objects("NSFetchIndexDescriptions")
    if !indexes.isEmpty {
      let known = DataModel.FetchIndex.objectKeys.union(properties.map(\.key))
      entity.fetchIndexes = indexes.compactMap { fetchIndex($0, of: name, known: known) }
    }
    // Compilers that know fetch indexes repeat them here, for frameworks that don't. A store has each once.
    let compounds = nameLists(object, "NSCompoundIndexes")
    if !compounds.isEmpty {
      let repeated = Set(entity.fetchIndexes.map { $0.elements.map { $0.propertyName ?? $0.expression ?? "" } })
      entity.compoundIndexes = compounds.filter { !repeated.contains($0) }
    }
    return entity
  }

  private mutating func attribute(
    _ object: KeyedArchive.Object, of entity: String
  ) throws -> DataModel.Attribute {
    let name = try propertyName(object, of: entity)
    let number = object.integer("NSAttributeType") ?? 0
    guard let type = UInt32(exactly: number).flatMap(DataModel.AttributeType.init(rawValue:)) else {
      throw invalid(entity, name, "unknown attribute type \(number)")
    }
    var attribute = DataModel.Attribute(name: name, type: type)
    attribute.isOptional = object.flag("NSIsOptional")
    attribute.isTransient = object.flag("NSIsTransient")
    attribute.isIndexed = object.flag("NSIsIndexed")
    if let value = object["NSDefaultValue"] {
      attribute.defaultValue = ArchivedValue.read(value, type: type)
      if attribute.defaultValue == nil { warn(entity, name, "the default value is of an unknown class") }
    }
    readValidation(of: object, into: &attribute, entity: entity)
    attribute.renamingIdentifier = renaming(of: object, name: name)
    attribute.versionHashModifier = object.string("NSVersionHashModifier")
    attribute.userInfo = userInfo(of: object)
    attribute.valueTransformerName = object.string("NSValueTransformerName").flatMap { $0.isEmpty ? nil : $0 }
    if let className = object.string("NSAttributeValueClassName"), className != type.valueClassName {
      attribute.customClassName = className
    }
    let flags = ArchivedFlags(rawValue: object.integer("NSFlagsKey") ?? 0)
    attribute.allowsExternalBinaryDataStorage = flags.contains(.externalBinaryStorage)
    attribute.preservesValueInHistoryOnDeletion = flags.contains(.preservedInHistory)
    let own = ArchivedOwnFlags(rawValue: object.integer("StrataFlags") ?? 0)
    attribute.allowsCloudEncryption = own.contains(.cloudEncryption)
    attribute.isIndexedBySpotlight = own.contains(.spotlight)
    attribute.isStoredInExternalRecord = own.contains(.externalRecord)
    attribute.usesScalarValue = own.contains(.scalar)
    if type == .composite { attribute.compositeName = try composite(object, "\(entity).\(name)") }
    if object.className == "NSDerivedAttributeDescription" {
      if object.object("NSFilteringPredicate") != nil {
        throw InvalidDataModel(
          file: file,
          message: "the derived attribute \(entity).\(name) has a filtering predicate, which is not supported")
      }
      attribute.derivationExpression = object.string("StrataDerivationExpression")
      if attribute.derivationExpression == nil, let expression = object.object("NSDerivationExpression") {
        attribute.derivationExpression = format(entity, name) { try $0.expression(expression).modelText }
      }
      attribute.derivationExpression = attribute.derivationExpression ?? ""
    }
    return attribute
  }

  /// Reads the elements of a composite attribute. Returns the name under which it keeps them; nil if there are no
  /// elements. Without the key `NSCompositeElements`, it takes the first list or dictionary of attributes, under any
  /// key.
  private mutating func composite(_ object: KeyedArchive.Object, _ name: String) throws -> String? {
    guard depth < ModelLimits.compositeLevels else {
      throw InvalidDataModel(file: file, message: "the composite attribute \(name) has itself among its elements")
    }
    room -= name.utf8.count
    guard room >= 0 else {
      throw InvalidDataModel(file: file, message: "its composite attributes are too many, or their names too long")
    }
    depth += 1
    defer { depth -= 1 }
    let stated = object["NSCompositeElements"].map { [$0] }
    for value in stated ?? object.all.map(\.value) {
      let elements = (value.elements + value.entries.map(\.value)).compactMap(\.object).filter { element in
        element.className == "NSAttributeDescription" || element.className == "NSCompositeAttributeDescription"
      }
      guard !elements.isEmpty else { continue }
      let attributes = try elements.map { try attribute($0, of: name) }
      // `elements` contains a dictionary's values, too, so they come twice.
      var seen: Set<String> = []
      composites.append(
        DataModel.CompositeType(name: name, attributes: attributes.filter { seen.insert($0.name).inserted }))
      return name
    }
    return nil
  }

  /// Reads an attribute's validation predicates. Those of a known form become limits and patterns; the others stay
  /// predicates.
  private mutating func readValidation(
    of object: KeyedArchive.Object, into attribute: inout DataModel.Attribute, entity: String
  ) {
    let warnings = object.elements("NSValidationWarnings")
    for (position, predicate) in object.objects("NSValidationPredicates").enumerated() {
      if let limit = ArchivedLimit(predicate), limit.limits(attribute.type) {
        let limitType = attribute.type == .string ? DataModel.AttributeType.integer64 : attribute.type
        switch limit.kind {
        case .minimum: attribute.minimum = ArchivedValue.read(limit.value, type: limitType)
        case .maximum: attribute.maximum = ArchivedValue.read(limit.value, type: limitType)
        case .pattern: attribute.regularExpression = limit.value.string
        }
      } else if let format = format(entity, attribute.name, { try $0.predicate(predicate).modelText }) {
        let warning = warnings.indices.contains(position) ? warnings[position] : nil
        attribute.validationRules.append(
          DataModel.ValidationRule(
            predicateFormat: format,
            warning: warning.flatMap { ArchivedValue.read($0, type: .undefined) }))
      }
    }
  }

  private func relationship(
    _ object: KeyedArchive.Object, of entity: String
  ) throws -> DataModel.Relationship {
    let name = try propertyName(object, of: entity)
    guard
      let destination = object.string("_NSDestinationEntityName")
        ?? object.object("NSDestinationEntity")?.string("NSEntityName")
    else { throw invalid(entity, name, "the relationship has no destination entity") }
    var relationship = DataModel.Relationship(name: name, destinationName: destination)
    let inverse = object.object("NSInverseRelationship")
    relationship.inverseName =
      object.string("_NSInverseRelationshipName") ?? inverse?.string("NSPropertyName")
    relationship.inverseEntityName = relationship.inverseName.map { _ in destination }
    relationship.isOptional = object.flag("NSIsOptional")
    relationship.isTransient = object.flag("NSIsTransient")
    relationship.isOrdered = object.flag("NSIsOrdered")
    relationship.isIndexed = object.flag("NSIsIndexed")
    relationship.minCount = object.integer("NSMinCount") ?? 0
    relationship.maxCount = object.integer("NSMaxCount") ?? 0
    let number = object.integer("NSDeleteRule") ?? 1
    guard let rule = DataModel.DeleteRule(rawValue: number) else {
      throw invalid(entity, name, "unknown delete rule \(number)")
    }
    relationship.deleteRule = rule
    relationship.renamingIdentifier = renaming(of: object, name: name)
    relationship.versionHashModifier = object.string("NSVersionHashModifier")
    relationship.userInfo = userInfo(of: object)
    relationship.isIndexedBySpotlight =
      ArchivedOwnFlags(rawValue: object.integer("StrataFlags") ?? 0).contains(.spotlight)
    return relationship
  }

  private mutating func fetchedProperty(
    _ object: KeyedArchive.Object, of entity: String
  ) -> DataModel.FetchedProperty {
    let name = object.string("NSPropertyName") ?? ""
    var request = DataModel.FetchRequestTemplate(name: "fetchedPropertyFetchRequest", entityName: "")
    if let archived = object.object("NSFetchRequest") {
      request = self.request(archived, name: request.name, entity: entity, property: name)
    }
    if request.entityName.isEmpty { request.entityName = object.string("_NSFetchRequestEntityName") ?? "" }
    var property = DataModel.FetchedProperty(name: name, request: request)
    property.isOptional = object.flag("NSIsOptional")
    property.renamingIdentifier = renaming(of: object, name: name)
    property.versionHashModifier = object.string("NSVersionHashModifier")
    property.userInfo = userInfo(of: object)
    return property
  }

  private mutating func request(
    _ object: KeyedArchive.Object, name: String, entity: String?, property: String? = nil
  ) -> DataModel.FetchRequestTemplate {
    let entityName = object.object("NSEntity")?.string("NSEntityName") ?? object.string("NSEntityName") ?? ""
    var request = DataModel.FetchRequestTemplate(name: name, entityName: entityName)
    request.predicateFormat = object.string("StrataPredicateFormat")
    if request.predicateFormat == nil, let predicate = object.object("NSPredicate") {
      do {
        request.predicateFormat = try ArchivedPredicateReader().predicate(predicate).modelText
      } catch {
        request.unreadablePredicate = "the predicate can't be read: \(error)"
        warn(entity, property ?? name, "the predicate can't be read: \(error)")
      }
    }
    request.fetchLimit = object.integer("NSFetchLimit") ?? 0
    request.fetchOffset = object.integer("NSFetchOffset") ?? 0
    request.fetchBatchSize = object.integer("NSBatchSize") ?? 0
    request.resultType = DataModel.ResultType(rawValue: object.integer("NSResultType") ?? 0) ?? .managedObject
    if object.flag("NSHasFetchRequestFlags") {
      let flags = ArchivedRequestFlags(rawValue: object.integer("NSFetchRequestFlags") ?? 30)
      request.returnsDistinctResults = flags.contains(.distinctResults)
      request.includesSubentities = flags.contains(.subentities)
      request.includesPropertyValues = flags.contains(.propertyValues)
      request.returnsObjectsAsFaults = flags.contains(.objectsAsFaults)
      request.includesPendingChanges = flags.contains(.pendingChanges)
    }
    return request
  }

  /// Returns nil, with a warning, if an element can't be read. Only the speed of fetches depends on an index.
  private mutating func fetchIndex(
    _ object: KeyedArchive.Object, of entity: String, known: Set<String>
  ) -> DataModel.FetchIndex? {
    let name = object.string("NSIndexName") ?? ""
    var index = DataModel.FetchIndex(name: name, elements: [])
    for element in object.objects("NSIndexElements") {
      let property = element.string("NSPropertyName").flatMap { known.contains($0) ? $0 : nil }
      var expression = element.string("StrataExpressionFormat")
      if property == nil, expression == nil {
        expression = self.expression(of: element, in: "index \"\(name)\"", of: entity)
        if expression == nil { return nil }
      }
      index.elements.append(
        DataModel.FetchIndex.Element(
          propertyName: property, expression: expression,
          type: DataModel.FetchIndex.ElementType(rawValue: element.integer("NSFetchIndexElementType") ?? 0)
            ?? .binary,
          isAscending: element.flag("NSAscending")))
    }
    index.partialIndexPredicate = object.string("StrataPredicateFormat")
    if index.partialIndexPredicate == nil, let predicate = object.object("NSPartialIndexPredicate") {
      index.partialIndexPredicate = format(entity, "index \"\(name)\"") { try $0.predicate(predicate).modelText }
    }
    return index
  }

  /// The format of the expression of an index's element that names no property; nil, with a warning, if there is none
  /// that can be read.
  private mutating func expression(
    of element: KeyedArchive.Object, in index: String, of entity: String
  ) -> String? {
    guard let expression = archivedExpression(of: element) else {
      warn(entity, index, "an element has neither a known property nor an expression; the index is ignored")
      return nil
    }
    return format(entity, index) { try $0.expression(expression).modelText }
  }

  /// The expression in an index's element, or in the description of an expression there. It is not known under which
  /// keys they stand, so the first one under any key is taken.
  private func archivedExpression(of element: KeyedArchive.Object) -> KeyedArchive.Object? {
    let objects = element.all.compactMap { $0.value.object }
    if let expression = objects.first(where: { $0.has("NSExpressionType") }) { return expression }
    let description = objects.first { $0.className == "NSExpressionDescription" }
    return description?.all.compactMap { $0.value.object }.first { $0.has("NSExpressionType") }
  }

  private func nameLists(_ object: KeyedArchive.Object, _ key: StaticString) -> [[String]] {
    object.elements(key).map { list in
      // Elements are names, or the property descriptions themselves.
      list.elements.compactMap { $0.object?.string("NSPropertyName") ?? $0.string }
    }
  }

  private func userInfo(of object: KeyedArchive.Object) -> [String: String] {
    var info: [String: String] = [:]
    for (key, value) in object.entries("NSUserInfo") { info[key] = value.string }
    return info
  }

  private func renaming(of object: KeyedArchive.Object, name: String) -> String? {
    object.string("NSRenamingIdentifier").flatMap { $0 == name ? nil : $0 }
  }

  private func propertyName(_ object: KeyedArchive.Object, of entity: String) throws -> String {
    guard let name = object.string("NSPropertyName") else {
      throw invalid(entity, nil, "a property of the archive has no name")
    }
    return name
  }

  /// A predicate or expression as text; nil, with a warning, if its form is unknown.
  private mutating func format(
    _ entity: String?, _ property: String?, _ read: (ArchivedPredicateReader) throws -> String
  ) -> String? {
    do {
      return try read(ArchivedPredicateReader())
    } catch {
      warn(entity, property, "\(error); it is ignored")
      return nil
    }
  }

  private mutating func warn(_ entity: String?, _ property: String?, _ message: String) {
    warnings.append(
      DataModelProblem(.warning, file: file, entity: entity, property: property, message: message))
  }

  private func invalid(_ entity: String, _ property: String?, _ message: String) -> InvalidDataModel {
    InvalidDataModel(problems: [
      DataModelProblem(.error, file: file, entity: entity, property: property, message: message)
    ])
  }
}

/// The known bits of `NSFlagsKey` of an archived attribute.
struct ArchivedFlags: OptionSet {
  let rawValue: Int
  static let externalBinaryStorage = ArchivedFlags(rawValue: 4)
  static let preservedInHistory = ArchivedFlags(rawValue: 16)
}

/// `NSFetchRequestFlags`; 30 is the value of a new request.
struct ArchivedRequestFlags: OptionSet {
  let rawValue: Int
  static let distinctResults = ArchivedRequestFlags(rawValue: 1)
  static let subentities = ArchivedRequestFlags(rawValue: 2)
  static let propertyValues = ArchivedRequestFlags(rawValue: 4)
  static let objectsAsFaults = ArchivedRequestFlags(rawValue: 8)
  static let pendingChanges = ArchivedRequestFlags(rawValue: 16)
}

/// Flags that our archives keep under `StrataFlags`, since we don't know where Apple's keep them.
struct ArchivedOwnFlags: OptionSet {
  let rawValue: Int
  static let cloudEncryption = ArchivedOwnFlags(rawValue: 1)
  static let spotlight = ArchivedOwnFlags(rawValue: 2)
  static let externalRecord = ArchivedOwnFlags(rawValue: 4)
  static let scalar = ArchivedOwnFlags(rawValue: 8)
}
