import CoreData

extension ModelContext {
  /// Fetches the models that a descriptor describes.
  ///
  /// Throws `SwiftDataError` for a class, predicate, sort descriptor or key path that can't be fetched, and
  /// `CocoaError` if a store can't be read.
  public func fetch<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [T] {
    let storageType: any BackingData<T>.Type = DefaultBackingData<T>.self
    let objects = try asking(descriptor) { try managedContext.fetch($0) }
    // `map` of a type that is not known here takes a third of the time that the models take.
    return Array(unsafeUninitializedCapacity: objects.count) { models, count in
      for object in objects {
        models.initializeElement(at: count, to: model(of: object, storedIn: storageType))
        count += 1
      }
    }
  }

  /// The number of models that the fetch would find.
  public func fetchCount<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> Int {
    try asking(descriptor) { try managedContext.count(for: $0) }
  }

  /// Runs a fetch so that each ``DataStore`` can see its descriptor.
  func asking<T: PersistentModel, Result>(
    _ descriptor: FetchDescriptor<T>, _ body: (NSFetchRequest<NSManagedObject>) throws -> Result
  ) throws -> Result {
    try asking(descriptor, request(descriptor), body)
  }

  /// Asks with the request that was made of the descriptor, or with one that has its predicate and its order.
  func asking<T: PersistentModel, Found, Result>(
    _ descriptor: FetchDescriptor<T>, _ request: NSFetchRequest<Found>,
    _ body: (NSFetchRequest<Found>) throws -> Result
  ) throws -> Result {
    if openContainer.dataStores.isEmpty { return try body(request) }
    let asked = AskedDescriptor(descriptor, predicate: request.predicate, order: request.sortDescriptors ?? [])
    return try AskedDescriptor.$current.withValue(asked) { try body(request) }
  }

  /// The identities of the models that a descriptor describes.
  public func fetchIdentifiers<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> [PersistentIdentifier] {
    try objectIDs(descriptor).map(identifier(of:))
  }

