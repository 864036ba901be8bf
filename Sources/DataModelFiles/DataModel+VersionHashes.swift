extension DataModel {
  /// The version hash of each entity, 32 bytes each, by entity name.
  ///
  /// We don't know how a derived attribute enters the hash, so it enters like a plain attribute. A store of Apple's has
  /// another hash for an entity with one.
  public func entityVersionHashes() -> [String: [UInt8]] {
    let places = Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let types = compositesByName
    let properties = entities.map { storedProperties(of: $0, types) }
    var hashes: [String: [UInt8]] = [:]
    for place in entities.indices where hashes[entities[place].name] == nil {
      var line = [place]
      while let parent = entities[line[line.count - 1]].parentName.flatMap({ places[$0] }), !line.contains(parent) {
        line.append(parent)
      }
      // From the root down, because an entity's hash has in it those of its parent and of all that it inherits.
      var inherited: [(name: String, hash: [UInt8])] = []
      var parentHash: [UInt8]?
      for place in line.reversed() {
        inherited += properties[place]
        let entity = entities[place]
        let hash =
          hashes[entity.name]
          ?? VersionHash.entity(
            name: entity.name, isAbstract: entity.isAbstract, superentityHash: parentHash, properties: inherited,
            uniquenessConstraints: entity.uniquenessConstraints, modifier: entity.versionHashModifier)
        hashes[entity.name] = hash
        parentHash = hash
      }
    }
    return hashes
  }

  /// `NSManagedObjectModel.versionChecksum`.
  public func versionChecksum() -> String {
    VersionHash.modelChecksum(entityVersionHashes().map { ($0.key, $0.value) })
  }

  private func storedProperties(
    of entity: Entity, _ types: [String: CompositeType]
  ) -> [(name: String, hash: [UInt8])] {
    var properties: [(name: String, hash: [UInt8])] = []
    for attribute in entity.attributes where !attribute.isTransient {
      properties.append((attribute.name, versionHash(of: attribute, types)))
    }
    for relationship in entity.relationships where !relationship.isTransient {
      properties.append((relationship.name, relationship.versionHash))
    }
    return properties
  }
}

extension DataModel {
  /// The composite types by name; the first one where two share a name.
  package var compositesByName: [String: CompositeType] {
    Dictionary(composites.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func versionHash(of attribute: Attribute, _ types: [String: CompositeType]) -> [UInt8] {
    guard attribute.type == .composite else { return attribute.plainVersionHash }
    return VersionHash.composite(
      leaves: leaves(of: attribute, types, within: []).map { ($0.name, $0.plainVersionHash) },
      modifier: attribute.versionHashModifier)
  }

  /// The attributes in a composite that are not composites, depth first. A composite inside itself has none.
  private func leaves(
    of attribute: Attribute, _ types: [String: CompositeType], within outer: Set<String>
  ) -> [Attribute] {
    guard attribute.type == .composite else { return [attribute] }
    guard let name = attribute.compositeName, !outer.contains(name), let type = types[name] else { return [] }
    return type.attributes.flatMap { leaves(of: $0, types, within: outer.union([name])) }
  }
}

extension DataModel.Attribute {
  fileprivate var plainVersionHash: [UInt8] {
    let base = VersionHash.base(
      name: name, isOptional: isOptional, isTransient: isTransient, modifier: versionHashModifier)
    return VersionHash.attribute(
      base: base, attributeType: type.rawValue, externalStorage: allowsExternalBinaryDataStorage,
      preservesInHistory: preservesValueInHistoryOnDeletion)
  }
}

extension DataModel.Relationship {
  public var versionHash: [UInt8] {
    let base = VersionHash.base(
      name: name, isOptional: isOptional, isTransient: isTransient, modifier: versionHashModifier)
    return VersionHash.relationship(
      base: base, destination: destinationName, inverse: inverseName, maxCount: maxCount,
      minCount: minCount, isOrdered: isOrdered)
  }
}
