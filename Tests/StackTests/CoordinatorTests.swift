import CoreData
import Testing

@Suite("Coordinator")
struct CoordinatorTests {
  private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())

  private func add(_ type: String, configuration: String? = nil, at url: URL? = nil) -> NSError? {
    failure {
      _ = try coordinator.addPersistentStore(ofType: type, configurationName: configuration, at: url)
    }
  }

  @Test("A model without entities has stores and contexts, and nothing in them", arguments: StoreKind.allCases)
  func emptyModel(_ kind: StoreKind) throws {
    try withStack(kind, NSManagedObjectModel()) { _, context in
      try context.save()
      #expect(context.registeredObjects.isEmpty)
      #expect(throws: (any Error).self) { try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "None")) }
    }
  }

  @Test("A coordinator made without arguments has such a model")
  func withoutArguments() throws {
    let coordinator = NSPersistentStoreCoordinator()
    #expect(coordinator.managedObjectModel.entities.isEmpty && coordinator.persistentStores.isEmpty)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    #expect(context.performAndWait { failure { try context.save() } } == nil)
  }

  @Test("A store type that nobody registered is refused with those that are")
  func unknownType() throws {
    let error = try #require(add("Nonsense"))
    #expect(error.code == NSPersistentStoreInvalidTypeError)
    // Types that other tests have registered are among them.
    #expect(error.localizedDescription.contains("\"Nonsense\". The registered types are "))
    for kind in StoreKind.allCases { #expect(error.localizedDescription.contains(kind.type)) }
  }

  @Test("The same file cannot be added twice", arguments: StoreKind.allCases.filter { $0 != .inMemory })
  func twice(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let error = failure {
      _ = try stack.coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: stack.url)
    }
    #expect(error?.code == 134081)
    #expect(error?.localizedDescription.contains("Can't add the same store twice") == true)
    #expect(stack.coordinator.persistentStores.count == 1)
    #expect(stack.coordinator.persistentStore(for: stack.url) === stack.store)
    #expect(stack.coordinator.url(for: stack.store) == stack.url)
  }

  @Test("A configuration that the model lacks is refused by name", arguments: StoreKind.allCases)
  func configuration(_ kind: StoreKind) throws {
    let url = kind.newURL()
    let error = try #require(add(kind.type, configuration: "Cloud", at: url))
    #expect(error.localizedDescription.contains("\"Cloud\""))
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test(
    "A store of the configuration Default has all entities, unless the model has a configuration of that name",
    arguments: StoreKind.allCases)
  func editorsDefault(_ kind: StoreKind) throws {
    let (a, b) = (entity("A", [attribute("name")]), entity("B", [attribute("name")]))
    let made = model([a, b])
    made.setEntities([a], forConfigurationName: "First")
    let own = try #require(made.copy() as? NSManagedObjectModel)
    own.setEntities(own.entities.filter { $0.name == "A" }, forConfigurationName: "Default")
    let folder = StoreFolder()
    for (model, entities) in [(made, ["A", "B"]), (own, ["A"])] {
      #expect(model.entities(forConfigurationName: "Default")?.compactMap(\.name).sorted() == entities)
      let url = folder.place(kind, "\(entities.count)")
      for round in 1...2 {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
          ofType: kind.type, configurationName: "Default", at: url,
          options: [NSMigratePersistentStoresAutomaticallyOption: true])
        #expect(store.configurationName == "Default")
        #expect((store.metadata[NSStoreModelVersionHashesKey] as? [String: Data])?.keys.sorted() == entities)
        let context = coordinator.newContext()
        try context.performAndWait {
          for name in entities { context.new(name, ["name": "\(round)"]) }
          try context.save()
          let isKept = kind != .inMemory
          for name in entities { #expect(try context.all(name).count == (isKept ? round : 1)) }
          context.new("B")
          #expect((failure { try context.save() } == nil) == entities.contains("B"))
        }
        try coordinator.remove(store)
      }
    }
  }

  @Test("A SQLite store needs a URL")
  func withoutURL() { #expect(add(NSSQLiteStoreType)?.code == NSPersistentStoreOpenError) }

  @Test("Removing a store that is not there is an error")
  func removing() throws {
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    try coordinator.remove(store)
    #expect(failure { try coordinator.remove(store) } != nil)
    #expect(coordinator.persistentStores.isEmpty)
  }

  @Test("Saving and fetching without a store are errors that name the entity")
  func withoutStore() throws {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      context.new("Tag")
      let error = try #require(failure { try context.save() })
      #expect(
        error.localizedDescription
          == "The coordinator has no store yet, so Tag can't be fetched or saved. Add one first: "
          + "addPersistentStore(ofType:configurationName:at:options:).")
      #expect(failure { _ = try context.all("Book") } != nil)
      #expect(context.insertedObjects.count == 1)
    }
  }

  @Test(
    "A read-only store refuses saves, with Apple's error, and nothing else",
    arguments: StoreKind.allCases.filter { $0 != .inMemory })
  func readOnly(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try stack.context.performAndWait {
      stack.context.new("Tag", ["name": "a"])
      try stack.context.save()
    }
    try stack.coordinator.remove(stack.store)
    let store = try stack.coordinator.addPersistentStore(
      ofType: kind.type, configurationName: nil, at: stack.url,
      options: [NSReadOnlyPersistentStoreOption: true as NSNumber])
    #expect(store.isReadOnly)
    try stack.elsewhere { other in
      try other.only("Tag")["name"] = "b"
      let error = try #require(failure { try other.save() })
      #expect(error.domain == NSCocoaErrorDomain && error.code == CocoaError.Code.fileWriteNoPermission.rawValue)
      #expect(error.localizedDescription.contains("is read-only; it can't save objects of the entity Tag"))
      #expect(other.hasChanges)
      other.rollback()
      other.new("Tag")
      #expect(failure { try other.save() }?.code == CocoaError.Code.fileWriteNoPermission.rawValue)
    }
  }

  @Test(
    "Two stores of two configurations: objects go to theirs, and may be assigned",
    arguments: StoreKind.allCases)
  func configurations(_ kind: StoreKind) throws {
    let (a, b) = (entity("A", [attribute("name")]), entity("B", [attribute("name")]))
    let made = model([a, b])
    made.setEntities([a], forConfigurationName: "First")
    made.setEntities([b], forConfigurationName: "Second")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: made)
    let folder = StoreFolder()
    let stores = try ["First", "Second"].map {
      try coordinator.addPersistentStore(ofType: kind.type, configurationName: $0, at: folder.place(kind, $0))
    }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let objects = [context.new("A", ["name": "a"]), context.new("B", ["name": "b"])]
      try context.save()
      #expect(objects.map { $0.objectID.persistentStore } == stores)
      context.reset()
      #expect(try context.only("A").string("name") == "a")
      #expect(try context.only("B").string("name") == "b")
      let metadata = coordinator.metadata(for: stores[0])
      #expect((metadata[NSStoreModelVersionHashesKey] as? [String: Data])?.keys.sorted() == ["A"])
    }
  }

  @Test("assign(_:to:) chooses among stores that both take the entity", arguments: StoreKind.allCases)
  func assign(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let folder = StoreFolder()
    let second = try stack.coordinator.addPersistentStore(
      ofType: kind.type, configurationName: nil, at: folder.place(kind, "second"))
    try stack.context.performAndWait {
      let context = stack.context
      let (one, two) = (context.new("Tag", ["name": "1"]), context.new("Tag", ["name": "2"]))
      context.assign(two, to: second)
      try context.save()
      #expect(one.objectID.persistentStore === stack.store)
      #expect(two.objectID.persistentStore === second)
      #expect(one.objectID != two.objectID)
      #expect(try context.strings("Tag", "name") == ["1", "2"])
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.affectedStores = [second]
      #expect(try context.fetch(request) == [two])
      let book = context.new("Book", ["tags": Set([one])])
      context.assign(book, to: second)
      #expect(failure { try context.save() }?.code == NSManagedObjectExternalRelationshipError)
    }
  }

  @Test(
    "The data of a store is there when another coordinator opens its file",
    arguments: StoreKind.allCases.filter { $0 != .inMemory })
  func reopen(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let id = try stack.context.performAndWait {
      let author = stack.context.new("Author", ["name": "Kafka"])
      let book = stack.context.new(
        "Novel", ["title": "Amerika", "author": author, "tags": Set([stack.context.new("Tag")])])
      for title in ["b", "a"] { stack.context.new("Chapter", ["title": title, "book": book]) }
      try stack.context.save()
      return book.objectID.uriRepresentation()
    }
    try stack.coordinator.remove(stack.store)
    let again = try Stack(kind, library(), at: stack.url)
    #expect(again.store.identifier == stack.store.identifier)
    try again.context.performAndWait {
      let book = try again.context.only("Novel")
      #expect(book.objectID.uriRepresentation() == id)
      #expect(again.coordinator.managedObjectID(forURIRepresentation: id) == book.objectID)
      #expect(book.value(forKeyPath: "author.name") as? String == "Kafka")
      #expect(book.list("chapters").map { $0.string("title") } == ["b", "a"])
      #expect(book.objects("tags").count == 1)
      again.context.new("Book")
      try again.context.save()
      #expect(try again.context.all("Book").count == 2)
    }
  }
}

