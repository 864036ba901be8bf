import CoreData

/// Lines of older listings that end the program, each by itself.
public enum Ending: String, CaseIterable, Sendable {
  case template
  case forcedTry = "forced-try"
  case mainSync = "main-sync"
  case confinement

  /// The line as a listing has it.
  public var line: String {
    switch self {
    case .template: "fatalError(\"\\(error)\")"
    case .forcedTry: "try! addPersistentStore"
    case .mainSync: "DispatchQueue.main.sync"
    case .confinement: "a confined context's perform"
    }
  }

  /// - Parameter storeURL: A file in a folder that is none.
  @MainActor
  public func run(at storeURL: URL) {
    switch self {
    case .template:
      //> template
      let container = NSPersistentContainer(name: "OlderTutorial")
      container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: storeURL)]
      container.loadPersistentStores { _, error in
        if let error = error as NSError? {
          fatalError("Unresolved error \(error), \(error.userInfo)")
        }
      }
    //< template
    case .forcedTry:
      //> forced-try
      let model = NSPersistentContainer(name: "OlderTutorial").managedObjectModel
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      _ = try! coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: nil)
    //< forced-try
    case .mainSync:
      //> main-sync
      // The caller is on the main queue already.
      DispatchQueue.main.sync { print("Core Data stack has been initialized.") }
    //< main-sync
    case .confinement:
      //> confinement
      // What NSManagedObjectContext() makes: a context of the type 0, without a queue.
      guard let confined = NSManagedObjectContextConcurrencyType(rawValue: 0) else { return }
      let context = NSManagedObjectContext(concurrencyType: confined)
      context.perform { print("never printed") }
    //< confinement
    }
  }
}
