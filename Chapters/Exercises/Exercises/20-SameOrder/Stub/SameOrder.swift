import CoreData
import ExerciseSupport

/// The books of which one customer has ordered at least `copies` copies at once, by title.
func booksOrdered(by customer: String, atLeast copies: Int, in context: NSManagedObjectContext) throws -> [Book] {
  // TODO: Find the books that have an order by this customer of at least `copies` copies.
  throw Unfinished("one and the same order is by the customer and large enough")
}
