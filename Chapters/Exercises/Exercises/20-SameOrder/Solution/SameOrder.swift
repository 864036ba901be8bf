import CoreData
import ExerciseSupport

/// The books of which one customer has ordered at least `copies` copies at once, by title.
func booksOrdered(by customer: String, atLeast copies: Int, in context: NSManagedObjectContext) throws -> [Book] {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.predicate = NSPredicate(
    // What matters: each ANY looks for an order of its own. SUBQUERY asks one order for both.
    //= format: "ANY orders.customer == %@ AND ANY orders.count >= %ld",
    format: "SUBQUERY(orders, $o, $o.customer == %@ AND $o.count >= %ld).@count > 0",
    customer, copies)
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  return try context.fetch(request)
}
