extension NSManagedObjectContext {
  /// The objects a request finds, with this context's unsaved changes.
  ///
  /// Throws for an entity, key path or operator that the model or the store does not have, naming it.
  public func fetch<Result: NSFetchRequestResult>(_ request: NSFetchRequest<Result>) throws -> [Result] {
    guardQueue("fetch(_:)")
    let coordinator = try coordinator(for: "fetch(_:)")
    learnKeys()
    if request.includesPendingChanges { processPendingChanges() }
    let description = try answeringFetches(
      FetchDescription(request, owner.layouts), pendingChanges: request.includesPendingChanges)
    try checkResult(Result.self, description)
    return try results(of: description, FetchOptions(request), coordinator, request.resultType)
  }

  /// What a checked fetch finds, in the form of its result type.
  func results<Result: NSFetchRequestResult>(
    of description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator,
    _ type: NSFetchRequestResultType
  ) throws -> [Result] {
    switch description.output {
    case .count: return cast([NSNumber(value: try count(description, options, coordinator))])
    case .dictionaries:
      if let answers = options.answers { return cast(answers.dictionaries) }
      return cast(
        try coordinator.dictionaries(
          for: runningCode(of: description, options, coordinator), for: self, stores: options.stores,
          generationForReading()))
    case .references where type == .managedObjectIDResultType:
      if let ids = try committedIDs(description, options, coordinator) { return cast(ids) }
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
    var description = try answeringFetches(
      FetchDescription(request, owner.layouts), pendingChanges: request.includesPendingChanges)
    description.output = .count
    description.sort = []
    let count = try count(description, FetchOptions(request), coordinator)
    if count == 0 { description.warnOfTexts() }
    return count
  }

  /// The settings of a request that are the context's business, not the store's.
  struct FetchOptions {
    let stores: [NSPersistentStore]?
    var pendingChanges: Bool
    let asFaults: Bool
    let refreshing: Bool
    let batchSize: Int
    let prefetching: [String]
    /// What the stores have answered already; nil to ask them.
    var answers: [StoreAnswer]?

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

    /// What the stores are asked: for keys alone where rows are read in portions.
    func asStoresSee(_ description: FetchDescription) -> FetchDescription {
      guard batchSize > 0, case .rows = description.output else { return description }
      var keysOnly = description
      keysOnly.output = .references
      return keysOnly
    }
  }

  func count(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> Int {
    if try options.pendingChanges && hasPendingChanges(touching: description)
      || runsCodeHere(description, options, coordinator)
    {
      var whole = description
      whole.output = .rows
      return try objects(whole, options, coordinator).count
    }
    if let parent { return try ask(parent) { try $0.answerCount(description, stores: options.stores) } }
    if let answers = options.answers { return answers.total }
    return try coordinator.count(for: description, for: self, stores: options.stores, generationForReading())
  }

  func objects(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [NSManagedObject] {
    var objects: [NSManagedObject]
    if try runsCodeHere(description, options, coordinator) {
      objects = try foundByCode(description, options, coordinator)
    } else if options.pendingChanges, hasPendingChanges(touching: description) {
      objects = try overlaid(description, options, coordinator)
    } else if try isMerged(description, options, coordinator) {
      objects = try merged(description, options, coordinator)
    } else if options.batchSize > 0, parent == nil, case .rows = description.output {
      objects = try batched(description, options, coordinator)
    } else {
      objects = try committed(description, options, coordinator)
    }
    if objects.isEmpty { description.warnOfTexts() }
    if !options.asFaults { objects.forEachHeld { if $0.state.contains(.fault) { $0.fire() } } }
    for path in options.prefetching { try prefetch(path, from: objects) }
    return objects
  }

  /// What the stores have, or the parent, as objects of this context.
  func committed(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [NSManagedObject] {
    if let parent { return try fetchFromParent(description, options, parent) }
    let answers =
      try options.answers
      ?? coordinator.answers(to: description, for: self, stores: options.stores, generationForReading())
    if answers.count == 1 { return objects(answers[0], refreshing: options.refreshing) }
    return answers.flatMap { objects($0, refreshing: options.refreshing) }
  }

  private func objects(_ answer: StoreAnswer, refreshing: Bool) -> [NSManagedObject] {
    let number = owner.number(of: answer.store)
    switch answer.outcome {
    case .rows(let rows): return owner.objects(for: rows, store: number, refreshing: refreshing)
    case .references(let references): return owner.faults(for: references, store: number)
    case .count, .dictionaries: return []
    }
  }

  /// The ids that a fetch finds, without making objects; nil where something is to be done with the objects besides.
  private func committedIDs(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [NSManagedObjectID]? {
    if parent != nil || retainsRegisteredObjects || !options.asFaults || !options.prefetching.isEmpty { return nil }
    if try runsCodeHere(description, options, coordinator) { return nil }
    if options.pendingChanges, hasPendingChanges(touching: description) { return nil }
    if try isMerged(description, options, coordinator) { return nil }
    let answers =
      try options.answers
      ?? coordinator.answers(to: description, for: self, stores: options.stores, generationForReading())
    var ids: [NSManagedObjectID] = []
    for answer in answers {
      guard case .references(let references) = answer.outcome else { continue }
      // Such a store is told of the objects.
      if answer.store.asksContexts {
        ids += owner.faults(for: references, store: owner.number(of: answer.store)).map(\.objectID)
        continue
      }
      ids.reserveCapacity(ids.count + references.count)
      for reference in references {
        ids.append(
          NSManagedObjectID(
            layout: owner.layouts.layouts[Int(reference.entity)], key: reference.key, store: answer.store))
      }
    }
    return ids
  }

  /// Whether several stores answer, whose answers have to be brought into one order or cut together.
  func isMerged(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> Bool {
    if parent != nil || description.sort.isEmpty && description.limit == 0 && description.offset == 0 { return false }
    return try coordinator.isSpread(description, options.stores, generationForReading())
  }

  /// The answers of several stores, each cut as far as it can be, in one order and cut together.
  private func merged(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [NSManagedObject] {
    var each = description
    each.output = .rows
    each.offset = 0
    if description.limit > 0 { each.limit = description.offset + description.limit }
    var found = try committed(each, options, coordinator)
    try sort(&found, by: description.sort)
    return description.cut(found)
  }

  /// Faults now; their rows in portions, when the first object of each is used.
  private func batched(
    _ description: FetchDescription, _ options: FetchOptions, _ coordinator: NSPersistentStoreCoordinator
  ) throws -> [NSManagedObject] {
    let answers =
      try options.answers
      ?? coordinator.answers(
        to: options.asStoresSee(description), for: self, stores: options.stores, generationForReading())
    return answers.flatMap { answer -> [NSManagedObject] in
      guard case .references(let references) = answer.outcome,
        let store = coordinator.persistentStores.first(where: { $0.identity === answer.store })
      else { return [] }
      batches.removeAll { $0.store === store && $0.root == description.layout.rootIndex }
      batches.append(
        FaultBatch(
          store: store, root: description.layout.rootIndex, keys: references.map(\.key),
          size: options.batchSize))
      return owner.faults(for: references, store: owner.number(of: store.identity))
    }
  }

  /// A request for objects of a class that the entity's objects are not of would hand out lies.
  func checkResult<Result>(_ type: Result.Type, _ description: FetchDescription) throws {
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
