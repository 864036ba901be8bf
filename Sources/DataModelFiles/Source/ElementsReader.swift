/// Reads the `elements` of an `.xcdatamodel` from before Xcode 4: a keyed archive of the editor's own objects.
///
/// Entities and properties are objects of a general modelling library. What Core Data knows of them stands in
/// "stereotypes": dictionaries of named properties, of each of which the default is the value.
///
///     XDPMModel                  _xd_rootPackage, _configurationsByName, _modelVersionIdentifier
///       XDModelPackage           XDBucketForClassesstorage: entities by name
///         XDPMEntity             XDBucketForOwnedAttributesstorage: properties by name
///           XDUMLGeneralizationImp   _specific is the entity, _general its parent
///           XDPMAttribute, XDPMRelationship
///
/// Stored fetch requests, fetched properties, configurations and constraints occur in no known file. The reader
/// reports them as errors, by name.
struct ElementsReader {
  let file: String
  private let archive: KeyedArchive
  private(set) var problems: [DataModelProblem] = []

  init(_ bytes: [UInt8], file: String) throws {
    self.file = file
    do {
      archive = try KeyedArchive(bytes)
    } catch {
      throw InvalidDataModel(file: file, message: "\(error)")
    }
    guard archive.root?.className == "XDPMModel" else {
      throw InvalidDataModel(file: file, message: "the archive holds no XDPMModel")
    }
  }

  mutating func read(name: String) -> DataModel {
    var model = DataModel(name: name)
    guard let root = archive.root, let package = root.object("_xd_rootPackage") else {
      report(.error, nil, nil, "the archive holds no package of entities")
      return model
    }
    model.versionIdentifiers = [root.string("_modelVersionIdentifier") ?? ""]
    if !root.entries("_configurationsByName").isEmpty { reportUnread(nil, nil, "configurations") }
    for (_, value) in package.entries("XDBucketForClassesstorage") {
      guard let object = value.object, object.className == "XDPMEntity" else { continue }
      model.entities.append(entity(object))
    }
    model.entities.sort { $0.name < $1.name }
    if archive.isExhausted { report(.error, nil, nil, "its lists repeat the same objects too often") }
    return model
  }

  private mutating func entity(_ object: KeyedArchive.Object) -> DataModel.Entity {
    var entity = DataModel.Entity(name: object.string("_name") ?? "")
    let fields = Stereotypes(object)
    entity.className = fields.text("XD_PSK_entityClassName")
    if entity.className == "NSManagedObject" { entity.className = nil }
    entity.isAbstract = fields.flag("XD_PSK_isAbstract")
    entity.renamingIdentifier = fields.text("XD_PSK_elementID")
    entity.versionHashModifier = fields.text("XD_PSK_versionHashModifier")
    entity.userInfo = fields.userInfo("XD_PSK_userInfo")
    let parent = object.objects("XDBucketForGeneralizationsstorage").first {
      $0.object("_specific")?.node == object.node
    }
    entity.parentName = parent?.object("_general")?.string("_name")
    if fields.hasElements("XD_PSK_fetchRequestsArray") { reportUnread(entity.name, nil, "fetch requests") }
    if fields.hasElements("XDPMUniquenessConstraints") { reportUnread(entity.name, nil, "constraints") }
    if fields.hasElements("XDPMCompoundIndexes") {
      report(.warning, entity.name, nil, "its compound indexes are ignored: their form before Xcode 4 is not known")
    }
    for (name, value) in object.entries("XDBucketForOwnedAttributesstorage") {
      guard let property = value.object else { continue }
      switch property.className {
      case "XDPMAttribute": entity.attributes.append(attribute(property, name: name, of: entity.name))
      case "XDPMRelationship": entity.relationships.append(relationship(property, name: name, of: entity.name))
      default: reportUnread(entity.name, name, "properties of the class \(property.className ?? "-")")
      }
    }
    entity.attributes.sort { $0.name < $1.name }
    entity.relationships.sort { $0.name < $1.name }
    return entity
  }

  private mutating func attribute(
    _ object: KeyedArchive.Object, name: String, of entity: String
  ) -> DataModel.Attribute {
    let fields = Stereotypes(object)
    let number = fields.integer("XD_PAttK_attributeType") ?? 0
    var type = DataModel.AttributeType.undefined
    if let known = UInt32(exactly: number).flatMap(DataModel.AttributeType.init(rawValue:)) {
      type = known
    } else {
      report(.error, entity, name, "unknown attribute type \(number)")
    }
    var attribute = DataModel.Attribute(name: name, type: type)
    attribute.isOptional = fields.flag("XD_PPSK_isOptional")
    attribute.isTransient = fields.flag("XD_PPSK_isTransient")
    attribute.isIndexed = fields.flag("XD_PPSK_isIndexed")
    attribute.isIndexedBySpotlight = fields.flag("XD_PPSK_isSpotlightIndexed")
    attribute.isStoredInExternalRecord = fields.flag("XD_PPSK_isStoredInTruthFile")
    attribute.renamingIdentifier = fields.text("XD_PPSK_elementID")
    attribute.versionHashModifier = fields.text("XD_PPSK_versionHashModifier")
    attribute.userInfo = fields.userInfo("XD_PPSK_userInfo")
    attribute.valueTransformerName = fields.text("XD_PAttK_valueTransformerName")
    attribute.allowsExternalBinaryDataStorage = fields.flag("XD_PAttK_allowsExternalBinaryDataStorage")
    attribute.regularExpression = fields.text("XD_PAttK_regularExpressionString")
    attribute.defaultValue = constant(
      fields.text("XD_PAttK_defaultValueAsString"), as: .defaultValue, type: type, what: "default value", entity, name)
    attribute.minimum = constant(
      fields.text("XD_PAttK_minValueString"), as: .limit, type: type, what: "minimum", entity, name)
    attribute.maximum = constant(
      fields.text("XD_PAttK_maxValueString"), as: .limit, type: type, what: "maximum", entity, name)
    return attribute
  }

