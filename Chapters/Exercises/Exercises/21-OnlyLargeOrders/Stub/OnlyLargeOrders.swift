import CoreData
import ExerciseSupport

/// The books that were ordered, and whose orders are all of at least so many copies; by title.
func booksOrderedOnly(inLotsOf copies: Int, in context: NSManagedObjectContext) throws -> [Book] {
  // TODO: Find the books all of whose orders are large enough, and that have an order.
  throw Unfinished("the books are found that were ordered, and never in a smaller number")
}
