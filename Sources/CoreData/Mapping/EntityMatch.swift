/// Matches the entities of one model with those of another, whatever happened to their properties.
struct EntityMatch {
  private var destinations: [ObjectIdentifier: NSEntityDescription] = [:]
  private var sources: [ObjectIdentifier: NSEntityDescription] = [:]
  private(set) var pairs: [(source: NSEntityDescription, destination: NSEntityDescription)] = []

  /// - Throws: `Failure.notInferable` for entities with several possible matches, and for merged hierarchies.
  init(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) throws {
    let from = source.entitiesInStoreOrder
    let to = destination.entitiesInStoreOrder
    let match: RenamingMatch
    do {
      match = try RenamingMatch(from: from.map(EntityMatch.item), to: to.map(EntityMatch.item))
    } catch let tie as RenamingMatch.Tie {
      throw Failure.notInferable(entity: tie.destinations[0], property: nil, reason: tie.reason)
    }
    for (place, entity) in to.enumerated() {
      guard let source = match.sources[place].map({ from[$0] }) else { continue }
      sources[ObjectIdentifier(entity)] = source
      destinations[ObjectIdentifier(source)] = entity
      pairs.append((source, entity))
    }
    for root in to where root.superentity == nil && self.source(of: root) == nil { try checkFamily(of: root) }
  }

  func source(of destination: NSEntityDescription) -> NSEntityDescription? {
    sources[ObjectIdentifier(destination)]
  }

  func destination(of source: NSEntityDescription) -> NSEntityDescription? {
    destinations[ObjectIdentifier(source)]
  }

  /// The entities that objects of `source` and its subentities have in the destination.
  func destinationsOfFamily(of source: NSEntityDescription) -> [NSEntityDescription] {
    source.withDescendants.compactMap(destination(of:))
  }

  private static func item(_ entity: NSEntityDescription) -> RenamingMatch.Item {
    RenamingMatch.Item(name: entity.storedName ?? "", identifier: entity.storedRenamingIdentifier)
  }

  /// The entities below a new root may be new, or come from one former hierarchy. Rows of two tables, each with its own
  /// keys, can't become rows of one table.
  private func checkFamily(of root: NSEntityDescription) throws {
    var first: NSEntityDescription?
    for entity in nearestKept(below: root) {
      guard let source = source(of: entity) else { continue }
      guard let known = first else {
        first = source
        continue
      }
      if known.rootEntity !== source.rootEntity {
        throw Failure.notInferable(
          entity: root.storedName, property: nil,
          reason: "Entity hierarchies cannot be merged: \(known.storedName ?? "") and "
            + "\(source.storedName ?? "") had no common parent and now share the new parent \(root.storedName ?? "")")
      }
    }
  }

  private func nearestKept(below entity: NSEntityDescription) -> [NSEntityDescription] {
    entity.storedSubentities.sorted(by: NSEntityDescription.inNameOrder).flatMap { child in
      source(of: child) == nil ? nearestKept(below: child) : [child]
    }
  }
}
