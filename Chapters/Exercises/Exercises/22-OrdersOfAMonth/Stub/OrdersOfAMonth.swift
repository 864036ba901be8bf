import CoreData
import ExerciseSupport

/// The orders that were placed in a month, the earliest first.
///
/// - Parameter calendar: Says where a month begins; the shop in Sydney has another than the one in London.
func orders(
  inMonth month: Int, of year: Int, by calendar: Calendar, in context: NSManagedObjectContext
) throws -> [Order] {
  // TODO: Find the orders from the first moment of the month up to the first of the next.
  throw Unfinished("the orders of the whole month are found, and none of the next one")
}
