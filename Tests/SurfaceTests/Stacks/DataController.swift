import CoreData

/// The controller that tells when it is ready, and a container class of one's own.
class DataController: NSObject {
  var persistentContainer: NSPersistentContainer
  private(set) var loadError: Error?

  init(completionClosure: @escaping () -> Void) {
    persistentContainer = JournalContainer(name: "Journal")
    super.init()
    persistentContainer.loadPersistentStores { [weak self] (description, error) in
      self?.loadError = error
      completionClosure()
    }
  }

  init(
    _ description: NSPersistentStoreDescription,
    completion: @escaping (Result<NSPersistentStoreDescription, Error>) -> Void
  ) {
    persistentContainer = NSPersistentContainer(name: "Journal", managedObjectModel: CoreDataStack.model)
    persistentContainer.persistentStoreDescriptions = [description]
    super.init()
    persistentContainer.loadPersistentStores { description, error in
      if let error {
        completion(.failure(error))
      } else {
        completion(.success(description))
      }
    }
  }
}

/// A container that passes its model itself, and keeps its files in a folder of its own.
class JournalContainer: NSPersistentContainer, @unchecked Sendable {
  let isTest: Bool

  init(name: String, isTest: Bool = true) {
    self.isTest = isTest
    super.init(name: name, managedObjectModel: CoreDataStack.model)
    if isTest {
      let description = NSPersistentStoreDescription()
      description.type = NSInMemoryStoreType
      persistentStoreDescriptions = [description]
    }
  }

  override class func defaultDirectoryURL() -> URL {
    return FileManager.default.temporaryDirectory.appendingPathComponent("journal-surface")
  }

  override func newBackgroundContext() -> NSManagedObjectContext {
    let context = super.newBackgroundContext()
    context.name = "import"
    return context
  }
}

/// A struct that owns a container, with the flag for previews.
struct PersistenceController {
  static let preview: PersistenceController = {
    let result = PersistenceController(inMemory: true)
    let viewContext = result.container.viewContext
    for index in 0..<10 {
      let note = Note(context: viewContext)
      note.title = "Note \(index)"
    }
    do {
      try viewContext.save()
    } catch {
      let nsError = error as NSError
      fatalError("Unresolved error \(nsError), \(nsError.userInfo)")
    }
    return result
  }()

  let container: NSPersistentContainer

  init(inMemory: Bool = false) {
    container = NSPersistentContainer(name: "Journal", managedObjectModel: CoreDataStack.model)
    if inMemory {
      container.persistentStoreDescriptions.first!.url = URL(fileURLWithPath: "/dev/null")
    }
    var loadError: Error?
    container.loadPersistentStores { _, error in
      loadError = error
    }
    if let loadError { fatalError("\(loadError)") }
    container.viewContext.automaticallyMergesChangesFromParent = true
  }
}
