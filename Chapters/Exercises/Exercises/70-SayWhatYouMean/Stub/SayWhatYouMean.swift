import CoreData
import ExerciseSupport

/// Takes copies from the stock of the book with a number, whatever the stock is by now.
///
/// - Returns: Whether there were enough; if not, the stock stays as it is.
func takeFromStock(_ copies: Int, isbn: String, in context: NSManagedObjectContext) throws -> Bool {
  // TODO: The store works the new stock out by itself, from what it has at that moment.
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.predicate = NSPredicate(format: "isbn == %@", isbn)
  guard let book = try context.fetch(request).first, book.stock >= copies else { return false }
  book.stock -= Int64(copies)
  try context.save()
  return true
}
