import CoreData
import ExerciseSupport

/// The titles of all books, the newest first. Books of the same year come by title, A to Z.
///
/// The store sorts: it has an order for any number of rows, and no object is made to compare them.
func titlesNewestFirst(in context: NSManagedObjectContext) throws -> [String] {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.sortDescriptors = [
    NSSortDescriptor(key: "year", ascending: false),
    // What matters: without a second key, books of one year may come in any order, and in another one next time.
    //= NSSortDescriptor(key: "stock", ascending: true),
    NSSortDescriptor(key: "title", ascending: true),
  ]
  return try context.fetch(request).map { $0.title ?? "" }
}
