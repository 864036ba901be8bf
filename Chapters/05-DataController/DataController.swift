import CoreData

/// Owns the stack and says when it is ready, or why it will not be.
///
/// The rest of a program gets the controller handed to it and waits for `completion`; it never sees a stack
/// that is half set up.
public final class DataController {
  public static let storeName = "DataModel.sqlite"

  /// Nil when the model is missing: there is no container without one.
  public let persistentContainer: NSPersistentContainer?

  /// The context for the main queue.
  public var viewContext: NSManagedObjectContext? { persistentContainer?.viewContext }

  //> init
  /// Loads the store in the background, and prints for the user how that went.
  ///
  /// - Parameters:
  ///   - folder: The store's folder; the container's own choice if nil.
  ///   - completion: Called exactly once, on the main queue, with the outcome. Not before the
  ///     code that made the controller has come to its end: in
  ///     `controller = DataController() { … }` the block finds the property assigned.
  @MainActor
  public convenience init(
    in folder: URL? = nil,
    completion: @escaping @MainActor (Result<Void, DataControllerFailure>) -> Void
  ) {
    self.init(
      at: folder?.appendingPathComponent(Self.storeName), loading: .asynchronous
    ) { result in
      // The main queue is busy with our caller, so this block waits for its turn.
      DispatchQueue.main.async {
        switch result {
        case .success: print("Core Data stack has been initialized.")
        case .failure(let failure): print(failure.message)
        }
        completion(result)
      }
    }
  }
  //< init

  //> contract
  /// - Parameters:
  ///   - storeURL: The store's file; the container's own choice if nil.
  ///   - modelName: The name of the compiled model among the program's resources.
  ///   - loading: Whether the initializer waits for the store.
  ///   - completion: Called exactly once. Synchronous: on the caller's thread, before the
  ///     initializer returns. Asynchronous: later, on a queue in the background.
  public init(
    at storeURL: URL?,
    modelName: String = "DataModel",
    loading: Loading = .synchronous,
    completion: @escaping (Result<Void, DataControllerFailure>) -> Void
  ) {
    //< contract
    //> load
    //> find-model
    guard let modelURL = Bundle.main.url(forResource: modelName, withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: modelURL)
    else {
      persistentContainer = nil
      completion(.failure(.modelMissing(name: modelName)))
      return
    }
    let container = NSPersistentContainer(name: modelName, managedObjectModel: model)
    persistentContainer = container
    //< find-model

    //> describe
    let description =
      storeURL.map(NSPersistentStoreDescription.init(url:))
      ?? container.persistentStoreDescriptions[0]
    description.shouldAddStoreAsynchronously = loading == .asynchronous
    // A file of another model is reported, not changed behind the user's back.
    description.shouldMigrateStoreAutomatically = false
    description.shouldInferMappingModelAutomatically = false
    container.persistentStoreDescriptions = [description]
    //< describe

    //> open
    container.loadPersistentStores { description, error in
      if let error {
        completion(.failure(DataControllerFailure(opening: description.url, error: error)))
      } else {
        completion(.success(()))
      }
    }
    //< open
    //< load
  }

  /// Whether the store is opened before the initializer returns.
  public enum Loading: Sendable {
    case synchronous, asynchronous
  }

  /// Takes the stores off the coordinator, which closes their files.
  public func close() throws {
    guard let coordinator = persistentContainer?.persistentStoreCoordinator else { return }
    viewContext?.reset()
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
