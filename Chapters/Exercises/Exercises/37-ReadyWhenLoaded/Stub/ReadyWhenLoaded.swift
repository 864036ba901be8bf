import CoreData
import ExerciseSupport

/// Loads a container's SQLite store at `url` in the background.
///
/// - Parameter completion: Called once, on the main queue, after this function has returned: with the container when
///   its store is loaded, or with why it could not be.
func loadBookshop(
  model: NSManagedObjectModel, at url: URL,
  completion: @escaping (Result<NSPersistentContainer, any Error>) -> Void
) {
  // TODO: The store is loaded in the background, and the result comes once, on the main queue.
  completion(.failure(Unfinished("the store is loaded, and the result comes once, on the main queue")))
}

/// The same for code that can wait.
func loadBookshop(model: NSManagedObjectModel, at url: URL) async throws -> NSPersistentContainer {
  try await withCheckedThrowingContinuation { continuation in
    loadBookshop(model: model, at: url) { continuation.resume(with: $0) }
  }
}
