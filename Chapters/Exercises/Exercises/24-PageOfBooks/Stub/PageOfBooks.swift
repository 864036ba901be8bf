import CoreData
import ExerciseSupport

/// A page of the shop's books by price, the cheapest first. Pages count from 0, and no book is on two of them.
func page(_ number: Int, of size: Int, in context: NSManagedObjectContext) throws -> [Book] {
  // TODO: The store hands over the books of this page and no others.
  throw Unfinished("a page has its books, and together the pages have each book once")
}
