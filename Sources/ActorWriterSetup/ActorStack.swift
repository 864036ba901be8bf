import CoreData

/// A container. Its view context belongs to the main actor, and its writing context to an actor of its own.
@MainActor
public final class ActorStack {
  private let container: NSPersistentContainer
  public let writer: StoreWriter
  public var viewContext: NSManagedObjectContext { container.viewContext }

  //> open
  /// Opens the store in the background, so the main actor stays free.
  public init(modelName: String, storeURL: URL) async throws {
    let container = NSPersistentContainer(name: modelName)
    let description = NSPersistentStoreDescription(url: storeURL)
    description.shouldAddStoreAsynchronously = true
    container.persistentStoreDescriptions = [description]
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      // Sendable, because it is called in the background. Otherwise it would belong to the main actor.
      container.loadPersistentStores { @Sendable _, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
    container.viewContext.automaticallyMergesChangesFromParent = true
    self.container = container
    writer = StoreWriter(container)
  }
  //< open

  //> save
  /// Saves the user's changes.
  public func save() throws {
    if viewContext.hasChanges { try viewContext.save() }
  }
  //< save

  /// Removes the store from the coordinator, which closes its file.
  public func close() throws {
    viewContext.reset()
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
  }
}
