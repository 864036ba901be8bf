import Foundation

/// Reads the `contents` of an `.xcdatamodel` from XML into plain values, with the line of each entity and property.
///
/// It reports malformed parts. Whether the parts fit together is checked by `DataModelValidator`.
struct ContentsReader {
  let file: String
  private(set) var problems: [DataModelProblem] = []
  private(set) var lines = DataModelLines()

  init(file: String) { self.file = file }

  mutating func read(_ bytes: [UInt8], name: String) throws -> DataModel {
    let root: MarkupElement
    do {
      root = try MarkupReader.read(bytes)
    } catch let error as MarkupError {
      throw InvalidDataModel(file: file, line: error.line, message: error.message)
    }
    guard root.name == "model" else {
      throw InvalidDataModel(
        file: file, line: root.line, message: "the root element is <\(root.name)>, not <model>")
    }
    return model(root, name: name)
  }

  private mutating func model(_ element: MarkupElement, name: String) -> DataModel {
    var fields = ElementFields(element, file: file)
    var model = DataModel(name: name)
    model.tools.type = fields.string("type") ?? ""
    model.tools.documentVersion = fields.string("documentVersion") ?? ""
    model.tools.lastSavedToolsVersion = fields.string("lastSavedToolsVersion") ?? ""
    model.tools.systemVersion = fields.string("systemVersion") ?? ""
    model.tools.minimumToolsVersion = fields.string("minimumToolsVersion") ?? ""
    model.tools.macOSVersion = fields.string("macOSVersion") ?? ""
    model.tools.iOSVersion = fields.string("iOSVersion") ?? ""
    model.tools.name = fields.string("name") ?? ""
    model.sourceLanguage = fields.choice(
      "sourceLanguage", default: .objectiveC, known: "Swift, Objective-C",
      DataModel.SourceLanguage.init(rawValue:))
    model.versionIdentifiers = [fields.string("userDefinedModelVersionIdentifier") ?? ""]
    model.isUsedWithCloudKit = fields.flag("usedWithCloudKit")
    model.isUsedWithSwiftData = fields.flag("usedWithSwiftData")
    for child in element.children {
      switch child.name {
      case "entity": model.entities.append(entity(child))
      case "fetchRequest": model.fetchRequestTemplates.append(fetchRequest(child, entity: nil))
      case "configuration": model.configurations.append(configuration(child))
      case "composite": model.composites.append(composite(child))
      case "elements": model.tools.elementPositions += elementPositions(child)
      default: break
      }
    }
    fields.finish(children: ["entity", "fetchRequest", "configuration", "composite", "elements"])
    problems += fields.problems
    return model
  }

  private mutating func entity(_ element: MarkupElement) -> DataModel.Entity {
    var fields = ElementFields(element, file: file)
    var entity = DataModel.Entity(name: fields.required("name"))
    fields.entity = entity.name
    lines[entity.name, nil] = element.line
    entity.className = fields.className("representedClassName")
    if entity.className == "NSManagedObject" { entity.className = nil }
    entity.codeGeneration = fields.choice(
      "codeGenerationType", default: .manual, known: "class, category",
      DataModel.CodeGeneration.init(rawValue:))
    entity.parentName = fields.nonEmpty("parentEntity")
    entity.isAbstract = fields.flag("isAbstract")
    entity.renamingIdentifier = fields.nonEmpty("elementID")
    entity.versionHashModifier = fields.nonEmpty("versionHashModifier")
    entity.isSyncable = fields.flag("syncable")
    entity.coreSpotlightDisplayNameExpression = fields.nonEmpty("coreSpotlightDisplayNameExpression")
    for child in element.children {
      switch child.name {
      case "attribute": entity.attributes.append(attribute(child, entity: entity.name))
      case "relationship": entity.relationships.append(relationship(child, entity: entity.name))
      case "fetchedProperty": entity.fetchedProperties.append(fetchedProperty(child, entity: entity.name))
      case "fetchIndex": entity.fetchIndexes.append(fetchIndex(child, entity: entity.name))
      case "uniquenessConstraints":
        entity.uniquenessConstraints += nameLists(
          child, list: "uniquenessConstraint", item: "constraint", entity: entity.name)
      case "compoundIndexes":
        entity.compoundIndexes += nameLists(
          child, list: "compoundIndex", item: "index", entity: entity.name)
      case "userInfo": entity.userInfo = userInfo(child, entity: entity.name, property: nil)
      default: break
      }
    }
    fields.finish(children: [
      "attribute", "relationship", "fetchedProperty", "fetchIndex", "uniquenessConstraints",
      "compoundIndexes", "userInfo",
    ])
    problems += fields.problems
    return entity
  }

