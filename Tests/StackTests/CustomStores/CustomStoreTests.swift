import CoreData
import Foundation
import Testing

/// What both kinds of custom stores have in common: how they are registered and opened, and what their ids are.
@Suite("Custom stores", .serialized)
struct CustomStoreTests {
  private static let kinds: [StoreKind] = [.csv, .dictionary]

  /// Registers a class for a test, and opens a store of it.
  private func opening(
    _ storeClass: NSPersistentStore.Type, at url: URL? = URL(fileURLWithPath: "/dev/null"),
    options: [AnyHashable: Any]? = nil, _ model: NSManagedObjectModel = library()
  ) throws -> NSPersistentStoreCoordinator {
    let type = "\(storeClass)"
    NSPersistentStoreCoordinator.registerStoreClass(storeClass, forStoreType: type)
    defer { NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: type) }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: options)
    return coordinator
  }

  @Test(
    "A reference stands in the object's URI, which leads to the id in another coordinator before the object is read",
    arguments: kinds)
  func references(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "a"])
      try context.save()
      let uri = book.objectID.uriRepresentation()
      #expect(uri.absoluteString.hasSuffix(kind == .csv ? "/Book/p1" : "/Book/pBook%20no.%201"))
      #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == book.objectID)
      let other = try Stack(kind, stack.model, at: stack.url)
      try other.context.performAndWait {
        let id = try #require(other.coordinator.managedObjectID(forURIRepresentation: uri))
        #expect(id == book.objectID && id.uriRepresentation() == uri)
        #expect(try other.context.existingObject(with: id).string("title") == "a")
        #expect(try other.context.only("Book").objectID == id)
      }
    }
  }

  @Test("Texts with any characters and numbers are references, and their ids lead back to them")
  func anyReference() throws {
    let stack = try Stack(.dictionary)
    let store = try #require(stack.store as? NSIncrementalStore)
    let book = try #require(stack.model.entitiesByName["Book"])
    for text in ["a/b", "ä ö?#%20", "日本", "__7", "p"] {
      let id = store.newObjectID(for: book, referenceObject: text)
      #expect(store.referenceObject(for: id) as? String == text)
      let uri = id.uriRepresentation()
      #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == id, "\(uri)")
      #expect(store.newObjectID(for: book, referenceObject: text as NSString) == id)
    }
    let id = store.newObjectID(for: book, referenceObject: 7)
    #expect((store.referenceObject(for: id) as? NSNumber)?.intValue == 7)
    #expect(id.uriRepresentation().lastPathComponent == "p7")
  }

  @Test("References are told apart by their scalars, as a folder tells apart the names of its files")
  func scalars() throws {
    let stack = try Stack(.dictionary)
    let store = try #require(stack.store as? NSIncrementalStore)
    let book = try #require(stack.model.entitiesByName["Book"])
    let ids = ["\u{E9}", "e\u{301}"].map { store.newObjectID(for: book, referenceObject: $0) }
    #expect(ids[0] != ids[1])
    #expect(ids.map { (store.referenceObject(for: $0) as? String)?.unicodeScalars.count } == [1, 2])
    #expect(ids.map { stack.coordinator.managedObjectID(forURIRepresentation: $0.uriRepresentation()) } == ids)
  }

  final class Bare: NSIncrementalStore {
    nonisolated(unsafe) static var given: [String: Any] = [:]
    nonisolated(unsafe) static var result: (NSManagedObjectContext) -> Any = { _ in [] }

    override func loadMetadata() throws { metadata = Bare.given }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
      Bare.result(context!)
    }

    override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] { [] }
  }

  @Test("Metadata without a type or a UUID are refused, naming the class and the key")
  func metadata() throws {
    for (given, missing) in [
      ([NSStoreTypeKey: "Bare"], NSStoreUUIDKey), ([NSStoreUUIDKey: "1"], NSStoreTypeKey), ([:], NSStoreTypeKey),
    ] {
      Bare.given = given
      let error = failure { _ = try opening(Bare.self) }
      #expect(error?.code == NSPersistentStoreOperationError)
      #expect(error?.localizedDescription.contains("Bare breaks the rules for loadMetadata()") == true)
      #expect(error?.localizedDescription.contains(missing) == true)
    }
    Bare.given = [NSStoreTypeKey: "Bare", NSStoreUUIDKey: "id-1"]
    let coordinator = try opening(Bare.self, at: nil)
    #expect(coordinator.persistentStores.first?.identifier == "id-1")
    #expect(coordinator.persistentStores.first?.type == "Bare")
  }

  /// Notes the metadata that it is asked to write.
  final class Noting: NSAtomicStore {
    nonisolated(unsafe) static var written: [String?] = []
    nonisolated(unsafe) static var fails = false

    override var type: String { "Noting" }

    override func load() throws {}

    override func save() throws {
      if Noting.fails { throw CocoaError(.fileWriteUnknown) }
      Noting.written.append(metadata["mine"] as? String)
    }
  }

  /// Notes the saves that it is asked for.
  final class Asked: NSIncrementalStore {
    nonisolated(unsafe) static var requests: [NSSaveChangesRequest] = []

    override func loadMetadata() throws { metadata = [NSStoreTypeKey: "Asked", NSStoreUUIDKey: "asked-1"] }

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
      if let save = request as? NSSaveChangesRequest { Asked.requests.append(save) }
      return [Any]()
    }
  }

  @Test("Metadata alone are a save: an atomic store writes, an incremental one gets a request without sets of objects")
  func metadataAlone() throws {
    let classes: [NSPersistentStore.Type] = [Noting.self, Asked.self]
    for storeClass in classes {
      NSPersistentStoreCoordinator.registerStoreClass(storeClass, forStoreType: "\(storeClass)")
    }
    defer {
      for storeClass in classes {
        NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "\(storeClass)")
      }
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    let stores = try classes.map { storeClass in
      try coordinator.addPersistentStore(
        ofType: "\(storeClass)", configurationName: nil, at: URL(fileURLWithPath: "/dev/null"))
    }
    func setMine(_ value: String) { for store in stores { coordinator.setMetadata(["mine": value], for: store) } }
    Noting.written = []
    Asked.requests = []
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      try context.save()
      #expect(Noting.written.isEmpty && Asked.requests.isEmpty)
      setMine("a")
      try context.save()
      #expect(Noting.written == ["a"] && Asked.requests.count == 1)
      let request = try #require(Asked.requests.first)
      #expect(request.insertedObjects == nil && request.updatedObjects == nil)
      #expect(request.deletedObjects == nil && request.lockedObjects == nil)
      #expect(stores[1].metadata["mine"] as? String == "a")
      try context.save()
      #expect(Noting.written.count == 1 && Asked.requests.count == 1)
      // Beside the objects of another store.
      setMine("b")
      context.new("Tag")
      try context.save()
      #expect(Noting.written == ["a", "b"] && Asked.requests.count == 2)
      // What could not be written waits.
      setMine("c")
      Noting.fails = true
      #expect(failure { try context.save() }?.code == CocoaError.Code.fileWriteUnknown.rawValue)
      Noting.fails = false
      try context.save()
      #expect(Noting.written == ["a", "b", "c"])
    }
  }

  @Test("What a method may not return is an error that names the class and the method")
  func results() throws {
    Bare.given = [NSStoreTypeKey: "Bare", NSStoreUUIDKey: UUID().uuidString]
    let coordinator = try opening(Bare.self)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.performAndWait {
      func message(_ body: () throws -> Void) -> String {
        let error = failure(body)
        return error?.code == NSPersistentStoreOperationError ? error!.localizedDescription : "\(error as Any)"
      }
      Bare.result = { _ in 7 }
      let prefix = "The store class Bare breaks the rules for execute(_:with:): a fetch of Book was to return "
      #expect(message { _ = try context.all("Book") } == prefix + "an array, but returned a value of the type Int.")
      Bare.result = { _ in ["no object"] }
      #expect(
        message { _ = try context.all("Book") }
          == prefix + "objects of the context that asks, but returned a value of the type String.")
      let count = NSFetchRequest<NSManagedObject>(entityName: "Book")
      #expect(message { _ = try context.count(for: count) }.hasPrefix(prefix + "one number, the count"))
      context.new("Book")
      #expect(
        message { try context.save() }
          == "The store class Bare breaks the rules for obtainPermanentIDs(for:): for 1 objects it returned 0 ids.")
    }
  }

  @Test(
    "A store of another version of the model is refused, unless versions are to be ignored", arguments: [StoreKind.csv])
  func versions(_ kind: StoreKind) throws {
    let stack = try Stack(kind, model([entity("Thing", [attribute("name")])]))
    try stack.context.performAndWait {
      stack.context.new("Thing", ["name": "a"])
      try stack.context.save()
    }
    let newer = { model([entity("Thing", [attribute("name"), attribute("size", .integer32AttributeType)])]) }
    let error = failure { _ = try Stack(kind, newer(), at: stack.url) }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    let ignoring = try Stack(kind, newer(), at: stack.url, options: [NSIgnorePersistentStoreVersioningOption: true])
    try ignoring.context.performAndWait {
      let thing = try ignoring.context.only("Thing")
      #expect(thing.string("name") == "a")
      thing["size"] = 7
      try ignoring.context.save()
    }
    // From then on the file says which model it has.
    let newest = try Stack(kind, newer(), at: stack.url)
    let size = try newest.context.performAndWait { try newest.context.only("Thing").int("size") }
    #expect(size == 7)
    withExtendedLifetime((stack, ignoring)) {}
  }

  @Test("A container opens a store of a registered type by its description", arguments: kinds)
  func container(_ kind: StoreKind) throws {
    _ = StoreKind.registration
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    let container = NSPersistentContainer(name: "Library", managedObjectModel: library())
    let description = NSPersistentStoreDescription(url: url)
    description.type = kind.type
    container.persistentStoreDescriptions = [description]
    var errors: [(any Error)?] = []
    container.loadPersistentStores { _, error in errors.append(error) }
    #expect(errors.count == 1 && errors[0] == nil)
    let context = container.newBackgroundContext()
    try context.performAndWait {
      context.new("Author", ["name": "Kafka"])
      try context.save()
      #expect(try context.strings("Author", "name") == ["Kafka"])
    }
    #expect(NSPersistentStoreCoordinator.registeredStoreTypes[kind.type] != nil)
  }

  @Test(
    "Beside a store of the framework's, each takes the objects of its configuration, and one list has both",
    arguments: kinds)
  func severalStores(_ kind: StoreKind) throws {
    _ = StoreKind.registration
    let stock = library()
    stock.setEntities(
      stock.entities.filter { ["Author", "Passport", "Book", "Novel", "Tag", "Chapter"].contains($0.name) },
      forConfigurationName: "All")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: stock)
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    let memory = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: "All", at: nil, options: nil)
    let custom = try coordinator.addPersistentStore(
      ofType: kind.type, configurationName: "All", at: url, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      for (index, name) in ["d", "b", "c", "a"].enumerated() {
        context.assign(context.new("Author", ["name": name]), to: index % 2 == 0 ? memory : custom)
      }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      request.fetchLimit = 3
      let found = try context.fetch(request)
      #expect(found.compactMap { $0.string("name") } == ["a", "b", "c"])
      #expect(found.map { $0.objectID.persistentStore === custom } == [true, true, false])
    }
  }

  @Test(
    "What an atomic store has goes to a SQLite store, and ids follow; into a custom store, or from an incremental one, it is refused by name"
  )
  func migrating() throws {
    try withStack(.csv) { stack, context in
      let book = context.new("Book", ["title": "a", "author": context.new("Author", ["name": "b"])])
      try context.save()
      let url = stack.url.appendingPathExtension("sqlite")
      defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) } }
      let new = try stack.coordinator.migratePersistentStore(
        stack.store, to: url, options: nil, withType: NSSQLiteStoreType)
      #expect(book.objectID.persistentStore === new)
      context.forget()
      #expect(book.string("title") == "a" && book.object("author")?.string("name") == "b")
      book["title"] = "c"
      context.new("Book", ["title": "d"])
      try context.save()
      #expect(try context.strings("Book", "title") == ["c", "d"])
      let uri = book.objectID.uriRepresentation()
      #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == book.objectID)
      let back = failure {
        try stack.coordinator.migratePersistentStore(
          new, to: stack.url.appendingPathExtension("csv"), options: nil, withType: CSVStore.storeType)
      }
      #expect(back?.localizedDescription.contains("CSVStore") == true)
    }
    try withStack(.dictionary) { stack, context in
      let error = failure {
        try stack.coordinator.migratePersistentStore(
          stack.store, to: stack.url.appendingPathExtension("sqlite"), options: nil, withType: NSSQLiteStoreType)
      }
      #expect(error?.localizedDescription.contains("DictionaryStore") == true)
    }
  }

  @Test("A store says by an error of its own who has changed what, and the merge policy is asked")
  func statedConflicts() throws {
    try withStack(.dictionary) { stack, context in
      let server = DictionaryServer.at(stack.url)
      let book = context.new("Book", ["title": "a", "pages": 1])
      try context.save()
      book["pages"] = 2
      let conflict = NSMergeConflict(
        source: book, newVersion: 2, oldVersion: 1, cachedSnapshot: nil, persistedSnapshot: nil)
      let stated = NSError(
        domain: NSCocoaErrorDomain, code: NSManagedObjectMergeError,
        userInfo: [NSPersistentStoreSaveConflictsErrorKey: [conflict]])
      server.refuse("save", with: stated)
      #expect(failure { try context.save() } === stated)
      #expect(book.int("pages") == 2)
      server.refuse("save", with: stated)
      context.mergePolicy = NSMergePolicy.rollback
      try context.save()
      #expect(book.int("pages") == 1)
    }
  }
}
