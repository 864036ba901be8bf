import CoreData
import Testing

/// That this file and the clients beside it compile in the Swift 6 language mode is half of the test.
@Suite("Signatures", .serialized)
struct SignatureTests {
  private func needsSendable<T: Sendable>(_ type: T.Type) -> ObjectIdentifier { ObjectIdentifier(type) }

  @Test("What Apple's SDK lets cross isolations crosses them here")
  func sendable() {
    let classes = [
      needsSendable(NSManagedObjectContext.self), needsSendable(NSPersistentStoreCoordinator.self),
      needsSendable(NSPersistentContainer.self), needsSendable(NSManagedObjectID.self),
    ]
    let values = [
      needsSendable(NSAttributeType.self), needsSendable(NSAttributeDescription.AttributeType.self),
      needsSendable(NSDeleteRule.self), needsSendable(NSFetchIndexElementType.self),
      needsSendable(NSFetchRequestResultType.self), needsSendable(NSPersistentStoreRequestType.self),
      needsSendable(NSManagedObjectContextConcurrencyType.self), needsSendable(NSMergePolicyType.self),
      needsSendable(NSManagedObjectContext.ScheduledTaskType.self),
      needsSendable(NSManagedObjectContext.NotificationKey.self), needsSendable(NSSnapshotEventType.self),
      needsSendable(NSPersistentStore.StoreType.self), needsSendable(NSValueTransformerName.self),
    ]
    #expect(Set(classes + values).count == 17)
  }

  @Test("Constants of policies are the same objects from any isolation")
  func policies() async {
    let constants = [
      NSErrorMergePolicy, NSMergeByPropertyStoreTrumpMergePolicy, NSMergeByPropertyObjectTrumpMergePolicy,
      NSOverwriteMergePolicy, NSRollbackMergePolicy,
    ]
    let policies: [NSMergePolicy] = [
      .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]
    #expect(constants.map(ObjectIdentifier.init) == policies.map(ObjectIdentifier.init))
    let types = await Task.detached {
      [NSMergePolicy.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback]
        .map(\.mergeType.rawValue)
    }.value
    #expect(types == [0, 1, 2, 3, 4])
  }

  private func coordinator(
    _ make: (NSManagedObjectModel) -> NSPersistentStoreCoordinator = NSPersistentStoreCoordinator.init
  ) throws -> NSPersistentStoreCoordinator {
    let entity = NSEntityDescription()
    entity.name = "SpyVolume"
    entity.managedObjectClassName = NSStringFromClass(SpyVolume.self)
    let title = NSAttributeDescription()
    title.name = "title"
    title.attributeType = .stringAttributeType
    entity.properties = [title]
    SpyVolume.description = entity
    SpyVolume.calls = Calls()
    let model = NSManagedObjectModel()
    model.entities = [entity]
    let coordinator = make(model)
    try coordinator.addPersistentStore(type: .inMemory, at: URL(fileURLWithPath: "/dev/null"))
    return coordinator
  }

  @Test("What applications override in a context is asked")
  func contextOverrides() throws {
    let context = SpyContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = try coordinator()
    let calls = context.calls
    try context.performAndWait {
      let volume = SpyVolume(context: context)
      volume.setValue("One", forKey: "title")
      context.assign(volume, to: try #require(context.persistentStoreCoordinator?.persistentStores.first))
      try context.obtainPermanentIDs(for: [volume])
      #expect(context.insertedObjects == [volume] && context.registeredObjects == [volume])
      try context.save()
      volume.setValue("Two", forKey: "title")
      #expect(context.hasChanges && context.updatedObjects == [volume])
      context.refresh(volume, mergeChanges: true)
      #expect(try context.existingObject(with: volume.objectID) === context.object(with: volume.objectID))
      #expect(context.registeredObject(for: volume.objectID) === volume)
      context.rollback()
      context.detectConflicts(for: volume)
      context.refreshAllObjects()
      context.mergeChanges(fromContextDidSave: Notification(name: .NSManagedObjectContextDidSave))
      context.delete(volume)
      #expect(context.deletedObjects == [volume])
      context.insert(volume)
      context.reset()
    }
    context.performAndWait { context.processPendingChanges() }
    #expect(
      calls.all.isSuperset(of: [
        "insertedObjects", "updatedObjects", "deletedObjects", "registeredObjects", "hasChanges", "save()",
        "insert(_:)", "delete(_:)", "rollback()", "reset()", "processPendingChanges()", "object(with:)",
        "registeredObject(for:)", "existingObject(with:)", "obtainPermanentIDs(for:)", "refresh(_:mergeChanges:)",
        "performAndWait(_:)", "refreshAllObjects()", "mergeChanges(fromContextDidSave:)", "assign(_:to:)",
        "detectConflicts(for:)",
      ]))
  }

