import CoreData

/// The singleton over a container.
final class CoreDataStack {
  static let shared = CoreDataStack()
  static let model: NSManagedObjectModel = {
    guard let url = Bundle.module.url(forResource: "Journal", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { fatalError("No model") }
    return model
  }()

  let modelName = "Journal"
  var storeType = NSSQLiteStoreType
  private let inMemory: Bool
  private let storeURL: URL?

  init(inMemory: Bool = true, storeURL: URL? = nil) {
    self.inMemory = inMemory
    self.storeURL = storeURL
  }

  lazy var persistentContainer: NSPersistentContainer = {
    let container = NSPersistentContainer(name: modelName, managedObjectModel: CoreDataStack.model)
    if inMemory {
      container.persistentStoreDescriptions.first!.url = URL(fileURLWithPath: "/dev/null")
      container.persistentStoreDescriptions.first!.type = storeType
    } else if let storeURL = storeURL {
      let description = NSPersistentStoreDescription(url: storeURL)
      description.type = NSSQLiteStoreType
      description.shouldMigrateStoreAutomatically = true
      description.shouldInferMappingModelAutomatically = true
      description.shouldAddStoreAsynchronously = false
      description.setOption(FileProtection.none as NSString, forKey: NSPersistentStoreFileProtectionKey)
      description.setValue("WAL" as NSObject, forPragmaNamed: "journal_mode")
      description.timeout = 5
      container.persistentStoreDescriptions = [description]
    }
    container.loadPersistentStores(completionHandler: { (storeDescription, error) in
      if let error = error as NSError? {
        fatalError("Unresolved error \(error), \(error.userInfo)")
      }
      print("Loaded \(storeDescription.type) at \(storeDescription.url?.lastPathComponent ?? "-")")
    })
    container.viewContext.automaticallyMergesChangesFromParent = true
    container.viewContext.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    container.viewContext.undoManager = nil
    container.viewContext.shouldDeleteInaccessibleFaults = true
    container.viewContext.name = "view"
    container.viewContext.transactionAuthor = "app"
    return container
  }()

  private enum FileProtection {
    static let none = "none"
  }

  var viewContext: NSManagedObjectContext { persistentContainer.viewContext }

  private(set) lazy var backgroundContext: NSManagedObjectContext = {
    let context = persistentContainer.newBackgroundContext()
    context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    context.name = "background"
    return context
  }()

  func newDerivedContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = viewContext.persistentStoreCoordinator
    context.automaticallyMergesChangesFromParent = true
    return context
  }

  func saveContext(_ context: NSManagedObjectContext? = nil) {
    let context = context ?? viewContext
    context.performAndWait {
      guard context.hasChanges else { return }
      do {
        try context.save()
      } catch {
        let nserror = error as NSError
        fatalError("Unresolved error \(nserror), \(nserror.userInfo)")
      }
    }
  }

  func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
    persistentContainer.performBackgroundTask(block)
  }

  func destroy() throws {
    let coordinator = persistentContainer.persistentStoreCoordinator
    for store in coordinator.persistentStores {
      try coordinator.remove(store)
      if let url = store.url {
        try coordinator.destroyPersistentStore(at: url, ofType: store.type, options: store.options)
      }
    }
  }
}
