import CoreData

/// Contexts in three generations, as programs built them before contexts could merge automatically:
///
///     worker (private queue) ──saves into──> view (main queue) ──saves into──> writer (private queue) ──> the store
///
/// A save goes one generation up. It is cheap for the main queue, which passes its objects to the writer and doesn't
/// wait for the disk. But nothing is in the file until the writer saves.
public final class ParentChildStack {
  //> container
  private let container: NSPersistentContainer

  /// - Throws: the error if the store can't be opened.
  public init(modelName: String, storeURL: URL) throws {
    container = NSPersistentContainer(name: modelName)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: storeURL)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    writer.persistentStoreCoordinator = container.persistentStoreCoordinator
    viewContext.parent = writer
  }
  //< container

  //> contexts
  /// The only context that uses the store directly.
  private let writer = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  /// Reads what the writer has, saved or not.
  public let viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  //< contexts

  //> save
  /// Saves the view context into the writer, and the writer into the file. Returns when that is done.
  public func save() async throws {
    try await viewContext.perform { [viewContext] in
      if viewContext.hasChanges { try viewContext.save() }
    }
    try await writer.perform { [writer] in
      if writer.hasChanges { try writer.save() }
    }
  }
  //< save

  //> write
  /// Runs `work` in a new child of the view context, then saves all generations.
  public func write(_ work: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    let worker = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    worker.parent = viewContext
    try await worker.perform {
      try work(worker)
      if worker.hasChanges { try worker.save() }
    }
    try await save()
  }
  //< write

  /// Removes the store from the coordinator, which closes its file.
  public func close() async throws {
    await viewContext.perform { [viewContext] in viewContext.reset() }
    await writer.perform { [writer] in writer.reset() }
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
