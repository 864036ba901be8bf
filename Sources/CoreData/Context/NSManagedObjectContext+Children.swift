/// What a parent context answers its children. On the parent's queue.
extension NSManagedObjectContext {
  /// The object that a child means. Temporary ids lead to their object even when it was saved in the meantime.
  func object(for question: ParentReference) -> NSManagedObject {
    if question.reference.key < 0, let former = formerKeys[question.reference.key] {
      return owner.object(for: former.reference, store: former.store)
    }
    return owner.object(for: question.reference, store: question.store.map(owner.number) ?? NSManagedObject.noStore)
  }

  func answerRow(of question: ParentReference) throws -> ParentRow? {
    let object = object(for: question)
    return try currentRow(of: object).map { ParentRow(row: $0, store: try assignedStore(of: object)) }
  }

  func answerRows(of questions: [ParentReference]) throws -> [ParentRow?] {
    // Held until all are answered, so that those that are read together stay.
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
    guard try realised(object), let own = object.layout.property(keyNumber: property.keyNumber) else { return [] }
    return ContiguousArray(object.members(own).lazy.filter { !$0.state.contains(.deleted) }.map(\.reference))
  }

  func answerFetch(_ description: FetchDescription, stores: [NSPersistentStore]?) throws -> [ParentObject] {
    _ = try coordinator(for: "fetch(_:)")
    processPendingChanges()
    let found = try objects(description, FetchOptions(stores: stores))
    let wantsRows = if case .rows = description.output { true } else { false }
    return try found.map { object in
      // A fault whose row a fetch has left here is read by that row: nobody set anything on it.
      let row = !wantsRows ? nil : object.state.contains(.fault) ? object.row : try currentRow(of: object)
      return ParentObject(reference: object.reference, store: try assignedStore(of: object), row: row)
    }
  }

  func answerCount(_ description: FetchDescription, stores: [NSPersistentStore]?) throws -> Int {
    _ = try coordinator(for: "count(for:)")
    processPendingChanges()
    return try count(description, FetchOptions(stores: stores))
  }

  /// An object's values now, as a row: the committed one where nothing was set. Nil when the row is gone, or the
  /// object is deleted here.
  private func currentRow(of object: NSManagedObject) throws -> RowSnapshot? {
    guard !object.state.contains(.deleted), try realised(object) else { return nil }
    if let row = object.row, object.changes == nil { return row }
    return try RowWriter(keepsTemporaryKeys: true).row(of: object, version: object.row?.version ?? 0)
  }

  /// Reads a fault in, without the consequences of a missing row that reading a property has.
  func realised(_ object: NSManagedObject) throws -> Bool {
    if object.state.contains(.inaccessible) { return false }
    guard object.state.contains(.fault) else { return true }
    if object.row == nil { object.row = try source.row(of: object, for: self) }
    if object.row == nil { return false }
    object.fire()
    return true
  }

  /// The store of an object; a new one that was not assigned gets that which a save would choose.
  func assignedStore(of object: NSManagedObject) throws -> StoreIdentity {
    if let identity = owner.storeIdentity(object.store) { return identity }
    let coordinator = try coordinator(for: "save()")
    let identity = try coordinator.storeForNewObjects(of: object.layout).identity
    object.store = owner.number(of: identity)
    return identity
  }

  /// The keys that changed, if there are others than the child knows.
  func formerKeys(beyond known: Int) -> FormerKeys? {
    if formerKeys.count == known { return nil }
    return FormerKeys(
      count: formerKeys.count,
      keys: formerKeys.compactMapValues { former in
        owner.storeIdentity(former.store).map { (former.reference, $0) }
      })
  }

  /// Lets the children that asked for it take over what this context saved or merged, each on its own queue.
  func announceToChildren(
    inserted: [NSManagedObjectID], updated: [NSManagedObjectID], deleted: [NSManagedObjectID]
  ) {
    for child in children.contexts where child.automaticallyMergesChangesFromParent {
      child.perform { [weak child] in child?.merge(inserted: inserted, updated: updated, deleted: deleted) }
    }
  }
}