  /// Calls a block with each model that a descriptor describes.
  ///
  /// The fetch first finds out which models there are. It then reads `batchSize` models at a time and releases them
  /// before it reads the next, except those that you keep or that have changes. Models that were deleted in the
  /// meantime are skipped.
  ///
  /// It saves nothing. Changed models stay in memory until you save, so a block that changes many of them should save
  /// now and then.
  ///
  /// - Parameter allowEscapingMutations: whether unsaved changes may add up. If false, the enumeration throws
  ///   `SwiftDataError.includePendingChangesWithBatchSize` where it is about to read a batch, the first one included,
  ///   and the context has unsaved changes. They stay as they are. Changes in the last batch, or in the only one, are
  ///   yours to save.
  public func enumerate<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, batchSize: Int = 5000, allowEscapingMutations: Bool = false,
    block: (_ model: T) throws -> Void
  ) throws {
    var rest = try objectIDs(descriptor)[...]
    while !rest.isEmpty {
      if !allowEscapingMutations, hasChanges { throw SwiftDataError.changesWhileEnumerating(T.self) }
      let batch = rest.prefix(batchSize > 0 ? batchSize : rest.count)
      rest = rest.dropFirst(batch.count)
      let found = try objects(batch, T.self)
      for id in batch {
        guard let object = found[id], object.managedObjectContext != nil, !object.isDeleted else { continue }
        try block(model(of: object, T.self))
      }
    }
  }

  func request<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>
  ) throws -> NSFetchRequest<NSManagedObject> {
    forgetErased()
    let type = ModelType.of(T.self)
    guard openContainer.classes.byName[type.name] === type else { throw SwiftDataError.unknownSchema }
    let request = NSFetchRequest<NSManagedObject>(entityName: type.name)
    if let predicate = descriptor.predicate {
      let names = ModelKeyPaths.names(of:)
      guard
        let converted = NSPredicate.converting(
          predicate, names: names, constant: constant, isOpaque: ModelKeyPaths.isOpaque,
          areMembers: { $0 is any ModelArray.Type }, entities: entities)
      else {
        throw SwiftDataError.unsupportedPredicate
      }
      request.predicate = converted
    }
    request.sortDescriptors = try descriptor.sortBy.map { sort in
      guard let keyPath = sort.keyPath, let names = try? ModelKeyPaths.names(of: keyPath) else {
        throw SwiftDataError.unsupportedSortDescriptor
      }
      if names.isEmpty, openContainer.classes.haveProperty(named: "objectID", inHierarchyOf: type) {
        throw SwiftDataError.unsupportedSortDescriptor
      }
      let key = names.isEmpty ? "objectID" : names.joined(separator: ".")
      return NSSortDescriptor(
        key: key, ascending: sort.order == .forward,
        selector: TextOrderStep.selector(of: keyPath).map { Selector($0) })
    }
    if let limit = descriptor.fetchLimit { request.fetchLimit = limit }
    if let offset = descriptor.fetchOffset { request.fetchOffset = offset }
    request.includesPendingChanges = descriptor.includePendingChanges
    // Models that the context has already take over what other contexts have saved, as on Apple's systems.
    request.shouldRefreshRefetchedObjects = true
    // Each row has its identity, which is no property of it.
    let properties = try descriptor.propertiesToFetch.map { try ModelKeyPaths.names(of: $0) }.filter { !$0.isEmpty }
    if !properties.isEmpty { request.propertiesToFetch = properties.map { $0.joined(separator: ".") } }
    if !descriptor.relationshipKeyPathsForPrefetching.isEmpty {
      request.relationshipKeyPathsForPrefetching = try descriptor.relationshipKeyPathsForPrefetching.map { keyPath in
        let names = try ModelKeyPaths.names(of: keyPath)
        if names.isEmpty { throw SwiftDataError.unsupportedKeyPath }
        return names.joined(separator: ".")
      }
    }
    return request
  }

  /// The entities of a class and of its subclasses, its own first, for `$0 is Novel` and `$0 as? Novel`.
  private func entities(_ type: Any.Type) -> [NSEntityDescription]? {
    guard let model = type as? any PersistentModel.Type else { return nil }
    let wanted = ModelType.of(model)
    if openContainer.classes.haveProperty(named: "entity", inHierarchyOf: wanted) { return nil }
    let below = openContainer.classes.byName.values.filter { $0 !== wanted && $0.inherits(from: wanted) }.map(\.name)
      .sorted()
    return ([wanted.name] + below).compactMap { openContainer.model.entitiesByName[$0] }
  }

  /// Stands for a model that the stores do not have. No model equals it, while nil would equal a relationship without a
  /// destination.
  private static let noModel = "a model that is in no store"

  /// What takes the place of a captured value in the predicate: an object id for a model or an identity, the raw value
  /// for an enumeration.
  private func constant(_ value: Any) -> Any? {
    switch value {
    case let model as any PersistentModel: model.storage.object?.objectID ?? ModelContext.noModel
    case let identifier as PersistentIdentifier: objectID(of: identifier) ?? ModelContext.noModel
    case let list as [any PersistentModel]: list.compactMap { $0.storage.object?.objectID }
    case let list as [PersistentIdentifier]: list.compactMap(objectID(of:))
    case let set as Set<PersistentIdentifier>: set.compactMap(objectID(of:))
    case let optional as any OptionalValue: optional.wrappedValue.flatMap(constant)
    case let raw as any RawRepresentable: ModelContext.rawConstant(raw)
    case let list as [any RawRepresentable]: list.map(ModelContext.rawConstant)
    case let set as Set<AnyHashable> where set.first.map { ModelContext.isReplaced($0.base) } ?? false:
      set.map { constant($0.base) ?? NSNull() }.filter { !($0 is NSNull) }
    default: value
    }
  }

  private static func isReplaced(_ member: Any) -> Bool {
    member is any PersistentModel || member is PersistentIdentifier || member is any RawRepresentable
  }

  /// Other raw-representable types are stored as they are.
  private static func rawConstant(_ value: any RawRepresentable) -> Any {
    EnumerationCase.all(of: type(of: value)) == nil ? value : value.rawValue
  }
}
