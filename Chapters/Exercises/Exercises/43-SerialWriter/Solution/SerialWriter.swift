import CoreData
import ExerciseSupport

/// Everything that writes to the shop goes through here, from any thread.
final class SerialWriter: @unchecked Sendable {
  private let coordinator: NSPersistentStoreCoordinator
  private let queue = OperationQueue()

  init(coordinator: NSPersistentStoreCoordinator) {
    self.coordinator = coordinator
    queue.maxConcurrentOperationCount = 1
  }

  /// Runs `block` in a context of its own, after all blocks that were enqueued before it, and saves.
  ///
  /// - Parameter completion: Called once: after the commit, or with the error of the block or of its save.
  func enqueue(
    _ block: @escaping (NSManagedObjectContext) throws -> Void,
    completion: @escaping (Result<Void, any Error>) -> Void
  ) {
    queue.addOperation { [coordinator] in
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      let result = context.performAndWait {
        Result {
          try block(context)
          // What matters: the save belongs to the result, for what is not saved was not written.
          //= try? context.save()
          try context.save()
        }
      }
      completion(result)
    }
  }
}
