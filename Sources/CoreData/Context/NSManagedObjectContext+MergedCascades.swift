/// What goes with the objects of a merged deletion. A store that has applied cascade rules itself, as for a batch
/// request, names only the rows that it was told to delete.
extension NSManagedObjectContext {
  /// The saved objects of this context that cascade rules lead to from deleted ones, and whose rows are gone as well.
  /// A store can't tell the members of a row that is gone. So the objects themselves say where they belong, and the
  /// store is asked once for each entity and level, for those that belong to a deleted object or don't know.
  func objectsGone(with deleted: ContiguousArray<NSManagedObject>) -> ContiguousArray<NSManagedObject> {
    let entities = entitiesBelow(Set(deleted.lazy.map { $0.places.entity }))
    if entities.isEmpty { return [] }
    let named = Set(deleted.lazy.map(ObjectIdentifier.init))
    var others = owner.allObjects.filter { object in
      entities.contains(object.places.entity) && !object.state.contains(.inserted) && source.mayHave(object.key)
        && !named.contains(ObjectIdentifier(object))
    }
    var gone = ContiguousArray<NSManagedObject>()
    var level = deleted
    while !level.isEmpty, !others.isEmpty {
      level = objectsGone(among: takeMembers(of: level, from: &others))
      gone += level
    }
    return gone
  }

  /// The entities that cascade rules lead to from these, directly or through others.
  private func entitiesBelow(_ entities: Set<Int>) -> Set<Int> {
    var found: Set<Int> = []
    var waiting = entities
    while let entity = waiting.popFirst() {
      for property in owner.layouts[entity].cascades {
        for destination in property.destinations where found.insert(destination).inserted {
          waiting.insert(destination)
        }
      }
    }
    return found
  }

  /// Takes those out of `objects` that a cascade rule of a deleted one may lead to.
  private func takeMembers(
    of deleted: ContiguousArray<NSManagedObject>, from objects: inout [NSManagedObject]
  ) -> [NSManagedObject] {
    let lost = LostObjects(deleted)
    let cascades = Set(deleted.lazy.map { $0.places.entity }).flatMap { owner.layouts[$0].cascades }
    let first = objects.partition { object in
      cascades.contains {
        $0.destinations.contains(object.places.entity) && mayLead(object, to: lost, by: $0.inverse)
      }
    }
    defer { objects.removeSubrange(first...) }
    return Array(objects[first...])
  }

  /// Whether a relationship leads to one of these objects, by the row or by an unsaved change. True if only the store
  /// could tell.
  private func mayLead(_ object: NSManagedObject, to lost: LostObjects, by inverse: LayoutProperty?) -> Bool {
    guard let inverse, inverse.kind == .toOne, !inverse.isTransient, let row = object.row,
      let own = object.layout.property(keyNumber: inverse.keyNumber)
    else { return true }
    if let destination = row.destination(own), let leader = registered(destination, store: object.store),
      lost.contains(leader)
    {
      return true
    }
    guard let changes = object.changes, changes.holds(own.slot), case .object(let held) = changes[own.slot] else {
      return false
    }
    return lost.contains(held)
  }

  /// Those whose rows are gone. A merge can't throw, so where the store can't be asked all objects stay, and the reason
  /// is reported on standard error.
  private func objectsGone(among objects: [NSManagedObject]) -> ContiguousArray<NSManagedObject> {
    if objects.isEmpty { return [] }
    do { return ContiguousArray(try source.objectsWithoutRows(among: objects, for: self)) } catch {
      warn(
        MisuseReport(
          "What a merged deletion took along could not be found out.",
          facts: [("Entity", objects[0].layout.name), ("Error", error.localizedDescription)],
          how: "The store could not be read while another context's save was merged.",
          remedy: "Objects that cascade rules lead to stay; refresh them once the store can be read."))
      return []
    }
  }
}

extension EntityLayout {
  /// The relationships whose destinations a store deletes with a row.
  fileprivate var cascades: [LayoutProperty] {
    relationships.filter { !$0.isTransient && $0.relationship.deleteRule == .cascadeDeleteRule }
  }
}
