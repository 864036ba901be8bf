/// After the stores have written: objects take what was saved as their committed state.
extension NSManagedObjectContext {
  /// Reserves permanent keys for new objects: one reservation for each store and root entity.
  func reserveKeys(
    for objects: ContiguousArray<NSManagedObject>, _ coordinator: NSPersistentStoreCoordinator
  ) throws {
    // By store and root entity: first how many keys are needed, then the next one to give away, 0 for none.
    var keys = try countNewObjects(objects, coordinator)
    for (number, roots) in keys.enumerated() {
      for (root, count) in roots.enumerated() where count > 0 {
        keys[number][root] = 0
        guard let identity = owner.storeIdentity(UInt16(number)), let store = identity.store else { continue }
        if identity.takesObjects, let store = store as? any ObjectStore {
          let members = objects.filter {
            $0.finalReference.key < 0 && $0.store == UInt16(number) && $0.layout.rootIndex == root
          }
          for (object, key) in zip(members, try coordinator.reserveKeys(for: members, store)) { object.reserve(key) }
          continue
        }
        keys[number][root] = try coordinator.reserveKeys(Int(count), in: owner.layouts.layouts[root], store)
        owner.reserve(Int(count), entity: root, store: UInt16(number))
      }
    }
    // In the order of insertion.
    objects.forEachHeld { object in
      guard object.finalReference.key < 0 else { return }
      let (store, root) = (Int(object.store), object.layout.rootIndex)
      guard store < keys.count, keys[store][root] > 0 else { return }
      object.reserve(keys[store][root])
      keys[store][root] += 1
    }
  }

  /// How many objects without a permanent key there are, by store and root entity. Objects without a store get one.
  private func countNewObjects(
    _ objects: ContiguousArray<NSManagedObject>, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [[Int64]] {
    let entityCount = owner.layouts.layouts.count
    var counts: [[Int64]] = []
    // By entity: a configuration may lack some of a hierarchy.
    var storeOfEntity: [UInt16?] = Array(repeating: nil, count: entityCount)
    try objects.forEachHeld { object in
      guard object.finalReference.key < 0 else { return }
      let layout = object.layout
      if object.store == NSManagedObject.noStore {
        if storeOfEntity[layout.index] == nil {
          storeOfEntity[layout.index] = owner.number(of: try coordinator.storeForNewObjects(of: layout).identity)
        }
        object.store = storeOfEntity[layout.index]!
      }
      let store = Int(object.store)
      while counts.count <= store { counts.append(Array(repeating: 0, count: entityCount)) }
      counts[store][layout.rootIndex] += 1
    }
    return counts
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

  /// `stores` are those that were written, where it was not all of them.
  func adopt(_ plan: SavePlan, writtenStores stores: Set<UInt16>? = nil) {
    // First all keys, so that references of objects to each other are right when relationships settle.
    let hasChildren = !children.isEmpty
    plan.inserted.objects.forEachHeld { adoptReservedKey($0, hasChildren: hasChildren) }
    plan.inserted.forEach(settle)
    plan.updated.forEach(settle)
    for object in plan.unchanged { settle(object, nil) }
    for object in plan.deleted { takeOut(object, as: .deleted) }
    ledger.saveEnded(count: plan.count, stores: stores)
    plan.inserted.objects.forEachHeld { $0.didSave() }
    plan.updated.objects.forEachHeld { $0.didSave() }
    for object in plan.deleted {
      object.didSave()
      letGo(object, as: .deleted, to: ObjectOwner(owner.layouts))
    }
  }

  private func settle(_ object: NSManagedObject, _ row: RowSnapshot?) {
    if let row { object.row = row }
    ledger.saved(object)
    let layout = object.layout
    if !layout.toMany.isEmpty { for state in object.toManyStates { state?.adoptChanges(in: owner) } }
    guard let changes = object.changes else { return }
    // The row names its destinations from now on, and holds none of them.
    layout.toOneSlots.forEach { slot in
      guard changes.holds(slot), case .object(let destination) = changes[slot] else { return }
      noteSaved(destination: unsafeDowncast(destination, to: NSManagedObject.self))
    }
    if layout.hasTransformables || !layout.transientSlots.isEmpty {
      // Transients live in memory only; decoded transformables stay the objects they are.
      for property in layout.slots where !property.isTransient && property.kind != .transformable {
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
    changes.inserted = plan.inserted.objects
    changes.updated = plan.updated.objects
    changes.deleted = ContiguousArray(plan.deleted)
    var info = changes.sets(reusing: toldInSave).userInfo
    toldInSave = nil
    if isPinned { info[NSManagedObjectContextQueryGenerationKey] = queryGenerationToken }
    if parent == nil, let token = coordinator.lastWrittenToken(of: plan.changeSets.map(\.store)) {
      info[newChangeTokenKey] = token
    }
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
