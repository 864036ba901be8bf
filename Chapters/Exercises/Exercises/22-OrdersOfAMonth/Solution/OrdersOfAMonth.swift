import CoreData
import ExerciseSupport

/// The orders that were placed in a month, the earliest first.
///
/// - Parameter calendar: Says where a month begins; the shop in Sydney has another than the one in London.
func orders(
  inMonth month: Int, of year: Int, by calendar: Calendar, in context: NSManagedObjectContext
) throws -> [Order] {
  guard let first = calendar.date(from: DateComponents(year: year, month: month)),
    let next = calendar.date(byAdding: .month, value: 1, to: first)
  else { return [] }
  let request = NSFetchRequest<Order>(entityName: "Order")
  // What matters: a month ends where the next begins, and that moment is no longer in it.
  //= request.predicate = NSPredicate(format: "placed >= %@ AND placed <= %@", first as NSDate, next as NSDate)
  request.predicate = NSPredicate(format: "placed >= %@ AND placed < %@", first as NSDate, next as NSDate)
  request.sortDescriptors = [NSSortDescriptor(key: "placed", ascending: true)]
  return try context.fetch(request)
}
