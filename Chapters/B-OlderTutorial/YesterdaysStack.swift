import CoreData

/// A stack in the shape of many older tutorials, in today's names, with its mistakes left in.
public final class YesterdaysStack {
  //> yesterday
  public let managedObjectContext: NSManagedObjectContext

  public init(at storeURL: URL, completionClosure: @escaping () -> Void) {
    guard let modelURL = Bundle.main.url(forResource: "OlderTutorial", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: modelURL)
    else { fatalError("Error loading model from bundle") }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    managedObjectContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    managedObjectContext.persistentStoreCoordinator = coordinator

    DispatchQueue.global(qos: .background).async {
      do {
        try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: nil)
        DispatchQueue.main.sync(execute: completionClosure)
      } catch {
        fatalError("Error adding store: \(error)")
      }
    }
  }
  //< yesterday
}
