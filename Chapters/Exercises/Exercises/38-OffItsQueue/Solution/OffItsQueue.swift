import CoreData
import ExerciseSupport

/// Notes the arrival of parcels, one object of the entity Parcel for each sender, and saves them.
///
/// - Parameter context: A context for the main queue.
func receiveParcels(from senders: [String], into context: NSManagedObjectContext) async throws {
  let work: @Sendable () throws -> Void = {
    for sender in senders {
      let parcel = NSEntityDescription.insertNewObject(forEntityName: "Parcel", into: context)
      parcel.setValue(sender, forKey: "sender")
    }
    try context.save()
  }
  // What matters: an async function runs on no queue in particular. Only the context knows which one is its own.
  //= try work()
  try await context.perform(work)
}
