extension NSManagedObjectContext {
  /// The objects a request finds, with this context's unsaved changes.
  ///
  /// Throws for an entity, key path or operator that the model or the store does not have, naming it.
  public func fetch<Result: NSFetchRequestResult>(_ request: NSFetchRequest<Result>) throws -> [Result] {
    guardQueue("fetch(_:)")
    let coordinator = try coordinator(for: "fetch(_:)")
    learnKeys()
    if request.includesPendingChanges { processPendingChanges() }
    let description = try FetchDescription(request, owner.layouts)
    try checkResult(Result.self, description)
    let options = FetchOptions(request)
    switch description.output {
    case .count: return cast([NSNumber(value: try count(description, options, coordinator))])
    case .dictionaries:
      return cast(
        try coordinator.dictionaries(for: description, stores: options.stores, generationForReading()))
    case .references where request.resultType == .managedObjectIDResultType:
      return cast(try objects(description, options, coordinator).map(\.objectID))
    case .references, .rows: return cast(try objects(description, options, coordinator))
    }
  }

  /// How many objects a request finds; its limit and offset count.
  public func count<Result: NSFetchRequestResult>(for request: NSFetchRequest<Result>) throws -> Int {
    guardQueue("count(for:)")
    let coordinator = try coordinator(for: "count(for:)")
    learnKeys()
    if request.includesPendingChanges { processPendingChanges() }
    var description = try FetchDescription(request, owner.layouts)
    description.output = .count
    description.sort = []
    return try count(description, FetchOptions(request), coordinator)
  }

  /// The settings of a request that are the context's business, not the store's.
  struct FetchOptions {
    let stores: [NSPersistentStore]?
    let pendingChanges: Bool
    let asFaults: Bool
    let refreshing: Bool
    let batchSize: Int
    let prefetching: [String]

    /// Those with which a parent answers its child.
    init(stores: [NSPersistentStore]?) {
      self.stores = stores
      pendingChanges = true
      asFaults = true
      refreshing = false
      batchSize = 0
      prefetching = []
    }

    init<Result>(_ request: NSFetchRequest<Result>) {
      stores = request.affectedStores
      pendingChanges = request.includesPendingChanges
      asFaults = request.returnsObjectsAsFaults
      refreshing = request.shouldRefreshRefetchedObjects
      batchSize = request.fetchBatchSize
      prefetching = request.relationshipKeyPathsForPrefetching ?? []
    }
  }

  func count(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> Int {
    if options.pendingChanges, hasPendingChanges(touching: description) {
      var whole = description
      whole.output = .rows
      return try objects(whole, options, coordinator).count
    }
    if let parent { return try ask(parent) { try $0.answerCount(description, stores: options.stores) } }
    return try coordinator.count(for: description, stores: options.stores, generationForReading())
  }

  func objects(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [NSManagedObject] {
    var objects: [NSManagedObject]
    if options.pendingChanges, hasPendingChanges(touching: description) {
      objects = try overlaid(description, options, coordinator)
    } else if options.batchSize > 0, parent == nil, case .rows = description.output {
      objects = try batched(description, options, coordinator)
    } else {
      objects = try committed(description, options, coordinator)
    }
    if !options.asFaults { for object in objects where object.state.contains(.fault) { object.fire() } }
    for path in options.prefetching { try prefetch(path, from: objects) }
    if retainsRegisteredObjects { retained.formUnion(objects) }
    return objects
  }

  /// What the stores have, or the parent, as objects of this context.
  func committed(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [NSManagedObject] {
    if let parent { return try fetchFromParent(description, options, parent) }
    return try coordinator.fetch(description, stores: options.stores, generationForReading()) { store, outcome in
      let number = owner.number(of: store.identity)
      switch outcome {
      case .rows(let rows): return owner.objects(for: rows, store: number, refreshing: options.refreshing)
      case .references(let references): return owner.faults(for: references, store: number)
      case .count, .dictionaries: return []
      }
    }
  }

  /// Faults now; their rows in portions, when the first object of each is used.
  private func batched(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [NSManagedObject] {
    var keysOnly = description
    keysOnly.output = .references
    return try coordinator.fetch(keysOnly, stores: options.stores, generationForReading()) { store, outcome in
      guard case .references(let references) = outcome else { return [] }
      batches.removeAll { $0.store === store && $0.root == description.layout.rootIndex }
      batches.append(
        FaultBatch(
          store: store, root: description.layout.rootIndex, keys: references.map(\.key),
          size: options.batchSize))
      return owner.faults(for: references, store: owner.number(of: store.identity))
    }
  }

  /// Reads the destinations of the relationships of a path, level by level, where they were not read yet.
  ///
  /// The objects hold what was read for them: nobody else does, and it would be gone before it is used.
  private func prefetch(_ path: String, from objects: [NSManagedObject]) throws {
    var level = objects
    for key in path.split(separator: ".").map(String.init) {
      var next: [NSManagedObject] = []
      for object in level {
        guard let property = object.layout.property(named: key), property.isRelationship else { continue }
        if object.state.contains(.fault) { object.fire() }
        if property.kind == .toOne {
          guard let destination = object.toOne(property) else { continue }
          object.keep(destination, property)
          next.append(destination)
        } else {
          _ = object.handedOutSet(property)
          next += object.members(property)
        }
      }
      try readRows(of: next.filter { $0.state.contains(.fault) })
      level = next
    }
  }

  /// A request for objects of a class that the entity's objects are not of would hand out lies.
  private func checkResult<Result>(_ type: Result.Type, _ description: FetchDescription) throws {
    guard let wanted = type as? NSManagedObject.Type else { return }
    let given = description.layout.objectClass
    if given == wanted || NSManagedObject.isClass(given, under: wanted) { return }
    throw Failure.malformedFetchRequest(
      entity: description.layout.name,
      what: "The request is for \(wanted), but the entity's objects are \(given): name the class in the model.").nsError
  }

  /// `Result` is a class or the one-word existential of a marker, so the array's elements are what they are.
  private func cast<Result: NSFetchRequestResult>(_ objects: [some AnyObject]) -> [Result] {
    precondition(MemoryLayout<Result>.size == MemoryLayout<AnyObject>.size)
    return unsafeBitCast(objects, to: [Result].self)
  }
}

extension NSManagedObject {
  fileprivate static func isClass(_ type: AnyClass, under other: AnyClass) -> Bool {
    var current: AnyClass? = type
    while let found = current {
      if found == other { return true }
      current = _getSuperclass(found)
    }
    return false
  }
}
