import CoreData

/// Makes a ``DataStore`` one of Core Data's stores.
///
/// Core Data needs an object's permanent id before the save, but a data store returns it with the save's result. So
/// this store gives new objects references of its own, and `identifiers` maps them to the data store's identities.
final class DataStoreBridge: NSIncrementalStore {
  static let storeType = "SwiftData.DataStore"
  /// The store option that holds the data store.
  static let accessOption = "SwiftDataStoreAccess"
  static let registration: Void = {
    NSPersistentStoreCoordinator.registerStoreClass(DataStoreBridge.self, forStoreType: storeType)
  }()

  /// Says in a sentence what a data store can't do.
  struct Refusal: LocalizedError {
    let errorDescription: String?
    init(_ words: String) { errorDescription = words }
  }

  private struct Reference: Hashable {
    let entity: String
    let text: String

    /// The text counts by its bytes, as those of identities do.
    static func == (left: Reference, right: Reference) -> Bool {
      left.text.utf8.elementsEqual(right.text.utf8) && left.entity == right.entity
    }
  }

  /// Held while the data store runs one of its methods, so that they run one at a time.
  private let lock = NSRecursiveLock()
  private var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
  private var identifiers: [Reference: PersistentIdentifier] = [:]
  private var references: [PersistentIdentifier: String] = [:]

  // `ModelContainer` always sets this option when it adds the store.
  private var access: any DataStoreAccess { options![Self.accessOption] as! any DataStoreAccess }

  override var type: String { Self.storeType }

  override func loadMetadata() throws {
    metadata = [NSStoreTypeKey: Self.storeType, NSStoreUUIDKey: access.identifier]
  }

  func erase() throws {
    try lock.withLock {
      try access.erase()
      (snapshots, identifiers, references) = ([:], [:], [:])
    }
  }

  func beginState(_ state: EditingState) { lock.withLock { access.initializeState(for: state) } }
  func endState(_ state: EditingState) { lock.withLock { access.invalidateState(for: state) } }

  private func state(of context: NSManagedObjectContext?) -> EditingState {
    EditingState(
      id: context?.userInfo[ModelContext.editingStateKey] as? UUID ?? UUID(), author: context?.transactionAuthor)
  }

  // Identities.

  func identifier(of objectID: NSManagedObjectID) -> PersistentIdentifier {
    let reference = referenceObject(for: objectID) as? String ?? ""
    let name = objectID.entity.name ?? ""
    let known = lock.withLock { identifiers[Reference(entity: name, text: reference)] }
    return PersistentIdentifier(
      store: access.identifier, entityName: name, primaryKey: known?.primaryKey ?? reference, objectID)
  }

  /// Nil if the identity belongs to another schema.
  func objectID(of identifier: PersistentIdentifier) -> NSManagedObjectID? {
    guard let model = persistentStoreCoordinator?.managedObjectModel,
      let entity = model.entitiesByName[identifier.entityName]
    else { return nil }
    return newObjectID(for: entity, referenceObject: reference(of: identifier, entity))
  }

  /// An identity's key is unique among the models of its entity, while a reference has to be so in a whole hierarchy.
  private func reference(of identifier: PersistentIdentifier, _ entity: NSEntityDescription) -> String {
    if entity.superentity == nil, entity.subentities.isEmpty {
      return lock.withLock { references[identifier] } ?? identifier.primaryKey
    }
    return lock.withLock {
      if let known = references[identifier] { return known }
      let made = "\(identifier.entityName)/\(identifier.primaryKey)"
      note(identifier, made)
      return made
    }
  }

  /// Used under `lock`.
  private func note(_ identifier: PersistentIdentifier, _ reference: String) {
    identifiers[Reference(entity: identifier.entityName, text: reference)] = identifier
    references[identifier] = reference
  }