  private mutating func attribute(_ element: MarkupElement, entity: String) -> DataModel.Attribute {
    var fields = ElementFields(element, file: file, entity: entity)
    let name = fields.required("name")
    fields.property = name
    lines[entity, name] = element.line
    let known = DataModel.AttributeType.allCases.dropFirst().map(\.editorName).joined(separator: ", ")
    let type = fields.choice(
      "attributeType", default: .undefined, known: known, DataModel.AttributeType.init(editorName:))
    var attribute = DataModel.Attribute(name: name, type: type)
    attribute.isOptional = fields.flag("optional")
    attribute.isTransient = fields.flag("transient")
    let derivation = fields.string("derivationExpression")
    if fields.flag("derived") { attribute.derivationExpression = derivation ?? "" }
    attribute.isIndexed = fields.flag("indexed")
    attribute.usesScalarValue = fields.flag("usesScalarValueType")
    AttributeConstants.read(into: &attribute, from: &fields)
    attribute.renamingIdentifier = fields.nonEmpty("elementID")
    attribute.versionHashModifier = fields.nonEmpty("versionHashModifier")
    attribute.valueTransformerName = fields.nonEmpty("valueTransformerName")
    attribute.customClassName = fields.className("customClassName")
    attribute.compositeName = fields.nonEmpty("composite")
    attribute.allowsExternalBinaryDataStorage = fields.flag("allowsExternalBinaryDataStorage")
    attribute.allowsCloudEncryption = fields.flag("allowsCloudEncryption")
    attribute.preservesValueInHistoryOnDeletion = fields.flag("preserveAfterDeletion")
    attribute.isIndexedBySpotlight = fields.flag("spotlightIndexingEnabled")
    attribute.isStoredInExternalRecord = fields.flag("storedInTruthFile")
    attribute.isSyncable = fields.flag("syncable")
    for child in element.children where child.name == "userInfo" {
      attribute.userInfo = userInfo(child, entity: entity, property: name)
    }
    fields.finish(children: ["userInfo"])
    problems += fields.problems
    return attribute
  }

  private mutating func relationship(_ element: MarkupElement, entity: String) -> DataModel.Relationship {
    var fields = ElementFields(element, file: file, entity: entity)
    let name = fields.required("name")
    fields.property = name
    lines[entity, name] = element.line
    var relationship = DataModel.Relationship(
      name: name, destinationName: fields.required("destinationEntity"))
    relationship.inverseName = fields.nonEmpty("inverseName")
    relationship.inverseEntityName = fields.nonEmpty("inverseEntity")
    relationship.isOptional = fields.flag("optional")
    relationship.isTransient = fields.flag("transient")
    relationship.isOrdered = fields.flag("ordered")
    let isToMany = fields.flag("toMany")
    relationship.minCount = fields.integer("minCount", default: 0)
    relationship.maxCount = fields.integer("maxCount", default: isToMany ? 0 : 1)
    relationship.deleteRule = fields.choice(
      "deletionRule", default: .nullify, known: "Nullify, Cascade, Deny, No Action",
      DataModel.DeleteRule.init(editorName:))
    relationship.isIndexed = fields.flag("indexed")
    relationship.isIndexedBySpotlight = fields.flag("spotlightIndexingEnabled")
    relationship.renamingIdentifier = fields.nonEmpty("elementID")
    relationship.versionHashModifier = fields.nonEmpty("versionHashModifier")
    relationship.isSyncable = fields.flag("syncable")
    for child in element.children where child.name == "userInfo" {
      relationship.userInfo = userInfo(child, entity: entity, property: name)
    }
    fields.finish(children: ["userInfo"])
    problems += fields.problems
    return relationship
  }

