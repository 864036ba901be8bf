extension NSManagedObjectContext {
  /// What the stores answered, as the public values a policy decides on.
  func resolve(_ conflicts: StoreConflicts) throws {
    let policy = mergePolicy as? NSMergePolicy ?? .error
    let versions = conflicts.versions.compactMap { conflict -> NSMergeConflict? in
      let number = owner.number(of: conflict.store)
      guard let object = owner.registered(conflict.conflict.base.reference, store: number) else { return nil }
      return NSMergeConflict(object, base: conflict.conflict.base, persisted: conflict.conflict.persisted)
    }
    let new = conflicts.constraints.isEmpty ? [:] : newObjectsByReference()
    let constraints = conflicts.constraints.map { publicConflict($0.conflict, $0.store, new) }
    try policy.resolve(mergeConflicts: versions + constraints)
    processChanges(propagatingDeletes: true)
  }

  /// New objects by the keys that were reserved for them.
  private func newObjectsByReference() -> [RowReference: NSManagedObject] {
    Dictionary(
      insertedList.lazy.filter { $0.state.contains(.inserted) }.map { ($0.finalReference, $0) },
      uniquingKeysWith: { first, _ in first })
  }

  private func publicConflict(
    _ conflict: ConstraintConflict, _ store: StoreIdentity, _ new: [RowReference: NSManagedObject]
  ) -> NSConstraintConflict {
    let number = owner.number(of: store)
    let objects = conflict.conflicting.compactMap { reference in
      new[reference] ?? owner.registered(reference, store: number)
    }
    let existing = conflict.persisted.map { row -> NSManagedObject in
      let object = owner.object(for: row.reference, store: number)
      if object.state.contains(.fault) { object.row = row }
      return object
    }
    return NSConstraintConflict(
      constraint: conflict.constraint, databaseObject: existing,
      databaseSnapshot: conflict.persisted.flatMap { row in existing?.snapshot(of: row) },
      conflictingObjects: objects, conflictingSnapshots: objects.map(\.snapshot))
  }

  /// Drops everything that was set on an object since its row was read, and what it meant for other objects.
  func revertChanges(of object: NSManagedObject) {
    for property in object.layout.relationships { object.revert(property) }
    discardChanges(of: object)
  }

  /// Drops everything that was set on an object since its row was read; other objects are not told.
  func discardChanges(of object: NSManagedObject) {
    object.changes = nil
    for state in object.toManyStates { state?.discardChanges(keepingBase: false) }
    object.state.remove([.updated, .eventUpdated])
  }

  /// The rows of deleted or changed objects are gone already: there is nothing left to save of them.
  func forgetDeletedElsewhere(_ objects: ContiguousArray<NSManagedObject>) {
    if objects.isEmpty { return }
    for object in objects {
      discardChanges(of: object)
      object.state.remove([.deleted, .inserted, .propagated])
      _ = object.objectID
      owner.unregister(object)
      object.owner = ObjectOwner(owner.layouts)
    }
    for object in owner.allObjects { object.forget(objects) }
  }
}
