/// Which objects an event or a save changed, and how.
struct ObjectChanges {
  var inserted = ContiguousArray<NSManagedObject>()
  var updated = ContiguousArray<NSManagedObject>()
  var deleted = ContiguousArray<NSManagedObject>()
  var refreshed = ContiguousArray<NSManagedObject>()

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty }

  /// The objects as sets. If observers have already been given sets of the same objects, these are used again.
  func sets(reusing told: ToldObjects? = nil) -> ObjectSets {
    func set(
      _ objects: ContiguousArray<NSManagedObject>, toldObjects: ContiguousArray<NSManagedObject>?,
      toldSet: Set<NSManagedObject>?
    ) -> Set<NSManagedObject>? {
      if objects.isEmpty { return nil }
      if let toldObjects, let toldSet, objects.elementsEqual(toldObjects, by: ===) { return toldSet }
      return Set(telling: objects)
    }
    return ObjectSets(
      inserted: set(inserted, toldObjects: told?.changes.inserted, toldSet: told?.sets.inserted),
      updated: set(updated, toldObjects: told?.changes.updated, toldSet: told?.sets.updated),
      deleted: set(deleted, toldObjects: told?.changes.deleted, toldSet: told?.sets.deleted),
      refreshed: set(refreshed, toldObjects: told?.changes.refreshed, toldSet: told?.sets.refreshed))
  }

  /// The payload of a notification.
  var userInfo: [AnyHashable: Any] { sets().userInfo }

  /// The payload of a notification with ids.
  var idUserInfo: [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [:]
    func put(_ key: String, _ objects: ContiguousArray<NSManagedObject>) {
      if !objects.isEmpty { info[key] = Set(telling: objects.lazy.map { $0.objectID }) }
    }
    put(NSInsertedObjectIDsKey, inserted)
    put(NSUpdatedObjectIDsKey, updated)
    put(NSDeletedObjectIDsKey, deleted)
    put(NSRefreshedObjectIDsKey, refreshed)
    return info
  }
}

/// The objects of a notification by what happened to them; nil for what happened to none.
struct ObjectSets {
  let inserted, updated, deleted, refreshed: Set<NSManagedObject>?

  /// The payload of a notification: a key for each kind of change there was.
  ///
  /// The values are Swift sets, not a lazy subclass of `NSSet`. On Linux the cast `as? Set<NSManagedObject>`, which
  /// clients write, copies the storage of Foundation's own class without asking a subclass, so it would come out empty.
  var userInfo: [AnyHashable: Any] {
    var info: [AnyHashable: Any] = [:]
    if let inserted { info[NSInsertedObjectsKey] = inserted }
    if let updated { info[NSUpdatedObjectsKey] = updated }
    if let deleted { info[NSDeletedObjectsKey] = deleted }
    if let refreshed { info[NSRefreshedObjectsKey] = refreshed }
    return info
  }
}

/// The sets in which a save's own event told observers of its objects. The save nearly always reports the same objects
/// again, and then uses the same sets: making them is a good part of what a new object costs.
struct ToldObjects {
  let changes: ObjectChanges
  let sets: ObjectSets
}

extension Set where Element: NSObject {
  /// Makes a set for a notification, with twice the room that its elements need. Elements that collide are compared by
  /// `isEqual(_:)`, which takes an `Any` and costs more than all the rest.
  init(telling elements: some Collection<Element>) {
    self.init(minimumCapacity: elements.count * 2)
    for element in elements { insert(element) }
  }
}
