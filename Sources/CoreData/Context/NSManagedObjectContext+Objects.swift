/// Deleting and finding objects.
extension NSManagedObjectContext {
  /// ``hasChanges``.
  var holdsChanges: Bool {
    guardQueue("hasChanges")
    return ledger.hasChanges
  }

  /// ``delete(_:)``.
  func deleteObject(_ object: NSManagedObject) {
    guardQueue("delete(_:)")
    guard object.owner === owner else {
      if let former = object.owner.former, former === owner { return }
      misuse(.notInContext(object, self))
    }
    if object.state.contains(.deleted) { return }
    object.readForChange()
    if object.state.contains(.inaccessible) { return }
    beginDeletion(of: object)
  }

  /// ``object(with:)``.
  func findObject(with objectID: NSManagedObjectID) -> NSManagedObject {
    guardQueue("object(with:)")
    if let object = registeredObject(for: objectID) { return object }
    guard let layout = owner?.layouts.layout(of: objectID.entity) else {
      misuse("The entity of the id \(objectID) is not part of the model of the context \(label).")
    }
    let store = objectID.storeIdentity.map(owner.number) ?? NSManagedObject.noStore
    let present = present(RowReference(entity: layout.index, key: objectID.key), store: store)
    if present.reference.key < 0 { owner.hasMadeForTemporaryID = true }
    return owner.object(for: present.reference, store: present.store)
  }

  /// The object that the context has of a row, which may be named by the temporary key that its object had.
  func registered(_ reference: RowReference, store: UInt16) -> NSManagedObject? {
    let present = present(reference, store: store)
    return owner.registered(present.reference, store: present.store)
  }

  /// What an object is called now: by its permanent id, if these are of its temporary one.
  private func present(_ reference: RowReference, store: UInt16) -> (reference: RowReference, store: UInt16) {
    guard let named = formerKeys[reference.key] else { return (reference, store) }
    return (named.reference, owner.number(of: named.store))
  }

  /// ``registeredObject(for:)``.
  func findRegisteredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    guardQueue("registeredObject(for:)")
    guard let owner, let layout = owner.layouts.layout(of: objectID.entity) else { return nil }
    let reference = RowReference(entity: layout.index, key: objectID.key)
    if reference.key < 0 { return registered(reference, store: 0) }
    guard let identity = objectID.storeIdentity else { return nil }
    let store = owner.number(of: identity)
    if let object = owner.registered(reference, store: store) { return object }
    // The context may know the object by the temporary id that it had before it was saved above.
    return source.learnKeys(for: self) ? owner.registered(reference, store: store) : nil
  }

  /// ``existingObject(with:)``.
  func findExistingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    guardQueue("existingObject(with:)")
    if let object = registeredObject(for: objectID) {
      if !object.state.contains(.fault) {
        if object.state.contains(.inaccessible) { throw Failure.objectNotFound(id: objectID).nsError }
        return object
      }
      return try requireRow(of: object)
    }
    if formerKeys[objectID.key] != nil { return try requireRow(of: object(with: objectID)) }
    if objectID.key < 0, source.mayHave(objectID.key) { return try requireRow(of: object(with: objectID)) }
    // By its UUID, as `object(with:)`: the id may come from another coordinator that has the same store.
    guard let identity = objectID.storeIdentity, objectID.key > 0, owner.layouts.layout(of: objectID.entity) != nil,
      persistentStoreCoordinator?.persistentStores.contains(where: { $0.identity.uuid == identity.uuid }) == true
    else { throw Failure.objectNotFound(id: objectID).nsError }
    return try requireRow(of: object(with: objectID))
  }

  /// The object, whose row has been read. Throws if there is none. A new object needs none.
  func requireRow(of object: NSManagedObject) throws -> NSManagedObject {
    guard try readRow(of: object) else { throw Failure.objectNotFound(id: object.objectID).nsError }
    return object
  }

  /// ``detectConflicts(for:)``.
  func lockVersion(of object: NSManagedObject) {
    guardQueue("detectConflicts(for:)")
    object.readForChange()
    ledger.locked(object)
  }
}

extension MisuseReport {
  fileprivate static func notInContext(_ object: NSManagedObject, _ context: NSManagedObjectContext) -> MisuseReport {
    MisuseReport(
      "An NSManagedObjectContext cannot delete objects in other contexts.",
      facts: [("Object", "\(object.layout.name) \(object.objectID.description)"), ("Context", context.label)],
      how: "The object belongs to another context, or to none since it was deleted and saved.",
      remedy: "Delete it in its own context, or pass `objectID` and delete context.object(with:).")
  }
}
