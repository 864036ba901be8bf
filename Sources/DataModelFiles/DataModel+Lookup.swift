extension DataModel {
  public func entity(named name: String) -> Entity? { entities.first { $0.name == name } }

  /// The entity and its ancestors, nearest first. It stops at an unknown parent and before a cycle.
  public func lineage(of entity: Entity) -> [Entity] {
    var line = [entity]
    while let parentName = line.last?.parentName, let parent = self.entity(named: parentName),
      !line.contains(where: { $0.name == parentName })
    {
      line.append(parent)
    }
    return line
  }

  /// The entity's attributes, those of its ancestors first.
  public func allAttributes(of entity: Entity) -> [Attribute] {
    lineage(of: entity).reversed().flatMap(\.attributes)
  }

  public func allRelationships(of entity: Entity) -> [Relationship] {
    lineage(of: entity).reversed().flatMap(\.relationships)
  }

  public func allFetchedProperties(of entity: Entity) -> [FetchedProperty] {
    lineage(of: entity).reversed().flatMap(\.fetchedProperties)
  }
}
