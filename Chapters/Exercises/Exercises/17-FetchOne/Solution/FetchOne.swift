import CoreData
import ExerciseSupport

/// A request for the book of this number, and for no more than one.
func requestForBook(isbn: String) throws -> NSFetchRequest<Book> {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.predicate = NSPredicate(format: "isbn == %@", isbn)
  // What matters: `first` takes one of the objects that were made; the limit keeps the others from being made at all.
  //= request.fetchBatchSize = 1
  request.fetchLimit = 1
  return request
}

/// The book of this number; nil if the shop has none.
func findBook(isbn: String, in context: NSManagedObjectContext) throws -> Book? {
  try context.fetch(requestForBook(isbn: isbn)).first
}