  private mutating func fetchedProperty(
    _ element: MarkupElement, entity: String
  ) -> DataModel.FetchedProperty {
    var fields = ElementFields(element, file: file, entity: entity)
    let name = fields.required("name")
    fields.property = name
    lines[entity, name] = element.line
    let requests = element.children.filter { $0.name == "fetchRequest" }
    if requests.count != 1 { fields.report(.error, "a fetched property needs exactly one <fetchRequest>") }
    let request =
      requests.first.map { fetchRequest($0, entity: entity) }
      ?? DataModel.FetchRequestTemplate(name: "", entityName: "")
    var property = DataModel.FetchedProperty(name: name, request: request)
    property.isOptional = fields.flag("optional")
    property.isSyncable = fields.flag("syncable")
    property.renamingIdentifier = fields.nonEmpty("elementID")
    property.versionHashModifier = fields.nonEmpty("versionHashModifier")
    for child in element.children where child.name == "userInfo" {
      property.userInfo = userInfo(child, entity: entity, property: name)
    }
    fields.finish(children: ["fetchRequest", "userInfo"])
    problems += fields.problems
    return property
  }

  private mutating func fetchRequest(
    _ element: MarkupElement, entity: String?
  ) -> DataModel.FetchRequestTemplate {
    var fields = ElementFields(element, file: file, entity: entity)
    let name = fields.required("name")
    if entity == nil { fields.property = "fetch request \"\(name)\"" }
    lines.fetchRequests[name] = element.line
    var request = DataModel.FetchRequestTemplate(name: name, entityName: fields.required("entity"))
    request.predicateFormat = fields.nonEmpty("predicateString")
    request.fetchLimit = fields.integer("fetchLimit", default: 0)
    request.fetchOffset = fields.integer("fetchOffset", default: 0)
    request.fetchBatchSize = fields.integer("fetchBatchSize", default: 0)
    request.resultType = fields.choice("resultType", default: .managedObject, known: "0, 1, 2, 4") {
      Int($0).flatMap(DataModel.ResultType.init(rawValue:))
    }
    request.includesSubentities = fields.flag("includeSubentities", default: true)
    request.includesPropertyValues = fields.flag("includePropertyValues", default: true)
    request.includesPendingChanges = fields.flag("includesPendingChanges", default: true)
    request.returnsObjectsAsFaults = fields.flag("returnObjectsAsFaults", default: true)
    request.returnsDistinctResults = fields.flag("returnDistinctResults")
    fields.finish()
    problems += fields.problems
    return request
  }

  private mutating func fetchIndex(_ element: MarkupElement, entity: String) -> DataModel.FetchIndex {
    var fields = ElementFields(element, file: file, entity: entity)
    var index = DataModel.FetchIndex(name: fields.required("name"), elements: [])
    index.partialIndexPredicate = fields.nonEmpty("partialIndexPredicate")
    for child in element.children where child.name == "fetchIndexElement" {
      var fields = ElementFields(child, file: file, entity: entity)
      let type: DataModel.FetchIndex.ElementType = fields.choice(
        "type", default: .binary, known: "Binary, RTree"
      ) {
        switch $0 {
        case "Binary": .binary
        case "RTree": .rTree
        default: nil
        }
      }
      let isAscending = fields.choice("order", default: true, known: "ascending, descending") {
        switch $0 {
        case "ascending": true
        case "descending": false
        default: nil
        }
      }
      let property = fields.nonEmpty("property")
      let expression = fields.nonEmpty("expression")
      if property == nil, expression == nil {
        fields.report(.error, "an element of the index \"\(index.name)\" has neither property nor expression")
      }
      index.elements.append(
        .init(propertyName: property, expression: expression, type: type, isAscending: isAscending))
      _ = fields.string("expressionType")
      fields.finish()
      problems += fields.problems
    }
    fields.finish(children: ["fetchIndexElement"])
    problems += fields.problems
    return index
  }

