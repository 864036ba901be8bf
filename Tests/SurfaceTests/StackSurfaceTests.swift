import CoreData
import TestFiles
import Testing

/// The usual ways of setting up a stack.
@Suite("Stacks as applications write them", .serialized)
struct StackSurfaceTests {
  @Test("An application delegate's lazy stack loads its model, adds its store and saves")
  func applicationDelegate() throws {
    let folder = TemporaryFolder()
    for url in [nil, folder.file("delegate.sqlite")] {
      let delegate = AppDelegate(storeURL: url)
      let context = try #require(delegate.managedObjectContext)
      #expect(context.concurrencyType == .mainQueueConcurrencyType)
      context.performAndWait {
        let notebook = Notebook(name: "Home", insertInto: context)
        #expect(notebook.isInserted)
        delegate.saveContext()
        #expect(!context.hasChanges)
      }
      let store = try #require(delegate.persistentStoreCoordinator?.persistentStores.first)
      #expect(store.type == (url == nil ? NSInMemoryStoreType : NSSQLiteStoreType))
      #expect(store.options?[NSInferMappingModelAutomaticallyOption] as? Bool == true)
    }
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSSQLiteStoreType, at: folder.file("delegate.sqlite"), options: nil)
    #expect(CoreDataStack.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    #expect(metadata[NSStoreUUIDKey] is String)
  }

  @Test("A singleton stack saves through its view context", arguments: Storage.allCases)
  func singleton(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        Note(context: context).title = "first"
        stack.saveContext()
        let count = try context.count(for: NSFetchRequest<Note>(entityName: "Note"))
        #expect(count == 1)
      }
      #expect(stack.newDerivedContext().persistentStoreCoordinator === context.persistentStoreCoordinator)
      #expect(
        stack.persistentContainer.persistentStoreDescriptions.first?.shouldInferMappingModelAutomatically
          == true)
      try stack.destroy()
      #expect(stack.persistentContainer.persistentStoreCoordinator.persistentStores.isEmpty)
    }
  }

  @Test("A container's subclass names its folder and its contexts")
  func containerSubclass() throws {
    #expect(JournalContainer.defaultDirectoryURL().lastPathComponent == "journal-surface")
    var calls = 0
    let controller = DataController { calls += 1 }
    #expect(calls == 1)
    #expect(controller.loadError == nil)
    #expect(controller.persistentContainer.newBackgroundContext().name == "import")
    #expect(
      controller.persistentContainer.persistentStoreCoordinator.persistentStores.first?.type == "InMemory")
  }

  @Test("A store that can't be opened reaches the completion handler as an error")
  func loadingFails() throws {
    let folder = TemporaryFolder()
    try Data("not a database, but long enough to be asked".utf8).write(to: folder.file("broken.sqlite"))
    var outcome: Result<NSPersistentStoreDescription, Error>?
    _ = DataController(NSPersistentStoreDescription(url: folder.file("broken.sqlite"))) { outcome = $0 }
    guard case .failure(let error)? = outcome else {
      Issue.record("The store was loaded.")
      return
    }
    #expect((error as NSError).domain == NSCocoaErrorDomain)
    #expect((error as NSError).code == NSFileReadCorruptFileError)
  }

  @Test("A preview's container in /dev/null is filled and read back") @MainActor
  func preview() throws {
    let context = PersistenceController.preview.container.viewContext
    try context.performAndWait {
      let request: NSFetchRequest<Note> = Note.fetchRequest()
      request.sortDescriptors = [NSSortDescriptor(keyPath: \Note.title, ascending: false)]
      let last = try context.fetch(request).first
      #expect(last?.title == "Note 9")
    }
  }

  @Test("Models are merged from bundles")
  func mergedModel() throws {
    let model = try #require(NSManagedObjectModel.mergedModel(from: [Bundle.module]))
    #expect(
      model.entitiesByName.keys.sorted() == ["Attachment", "Day", "Holiday", "Line", "Note", "Notebook", "Tag", "Todo"])
    let metadata: [String: Any] = [NSStoreModelVersionHashesKey: model.entityVersionHashesByName]
    let fitting = NSManagedObjectModel.mergedModel(from: [Bundle.module], forStoreMetadata: metadata)
    #expect(fitting?.entities.count == 8)
    let foreign: [String: Any] = [NSStoreModelVersionHashesKey: ["Note": Data(count: 32)]]
    #expect(NSManagedObjectModel.mergedModel(from: [Bundle.module], forStoreMetadata: foreign) == nil)
  }

  @Test("The main bundle has the models of the program's targets, and the versions in them")
  func mainBundle() throws {
    for bundle in [Bundle.main, Bundle(for: AppDelegate.self as AnyClass)] {
      let package = try #require(bundle.url(forResource: "Journal", withExtension: "momd"))
      let version = package.appendingPathComponent("Journal.mom").path
      #expect(bundle.url(forResource: "Journal.momd", withExtension: nil)?.path == package.path)
      #expect(bundle.url(forResource: "Journal", withExtension: "momd", subdirectory: nil)?.path == package.path)
      #expect(
        bundle.url(forResource: "Journal", withExtension: "mom", subdirectory: "Journal.momd")?.path == version)
      #expect(bundle.path(forResource: "Journal", ofType: "mom", inDirectory: "Journal.momd") == version)
      let versions: [URL]? = bundle.urls(forResourcesWithExtension: "mom", subdirectory: "Journal.momd")
      #expect(versions?.map(\.path) == [version])
      #expect(bundle.paths(forResourcesOfType: "mom", inDirectory: "Journal.momd") == [version])
      #expect(bundle.paths(forResourcesOfType: "momd", inDirectory: nil).contains(package.path))
      let packages = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)?.map(\.path)
      #expect(packages?.contains(package.path) == true)
    }
  }

  @Test("Coordinators find stores, ids and metadata in both spellings")
  func coordinators() throws {
    let folder = TemporaryFolder()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CoreDataStack.model)
    let url = folder.file("typed.sqlite")
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
    #expect(coordinator.persistentStore(for: url) === store)
    #expect(coordinator.url(for: store) == url)
    var metadata = coordinator.metadata(for: store)
    metadata["reader"] = "me"
    coordinator.setMetadata(metadata, for: store)
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    let uri = try context.performAndWait { () throws -> URL in
      let note = Note(context: context)
      #expect(note.objectID.isTemporaryID)
      try context.obtainPermanentIDs(for: [note])
      #expect(!note.objectID.isTemporaryID)
      #expect(note.isInserted)
      try context.save()
      return note.objectID.uriRepresentation()
    }
    let id = try #require(coordinator.managedObjectID(forURIRepresentation: uri))
    #expect(id.entity.name == "Note")
    #expect(id.persistentStore?.identifier == store.identifier)
    #expect(store.metadata["reader"] as? String == "me")
    try coordinator.remove(store)
    try coordinator.destroyPersistentStore(at: url, type: .sqlite, options: nil)
  }
}
