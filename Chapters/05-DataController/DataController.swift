import CoreData

/// Owns the stack, and says when it is ready or why it can't be.
///
/// A program makes one controller and hands it to the parts that need data. They start their work in `completion`,
/// so none of them ever sees a stack that is half set up.
public final class DataController {
  public static let storeName = "DataModel.sqlite"

  //> properties
  /// Nil if the model is missing: without a model there is no container.
  public let persistentContainer: NSPersistentContainer?

  /// The context for the main queue.
  public var viewContext: NSManagedObjectContext? { persistentContainer?.viewContext }
  //< properties

  //> init
  /// Returns at once and opens the store in the background.
  ///
  /// - Parameters:
  ///   - storeURL: The store's file; if nil, the container's own choice.
  ///   - modelName: The compiled model's name among the program's resources.
  ///   - completion: Called exactly once, on the main queue, after this initializer has
  ///     returned, whether loading succeeded or failed.
  @MainActor
  public init(
    at storeURL: URL? = nil,
    modelName: String = "DataModel",
    completion: @escaping @MainActor (Result<Void, DataControllerFailure>) -> Void
  ) {
    persistentContainer = Self.container(for: modelName, at: storeURL)
    guard let persistentContainer else {
      DispatchQueue.main.async { completion(.failure(.modelMissing(name: modelName))) }
      return
    }
    persistentContainer.persistentStoreDescriptions[0].shouldAddStoreAsynchronously = true
    persistentContainer.loadPersistentStores { description, error in
      let failure = error.map { DataControllerFailure(opening: description.url, error: $0) }
      // The main queue is busy with our caller, so this block waits for its turn.
      DispatchQueue.main.async {
        completion(failure.map { .failure($0) } ?? .success(()))
      }
    }
  }
  //< init

  /// A container with one description and no store yet; nil if there is no such model.
  private static func container(
    for modelName: String, at storeURL: URL?
  ) -> NSPersistentContainer? {
    //> find-model
    guard let modelURL = Bundle.main.url(forResource: modelName, withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: modelURL)
    else { return nil }
    let container = NSPersistentContainer(name: modelName, managedObjectModel: model)
    //< find-model

    //> describe
    let description =
      storeURL.map(NSPersistentStoreDescription.init(url:))
      ?? container.persistentStoreDescriptions[0]
    // Report a file of another model. Don't change it behind the user's back.
    description.shouldMigrateStoreAutomatically = false
    description.shouldInferMappingModelAutomatically = false
    container.persistentStoreDescriptions = [description]
    //< describe
    return container
  }

  //> waiting
  /// Waits on the caller's thread until the store is open. For tests and short tools.
  ///
  /// - Throws: A `DataControllerFailure`.
  public init(waitingAt storeURL: URL?, modelName: String = "DataModel") throws {
    guard let container = Self.container(for: modelName, at: storeURL) else {
      throw DataControllerFailure.modelMissing(name: modelName)
    }
    persistentContainer = container
    var failure: DataControllerFailure?
    container.loadPersistentStores { description, error in
      failure = error.map { DataControllerFailure(opening: description.url, error: $0) }
    }
    if let failure { throw failure }
  }
  //< waiting

  /// Takes the stores off the coordinator, which closes their files.
  public func close() throws {
    guard let coordinator = persistentContainer?.persistentStoreCoordinator else { return }
    viewContext?.reset()
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
