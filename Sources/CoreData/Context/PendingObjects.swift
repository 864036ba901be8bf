/// Objects of a save, by what happens to them.
struct PendingObjects {
  let inserted: ContiguousArray<NSManagedObject>
  let changed: ContiguousArray<NSManagedObject>
  let deleted: ContiguousArray<NSManagedObject>

  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  /// All of them, deleted ones last.
  var all: ContiguousArray<NSManagedObject> { inserted + changed + deleted }

  /// Calls `body` with each object, with the deleted ones last.
  func forEachHeld(_ body: (NSManagedObject) throws -> Void) rethrows {
    try inserted.forEachHeld(body)
    try changed.forEachHeld(body)
    try deleted.forEachHeld(body)
  }

  /// The objects that meet a condition.
  func keeping(_ holds: (NSManagedObject) -> Bool) -> PendingObjects {
    PendingObjects(
      inserted: inserted.keeping(holds), changed: changed.keeping(holds), deleted: deleted.keeping(holds))
  }
}

/// Which objects of a save were met, and as what: one that was met as changed is new among the deleted ones.
struct PendingIdentities {
  private(set) var inserted: Set<ObjectIdentifier> = []
  private(set) var changed: Set<ObjectIdentifier> = []
  private(set) var deleted: Set<ObjectIdentifier> = []

  init(_ objects: PendingObjects) { add(objects) }

  mutating func add(_ objects: PendingObjects) {
    inserted.formUnion(objects.inserted.lazy.map(ObjectIdentifier.init))
    changed.formUnion(objects.changed.lazy.map(ObjectIdentifier.init))
    deleted.formUnion(objects.deleted.lazy.map(ObjectIdentifier.init))
  }

  /// Those objects that were not met as what they are now. Objects whose row is gone are left out.
  func newcomers(among objects: PendingObjects) -> PendingObjects {
    func unmet(
      _ list: ContiguousArray<NSManagedObject>, _ known: Set<ObjectIdentifier>
    ) -> ContiguousArray<NSManagedObject> {
      list.keeping { !known.contains(ObjectIdentifier($0)) && !$0.state.contains(.inaccessible) }
    }
    return PendingObjects(
      inserted: unmet(objects.inserted, inserted), changed: unmet(objects.changed, changed),
      deleted: unmet(objects.deleted, deleted))
  }
}
