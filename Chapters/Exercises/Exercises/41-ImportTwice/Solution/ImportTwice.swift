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
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.predicate = NSPredicate(format: "isbn IN %@", records.map(\.isbn))
  var books: [String: Book] = [:]
  for book in try context.fetch(request) { books[book.isbn ?? ""] = book }
  for record in records {
    // What matters: the number decides that it is the same book. What the delivery doesn't know stays as it is.
    //= let book = Book(context: context)
    let book = books[record.isbn] ?? Book(context: context)
    book.isbn = record.isbn
    book.title = record.title
    book.price = record.price
    books[record.isbn] = book
  }
  try context.save()
}