  @Test("A context that runs blocks at once, in the older spelling")
  func oldOverrides() {
    let context = OldSpyContext(concurrencyType: .mainQueueConcurrencyType)
    let calls = Calls()
    context.perform { calls.note("perform") }
    context.performAndWait { calls.note("wait") }
    #expect(calls.all == ["perform", "wait"] && context.calls.all == ["perform(_:)", "performAndWait(_:)"])
  }

  @Test("A coordinator adds the store of a description and is awaited, or throws why it can't")
  func awaitedStore() async throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    let added = try await coordinator.addPersistentStore(with: description)
    #expect(added === description && coordinator.persistentStores.count == 1)
    description.type = "Unknown"
    await #expect(throws: NSError.self) { _ = try await coordinator.addPersistentStore(with: description) }
  }

  @Test("What applications override in an object is asked, its entity included")
  func objectOverrides() throws {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = try coordinator()
    try context.performAndWait {
      let volume = SpyVolume(entity: SpyVolume.entity(), insertInto: context)
      #expect(SpyVolume.fetchRequest().entity === SpyVolume.entity())
      volume.setValue("One", forKey: "title")
      try context.save()
      volume.setValue("Two", forKey: "title")
      try context.save()
      volume.setValue("Three", forKey: "title")
      context.rollback()
      context.refresh(volume, mergeChanges: false)
      #expect(volume.value(forKey: "title") as? String == "Two")
      #expect(volume.value(forKey: "author") as? String == "no author")
      volume.setValue(1, forKey: "author")
      #expect(volume.managedObjectContext === context)
      context.delete(volume)
      try context.save()
    }
    #expect(
      SpyVolume.calls.all.isSuperset(of: [
        "awakeFromInsert()", "awakeFromFetch()", "awake(fromSnapshotEvents:)", "prepareForDeletion()", "willSave()",
        "didSave()", "willTurnIntoFault()", "didTurnIntoFault()", "validateForInsert()", "validateForUpdate()",
        "validateForDelete()", "setValue(_:forUndefinedKey:)", "managedObjectContext",
      ]))
  }

  @Test("What applications override in a container and a coordinator is asked")
  func stackOverrides() async throws {
    let container = SpyContainer(name: "Spy", managedObjectModel: try coordinator().managedObjectModel)
    container.persistentStoreDescriptions = [MemoryDescription(url: URL(fileURLWithPath: "/dev/null"))]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    #expect(container.viewContext.persistentStoreCoordinator === container.persistentStoreCoordinator)
    #expect(container.persistentStoreCoordinator.persistentStores.map(\.type) == [NSInMemoryStoreType])
    #expect(container.name == "spied on: Spy" && container.managedObjectModel.entities.count == 1)
    await withCheckedContinuation { continuation in
      container.performBackgroundTask { _ in continuation.resume() }
    }
    #expect(
      container.calls.all == [
        "viewContext", "persistentStoreCoordinator", "managedObjectModel", "newBackgroundContext()",
        "performBackgroundTask(_:)", "loadPersistentStores(completionHandler:)",
      ])

    let spy = try #require(try coordinator(SpyCoordinator.init) as? SpyCoordinator)
    await withCheckedContinuation { continuation in spy.perform { continuation.resume() } }
    spy.performAndWait {}
    #expect(spy.managedObjectID(forURIRepresentation: URL(fileURLWithPath: "/")) == nil)
    #expect(spy.managedObjectModel.entities.map(\.name) == ["SpyVolume"])
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = spy
    // A store in memory refuses it, but the coordinator is asked first.
    #expect(throws: (any Error).self) {
      try context.performAndWait { _ = try context.execute(NSBatchUpdateRequest(entityName: "SpyVolume")) }
    }
    #expect(
      spy.calls.all == [
        "perform(_:)", "performAndWait(_:)", "managedObjectID(forURIRepresentation:)", "managedObjectModel",
        "execute(_:with:)",
      ])
  }

  @Test("A program's tests answer requests with results of their own")
  func madeUpResults() throws {
    let context = AnsweringContext(.privateQueue)
    let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Volume")
    let deleted = try context.execute(NSBatchDeleteRequest(fetchRequest: all)) as? NSBatchDeleteResult
    #expect(deleted?.result as? [String] == ["deleted"] && deleted?.resultType == .resultTypeStatusOnly)
    let inserted = try context.execute(NSBatchInsertRequest(entityName: "Volume", objects: [])) as? NSBatchInsertResult
    #expect(inserted?.result as? [String] == ["inserted"] && inserted?.resultType == .statusOnly)
    let updated = try context.execute(NSBatchUpdateRequest(entityName: "Volume")) as? NSBatchUpdateResult
    #expect(updated?.result as? [String] == ["updated"] && updated?.resultType == .statusOnlyResultType)
    let since = NSPersistentHistoryChangeRequest.fetchHistory(after: NSPersistentHistoryToken())
    let history = try context.execute(since) as? NSPersistentHistoryResult
    let transaction = (history?.result as? [NSPersistentHistoryTransaction])?.first
    #expect(transaction?.author == "nobody" && transaction?.transactionNumber == 0 && transaction?.changes == nil)
    let change = MadeUpChange()
    #expect(change.changeType == .delete && change.changeID == 0 && change.tombstone == nil)
  }

  @Test("A fetch asks what a subclass has in its place, and has what that returns or throws")
  func fetchOverrides() throws {
    let context = FetchlessContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = try coordinator()
    try context.performAndWait { () throws -> Void in
      let request = NSFetchRequest<SpyVolume>(entityName: "SpyVolume")
      #expect(try context.fetch(request).isEmpty)
      let one = SpyVolume(context: context)
      let other = SpyVolume(context: context)
      #expect(Set(try context.fetch(request)) == [one, other])
      request.resultType = .managedObjectIDResultType
      #expect(Set(try context.fetch(request)) == [one, other])
      request.resultType = .countResultType
      #expect(throws: CocoaError.self) { try context.fetch(request) }
      request.resultType = .managedObjectResultType
      context.answer = [other]
      #expect(try context.fetch(request) == [other] && request.execute() == [other])
      let untyped = NSFetchRequest<any NSFetchRequestResult>(entityName: "SpyVolume")
      #expect(try (context as NSManagedObjectContext).fetch(untyped) as? [SpyVolume] == [other])
      let base: NSManagedObjectContext = context
      context.error = Refusal()
      #expect(throws: Refusal.self) { try base.fetch(request) }
      #expect(context.calls.all == ["SpyVolume"])
    }
  }

  @Test("What a subclass of a list of results says of it counts")
  func listOverrides() {
    let request = NSFetchRequest<SpyVolume>(entityName: "SpyVolume")
    request.sortDescriptors = []
    let context = NSManagedObjectContext(.privateQueue)
    let list: NSFetchedResultsController<SpyVolume> = JoinedList(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: "x")
    #expect(list.fetchRequest.entityName == "Joined" && list.managedObjectContext is AnsweringContext)
    #expect(list.sectionNameKeyPath == "joined" && list.cacheName == nil)
  }

  @Test("Subclasses of what is not sendable have variables of their own")
  func variables() throws {
    let policy = CountingPolicy(merge: .errorMergePolicyType)
    try policy.resolve(mergeConflicts: [])
    let transformer = CountingTransformer()
    #expect(transformer.transformedValue("x") as? String == "x")
    #expect(policy.asked == 1 && transformer.asked == 1)
    #expect(NewestFirst<SpyVolume>(entityName: "SpyVolume").fetchLimit == 1)
  }

  /// Wrappers as applications have them.
  private func wrapped<T>(
    _ context: NSManagedObjectContext, _ block: @escaping @Sendable () throws -> T
  ) async rethrows -> T { try await context.perform(schedule: .enqueued, block) }

  private func wrappedAndWait<T>(_ context: NSManagedObjectContext, _ block: () throws -> T) rethrows -> T {
    try context.performAndWait(block)
  }

  private struct Refusal: Error {}

  @Test("Blocks rethrow: what cannot throw needs no try, wrappers declared rethrows included")
  func rethrowing() async throws {
    let coordinator = try coordinator()
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    #expect(await context.perform { 1 } == 1)
    #expect(context.performAndWait { 2 } == 2)
    #expect(await wrapped(context) { 3 } == 3)
    #expect(wrappedAndWait(context) { 4 } == 4)
    #expect(await coordinator.perform { 5 } == 5)
    #expect(coordinator.performAndWait { 6 } == 6)
    await #expect(throws: Refusal.self) { try await context.perform { throw Refusal() } }
    await #expect(throws: Refusal.self) { try await wrapped(context) { throw Refusal() } }
    await #expect(throws: Refusal.self) { try await coordinator.perform { throw Refusal() } }
    #expect(throws: Refusal.self) { try wrappedAndWait(context) { throw Refusal() } }
    #expect(throws: Refusal.self) { try coordinator.performAndWait { throw Refusal() } }
  }
}
