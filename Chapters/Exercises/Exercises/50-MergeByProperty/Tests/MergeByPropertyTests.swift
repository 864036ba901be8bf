import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("50 Merge by property", .serialized)
struct MergeByPropertyTests {
  let bench: Bench
  let context: NSManagedObjectContext
  let other: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    let coordinator = try bench.makeCoordinator()
    context = bench.makeContext(coordinator)
    other = bench.makeContext(coordinator)
  }

  /// The other saves price 9 and stock 4; the writer, who has read price 8 and stock 5, saves price 10 and a new
  /// title. Returns what is in the file then.
  private func collide(_ writer: ShopWriter) throws -> String {
    context.mergePolicy = try mergePolicy(for: writer)
    let book = Book(context: context)
    (book.title, book.price, book.stock) = ("Emma", 8, 5)
    try context.save()
    let theirs = try #require(try other.existingObject(with: book.objectID) as? Book)
    (theirs.price, theirs.stock) = (9, 4)
    try other.save()
    (book.title, book.price) = ("Emma, new edition", 10)
    try context.save()

    let reader = bench.makeContext(try bench.makeCoordinator())
    return try withExtendedLifetime(reader) {
      let saved = try #require(try reader.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
      return "\(saved.title ?? ""): \(saved.price), stock \(saved.stock)"
    }
  }

  @Test("The editor's price wins, and the stock that was changed elsewhere is kept")
  func editor() throws {
    let found = try collide(.editor)
    #expect(found == "Emma, new edition: 10, stock 4")
  }

  @Test("The service's price gives way, and the title that only it has changed is kept")
  func service() throws {
    let found = try collide(.priceService)
    #expect(found == "Emma, new edition: 9, stock 4")
  }
}
