import CoreData
import ExerciseSupport

/// Reads what the rows of a table will show of these books, which may be faults.
///
/// - Throws: The store's error if it can't be asked now.
func readBeforeTheTunnel(_ books: [Book], in context: NSManagedObjectContext) throws {
  // What matters: an author is a fault of its own, and asks when its name is shown.
  //= try context.fulfil(books)
  try context.fulfil(books, relationshipKeyPaths: ["author"])
}

/// What a row of the table shows.
func tunnelRow(_ book: Book) -> String {
  "\(book.title ?? ""), \(book.author?.name ?? "")"
}
