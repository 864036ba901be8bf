/// Inserting, deleting and finding objects.
extension NSManagedObjectContext {
  /// ``hasChanges``.
  var holdsChanges: Bool {
    guardQueue("hasChanges")
    return ledger.hasChanges
  }

  /// ``insert(_:)``.
  func insertObject(_ object: NSManagedObject) {
    guardQueue("insert(_:)")
    if object.owner === owner {
      if object.state.contains(.deleted) { undelete(object) }
      return
    }
    guard object.owner.storeIdentity(0) == nil, !(object.owner is ContextOwner) else {
      misuse(.alreadyInContext(object, self))
    }
    let owner = owner ?? makeOwner(object.owner.layouts)
    if object.isFree {
      // Relationships are within one context, so those that it is related to come along.
      let company = object.freeCompany
      for each in company {
        displaceFault(of: each, in: owner)
        each.owner = owner
      }
      company.forEach(registerNew)
      return
    }
    if object.key > 0 { becomeNew(object, in: owner) } else { displaceFault(of: object, in: owner) }
    object.owner = owner
    registerNew(object)
  }

  /// Makes way for an object with a temporary id that `object(with:)` was asked for before.
  private func displaceFault(of object: NSManagedObject, in owner: ContextOwner) {
    guard owner.hasMadeForTemporaryID else { return }
    if let other = owner.registered(object.reference, store: object.store) { leave(other, as: .displaced) }
  }

  /// Makes an object that has left its context a new one. It keeps its attributes, and no relationships. If its
  /// deletion was saved, it keeps its id as well, which may have been asked for meanwhile.
  private func becomeNew(_ object: NSManagedObject, in owner: ContextOwner) {
    let row = object.row
    if let store = object.cachedID?.storeIdentity, row != nil, hasStore(store) {
      object.store = owner.number(of: store)
      if let other = owner.registered(object.reference, store: object.store) { leave(other, as: .displaced) }
    } else {
      // It had no row, or is of another coordinator, where its id means something else.
      object.cachedID = nil
      object.key = TemporaryKeys.next()
      object.store = NSManagedObject.noStore
    }
    if object.changes == nil { object.changes = ChangedValues.make(object.layout) }
    for property in object.layout.slots {
      if property.kind == .toOne {
        object.changes!.drop(property.slot)
      } else if let row, property.word >= 0, !row.isNull(slot: property.slot), !object.changes!.holds(property.slot) {
        object.changes![property.slot] = ownValue(property, row)
      }
    }
    object.row = nil
    object.ownState = []
    object.toManyStates = ContiguousArray(object.layout.toMany.map { _ in ToManyState(base: []) })
  }

  /// A row's value for an object that has no row any more; nil if it can't be read.
  private func ownValue(_ property: LayoutProperty, _ row: RowSnapshot) -> Value {
    let value = property.kind == .binary ? (try? row.data(property)).map { .data($0) } ?? .null : row.value(property)
    guard property.kind == .transformable, case .data(let data) = value else { return value }
    guard let object = try? property.attribute.unarchivedValue(ofTransformable: data) else { return .null }
    return .object(TransformableBox.close(object))
  }

  private func hasStore(_ store: StoreIdentity) -> Bool {
    persistentStoreCoordinator?.persistentStores.contains { $0.identity === store } ?? false
  }

  /// Registers an object that was just made for this context.
  func registerNew(_ object: NSManagedObject) {
    guardQueue("insert(_:)")
    if object.places.traits.contains(.abstract) { misuse(.abstractEntity(object.layout.name)) }
    owner.register(object)
    markInserted(object)
    object.awakeFromInsert()
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

  /// ``obtainPermanentIDs(for:)``.
  func reserveIDs(for objects: [NSManagedObject]) throws {
    guardQueue("obtainPermanentIDs(for:)")
    _ = try coordinator(for: "obtainPermanentIDs(for:)")
    let temporary = objects.filter { $0.key < 0 && $0.owner === owner }
    let new = ContiguousArray(temporary.filter { $0.state.contains(.inserted) })
    _ = try findKeys(for: new, forGood: true)
    let hasChildren = !children.isEmpty
    for object in new { adoptReservedKey(object, hasChildren: hasChildren) }
    // The other objects are new in the parent.
    try source.obtainPermanentKeys(for: temporary.filter { !$0.state.contains(.inserted) }, in: self)
  }

  /// ``assign(_:to:)``.
  func choose(_ store: NSPersistentStore, for object: Any) {
    guardQueue("assign(_:to:)")
    guard let object = object as? NSManagedObject, object.owner === owner else {
      misuse("assign(_:to:) was given an object of another context than \(label).")
    }
    guard object.key < 0 else {
      misuse("Can't reassign an object to a different store once it has been saved.")
    }
    object.store = owner.number(of: store.identity)
    // A save that failed may have reserved a key of another store.
    object.changes?.reservedKey = 0
  }

  /// ``detectConflicts(for:)``.
  func lockVersion(of object: NSManagedObject) {
    guardQueue("detectConflicts(for:)")
    object.readForChange()
    ledger.locked(object)
  }
}

extension MisuseReport {
  fileprivate static func alreadyInContext(_ object: NSManagedObject, _ context: NSManagedObjectContext)
    -> MisuseReport
  {
    MisuseReport(
      "An object of another context was inserted into the context \(context.label).",
      facts: [("Object", "\(object.layout.name) \(object.objectID.description)")],
      how: "An object stays in the context that made it.",
      remedy: "Fetch it there: context.object(with: other.objectID).")
  }

  fileprivate static func notInContext(_ object: NSManagedObject, _ context: NSManagedObjectContext) -> MisuseReport {
    MisuseReport(
      "An NSManagedObjectContext cannot delete objects in other contexts.",
      facts: [("Object", "\(object.layout.name) \(object.objectID.description)"), ("Context", context.label)],
      how: "The object belongs to another context, or to none since it was deleted and saved.",
      remedy: "Delete it in its own context, or pass `objectID` and delete context.object(with:).")
  }
}
