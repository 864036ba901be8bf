import CoreData
import ExerciseSupport

/// Takes one copy from the stock of a book, and saves. Tills sell at the same time, each with a context of its own.
func sellCopy(of book: Book, in context: NSManagedObjectContext) throws {
  // TODO: No sale is lost when another till has sold a copy since the book was read.
  context.mergePolicy = NSMergePolicy.overwrite
  book.stock -= 1
  try context.save()
}
