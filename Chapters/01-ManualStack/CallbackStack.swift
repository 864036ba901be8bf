import CoreData

/// The same stack in the form that keeps the main queue free while the store is added.
///
/// Adding a store can take long: the file may have to be migrated. So you get the context at once, a background queue
/// adds the store, and a callback on the main queue tells you when it is there. Until then a fetch fails.
public final class CallbackStack {
  public let managedObjectContext: NSManagedObjectContext
  public let persistentStoreCoordinator: NSPersistentStoreCoordinator

  //> callback
  /// - Parameters:
  ///   - storeURL: The store's file.
  ///   - willAdd: Called on the queue that adds the store, just before it does.
  ///   - completion: Called once, on the main queue, with the store or with the error.
  public init(
    storeURL: URL,
    willAdd: @escaping () -> Void = {},
    completion: @escaping (Result<NSPersistentStore, any Error>) -> Void
  ) throws {
    guard let url = Bundle.main.url(forResource: "SingleViewCoreData", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { throw ModelMissing() }

    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    persistentStoreCoordinator = coordinator
    managedObjectContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    managedObjectContext.persistentStoreCoordinator = coordinator

    DispatchQueue.global(qos: .userInitiated).async {
      willAdd()
      let result = Result<NSPersistentStore, any Error> {
        try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: nil)
      }
      DispatchQueue.main.async { completion(result) }
    }
  }
  //< callback
}
