internal import DataModelFiles

/// Infers a model from a document, if the model that it was written with is missing.
extension XMLStoreDocument {
  /// A model with the entities of the metadata's version hashes, spelled as they are there, and with those of the
  /// objects. Attributes have the types in the file, and lowercase names. Relationships have no inverse. If a
  /// relationship leads to objects of another entity than its declared destination, that entity becomes a subentity of
  /// the destination.
  func inferredModel() throws -> NSManagedObjectModel {
    let hashes = try info().header.metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
    var sink = XMLModelSink(names: Array(hashes.keys))
    try readObjects(into: &sink)
    return try sink.model()
  }

  /// Fills a new model with the model inferred from a file, and with the file's version hashes.
  static func fill(_ model: NSManagedObjectModel, from url: URL) throws {
    do {
      let document = XMLStoreDocument(bytes: try WholeFile.read(url.path).bytes)
      let metadata = try document.info().header.metadata
      let inferred = try document.inferredModel()
      let entities = inferred.entities
      inferred.entities = []
      model.entities = entities
      let identifiers = metadata[NSStoreModelVersionIdentifiersKey] as? [String] ?? [""]
      model.versionIdentifiers = Set(identifiers.map { AnyHashable($0) })
      model.statedVersionHashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
      model.storedStoreOrigin = .inferred
    } catch let problem as AtomicProblem {
      throw problem.failure(url, NSXMLStoreType)
    } catch let problem as WholeFile.Problem {
      throw problem.failure(url, isWriting: false)
    }
  }
}

/// Collects the properties of objects, entity by entity.
private struct XMLModelSink: XMLStoreSink {
  private struct Relationship {
    var type: String
    var destination: String
    var keys: Set<Int64> = []
  }

  private struct Entity {
    var attributes: [String: String] = [:]
    var relationships: [String: Relationship] = [:]
  }

  /// The entities, by the name in capitals.
  private var entities: [String: Entity] = [:]
  private var names: [String: String] = [:]
  private var types: [Int64: String] = [:]
  private var current = ""

  init(names: [String]) {
    for name in names {
      self.names[name.uppercased()] = name
      entities[name.uppercased()] = Entity()
    }
  }

  mutating func begin(type: MarkupText, key: Int64) throws {
    current = type.string.uppercased()
    types[key] = current
    if entities[current] == nil {
      entities[current] = Entity()
      names[current] = type.string
    }
  }

  mutating func attribute(name: MarkupText, type: MarkupText?, isBase64: Bool, text: MarkupText) throws {
    let (name, type) = (name.string, type?.string ?? "string")
    if let known = entities[current]?.attributes.updateValue(type, forKey: name), known != type {
      throw AtomicProblem.damaged(line: nil, "\(name) of \(current) is of type \(type), and elsewhere \(known)")
    }
  }

  mutating func relationship(name: MarkupText, type: MarkupText?, destination: MarkupText?, keys: [Int64]) throws {
    guard let destination else {
      throw AtomicProblem.damaged(line: nil, "\(name.string) of \(current) has no destination")
    }
    let made = Relationship(type: type?.string ?? "0/0", destination: destination.string.uppercased())
    entities[current]?.relationships[name.string, default: made].keys.formUnion(keys)
  }

  mutating func end() throws {}

  func model() throws -> NSManagedObjectModel {
    var known = entities
    for entity in entities.values {
      for relationship in entity.relationships.values where known[relationship.destination] == nil {
        known[relationship.destination] = Entity()
      }
    }
    let parents = try parents(known)
    try XMLModelSink.check(known, parents)
    var made: [String: NSEntityDescription] = [:]
    for name in known.keys {
      let entity = NSEntityDescription()
      entity.name = names[name] ?? name
      made[name] = entity
    }
    for (name, entity) in known {
      let above = sequence(first: name) { parents[$0] }.dropFirst().compactMap { known[$0] }
      made[name]!.properties =
        try entity.attributes.sorted(on: \.key).compactMap { attribute in
          above.contains { $0.attributes[attribute.key] != nil } ? nil : try description(attribute.key, attribute.value)
        }
        + entity.relationships.sorted(on: \.key).compactMap { relationship in
          above.contains { $0.relationships[relationship.key] != nil }
            ? nil
            : description(
              relationship.key, found: relationship.value, destination: made[relationship.value.destination]!)
        }
    }
    for (parent, children) in Dictionary(grouping: parents.keys.sorted(), by: { parents[$0]! }) {
      made[parent]!.subentities = children.map { made[$0]! }
    }
    let model = NSManagedObjectModel()
    model.entities = made.sorted(on: \.key).map(\.value)
    return model
  }

  /// The parent of each entity whose objects appear where another entity is declared. No entity gets two parents or
  /// becomes its own ancestor.
  private func parents(_ known: [String: Entity]) throws -> [String: String] {
    var parents: [String: String] = [:]
    for (_, entity) in known.sorted(on: \.key) {
      for (_, relationship) in entity.relationships.sorted(on: \.key) {
        for type in Set(relationship.keys.compactMap { types[$0] }).sorted()
        where type != relationship.destination && parents[type] == nil {
          var line = [relationship.destination]
          while line.count <= ModelLimits.ancestors, let next = parents[line[line.count - 1]] { line.append(next) }
          guard line.count <= ModelLimits.ancestors else {
            throw AtomicProblem.damaged(line: nil, "\(type) inherits from more than 200 entities")
          }
          if !line.contains(type) { parents[type] = relationship.destination }
        }
      }
    }
    return parents
  }

  /// Throws if the entities are more, or larger, than those of any model.
  private static func check(_ known: [String: Entity], _ parents: [String: String]) throws {
    let names = known.keys.sorted()
    let places = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    do {
      _ = try ModelLines(
        parents: names.map { name in parents[name].flatMap { places[$0] } },
        properties: names.map { (known[$0]?.attributes.count ?? 0) + (known[$0]?.relationships.count ?? 0) },
        name: { names[$0] })
    } catch let excess as ModelExcess {
      throw AtomicProblem.damaged(line: nil, excess.description)
    }
  }

  private func description(_ name: String, _ type: String) throws -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    let types = DataModel.AttributeType.allCases.map(NSAttributeType.init)
    guard !type.isEmpty, let known = types.first(where: { "\(SlotKind($0).fileName)" == type }) else {
      throw AtomicProblem.damaged(line: nil, "\(name) is of the unknown type \(type)")
    }
    attribute.attributeType = known
    return attribute
  }

  private func description(
    _ name: String, found: Relationship, destination: NSEntityDescription
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.isOptional = true
    let isToOne = found.type.hasSuffix("/1")
    relationship.minCount = 0
    relationship.maxCount = isToOne ? 1 : 0
    return relationship
  }
}
