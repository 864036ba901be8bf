extension NSManagedObjectContext {
  /// Asks the merge policy to settle what stores reported.
  ///
  /// - Parameter giveBackKeys: called when the conflicts know their objects, and before the program's policy is asked,
  ///   which may save or ask for permanent ids: no object may keep a key then that the attempt has only named.
  func resolve(_ conflicts: StoreConflicts, giveBackKeys: () -> Void) throws {
    let policy = mergePolicy as? NSMergePolicy ?? .error
    let versions = conflicts.versions.compactMap { conflict -> NSMergeConflict? in
      guard let object = registered(conflict.conflict.base.reference, store: owner.number(of: conflict.store)) else {
        return nil
      }
      return NSMergeConflict(object, conflict.conflict)
    }
    let constraints = publicConflicts(conflicts.constraints)
    giveBackKeys()
    if let stated = conflicts.stated {
      if policy.mergeType == .errorMergePolicyType { throw stated.error }
      try policy.resolve(mergeConflicts: stated.conflicts)
    }
    try policy.resolve(mergeConflicts: versions + constraints)
    try processChanges()
  }

  /// The conflicts that stores reported, as the public values that a policy decides on.
  private func publicConflicts(
    _ conflicts: [(store: StoreIdentity, conflict: ConstraintConflict)]
  ) -> [NSConstraintConflict] {
    if conflicts.isEmpty { return [] }
    // New objects by the keys that are reserved for them. Nothing else finds them by these yet.
    var new: [UInt16: [RowReference: NSManagedObject]] = [:]
    for object in ledger.newObjects {
      new[object.store, default: [:]][object.finalReference] = object
    }
    return conflicts.map { store, conflict in
      let number = owner.number(of: store)
      return publicConflict(conflict, store: number) { new[number]?[$0] ?? owner.registered($0, store: number) }
    }
  }

  private func publicConflict(
    _ conflict: ConstraintConflict, store: UInt16, object: (RowReference) -> NSManagedObject?
  ) -> NSConstraintConflict {
    let objects = conflict.conflicting.compactMap(object)
    let existing = conflict.persisted.map { row in
      owner.objects(for: [row], store: store, refreshing: false)[0]
    }
    return NSConstraintConflict(
      constraint: conflict.constraint, database: existing,
      databaseSnapshot: conflict.persisted.flatMap { row in existing?.snapshot(of: row) },
      conflicting: objects, conflictingSnapshots: objects.map(\.originalSnapshot))
  }

  /// Drops everything that was set on an object since its row was read, and the effects on other objects.
  func revertChanges(of object: NSManagedObject) {
    for property in object.layout.relationships { object.revert(property) }
    discardChanges(of: object)
  }

  /// Drops everything that was set on an object since its row was read, without touching other objects.
  func discardChanges(of object: NSManagedObject) {
    object.changes = nil
    for state in object.toManyStates { state?.discardChanges(keepingBase: false) }
    ChangeLedger.reverted(object)
    if object.layout.hasTransientDefaults, object.row != nil, !object.state.contains(.fault) {
      object.takeTransientDefaults()
    }
  }

  /// Drops deleted or changed objects whose rows are gone already: nothing of them is left to save.
  func forgetDeletedElsewhere(_ objects: ContiguousArray<NSManagedObject>) {
    if objects.isEmpty { return }
    ledger.unlocked(objects)
    for object in objects {
      discardChanges(of: object)
      leave(object, as: .deletedElsewhere)
    }
    let lost = LostObjects(objects)
    for object in owner.allObjects { object.forget(lost) }
  }
}

extension MisuseReport {
  static func noMergePolicy(_ value: Any, _ context: NSManagedObjectContext) -> MisuseReport {
    MisuseReport(
      "The merge policy of the context \(context.label) was set to \(Failure.words(for: value)), which is not a merge "
        + "policy.",
      facts: [("Type", "\(type(of: value))")],
      how: "A merge policy is an NSMergePolicy.",
      remedy:
        "Set one of its five policies, such as NSMergePolicy.mergeByPropertyObjectTrump, or an instance of your own "
        + "subclass.")
  }
}
