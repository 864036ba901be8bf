/// Fetches that the stores answer.
extension StoresSource {
  func objects(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    if try isMerged(description, options: options, context: context) {
      return try merged(description, options: options, context: context)
    }
    // To refresh objects that the context has, their rows have to be read.
    if options.batchSize > 0, !options.refreshing, case .rows = description.output {
      return try batched(description, options: options, context: context)
    }
    return try candidates(description, options, for: context)
  }

  func candidates(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let answers = try answers(to: description, options, context)
    if answers.count == 1 { return objects(answers[0], options: options, context: context) }
    return answers.flatMap { objects($0, options: options, context: context) }
  }

  /// The answer that an asynchronous fetch already has, or else that of the stores.
  private func answers(
    to description: FetchDescription, _ options: FetchOptions, _ context: NSManagedObjectContext
  ) throws -> [StoreAnswer] {
    try options.answers
      ?? context.coordinator(for: "fetch(_:)").answers(
        to: description, for: context, stores: options.stores, generation(for: context))
  }

  private func objects(
    _ answer: StoreAnswer, options: FetchOptions, context: NSManagedObjectContext
  ) -> [NSManagedObject] {
    let number = context.owner.number(of: answer.store)
    switch answer.outcome {
    case .rows(let rows): return context.owner.objects(for: rows, store: number, refreshing: options.refreshing)
    case .references(let references): return context.owner.faults(for: references, store: number)
    case .objects(let references, let held):
      return withExtendedLifetime(held) { context.owner.faults(for: references, store: number) }
    case .count, .dictionaries: return []
    }
  }

  func ids(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> [NSManagedObjectID]? {
    if try isMerged(description, options: options, context: context) { return nil }
    let owner: ContextOwner = context.owner
    var ids: [NSManagedObjectID] = []
    for answer in try answers(to: description, options, context) {
      guard case .references(let references) = answer.outcome else { continue }
      // Such a store has to know of the objects.
      if answer.store.asksContexts {
        ids += owner.faults(for: references, store: owner.number(of: answer.store)).map(\.objectID)
        continue
      }
      ids.reserveCapacity(ids.count + references.count)
      for reference in references {
        ids.append(
          NSManagedObjectID(
            layout: owner.layouts[Int(reference.entity)], key: reference.key, store: answer.store))
      }
    }
    return ids
  }

  func count(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> Int {
    if let answers = options.answers { return answers.total }
    return try context.coordinator(for: "count(for:)").count(
      for: description, for: context, stores: options.stores, generation(for: context))
  }

  func isSpread(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> Bool {
    try context.coordinator(for: "fetch(_:)").isSpread(
      description, asked: options.stores, generation: generation(for: context))
  }

  /// Whether the answers of several stores have to be sorted or cut together.
  private func isMerged(
    _ description: FetchDescription, options: FetchOptions, context: NSManagedObjectContext
  ) throws -> Bool {
    if description.sort.isEmpty && description.limit == 0 && description.offset == 0 { return false }
    return try isSpread(description, options, for: context)
  }

  /// The answers of several stores, sorted and cut together. Each store cuts its own as far as possible.
  private func merged(
    _ description: FetchDescription, options: FetchOptions, context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    var each = description
    each.output = .rows
    each.offset = 0
    each.limit = description.limitWithOffset
    var found = try candidates(each, options, for: context)
    try context.sort(&found, by: description.sort)
    return description.cut(found)
  }

  /// Returns faults. Their rows are read in batches, when the first object of each is used.
  private func batched(
    _ description: FetchDescription, options: FetchOptions, context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    try answers(to: options.asStoresSee(description), options, context).flatMap { answer -> [NSManagedObject] in
      guard let references = answer.outcome.references, let store = answer.store.store else { return [] }
      context.keep(
        FaultBatch(
          store: store, root: description.layout.rootIndex, keys: references.map(\.key), size: options.batchSize))
      return withExtendedLifetime(answer) {
        context.owner.faults(for: references, store: context.owner.number(of: answer.store))
      }
    }
  }

  func translatesFetches(for context: NSManagedObjectContext) -> Bool {
    let stores = context.persistentStoreCoordinator?.persistentStores ?? []
    return stores.count == 1 && stores[0].rowStore?.translatesFetches == true
  }

  /// False if an incremental store takes part, whose methods have to be called on the queue of the context.
  func answersAnywhere(
    _ description: FetchDescription, _ options: FetchOptions, for context: NSManagedObjectContext
  ) throws -> Bool {
    let stores = context.coordinator(for: "execute(_:)").persistentStores
    return try !stores.contains { $0.identity.asksContexts } && !isSpread(description, options, for: context)
  }
}
