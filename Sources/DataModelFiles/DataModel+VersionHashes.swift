extension DataModel {
  /// The version hash of each entity, 32 bytes each, by entity name.
  ///
  /// We don't know how a derived attribute enters the hash, so it enters like a plain attribute. A store of Apple's has
  /// another hash for an entity with one.
  public func entityVersionHashes() -> [String: [UInt8]] {
    var hashes: [String: [UInt8]] = [:]
    for entity in entities { _ = hash(of: entity, in: &hashes) }
    return hashes
  }

  /// `NSManagedObjectModel.versionChecksum`.
  public func versionChecksum() -> String {
    VersionHash.modelChecksum(entityVersionHashes().map { ($0.key, $0.value) })
  }

  private func hash(of entity: Entity, in hashes: inout [String: [UInt8]]) -> [UInt8] {
    if let known = hashes[entity.name] { return known }
    let line = lineage(of: entity)
    let parent = line.count > 1 ? line[1] : nil
    let properties =
      allAttributes(of: entity).filter { !$0.isTransient }.map { ($0.name, versionHash(of: $0)) }
      + allRelationships(of: entity).filter { !$0.isTransient }.map { ($0.name, $0.versionHash) }
    let hash = VersionHash.entity(
      name: entity.name, isAbstract: entity.isAbstract,
      superentityHash: parent.map { self.hash(of: $0, in: &hashes) },
      properties: properties, uniquenessConstraints: entity.uniquenessConstraints,
      modifier: entity.versionHashModifier)
    hashes[entity.name] = hash
    return hash
  }
}

extension DataModel {
  /// The hash of an attribute of this model.
  public func versionHash(of attribute: Attribute) -> [UInt8] {
    guard attribute.type == .composite else { return attribute.plainVersionHash }
    return VersionHash.composite(
      leaves: leaves(of: attribute, within: []).map { ($0.name, $0.plainVersionHash) },
      modifier: attribute.versionHashModifier)
  }

  /// The attributes in a composite that are not composites, depth first. A composite inside itself has none.
  private func leaves(of attribute: Attribute, within outer: Set<String>) -> [Attribute] {
    guard attribute.type == .composite else { return [attribute] }
    guard let name = attribute.compositeName, !outer.contains(name),
      let type = composites.first(where: { $0.name == name })
    else { return [] }
    return type.attributes.flatMap { leaves(of: $0, within: outer.union([name])) }
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
