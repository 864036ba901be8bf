import CoreData
import ExerciseSupport

/// Lowers the prices of some books by `amount`, and saves them, while the main queue is free for other things.
///
/// - Parameter books: Objects of the container's view context. They are not changed.
@MainActor
func lowerPrices(of books: [Book], by amount: Int64, in container: NSPersistentContainer) async throws {
  let ids = books.map(\.objectID)
  // What matters: the block runs on the queue of the context that it is given to; the view context's is the main queue.
  //= let context = container.viewContext
  let context = container.newBackgroundContext()
  try await context.perform {
    for id in ids {
      guard let book = try context.existingObject(with: id) as? Book else { continue }
      book.price -= amount
    }
    try context.save()
  }
}
