import CoreData
import ExerciseSupport

/// A book in a publisher's delivery. How many copies the shop has, the publisher does not know.
struct DeliveryRecord {
  let isbn: String
  let title: String
  let price: Int64
}

/// Brings a delivery's books into the shop, and saves. A book that the shop has already gets title and price of the
/// delivery, and keeps everything else.
func importDelivery(_ records: [DeliveryRecord], in context: NSManagedObjectContext) throws {
  // TODO: Make it true that importing a delivery once more leaves each ISBN with one book, of the newest price.
  throw Unfinished("each ISBN of the delivery has one book in the shop, with the delivery's title and price")
}
