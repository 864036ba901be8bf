/// Chooses the stores for a request.
extension NSPersistentStoreCoordinator {
  /// The stores for a fetch: those with the entity, in the order in which they were added. A generation leaves out
  /// stores that were added after it.
  private func rowStores(
    for layout: EntityLayout, among asked: [NSPersistentStore]?, _ generation: QueryGeneration?
  ) throws -> [any RowStore] {
    let all = persistentStores
    if all.isEmpty { throw noStore(for: layout).nsError }
    return try all.compactMap { store in
      guard asked?.contains(where: { $0 === store }) ?? true, holds(store, layout) else { return nil }
      guard let rows = store.rowStore else {
        throw Failure.unsupportedFeature("Fetching from a store of class \(type(of: store))").nsError
      }
      return generation?.has(store.identity) ?? true ? rows : nil
    }
  }

  func holds(_ store: NSPersistentStore, _ layout: EntityLayout) -> Bool {
    guard let configuration = store.configuration else { return true }
    let entities = ownModel.entities(forConfigurationName: configuration) ?? []
    // A configuration has the parents of its entities, so without this entity it has no subentities of it either.
    return entities.contains { layouts.layout(of: $0)?.index == layout.index }
  }

  /// The first store that can take new objects of an entity.
  func storeForNewObjects(of layout: EntityLayout) throws -> NSPersistentStore {
    var readOnly: NSPersistentStore?
    for store in persistentStores where holds(store, layout) {
      if !store.isReadOnly { return store }
      if readOnly == nil { readOnly = store }
    }
    if let readOnly { throw Failure.readOnlyStore(url: readOnly.url, entity: layout.name).nsError }
    throw noStore(for: layout).nsError
  }

  /// The failure that no store takes the objects of an entity, with the reason.
  func noStore(for layout: EntityLayout) -> Failure {
    let why = withStores { list -> Failure.NoStore in
      if !list.stores.isEmpty { return .outsideConfigurations(list.stores.map(\.configurationName)) }
      switch list.loading {
      case .byHand: return .noneAdded
      case .notAsked: return .notLoaded
      case .asked: return .notLoadedYet
      }
    }
    return .noStoreForEntity(entity: layout.name, why)
  }

  func reserveKeys(_ count: Int, in root: EntityLayout, _ store: NSPersistentStore) throws -> Int64 {
    guard let rows = store.valueStore else {
      throw Failure.unsupportedFeature("Saving to a store of class \(type(of: store))").nsError
    }
    if store.isReadOnly { throw Failure.readOnlyStore(url: store.url, entity: root.name).nsError }
    return try publicErrors { try rows.reserveKeys(count, in: root) }
  }

  /// Names keys for rows of the next commit. Reserves them if the store can't only name them, or if asked to.
  func proposeKeys(
    _ count: Int, in root: EntityLayout, _ store: NSPersistentStore, forGood: Bool
  ) throws -> (first: Int64, proposed: ProposedKeys?) {
    guard !forGood, !store.isReadOnly, let rows = store.valueStore,
      let keys = try publicErrors({ try rows.proposeKeys(count, in: root) })
    else { return (try reserveKeys(count, in: root, store), nil) }
    return (keys.first, keys)
  }

  /// Gets keys from a store that chooses them by the objects.
  func reserveKeys(for objects: [NSManagedObject], _ store: any ObjectStore) throws -> [Int64] {
    if store.isReadOnly { throw Failure.readOnlyStore(url: store.url, entity: objects.first?.layout.name).nsError }
    return try publicErrors { try store.reserveKeys(for: objects) }
  }

  /// Whether several stores have objects of the entity of a fetch.
  func isSpread(
    _ description: FetchDescription, asked: [NSPersistentStore]?, generation: QueryGeneration?
  ) throws -> Bool {
    let all = persistentStores
    return try all.count > 1 && rowStores(for: description.layout, among: asked, generation).count > 1
  }

  /// Whether all stores for a fetch have their rows in memory.
  func evaluates(
    _ description: FetchDescription, asked: [NSPersistentStore]?, generation: QueryGeneration?
  ) throws -> Bool {
    try rowStores(for: description.layout, among: asked, generation).allSatisfy(\.evaluatesFetches)
  }

