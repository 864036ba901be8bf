import CoreData

/// The data controller as many listings have it, to show what goes wrong with it: it calls back too early.
public final class EarlyController {
  //> early
  public let persistentContainer: NSPersistentContainer

  public init(at storeURL: URL, completion: @escaping () -> Void) {
    persistentContainer = NSPersistentContainer(name: "DataModel")
    let description = NSPersistentStoreDescription(url: storeURL)
    persistentContainer.persistentStoreDescriptions = [description]
    persistentContainer.loadPersistentStores { _, error in
      if let error { fatalError("The store can't be opened: \(error)") }
      completion()
    }
  }
  //< early

  /// Takes the stores off the coordinator, which closes their files.
  public func close() throws {
    persistentContainer.viewContext.reset()
    let coordinator = persistentContainer.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
