import CoreData
import ExerciseSupport

/// The books that were ordered, and all of whose orders are of at least `copies` copies; by title.
func booksOrderedOnly(inLotsOf copies: Int, in context: NSManagedObjectContext) throws -> [Book] {
  let request = NSFetchRequest<Book>(entityName: "Book")
  // What matters: NONE is also true of a book that has no order at all.
  //= request.predicate = NSPredicate(format: "NONE orders.count < %ld", copies)
  request.predicate = NSPredicate(format: "NONE orders.count < %ld AND orders.@count > 0", copies)
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  return try context.fetch(request)
}