@Suite("Container")
struct ContainerTests {
  private func container(_ kind: StoreKind, asynchronous: Bool = false) -> (NSPersistentContainer, URL) {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: library())
    let url = kind.newURL()
    let description = NSPersistentStoreDescription(url: url)
    description.type = kind.type
    description.shouldAddStoreAsynchronously = asynchronous
    container.persistentStoreDescriptions = [description]
    return (container, url)
  }

  private func remove(_ url: URL) {
    guard url.isFileURL else { return }
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
  }

  private final class Box<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  @Test(
    "Loading is over when the call returns, and the handler was called once for each store",
    arguments: StoreKind.allCases)
  func loading(_ kind: StoreKind) async throws {
    let (container, url) = container(kind)
    defer { remove(url) }
    let calls = Box<[String]>([])
    container.loadPersistentStores { description, error in
      calls.value.append("\(description.type) \(error == nil)")
    }
    #expect(calls.value == ["\(kind.type) true"])
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
    #expect(container.viewContext.concurrencyType == .mainQueueConcurrencyType)
    let background = container.newBackgroundContext()
    #expect(background.concurrencyType == .privateQueueConcurrencyType)
    try await background.perform {
      background.new("Tag", ["name": "a"])
      try background.save()
    }
    let names = try await container.performBackgroundTask { try $0.strings("Tag", "name") }
    #expect(names == ["a"])
    let viewed = try container.viewContext.performAndWait { try container.viewContext.strings("Tag", "name") }
    #expect(viewed == ["a"])
  }

  @Test(
    "An asynchronous description is loaded later, off the calling thread's stack",
    arguments: StoreKind.allCases)
  func asynchronous(_ kind: StoreKind) async throws {
    let (container, url) = container(kind, asynchronous: true)
    defer { remove(url) }
    let error: (any Error)? = await withCheckedContinuation { continuation in
      container.loadPersistentStores { continuation.resume(returning: $1) }
    }
    #expect(error == nil)
    #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
  }

  @Test("A store that cannot be opened is reported to the handler")
  func failing() throws {
    let (container, _) = container(.sqlite)
    container.persistentStoreDescriptions[0].url = URL(fileURLWithPath: "/dev/null/Library.sqlite")
    let error = Box<NSError?>(nil)
    container.loadPersistentStores { error.value = $1 as NSError? }
    #expect(error.value?.localizedDescription.contains("/dev/null") == true)
    #expect(container.persistentStoreCoordinator.persistentStores.isEmpty)
  }

  @Test("A description has Apple's defaults, and options of its own")
  func descriptions() {
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/tmp/x.sqlite"))
    #expect(description.type == NSSQLiteStoreType)
    #expect(description.shouldMigrateStoreAutomatically && description.shouldInferMappingModelAutomatically)
    #expect(!description.isReadOnly && !description.shouldAddStoreAsynchronously)
    description.isReadOnly = true
    description.timeout = 3
    description.setValue("DELETE" as NSString, forPragmaNamed: "journal_mode")
    #expect(description.options[NSReadOnlyPersistentStoreOption] == true as NSNumber)
    #expect(
      (description.options[NSSQLitePragmasOption] as? NSDictionary)?["journal_mode"] as? String == "DELETE")
    let copy = description.copy() as! NSPersistentStoreDescription
    description.isReadOnly = false
    #expect(copy.isReadOnly && copy.timeout == 3 && copy.url == description.url)
  }

  @Test("A container makes the missing folders of its stores; a store that is added by itself is refused")
  func missingFolders() throws {
    let folder = StoreFolder()
    let url = folder.file("some/where/Library.sqlite")
    let refused = #expect(throws: NSError.self) {
      try NSPersistentStoreCoordinator(managedObjectModel: library()).addPersistentStore(type: .sqlite, at: url)
    }
    #expect(refused?.code == CocoaError.Code.fileWriteUnknown.rawValue)
    let container = NSPersistentContainer(name: "Library", managedObjectModel: library())
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    var problem: (any Error)?
    container.loadPersistentStores { _, error in problem = error }
    #expect(problem == nil && container.persistentStoreCoordinator.persistentStores.map(\.url) == [url])
    // Where a file stands in the way, the first error is the one that is told.
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url.appendingPathComponent("inside"))]
    container.loadPersistentStores { _, error in problem = error }
    #expect(problem != nil)
  }

  @Test("A container's default store lies in its default directory and is called after it")
  func defaults() {
    let container = NSPersistentContainer(name: "Library", managedObjectModel: library())
    #expect(
      container.persistentStoreDescriptions.map(\.url) == [
        NSPersistentContainer.defaultDirectoryURL().appendingPathComponent("Library.sqlite")
      ])
    #expect(container.name == "Library")
  }

  @Test("Contexts of one coordinator come and go on many threads, while it looks through those it has")
  func contextsComeAndGo() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    nonisolated(unsafe) let shared = coordinator
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<2_000 {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = shared
      }
    }
    // None of them is left: the list of contexts holds nobody, and a new one works as ever.
    weak var last: NSManagedObjectContext?
    autoreleasepool {
      let context = coordinator.newContext()
      last = context
      #expect(context.performAndWait { context.registeredObjects.isEmpty })
    }
    #expect(last == nil)
  }
}
