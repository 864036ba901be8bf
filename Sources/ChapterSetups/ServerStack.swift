import CoreData
import PostgreSQLStore

/// A container whose store is a database on a server.
final class ServerStack: Sendable {
  let container: NSPersistentContainer

  //> open
  /// - Throws: What `loadPersistentStores` says.
  init(modelName: String, url: URL) throws {
    container = NSPersistentContainer(name: modelName)
    let description = NSPersistentStoreDescription(postgreSQL: url)
    // The caller waits for each write.
    description.timeout = 2
    container.persistentStoreDescriptions = [description]
    // Set before `loadPersistentStores` returns: the store is not asynchronous.
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    container.viewContext.automaticallyMergesChangesFromParent = true
  }
  //< open

  //> write
  /// Runs `block` in a context of its own and saves it.
  func write(_ block: @escaping @Sendable (NSManagedObjectContext) throws -> Void) async throws {
    let context = container.newBackgroundContext()
    try await context.perform {
      try block(context)
      try context.save()
    }
  }
  //< write

  func close() throws {
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
