import CoreData
import ExerciseSupport

/// A book in a publisher's delivery. The publisher doesn't know how many copies the shop has.
struct DeliveryRecord {
  let isbn: String
  let title: String
  let price: Int64
}

/// Brings a delivery's books into the shop, and saves. A book that the shop already has gets the delivery's title and
/// price, and keeps everything else.
func importDelivery(_ records: [DeliveryRecord], in context: NSManagedObjectContext) throws {
  // TODO: After a delivery is imported twice, each ISBN has one book, with the newest price.
  throw Unfinished("each ISBN of the delivery has one book in the shop, with the delivery's title and price")
}
