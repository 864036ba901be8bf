/// After the stores have written: objects take what was saved as their committed state.
extension NSManagedObjectContext {
  /// Reserves permanent keys for new objects: one reservation for each store and root entity.
  func reserveKeys(for objects: [NSManagedObject], _ coordinator: NSPersistentStoreCoordinator) throws {
    // By store and root entity, in the order of insertion.
    var groups: [[ContiguousArray<NSManagedObject>]] = []
    // By entity: a configuration may lack some of a hierarchy.
    var storeOfEntity: [UInt16?] = Array(repeating: nil, count: owner.layouts.layouts.count)
    for object in objects where object.key < 0 && object.finalReference.key < 0 {
      let layout = object.layout
      let root = layout.rootIndex
      if object.store == NSManagedObject.noStore {
        let entity = layout.index
        if storeOfEntity[entity] == nil {
          storeOfEntity[entity] = owner.number(of: try coordinator.storeForNewObjects(of: layout).identity)
        }
        object.store = storeOfEntity[entity]!
      }
      let store = Int(object.store)
      while groups.count <= store { groups.append(Array(repeating: [], count: storeOfEntity.count)) }
      groups[store][root].append(object)
    }
    for (number, roots) in groups.enumerated() {
      for (root, members) in roots.enumerated() where !members.isEmpty {
        guard let identity = owner.storeIdentity(UInt16(number)), let store = identity.store else { continue }
        if identity.takesObjects, let store = store as? any ObjectStore {
          for (object, key) in zip(members, try coordinator.reserveKeys(for: Array(members), store)) {
            object.reserve(key)
          }
          continue
        }
        let first = try coordinator.reserveKeys(members.count, in: owner.layouts.layouts[root], store)
        for (offset, object) in members.enumerated() { object.reserve(first + Int64(offset)) }
        owner.reserve(members.count, entity: root, store: UInt16(number))
      }
    }
  }

  /// Gives an object the key that was reserved for it.
  func adoptReservedKey(_ object: NSManagedObject, hasChildren: Bool) {
    guard object.key < 0, let changes = object.changes else { return }
    let reserved = changes.reservedKey
    guard reserved > 0 else { return }
    let former = hasChildren ? object.key : object.cachedID?.key
    owner.rekey(object, to: reserved)
    changes.reservedKey = 0
    // Only an id that somebody has seen can ever be asked for; children see all.
    if let former, former < 0 { formerKeys[former] = (object.reference, object.store) }
  }

  func adopt(_ plan: SavePlan) {
    // First all keys, so that references of objects to each other are right when relationships settle.
    let hasChildren = !children.isEmpty
    for (object, _) in plan.inserted { adoptReservedKey(object, hasChildren: hasChildren) }
    for (object, row) in plan.inserted { settle(object, row) }
    for (object, row) in plan.updated { settle(object, row) }
    for object in plan.unchanged { settle(object, nil) }
    for object in plan.deleted {
      // The id is asked for once more when observers are told; afterwards the store is out of reach.
      _ = object.objectID
      if object.state.contains(.registered) { owner.unregister(object) }
      object.state = []
    }
    for object in lockedList { object.state.remove(.locked) }
    // Objects that have left a list before the save, as by a refresh, must come into it again at their next change.
    if insertedList.count + updatedList.count + deletedList.count != plan.count {
      for object in insertedList { object.state.remove(.listedInserted) }
      for object in updatedList { object.state.remove(.listedUpdated) }
      for object in deletedList { object.state.remove(.listedDeleted) }
    }
    insertedList = []
    updatedList = []
    lockedList = []
    let deleted = plan.deleted
    deletedList = []
    for (object, _) in plan.inserted { object.didSave() }
    for (object, _) in plan.updated { object.didSave() }
    for object in deleted {
      object.didSave()
      object.owner = ObjectOwner(owner.layouts)
      object.dropReferences()
    }
  }

  private func settle(_ object: NSManagedObject, _ row: RowSnapshot?) {
    if let row { object.row = row }
    object.state.remove([.inserted, .updated, .listedInserted, .listedUpdated])
    for state in object.toManyStates { state?.adoptChanges(in: owner) }
    guard let changes = object.changes else { return }
    if object.layout.hasTransformables || !object.layout.transientSlots.isEmpty {
      // Transients live in memory only; decoded transformables stay the objects they are.
      for property in object.layout.slots where !property.isTransient && property.kind != .transformable {
        changes.drop(property.slot)
      }
      changes.clearChanged()
    } else {
      object.changes = nil
    }
  }

  /// Tells the world: observers of this context, then the coordinator's other contexts.
  func announce(_ plan: SavePlan, _ coordinator: NSPersistentStoreCoordinator) {
    var changes = ObjectChanges()
    changes.inserted = ContiguousArray(plan.inserted.lazy.map(\.object))
    changes.updated = ContiguousArray(plan.updated.lazy.map(\.object))
    changes.deleted = ContiguousArray(plan.deleted)
    var info = changes.sets(reusing: toldInSave).userInfo
    toldInSave = nil
    if isPinned { info[NSManagedObjectContextQueryGenerationKey] = queryGenerationToken }
    post(.NSManagedObjectContextDidSave, info)
    post(.NSManagedObjectContextDidSaveObjectIDs, changes.idUserInfo)
    if parent == nil { coordinator.announce(SaveNotice(plan.changeSets), from: self) }
    if children.isEmpty { return }
    announceToChildren(
      inserted: changes.inserted.map(\.objectID), updated: changes.updated.map(\.objectID),
      deleted: changes.deleted.map(\.objectID))
  }
}

extension NSManagedObject {
  /// Keeps a key for the save under way.
  final func reserve(_ key: Int64) {
    if changes == nil { changes = ChangedValues.make(layout) }
    changes!.reservedKey = key
  }
}

/// What other contexts of the coordinator are told of a save: values only. Any thread.
struct SaveNotice: Sendable {
  struct Part: @unchecked Sendable {
    // `@unchecked Sendable`: ids and rows are immutable.
    let store: StoreIdentity
    var inserted: [RowReference]
    var updated: [RowSnapshot]
    var deleted: [RowReference]
  }

  var parts: [Part]

  init(_ changeSets: [(store: NSPersistentStore, changes: ChangeSet)]) {
    parts = changeSets.map { store, changes in
      Part(
        store: store.identity, inserted: changes.inserted.map(\.reference), updated: changes.updated.map(\.row),
        deleted: changes.deleted.map(\.reference))
    }
  }
}
