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
  let old = NSFetchRequest<Order>(entityName: "Order")
  old.predicate = NSPredicate(format: "placed < %@", date)
  let request = NSBatchDeleteRequest(fetchRequest: old)
  request.resultType = .resultTypeObjectIDs
  let ids = (try writer.execute(request) as? NSBatchDeleteResult)?.result as? [NSManagedObjectID] ?? []
  // What matters: no context has seen the deletion. Without this the reader shows orders that are gone.
  //= NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [writer])
  NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: ids], into: [reader])
  return ids.count
}
