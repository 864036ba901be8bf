import CoreData
import ExerciseSupport

/// Notes the arrival of parcels, one object of the entity Parcel for each sender, and saves them.
///
/// - Parameter context: A context for the main queue.
func receiveParcels(from senders: [String], into context: NSManagedObjectContext) async throws {
  // TODO: The context and its objects are used on the context's queue, and nowhere else.
  let work: @Sendable () throws -> Void = {
    for sender in senders {
      let parcel = NSEntityDescription.insertNewObject(forEntityName: "Parcel", into: context)
      parcel.setValue(sender, forKey: "sender")
    }
    try context.save()
  }
  try work()
}
