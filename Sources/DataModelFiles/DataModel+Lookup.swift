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

  /// The names of each entity and of its ancestors, nearest first, by the entity's name. It is made in one walk, where
  /// `lineage(of:)` for each entity would look through all of them at each step.
  package var lineNames: [String: [String]] {
    let places = Dictionary(entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    var lines: [String: [String]] = [:]
    for entity in entities where lines[entity.name] == nil {
      var line = [entity.name]
      var next = entity.parentName
      while let parent = next, let place = places[parent], !line.contains(parent) {
        line.append(parent)
        next = entities[place].parentName
      }
      lines[entity.name] = line
    }
    return lines
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
