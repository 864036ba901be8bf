/// How a parent context answers its children. Runs on the parent's queue.
extension NSManagedObjectContext {
  /// The object that a child means. A temporary id leads to its object even if that was saved meanwhile.
  func object(for question: ParentReference) -> NSManagedObject {
    owner.object(for: question.reference, store: question.store.map(owner.number) ?? NSManagedObject.noStore)
  }

  func answerRow(of question: ParentReference) throws -> ParentRow? {
    let object = object(for: question)
    return try currentRow(of: object).map { ParentRow(row: $0, store: try assignedStore(of: object)) }
  }

  func answerRows(of questions: [ParentReference]) throws -> [ParentRow?] {
    // Kept until all are answered, so that objects that were read together stay alive.
    let objects = questions.map(object(for:))
    try readRows(of: objects.lazy.filter { $0.state.contains(.fault) })
    return try objects.map { object in
      try currentRow(of: object).map { ParentRow(row: $0, store: try assignedStore(of: object)) }
    }
  }

  func answerMembers(
    of property: LayoutProperty, in question: ParentReference
  ) throws -> ContiguousArray<RowReference> {
    let object = object(for: question)
    guard try readRow(of: object), let own = object.layout.property(keyNumber: property.keyNumber) else { return [] }
    try object.readMembers(own)
    return ContiguousArray(object.members(own).lazy.filter { !$0.state.contains(.deleted) }.map(\.reference))
  }

  func answerFetch(_ description: FetchDescription, stores: [NSPersistentStore]?) throws -> [ParentObject] {
    requireCoordinator(for: "fetch(_:)")
    processPendingChanges()
    let found = try objects(description, FetchOptions(stores: stores))
    let wantsRows = if case .rows = description.output { true } else { false }
    return try found.map { object in
      // A fault for which a fetch has left a row here is read from that row: it has no changes.
      let row = !wantsRows ? nil : object.state.contains(.fault) ? object.row : try currentRow(of: object)
      return ParentObject(reference: object.reference, store: try assignedStore(of: object), row: row)
    }
  }

  func answerCount(_ description: FetchDescription, stores: [NSPersistentStore]?) throws -> Int {
    requireCoordinator(for: "count(for:)")
    processPendingChanges()
    return try count(description, FetchOptions(stores: stores))
  }

  /// An object's current values as a row, which is the committed one if nothing was set. nil if the row is gone, or the
  /// object is deleted here.
  private func currentRow(of object: NSManagedObject) throws -> RowSnapshot? {
    guard !object.state.contains(.deleted), try readRow(of: object) else { return nil }
    if let row = object.row, object.changes == nil { return row }
    return try RowWriter(keepsTemporaryKeys: true).row(of: object, version: object.row?.version ?? 0)
  }

  /// Reads a fault's row, and returns whether there is one. Unlike reading a property, this has no consequences if the
  /// row is missing. A new object needs none.
  func readRow(of object: NSManagedObject) throws -> Bool {
    if object.state.contains(.inaccessible) { return false }
    guard object.state.contains(.fault) else { return true }
    if !object.state.contains(.inserted) {
      if object.row == nil { object.row = try source.row(of: object, for: self) }
      if object.row == nil { return false }
    }
    object.fire()
    return true
  }

  /// The store of an object. A new object that was not assigned to one gets the store that a save would choose.
  func assignedStore(of object: NSManagedObject) throws -> StoreIdentity {
    if let identity = owner.storeIdentity(object.store) { return identity }
    let coordinator = coordinator(for: "save()")
    let identity = try coordinator.storeForNewObjects(of: object.layout).identity
    object.store = owner.number(of: identity)
    return identity
  }

  /// The keys that changed, if the child does not know them all.
  func keyNews(after known: Int) -> KeyNews? {
    if formerKeys.additions == known { return nil }
    let keys = formerKeys.keys(after: known).compactMap { key -> KeyNews.Key? in
      guard let named = formerKeys[key] else { return nil }
      return (key, named.reference, named.store)
    }
    return KeyNews(count: formerKeys.additions, keys: keys)
  }

  /// Has those children that merge automatically take over what this context saved or merged, each on its own queue.
  func announceToChildren(
    inserted: [NSManagedObjectID], updated: [NSManagedObjectID], deleted: [NSManagedObjectID], isWhole: Bool
  ) {
    for child in children.contexts where child.automaticallyMergesChangesFromParent {
      let reference = LivingReference(child)
      child.perform {
        reference.object?.merge(inserted: inserted, updated: updated, deleted: deleted, isWhole: isWhole)
      }
    }
  }
}