  func isOwn(_ identifier: PersistentIdentifier) -> Bool { identifier.storeIdentifier == access.identifier }

  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    array.map { newObjectID(for: $0.entity, referenceObject: UUID().uuidString) }
  }

  // Requests.

  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    switch request.requestType {
    case .fetchRequestType:
      // A fetch request always comes from a context.
      return try found(by: request as! NSFetchRequest<any NSFetchRequestResult>, context!)
    case .saveRequestType:
      try lock.withLock { try save(request as! NSSaveChangesRequest, state(of: context)) }
      return []
    default: throw Refusal("A DataStore keeps no history, and knows no batch requests.")
    }
  }

  private func found(
    by request: NSFetchRequest<any NSFetchRequestResult>, _ context: NSManagedObjectContext
  ) throws -> Any {
    guard let entity = request.entity, let type = (entity.name).flatMap({ types[$0] }) else {
      throw Refusal("A DataStore was asked for models of a class that its container does not have.")
    }
    let state = state(of: context)
    switch request.resultType {
    case .managedObjectResultType: return try ids(of: type.type, request, state).map { context.object(with: $0) }
    case .managedObjectIDResultType: return try identified(type.type, request, state)
    case .countResultType: return [NSNumber(value: try counted(type.type, request, state))]
    default: throw Refusal("A DataStore finds models, and no dictionaries.")
    }
  }

  private func counted<T: PersistentModel>(
    _ type: T.Type, _ request: NSFetchRequest<any NSFetchRequestResult>, _ state: EditingState
  ) throws -> Int {
    try answer(type, request, state, access.fetchCount) ?? ids(of: type, request, state).count
  }

  private func identified<T: PersistentModel>(
    _ type: T.Type, _ request: NSFetchRequest<any NSFetchRequestResult>, _ state: EditingState
  ) throws -> [NSManagedObjectID] {
    try answer(type, request, state, askForIdentifiers)?.map(ownObjectID) ?? ids(of: type, request, state)
  }

  /// The data store's own answer to the context's fetch; nil if there is something left to do in memory.
  private func answer<T: PersistentModel, Answer>(
    _ type: T.Type, _ request: NSFetchRequest<any NSFetchRequestResult>, _ state: EditingState,
    _ ask: (DataStoreFetchRequest<T>) throws -> Answer
  ) throws -> Answer? {
    guard let descriptor = AskedDescriptor.current?.descriptor(of: request, type) else { return nil }
    do {
      return try lock.withLock { try ask(DataStoreFetchRequest(descriptor: descriptor, editingState: state)) }
    } catch DataStoreError.preferInMemoryFilter {
      return nil
    } catch DataStoreError.preferInMemorySort {
      return nil
    }
  }

  private var types: [String: ModelType] { options?[Self.typesOption] as? [String: ModelType] ?? [:] }
  static let typesOption = "SwiftDataModelTypes"

  private func ids<T: PersistentModel>(
    of type: T.Type, _ request: NSFetchRequest<any NSFetchRequestResult>, _ state: EditingState
  ) throws -> [NSManagedObjectID] {
    let asked = AskedDescriptor.current?.descriptor(of: request, type)
    var (filters, sorts) = (asked == nil, asked == nil)
    var descriptor = asked ?? FetchDescriptor<T>()
    while true {
      do {
        let ids = try lock.withLock { try ask(descriptor, state) }
        return filters || sorts ? try inMemory(ids, request, filters: filters) : ids
      } catch DataStoreError.preferInMemoryFilter where !filters {
        (filters, sorts) = (true, true)
        descriptor = FetchDescriptor<T>()
      } catch DataStoreError.preferInMemorySort where !sorts {
        sorts = true
        descriptor.sortBy = []
        (descriptor.fetchLimit, descriptor.fetchOffset) = (nil, nil)
      }
    }
  }

  private func ask<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>, _ state: EditingState
  ) throws -> [NSManagedObjectID] {
    let found = try access.fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
    keep(found)
    return try found.snapshots.map { try ownObjectID($0.persistentIdentifier) }
  }

  private func askForIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    let (identifiers, found) = try access.fetchIdentifiers(request)
    if let found { keep(found) }
    return identifiers
  }

  private func keep(_ found: FoundSnapshots) {
    snapshots.merge(found.related) { $1 }
    for snapshot in found.snapshots { snapshots[snapshot.persistentIdentifier] = snapshot }
  }

  private func ownObjectID(_ identifier: PersistentIdentifier) throws -> NSManagedObjectID {
    guard isOwn(identifier), let id = objectID(of: identifier) else {
      throw Refusal(
        "The DataStore \(access.identifier) has found a model of another store or schema: " + identifier.uri)
    }
    return id
  }

  /// Filters and sorts in memory what the data store has left to do.
  private func inMemory(
    _ ids: [NSManagedObjectID], _ request: NSFetchRequest<any NSFetchRequestResult>, filters: Bool
  ) throws -> [NSManagedObjectID] {
    let evaluation = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    evaluation.persistentStoreCoordinator = persistentStoreCoordinator
    return try evaluation.performAndWait {
      // A descriptor can't leave out the classes below; only a request can.
      let wanted = request.includesSubentities ? ids : ids.filter { $0.entity.name == request.entity?.name }
      var objects = try wanted.map { try evaluation.existingObject(with: $0) }
      if filters, let predicate = request.predicate { objects = objects.filter { predicate.evaluate(with: $0) } }
      if let order = request.sortDescriptors, !order.isEmpty {
        objects.sort { a, b in
          order.lazy.map { $0.compare(a, to: b) }.first { $0 != .orderedSame } == .orderedAscending
        }
      }
      let rest = objects.dropFirst(request.fetchOffset)
      return (request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest).map(\.objectID)
    }
  }

  // Values.

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    let snapshot = try snapshot(of: objectID, context)
    var values = snapshot.attributes(of: objectID.entity)
    for (name, relationship) in objectID.entity.relationshipsByName where !relationship.isToMany {
      values[name] = snapshot.model(name).flatMap(self.objectID) ?? NSNull()
    }
    return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: snapshot.version)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    try snapshot(of: objectID, context).models(relationship.name).compactMap(self.objectID)
  }

  private func snapshot(of objectID: NSManagedObjectID, _ context: NSManagedObjectContext?) throws -> DefaultSnapshot {
    let identifier = identifier(of: objectID)
    return try lock.withLock {
      if let known = snapshots[identifier] { return known }
      let state = state(of: context)
      if let cached = try access.cachedSnapshot(identifier, state) {
        snapshots[identifier] = cached
        return cached
      }
      if let type = types[identifier.entityName] {
        func readAll<T: PersistentModel>(_: T.Type) throws { _ = try ask(FetchDescriptor<T>(), state) }
        try readAll(type.type)
      }
      guard let found = snapshots[identifier] else {
        throw NSError(
          domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError,
          userInfo: [NSLocalizedDescriptionKey: "The DataStore has no \(identifier.uri)."])
      }
      return found
    }
  }

  // Saving.

  private func save(_ request: NSSaveChangesRequest, _ state: EditingState) throws {
    let inserted = request.insertedObjects ?? []
    let new = Set(inserted.map(\.objectID))
    func identifier(_ object: NSManagedObject) -> PersistentIdentifier {
      guard new.contains(object.objectID) else { return self.identifier(of: object.objectID) }
      return PersistentIdentifier(
        temporary: referenceObject(for: object.objectID) as? String ?? "", entityName: object.entity.name ?? "")
    }
    func snapshots(_ objects: Set<NSManagedObject>?) throws -> [DefaultSnapshot] {
      try (objects ?? []).map { try DefaultSnapshot(of: $0, identifier: identifier) }
        .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
    }
    let changes = DataStoreSaveChangesRequest(
      editingState: state, inserted: try snapshots(inserted), updated: try snapshots(request.updatedObjects),
      deleted: try snapshots(request.deletedObjects))
    let result = try access.save(changes)
    for snapshot in changes.inserted {
      guard let made = result.remappedIdentifiers[snapshot.persistentIdentifier], isOwn(made) else {
        throw Refusal(
          "The DataStore \(access.identifier) has saved a new \(snapshot.persistentIdentifier.entityName), and has named "
            + "no identity of its own for it.")
      }
    }
    for object in inserted {
      let temporary = identifier(object)
      guard let made = result.remappedIdentifiers[temporary],
        let reference = referenceObject(for: object.objectID) as? String
      else { continue }
      note(made, reference)
    }
    for snapshot in changes.inserted + changes.updated {
      let identifier = result.remappedIdentifiers[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      self.snapshots[identifier] = snapshot.copy(
        persistentIdentifier: identifier, remappedIdentifiers: result.remappedIdentifiers)
    }
    for snapshot in changes.deleted { self.snapshots[snapshot.persistentIdentifier] = nil }
    self.snapshots.merge(result.snapshotsToReregister) { $1 }
  }
}