  /// Reads `<list><item value="a"/>…</list>…`, the form of uniqueness constraints and compound indexes.
  private mutating func nameLists(
    _ element: MarkupElement, list: String, item: String, entity: String
  ) -> [[String]] {
    var outer = ElementFields(element, file: file, entity: entity)
    var lists: [[String]] = []
    for child in element.children where child.name == list {
      var fields = ElementFields(child, file: file, entity: entity)
      var names: [String] = []
      for grandchild in child.children where grandchild.name == item {
        var fields = ElementFields(grandchild, file: file, entity: entity)
        names.append(fields.required("value"))
        fields.finish()
        problems += fields.problems
      }
      if !names.isEmpty { lists.append(names) }
      fields.finish(children: [item])
      problems += fields.problems
    }
    outer.finish(children: [list])
    problems += outer.problems
    return lists
  }

  private mutating func userInfo(
    _ element: MarkupElement, entity: String, property: String?
  ) -> [String: String] {
    var info: [String: String] = [:]
    for child in element.children where child.name == "entry" {
      var fields = ElementFields(child, file: file, entity: entity, property: property)
      let key = fields.string("key") ?? ""
      if info.updateValue(fields.string("value") ?? "", forKey: key) != nil {
        fields.report(.warning, "the user info key \"\(key)\" is given twice; the last one counts")
      }
      fields.finish()
      problems += fields.problems
    }
    return info
  }

  private mutating func configuration(_ element: MarkupElement) -> DataModel.Configuration {
    var fields = ElementFields(element, file: file)
    var configuration = DataModel.Configuration(name: fields.required("name"), entityNames: [])
    fields.property = "configuration \"\(configuration.name)\""
    lines.configurations[configuration.name] = element.line
    configuration.isUsedWithCloudKit = fields.flag("usedWithCloudKit")
    for child in element.children where child.name == "memberEntity" {
      var member = ElementFields(child, file: file, property: fields.property)
      configuration.entityNames.append(member.required("name"))
      member.finish()
      problems += member.problems
    }
    fields.finish(children: ["memberEntity"])
    problems += fields.problems
    return configuration
  }

  private mutating func composite(_ element: MarkupElement) -> DataModel.CompositeType {
    var fields = ElementFields(element, file: file)
    let name = fields.required("name")
    lines[name, nil] = lines[name, nil] ?? element.line
    let attributes = element.children.filter { $0.name == "attribute" }.map { attribute($0, entity: name) }
    fields.finish(children: ["attribute"])
    problems += fields.problems
    return DataModel.CompositeType(name: name, attributes: attributes)
  }

  private func elementPositions(_ element: MarkupElement) -> [DataModel.ElementPosition] {
    element.children.filter { $0.name == "element" }.map { child in
      var fields = ElementFields(child, file: file)
      return DataModel.ElementPosition(
        name: fields.string("name") ?? "", x: fields.double("positionX") ?? 0,
        y: fields.double("positionY") ?? 0, width: fields.double("width") ?? 0,
        height: fields.double("height") ?? 0)
    }
  }
}

/// The lines on which the parts of a `contents` file begin.
struct DataModelLines {
  private var properties: [String: [String: Int]] = [:]
  private var entities: [String: Int] = [:]
  var fetchRequests: [String: Int] = [:]
  var configurations: [String: Int] = [:]

  subscript(entity: String, property: String?) -> Int? {
    get { property.map { properties[entity]?[$0] } ?? entities[entity] }
    set {
      if let property {
        properties[entity, default: [:]][property] = newValue
      } else {
        entities[entity] = newValue
      }
    }
  }
}
