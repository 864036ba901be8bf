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
  let container = NSPersistentContainer(name: "Bookshop", managedObjectModel: model)
  let description = NSPersistentStoreDescription(url: url)
  description.shouldAddStoreAsynchronously = true
  container.persistentStoreDescriptions = [description]
  container.loadPersistentStores { _, error in
    // What matters: the handler comes on a background queue, and what the caller does next needs the main queue.
    //= DispatchQueue.global().async {
    DispatchQueue.main.async {
      completion(error.map { .failure($0) } ?? .success(container))
    }
  }
}

/// The same for code that can wait.
func loadBookshop(model: NSManagedObjectModel, at url: URL) async throws -> NSPersistentContainer {
  try await withCheckedThrowingContinuation { continuation in
    loadBookshop(model: model, at: url) { continuation.resume(with: $0) }
  }
}
