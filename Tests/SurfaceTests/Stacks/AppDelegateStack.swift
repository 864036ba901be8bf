import CoreData

/// The stack as application delegates have it: lazy properties, one after another.
class AppDelegate {
  let storeURL: URL?

  init(storeURL: URL?) { self.storeURL = storeURL }

  lazy var applicationDocumentsDirectory: URL = {
    let urls = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)
    return urls[urls.count - 1]
  }()

  lazy var managedObjectModel: NSManagedObjectModel = {
    let modelURL = Bundle.module.url(forResource: "Journal", withExtension: "momd")!
    return NSManagedObjectModel(contentsOf: modelURL)!
  }()

  lazy var persistentStoreCoordinator: NSPersistentStoreCoordinator? = {
    var coordinator: NSPersistentStoreCoordinator? = NSPersistentStoreCoordinator(
      managedObjectModel: self.managedObjectModel)
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: NSNumber(value: true),
      NSSQLitePragmasOption: ["journal_mode": "DELETE"],
    ]
    do {
      try coordinator!.addPersistentStore(
        ofType: storeURL == nil ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil,
        at: storeURL,
        options: options)
    } catch var error1 as NSError {
      coordinator = nil
      var dict = [String: Any]()
      dict[NSLocalizedDescriptionKey] = "Failed to initialize the application's saved data" as AnyObject?
      dict[NSUnderlyingErrorKey] = error1
      error1 = NSError(domain: "JOURNAL", code: 9999, userInfo: dict)
      NSLog("Unresolved error \(error1), \(error1.userInfo)")
    } catch {
      fatalError()
    }
    return coordinator
  }()

  lazy var managedObjectContext: NSManagedObjectContext? = {
    guard let coordinator = self.persistentStoreCoordinator else { return nil }
    let managedObjectContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    managedObjectContext.persistentStoreCoordinator = coordinator
    managedObjectContext.undoManager = nil
    managedObjectContext.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    return managedObjectContext
  }()

  func saveContext() {
    guard let context = managedObjectContext, context.hasChanges else { return }
    do {
      try context.save()
    } catch let error as NSError {
      NSLog("Unresolved error \(error), \(error.userInfo)")
      context.rollback()
    }
  }
}