  private mutating func constant(
    _ text: String?, as role: AttributeConstants.Role, type: DataModel.AttributeType, what: String, _ entity: String,
    _ name: String
  ) -> DataModel.Value? {
    guard let text else { return nil }
    if let value = AttributeConstants.value(text, as: role, of: type) { return value }
    guard type == .date else {
      let why = AttributeConstants.refusal(of: role, for: type)
      report(.warning, entity, name, "the \(what) \"\(text)\" is ignored: \(why)")
      return nil
    }
    // The editor of that time kept a date as it was typed, and its compiler read it by what it was told of the user.
    if let seconds = TypedDate.seconds(text) { return .date(seconds) }
    report(
      .warning, entity, name,
      "the \(what) \"\(text)\" is ignored: it is not a date such as 12/31/2009, 2009-12-31 or 31 December 2009, with or "
        + "without a time such as 13:45 or 1:45 PM")
    return nil
  }

  private mutating func relationship(
    _ object: KeyedArchive.Object, name: String, of entity: String
  ) -> DataModel.Relationship {
    let fields = Stereotypes(object)
    let destination = fields.object("XD_PRK_destination")?.string("_name")
    if destination == nil { report(.error, entity, name, "the relationship has no destination entity") }
    var relationship = DataModel.Relationship(name: name, destinationName: destination ?? "")
    let inverse = fields.object("XD_PRK_inverseRelationship")
    relationship.inverseName = inverse?.string("_name")
    relationship.inverseEntityName = inverse?.object("_owner")?.string("_name")
    relationship.isOptional = fields.flag("XD_PPSK_isOptional")
    relationship.isTransient = fields.flag("XD_PPSK_isTransient")
    relationship.isOrdered = fields.flag("XD_PRK_ordered")
    relationship.minCount = fields.integer("XD_PRK_minCount") ?? 0
    relationship.maxCount = fields.flag("XD_PRK_isToMany") ? fields.integer("XD_PRK_maxCount") ?? 0 : 1
    let number = fields.integer("XD_PRK_deleteRule") ?? DataModel.DeleteRule.nullify.rawValue
    if let rule = DataModel.DeleteRule(rawValue: number) {
      relationship.deleteRule = rule
    } else {
      report(.error, entity, name, "unknown delete rule \(number)")
    }
    // The editor set the flag for an index on every relationship; compiled models don't have it.
    relationship.isIndexedBySpotlight = fields.flag("XD_PPSK_isSpotlightIndexed")
    relationship.renamingIdentifier = fields.text("XD_PPSK_elementID")
    relationship.versionHashModifier = fields.text("XD_PPSK_versionHashModifier")
    relationship.userInfo = fields.userInfo("XD_PPSK_userInfo")
    return relationship
  }

  private mutating func reportUnread(_ entity: String?, _ property: String?, _ what: String) {
    report(.error, entity, property, "\(what) in the format before Xcode 4 are not read")
  }

  private mutating func report(
    _ severity: DataModelProblem.Severity, _ entity: String?, _ property: String?, _ message: String
  ) {
    problems.append(DataModelProblem(severity, file: file, entity: entity, property: property, message: message))
  }
}

/// What the stereotypes of an entity or property say, by key.
private struct Stereotypes {
  private var values: [String: KeyedArchive.Value] = [:]

  init(_ object: KeyedArchive.Object) {
    for (_, stereotype) in object.entries("XDBucketForStereotypesstorage") {
      for (key, field) in stereotype.object?.entries("XDBucketForOwnedAttributesstorage") ?? [] {
        values[key] = field.object?["_default"]
      }
    }
  }

  func text(_ key: String) -> String? { values[key]?.string.flatMap { $0.isEmpty ? nil : $0 } }
  func integer(_ key: String) -> Int? { values[key]?.integer }
  func flag(_ key: String) -> Bool { values[key]?.boolean ?? false }
  func object(_ key: String) -> KeyedArchive.Object? { values[key]?.object }
  func hasElements(_ key: String) -> Bool { !(values[key]?.elements ?? []).isEmpty }

  /// Without what the editor noted there for itself, about the synchronisation of that time.
  func userInfo(_ key: String) -> [String: String] {
    var info: [String: String] = [:]
    for (key, value) in values[key]?.entries ?? [] where !key.hasPrefix("com.apple.syncservices.") {
      info[key] = value.string
    }
    return info
  }
}
