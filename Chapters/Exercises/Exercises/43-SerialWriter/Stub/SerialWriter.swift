import CoreData
import ExerciseSupport

/// Everything that writes to the shop goes through here, from any thread.
final class SerialWriter: @unchecked Sendable {
  private let coordinator: NSPersistentStoreCoordinator

  init(coordinator: NSPersistentStoreCoordinator) { self.coordinator = coordinator }

  /// Runs `block` in a context of its own, after all blocks that were enqueued before it, and saves.
  ///
  /// - Parameter completion: Called once: after the commit, or with the error of the block or of its save.
  func enqueue(
    _ block: @escaping (NSManagedObjectContext) throws -> Void,
    completion: @escaping (Result<Void, any Error>) -> Void
  ) {
    // TODO: Run the blocks one after another, each in its own context, save, and hand on every error.
    completion(.failure(Unfinished("a block runs after those before it, is saved, and its failure is told")))
  }
}
