/// Keys that a store has named for a save: the store takes them with the rows, or gets them back.
typealias StoreKeys = (store: NSPersistentStore, keys: ProposedKeys)

/// Stores and permanent keys of new objects. Keys are named before a save, or reserved, and taken when it succeeded.
extension NSManagedObjectContext {
  /// ``obtainPermanentIDs(for:)``.
  func reserveIDs(for objects: [NSManagedObject]) throws {
    guardQueue("obtainPermanentIDs(for:)")
    requireCoordinator(for: "obtainPermanentIDs(for:)")
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

  /// Objects of one store and root entity that need keys: how many, and the next key to give out, 0 for none.
  private struct KeyNeed {
    let store: UInt16
    let root: Int
    var count = 1
    var next: Int64 = 0
  }

  private func findKeys(
    for objects: ContiguousArray<NSManagedObject>, forGood: Bool, _ proposed: inout [StoreKeys]
  ) throws {
    let coordinator = coordinator(for: "save()")
    var needs = try countNewObjects(objects, coordinator)
    for index in needs.indices {
      let (number, root, count) = (needs[index].store, needs[index].root, needs[index].count)
      guard let identity = owner.storeIdentity(number), let store = identity.store else { continue }
      if identity.takesObjects, let store = store as? any ObjectStore {
        let members = objects.filter {
          $0.finalReference.key < 0 && $0.store == number && $0.layout.rootIndex == root
        }
        for (object, key) in zip(members, try coordinator.reserveKeys(for: members, store)) { object.reserve(key) }
        continue
      }
      let found = try coordinator.proposeKeys(count, in: owner.layouts[root], store, forGood: forGood)
      needs[index].next = found.first
      if let keys = found.proposed { proposed.append((store, keys)) }
      owner.reserve(count, entity: root, store: number)
    }
    // Keys are given in the order of insertion. Objects of one entity often follow each other: then the next key is at
    // hand.
    var current: Int?
    var need = KeyNeed(store: NSManagedObject.noStore, root: -1)
    objects.forEachHeld { object in
      guard object.isWithoutFinalKey else { return }
      if object.store != need.store || object.places.rootEntity != need.root {
        if let current { needs[current] = need }
        current = needs.firstIndex { $0.store == object.store && $0.root == object.places.rootEntity }
        need = current.map { needs[$0] } ?? KeyNeed(store: object.store, root: object.places.rootEntity)
      }
      guard need.next > 0 else { return }
      object.reserve(need.next)
      // Behind the last key that there is comes none.
      need.next &+= 1
    }
  }

  /// The objects without a permanent key, counted, in the order of stores and root entities. Objects without a store
  /// get one.
  private func countNewObjects(
    _ objects: ContiguousArray<NSManagedObject>, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> ContiguousArray<KeyNeed> {
    var needs: ContiguousArray<KeyNeed> = []
    // Found for each entity, since a configuration may lack some of a hierarchy.
    var storeOfEntity: [Int: UInt16] = [:]
    // Objects of one entity often follow each other; they are counted together.
    var (lastEntity, lastStore) = (-1, NSManagedObject.noStore)
    var last = -1
    try objects.forEachHeld { object in
      guard object.isWithoutFinalKey else { return }
      let entity = object.places.entity
      if object.store == NSManagedObject.noStore {
        if entity != lastEntity {
          if lastEntity >= 0 { storeOfEntity[lastEntity] = lastStore }
          lastEntity = entity
          lastStore =
            try storeOfEntity[entity]
            ?? owner.number(of: coordinator.storeForNewObjects(of: object.layout).identity)
        }
        object.store = lastStore
      }
      let (store, root) = (object.store, object.places.rootEntity)
      if last < 0 || needs[last].store != store || needs[last].root != root {
        guard let known = needs.firstIndex(where: { $0.store == store && $0.root == root }) else {
          last = needs.count
          return needs.append(KeyNeed(store: store, root: root))
        }
        last = known
      }
      needs[last].count += 1
    }
    if needs.count > 1 { needs.sort { ($0.store, $0.root) < ($1.store, $1.root) } }
    return needs
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
    changes.forgetReservedKey()
    // Only an id that the program or a child has seen can be asked for again; children see all.
    if let former, former < 0, let store = owner.storeIdentity(object.store) {
      formerKeys.add(former, object.reference, store: store)
    }
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
