/// Checks whether the parts of a model fit together. It finds every problem, not only the first.
struct DataModelValidator {
  let model: DataModel
  let file: String
  let lines: DataModelLines
  let origin: Origin
  private(set) var problems: [DataModelProblem] = []
  /// How many bytes of problems are still taken. In a file that was made for it, a million properties could each be
  /// wrong in a long sentence.
  private var room = 1 << 24
  private var hasErrors = false
  /// The positions of the entities in the model, by name; and the positions of each entity's ancestors.
  private let places: [String: Int]
  private let ancestors: [[Int]]
  private let composites: CompositeSizes
  /// What is too large about the model. Then nothing else is checked.
  private let excess: ModelExcess?
  /// The names of a large model's properties; nil for others, whose few names are compared one by one.
  private let names: PropertyTables?

  /// Where a model comes from.
  enum Origin {
    /// The editor, whose rules count.
    case source
    /// A `.mom`. Another compiler may have taken names that ours does not take.
    case compiled
    /// A store that keeps the model. Then it has served already, and the rules that only a model's author can follow
    /// don't count: which names members have, and which counts make sense.
    case store
  }

  init(model: DataModel, file: String, lines: DataModelLines = DataModelLines(), origin: Origin) {
    self.model = model
    self.origin = origin
    self.file = file
    self.lines = lines
    let places = Dictionary(
      model.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.places = places
    do {
      let measured = try model.measured(places: places)
      ancestors = measured.lines.ancestors
      composites = measured.composites
      names = measured.lines.propertyCount > 4096 ? PropertyTables() : nil
      excess = nil
    } catch {
      ancestors = []
      composites = CompositeSizes()
      names = nil
      excess = error as? ModelExcess ?? ModelExcess(subject: nil, message: "\(error)")
    }
  }

  private func declares(_ name: String, _ index: Int) -> Bool {
    let entity = model.entities[index]
    return entity.attributes.contains { $0.name == name } || entity.relationships.contains { $0.name == name }
      || entity.fetchedProperties.contains { $0.name == name }
  }

  /// The entity that declares a property of that name: this one, or the nearest ancestor.
  private func owner(of name: String, in index: Int) -> Int? {
    guard let names else { return declares(name, index) ? index : ancestors[index].first { declares(name, $0) } }
    if let owners = names.owners[index] { return owners[name] }
    var owners: [String: Int] = [:]
    for place in ([index] + ancestors[index]).reversed() {
      for name in model.entities[place].propertyNames { owners[name] = place }
    }
    names.owners[index] = owners
    return owners[name]
  }

  /// Whether the entity or an ancestor has a property of that name.
  private func has(_ name: String, _ index: Int) -> Bool { owner(of: name, in: index) != nil }

  /// The relationship of that name which the entity declares itself.
  private func relationship(_ name: String, of index: Int) -> DataModel.Relationship? {
    let relationships = model.entities[index].relationships
    guard let names else { return relationships.first { $0.name == name } }
    if let places = names.relationships[index] { return places[name].map { relationships[$0] } }
    let places = Dictionary(
      relationships.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    names.relationships[index] = places
    return places[name].map { relationships[$0] }
  }

  mutating func validate() {
    if let excess {
      report(.error, excess.subject, nil, excess.message)
      return
    }
    var names: Set<String> = []
    for entity in model.entities where !names.insert(entity.name).inserted {
      report(.error, entity.name, nil, "two entities have this name")
    }
    for (index, entity) in model.entities.enumerated() {
      if origin == .source { validateNames(of: entity) }
      validateParent(of: entity, at: index)
      validatePropertyNames(of: entity, at: index)
      for attribute in entity.attributes { validate(attribute, of: entity.name) }
      for relationship in entity.relationships { validate(relationship, of: entity, at: index) }
      for property in entity.fetchedProperties where places[property.request.entityName] == nil {
        report(.error, entity.name, property.name, "unknown entity \"\(property.request.entityName)\"")
      }
      validateConstraints(of: entity, at: index)
      validateIndexes(of: entity, at: index)
    }
    validateRequests()
    validateConfigurations()
    validateComposites()
  }

  /// The names that generated classes have of the entity.
  private mutating func validateNames(of entity: DataModel.Entity) {
    if !PropertyNames.isPlain(entity.name), let fault = GeneratedName.fault(of: entity.name, "an entity's name") {
      report(.error, entity.name, nil, fault)
    }
    if let name = entity.className, !GeneratedName.isClass(name) {
      report(.error, entity.name, nil, "representedClassName=\"\(name)\" is not the name of a class")
    }
    for attribute in entity.attributes {
      guard let type = attribute.customClassName, !GeneratedName.isType(type) else { continue }
      report(.error, entity.name, attribute.name, "customClassName=\"\(type)\" is not a type")
    }
  }

  private mutating func validateParent(of entity: DataModel.Entity, at index: Int) {
    guard let parentName = entity.parentName else { return }
    guard places[parentName] != nil else {
      report(.error, entity.name, nil, "unknown parent entity \"\(parentName)\"")
      return
    }
    if model.entities[ancestors[index].last ?? index].parentName.flatMap({ places[$0] }) != nil {
      report(.error, entity.name, nil, "the entity is its own ancestor (parent \"\(parentName)\")")
    }
  }

  private mutating func validatePropertyNames(of entity: DataModel.Entity, at index: Int) {
    let names = entity.propertyNames
    let parent = ancestors[index].first
    var seen = Set<String>(minimumCapacity: names.count)
    for name in names {
      if !seen.insert(name).inserted {
        report(.error, entity.name, name, "two properties have this name")
      }
      if let ancestor = parent.flatMap({ owner(of: name, in: $0) }), ancestor != index {
        report(
          .error, entity.name, name, "its ancestor \(model.entities[ancestor].name) already has a property of this name"
        )
      }
      if name.isEmpty || origin == .store { continue }
      if PropertyNames.isPlain(name) {
        if PropertyNames.isReserved(name) {
          report(
            origin == .source ? .error : .warning, entity.name, name,
            "the name is taken: NSManagedObject has a member of this name")
        }
      } else if let fault = GeneratedName.fault(of: name, "a property's name") {
        report(.error, entity.name, name, fault)
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
    if attribute.type == .composite, attribute.compositeName.flatMap({ composites.counts[$0] }) == nil {
      report(.error, owner, attribute.name, "unknown composite \"\(attribute.compositeName ?? "")\"")
    }
    if let low = attribute.minimum?.number, let high = attribute.maximum?.number, low > high {
      report(.warning, owner, attribute.name, "the minimum is greater than the maximum")
    }
  }

  private mutating func validateCounts(of relationship: DataModel.Relationship, _ entity: DataModel.Entity) {
    let (least, most) = (relationship.minCount, relationship.maxCount)
    if least < 0 || most < 0 {
      report(.error, entity.name, relationship.name, "minCount and maxCount cannot be negative")
    } else if most != 0, least > most {
      report(.error, entity.name, relationship.name, "minCount \(least) is greater than maxCount \(most)")
    }
  }

  private mutating func validate(
    _ relationship: DataModel.Relationship, of entity: DataModel.Entity, at index: Int
  ) {
    let name = relationship.name
    // Of a kept model, its freezing checks them.
    if origin != .store { validateCounts(of: relationship, entity) }
    if relationship.isOrdered, !relationship.isToMany {
      report(.warning, entity.name, name, "a to-one relationship cannot be ordered")
    }
    guard let place = places[relationship.destinationName] else {
      report(.error, entity.name, name, "unknown destination entity \"\(relationship.destinationName)\"")
      return
    }
    guard let inverseName = relationship.inverseName else { return }
    let destination = model.entities[place].name
    if let inverseEntity = relationship.inverseEntityName, inverseEntity != destination,
      !ancestors[place].contains(where: { model.entities[$0].name == inverseEntity })
    {
      report(
        .warning, entity.name, name,
        "inverseEntity \"\(inverseEntity)\" is not the destination \"\(destination)\", which must have the inverse")
    }
    guard let owner = owner(of: inverseName, in: place), let inverse = self.relationship(inverseName, of: owner) else {
      report(
        .error, entity.name, name, "the inverse \"\(inverseName)\" is not a relationship of \(destination)")
      return
    }
    // Applications have shipped with such models: Xcode's compiler takes them.
    if inverse.inverseName != name || !areRelated(places[inverse.destinationName], index) {
      let actual = inverse.inverseName.map { "\(inverse.destinationName).\($0)" } ?? "nothing"
      report(
        .warning, entity.name, name,
        "the inverse is not mutual: \(destination).\(inverseName) has \(actual) for its inverse")
    }
  }

  /// Whether one entity is the other or an ancestor of it.
  private func areRelated(_ one: Int?, _ other: Int) -> Bool {
    guard let one else { return false }
    return one == other || ancestors[one].contains(other) || ancestors[other].contains(one)
  }

  private mutating func validateConstraints(of entity: DataModel.Entity, at index: Int) {
    for name in entity.uniquenessConstraints.joined() where !has(name, index) {
      report(.error, entity.name, nil, "a uniqueness constraint names the unknown attribute \"\(name)\"")
    }
  }

  private mutating func validateIndexes(of entity: DataModel.Entity, at index: Int) {
    // The editor's own indexes may name what Core Data adds, such as `self`.
    func isKnown(_ name: String) -> Bool { has(name, index) || DataModel.FetchIndex.objectKeys.contains(name) }
    for fetchIndex in entity.fetchIndexes {
      for name in fetchIndex.elements.compactMap(\.propertyName) where !isKnown(name) {
        report(
          .error, entity.name, nil, "the index \"\(fetchIndex.name)\" names the unknown property \"\(name)\"")
      }
      // Only the speed of fetches depends on an index.
      for element in fetchIndex.elements where element.propertyName == nil {
        guard let text = element.expression, ExpressionNode(modelText: text) == nil else { continue }
        report(
          .warning, entity.name, nil,
          "the index \"\(fetchIndex.name)\" is ignored: its expression \"\(text)\" can't be read")
      }
    }
    for name in entity.compoundIndexes.joined() where !isKnown(name) {
      report(.warning, entity.name, nil, "a compound index names the unknown property \"\(name)\"")
    }
  }

  private mutating func validateRequests() {
    var names: Set<String> = []
    for request in model.fetchRequestTemplates {
      let place = "fetch request \"\(request.name)\""
      if !names.insert(request.name).inserted {
        report(.error, nil, place, "two of them have this name", line: lines.fetchRequests[request.name])
      }
      if places[request.entityName] == nil {
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
        report(.error, nil, place, "two of them have this name", line: line)
      }
      for name in configuration.entityNames where places[name] == nil {
        report(.error, nil, place, "unknown entity \"\(name)\"", line: line)
      }
    }
  }

  private mutating func validateComposites() {
    var names: Set<String> = []
    for composite in model.composites {
      if !names.insert(composite.name).inserted {
        report(.error, composite.name, nil, "two composites have this name")
      }
      var seen: Set<String> = []
      for attribute in composite.attributes {
        if !seen.insert(attribute.name).inserted {
          report(.error, composite.name, attribute.name, "two attributes have this name")
        }
        validate(attribute, of: composite.name)
      }
      if composites.circular.contains(composite.name) {
        report(.error, composite.name, nil, "the composite holds itself")
      }
    }
  }

  private mutating func report(
    _ severity: DataModelProblem.Severity, _ entity: String?, _ property: String?, _ message: String,
    line: Int? = nil
  ) {
    room -= 100 + message.utf8.count + (entity?.utf8.count ?? 0) + (property?.utf8.count ?? 0)
    // An error counts, however many problems there are.
    if room < 0, severity == .warning || hasErrors { return }
    if severity == .error { hasErrors = true }
    problems.append(
      DataModelProblem(
        severity, file: file,
        line: line ?? entity.flatMap { lines[$0, property] ?? lines[$0, nil] },
        entity: entity, property: property, message: message))
  }
}

/// The names of properties, by the position of an entity. Made for each entity that is asked for.
private final class PropertyTables {
  /// The positions of the entities that declare the names: the entity's own, and those that it inherits.
  var owners: [Int: [String: Int]] = [:]
  /// The positions of the entity's own relationships.
  var relationships: [Int: [String: Int]] = [:]
}

extension DataModel.Entity {
  var propertyNames: [String] {
    attributes.map(\.name) + relationships.map(\.name) + fetchedProperties.map(\.name)
  }
}

extension DataModel.Value {
  /// The value as a number, for comparing limits.
  var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value), .date(let value): value
    case .decimal(let value): Double("\(value)")
    case .boolean, .string, .data, .uuid, .uri: nil
    }
  }
}

/// Names that a property cannot have.
enum PropertyNames {
  /// Whether a name is ASCII letters, digits and underscores, and begins with a letter, as nearly all do.
  static func isPlain(_ name: String) -> Bool {
    guard let first = name.utf8.first, first >= 65, first != 95 else { return false }
    return name.utf8.allSatisfy { 97...122 ~= $0 || 65...90 ~= $0 || 48...57 ~= $0 || $0 == 95 }
  }

  /// Whether a member has the name. Few names have the length and the first letter of one, so few have to be hashed.
  static func isReserved(_ name: String) -> Bool {
    guard let first = name.utf8.first, beginnings[name.utf8.count & 63] & (1 << UInt32(first & 31)) != 0 else {
      return false
    }
    return reserved.contains(name)
  }

  /// For each length, counted up to 64 and from the beginning again, a bit for the first letter of each reserved name.
  private static let beginnings: [UInt32] = {
    var beginnings = [UInt32](repeating: 0, count: 64)
    for name in reserved { beginnings[name.utf8.count & 63] |= 1 << UInt32((name.utf8.first ?? 0) & 31) }
    return beginnings
  }()

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
