import CoreData
import ExerciseSupport

/// The books that were ordered, and all of whose orders are of at least `copies` copies; by title.
func booksOrderedOnly(inLotsOf copies: Int, in context: NSManagedObjectContext) throws -> [Book] {
  // TODO: Find the books all of whose orders are large enough, and that have an order.
  throw Unfinished("the books are found that were ordered, and never in a smaller number")
}
