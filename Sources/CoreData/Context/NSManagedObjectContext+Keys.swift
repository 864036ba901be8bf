/// Keys that a store has named for a save: the store takes them with the rows, or gets them back.
typealias StoreKeys = (store: NSPersistentStore, keys: ProposedKeys)

/// Permanent keys of new objects: named before a save, or reserved, and taken when it has succeeded.
extension NSManagedObjectContext {
  /// Finds permanent keys for new objects: one question for each store and root entity.
  ///
  /// - Parameter forGood: Whether to reserve the keys. Otherwise stores that can do so only name them, and the named
  ///   keys are returned.
  func findKeys(for objects: ContiguousArray<NSManagedObject>, forGood: Bool) throws -> [StoreKeys] {
    var proposed: [StoreKeys] = []
    do {
      try findKeys(for: objects, forGood: forGood, &proposed)
    } catch {
      for (store, keys) in proposed { store.valueStore?.giveBack(keys) }
      throw error
    }
    return proposed
  }

  private func findKeys(
    for objects: ContiguousArray<NSManagedObject>, forGood: Bool, _ proposed: inout [StoreKeys]
  ) throws {
    let coordinator = try coordinator(for: "save()")
    // By store and root entity: at first how many keys are needed, then the next key to give out, 0 for none.
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
        let found = try coordinator.proposeKeys(
          Int(count), in: owner.layouts.layouts[root], store, forGood: forGood)
        keys[number][root] = found.first
        if let keys = found.proposed { proposed.append((store, keys)) }
        owner.reserve(Int(count), entity: root, store: UInt16(number))
      }
    }
    // Keys are given in the order of insertion. Objects of one entity often follow each other: then the next key is at
    // hand.
    var (store, root) = (-1, -1)
    var next: Int64 = 0
    objects.forEachHeld { object in
      guard object.isWithoutFinalKey else { return }
      if Int(object.store) != store || object.places.rootEntity != root {
        if store >= 0 { keys[store][root] = next }
        (store, root) = (Int(object.store), object.places.rootEntity)
        next = store < keys.count ? keys[store][root] : 0
        if next == 0 { store = -1 }
      }
      guard next > 0 else { return }
      object.reserve(next)
      next += 1
    }
  }

  /// How many objects without a permanent key there are, by store and root entity. Objects without a store
  /// get one.
  private func countNewObjects(
    _ objects: ContiguousArray<NSManagedObject>, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [[Int64]] {
    let entityCount = owner.layouts.layouts.count
    var counts: [[Int64]] = []
    // Checked for each entity, since a configuration may lack some of a hierarchy.
    var storeOfEntity: [UInt16?] = Array(repeating: nil, count: entityCount)
    // Objects of one entity often follow each other; they are counted together.
    var (lastEntity, lastStore) = (-1, NSManagedObject.noStore)
    var (store, root, count) = (NSManagedObject.noStore, 0, Int64(0))
    func endRun() {
      if count == 0 { return }
      while counts.count <= Int(store) { counts.append(Array(repeating: 0, count: entityCount)) }
      counts[Int(store)][root] += count
      count = 0
    }
    try objects.forEachHeld { object in
      guard object.isWithoutFinalKey else { return }
      let entity = object.places.entity
      if object.store == NSManagedObject.noStore {
        if entity != lastEntity {
          if storeOfEntity[entity] == nil {
            let found = try coordinator.storeForNewObjects(of: object.layout)
            storeOfEntity[entity] = owner.number(of: found.identity)
          }
          (lastEntity, lastStore) = (entity, storeOfEntity[entity]!)
        }
        object.store = lastStore
      }
      if object.store != store || object.places.rootEntity != root {
        endRun()
        (store, root) = (object.store, object.places.rootEntity)
      }
      count += 1
    }
    endRun()
    return counts
  }

  /// Gives new objects the keys that were reserved for them.
  func adoptReservedKeys(of objects: ContiguousArray<NSManagedObject>) {
    // Children have seen all ids.
    let hasChildren = !children.isEmpty
    let known = hasChildren ? objects : owner.takeReservedKeys(objects)
    for object in known { adoptReservedKey(object, hasChildren: hasChildren) }
  }

  /// Gives an object the key that was reserved for it.
  func adoptReservedKey(_ object: NSManagedObject, hasChildren: Bool) {
    guard object.key < 0, let changes = object.changes else { return }
    let reserved = changes.reservedKey
    guard reserved > 0 else { return }
    let former = hasChildren ? object.key : object.cachedID?.key
    owner.rekey(object, to: reserved)
    changes.reservedKey = 0
    // Only an id that the program or a child has seen can be asked for again; children see all.
    if let former, former < 0 { formerKeys[former] = (object.reference, object.store) }
  }
}

extension NSManagedObject {
  /// Whether the object has neither a permanent key nor one that is reserved for it.
  fileprivate final var isWithoutFinalKey: Bool { key <= 0 && (changes?.reservedKey ?? 0) <= 0 }

  /// Keeps a key for the current save.
  final func reserve(_ key: Int64) {
    if changes == nil { changes = ChangedValues.make(layout) }
    changes!.reservedKey = key
  }
}
