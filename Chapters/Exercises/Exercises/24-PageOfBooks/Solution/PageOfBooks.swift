import CoreData
import ExerciseSupport

/// A page of the shop's books by price, the cheapest first. Pages count from 0, and no book is on two of them.
func page(_ number: Int, of size: Int, in context: NSManagedObjectContext) throws -> [Book] {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.sortDescriptors = [
    NSSortDescriptor(key: "price", ascending: true), NSSortDescriptor(key: "isbn", ascending: true),
  ]
  request.fetchLimit = size
  // What matters: the offset counts books, not pages.
  //= request.fetchOffset = number
  request.fetchOffset = number * size
  return try context.fetch(request)
}
