import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("41 Import twice", .serialized)
struct ImportTwiceTests {
  let bench: Bench
  let coordinator: NSPersistentStoreCoordinator
  let delivery = [
    DeliveryRecord(isbn: "9780141439587", title: "Emma", price: 8),
    DeliveryRecord(isbn: "9780141439549", title: "Middlemarch", price: 11),
  ]

  init() throws {
    bench = try Bench()
    coordinator = try bench.makeCoordinator()
  }

  /// The file's books by title, each as `title price stock`.
  private func shelf() throws -> [String] {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let context = bench.makeContext(try bench.makeCoordinator())
    return try withExtendedLifetime(context) {
      try context.fetch(request).map { "\($0.title ?? "") \($0.price) \($0.stock)" }
    }
  }

  @Test("A first import brings all books")
  func once() throws {
    try importDelivery(delivery, in: bench.makeContext(coordinator))
    let books = try shelf()
    #expect(books == ["Emma 8 0", "Middlemarch 11 0"])
  }

  @Test("The same delivery once more changes nothing")
  func twice() throws {
    try importDelivery(delivery, in: bench.makeContext(coordinator))
    try importDelivery(delivery, in: bench.makeContext(coordinator))
    let books = try shelf()
    #expect(books == ["Emma 8 0", "Middlemarch 11 0"])
  }

  @Test("A number that comes twice in one delivery is one book, with the values of its last record")
  func sameDelivery() throws {
    let records = delivery + [DeliveryRecord(isbn: "9780141439587", title: "Emma", price: 7)]
    try importDelivery(records, in: bench.makeContext(coordinator))
    let books = try shelf()
    #expect(books == ["Emma 7 0", "Middlemarch 11 0"])
  }

  @Test("A later delivery brings the new price, and leaves the stock as the shop has counted it")
  func newPrice() throws {
    try importDelivery(delivery, in: bench.makeContext(coordinator))
    let counting = bench.makeContext(coordinator)
    for book in try counting.fetch(NSFetchRequest<Book>(entityName: "Book")) { book.stock = 3 }
    try counting.save()
    let later = [DeliveryRecord(isbn: "9780141439587", title: "Emma", price: 9)]
    try importDelivery(later, in: bench.makeContext(coordinator))
    let books = try shelf()
    #expect(books == ["Emma 9 3", "Middlemarch 11 3"])
  }
}