  /// Asks every store with the entity, in the order in which they were added. With several stores the caller has to
  /// apply the common order, limit and offset.
  func answers(
    to description: FetchDescription, for context: NSManagedObjectContext, stores asked: [NSPersistentStore]?,
    _ generation: QueryGeneration?
  ) throws -> [StoreAnswer] {
    let stores = try rowStores(for: description.layout, among: asked, generation)
    return try publicErrors {
      try stores.compactMap { store in
        let reader: (any RowReader)? =
          if let generation { try generation.reader(of: store.identity, for: context) } else {
            try store.reader(for: context)
          }
        return try reader.map { (store.identity, try $0.rows(for: description)) }
      }
    }
  }

  func count(
    for description: FetchDescription, for context: NSManagedObjectContext, stores asked: [NSPersistentStore]?,
    _ generation: QueryGeneration?
  ) throws -> Int {
    guard try isSpread(description, asked: asked, generation: generation) else {
      return try answers(to: description, for: context, stores: asked, generation).total
    }
    let answers = try answers(to: description.uncut, for: context, stores: asked, generation)
    return description.cut(count: answers.total)
  }

  /// Those stores that only have metadata to write in a save.
  func storesWithUnsavedMetadata(
    but changed: some Collection<NSPersistentStore> = EmptyCollection()
  ) -> [NSPersistentStore] {
    let stores = persistentStores
    if stores.count == changed.count { return [] }
    return stores.filter { store in
      store.identity.rowStore?.hasUnsavedMetadata == true && !changed.contains { $0 === store }
    }
  }

  /// Gives each store its changes, until one reports a conflict. Then the other stores write changed metadata. Throws a
  /// `PartialSave` if one fails after others have written.
  ///
  /// - Parameters:
  ///   - context: the one that saves.
  ///   - objects: finds the managed objects for stores whose methods take them; nil if no change set is for such a
  ///     store.
  func commitChangeSets(
    _ changeSets: [(store: NSPersistentStore, changes: ChangeSet)], for context: NSManagedObjectContext,
    of objects: ((NSPersistentStore) -> ChangedObjects)? = nil
  ) throws -> StoreConflicts {
    try saving.together {
      var conflicts = StoreConflicts()
      let others = storesWithUnsavedMetadata(but: changeSets.lazy.map { $0.store })
      let changeSets = others.isEmpty ? changeSets : changeSets + others.map { ($0, ChangeSet()) }
      for (index, part) in changeSets.enumerated() where conflicts.isEmpty {
        do {
          try commitChanges(part.changes, to: part.store, context, objects: objects, conflicts: &conflicts)
        } catch {
          let error = error.publicError
          guard !conflicts.written.isEmpty else { throw error }
          RemoteChanges.announce(conflicts.written)
          throw PartialSave(
            written: conflicts.written, rewritten: conflicts.rewritten, unsaved: changeSets[index...].map(\.store),
            error: error)
        }
      }
      RemoteChanges.announce(conflicts.written)
      return conflicts
    }
  }

  private func commitChanges(
    _ changes: ChangeSet, to store: NSPersistentStore, _ context: NSManagedObjectContext,
    objects: ((NSPersistentStore) -> ChangedObjects)?, conflicts: inout StoreConflicts
  ) throws {
    try checkAdded(store, toSave: changes.firstRow.map { layouts[$0.entity].name })
    switch try answer(to: changes, of: store, context, objects) {
    case .saved(let rewritten):
      conflicts.written.append(store)
      conflicts.rewritten += rewritten.map { (store.identity, $0) }
    case .versionConflicts(let found):
      conflicts.versions += found.map { (store.identity, $0) }
    case .staleKeys:
      conflicts.hasStaleKeys = true
    case .constraintConflicts(let found):
      conflicts.constraints += found.map { (store.identity, $0) }
    }
  }

  private func answer(
    to changes: ChangeSet, of store: NSPersistentStore, _ context: NSManagedObjectContext,
    _ objects: ((NSPersistentStore) -> ChangedObjects)?
  ) throws -> SaveOutcome {
    if let objects, let store = store as? any ObjectStore {
      return try store.commit(changes.withExternalValues(layouts), of: objects(store))
    }
    guard let rows = store.valueStore else {
      // Only metadata are to be written: there are no objects to be found.
      if changes.isEmpty, let store = store as? any ObjectStore {
        return try store.commit(
          changes, of: ChangedObjects(context: context) { preconditionFailure("\($0) is not in an empty change set.") })
      }
      throw Failure.unsupportedFeature("Saving to a store of class \(type(of: store))")
    }
    return try rows.commit(rows.followsReferences ? changes : changes.withExternalValues(layouts))
  }
}
