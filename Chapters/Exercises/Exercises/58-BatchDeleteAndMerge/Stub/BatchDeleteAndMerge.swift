import CoreData
import ExerciseSupport

/// Deletes the orders that were placed before a date in one statement, and tells the context that shows orders.
///
/// - Parameters:
///   - writer: Executes the request.
///   - reader: May hold some of the orders.
/// - Returns: How many orders there were.
func deleteOrders(
  placedBefore date: Date, from writer: NSManagedObjectContext, tellingOf reader: NSManagedObjectContext
) throws -> Int {
  // TODO: Delete the rows by a batch request, and let the reader forget these orders.
  throw Unfinished("the old orders' rows are deleted, and the reader has let go of their objects")
}
