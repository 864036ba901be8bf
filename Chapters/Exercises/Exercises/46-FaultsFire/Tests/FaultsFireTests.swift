import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("46 Faults fire", .serialized)
@MainActor struct FaultsFireTests {
  let bench: Bench
  let context: NSManagedObjectContext
  let books: [Book]

  /// Three books with 1, 2 and 3 copies, fetched by a context that has not read them yet.
  init() throws {
    bench = try Bench()
    let coordinator = try bench.makeCoordinator()
    let first = bench.makeContext(coordinator)
    for stock in [1, 2, 3] as [Int64] {
      let book = Book(context: first)
      book.title = "In \(stock)"
      book.stock = stock
    }
    try first.save()
    context = bench.makeContext(coordinator)
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "stock", ascending: true)]
    books = try context.fetch(request)
  }

  @Test("All copies are counted")
  func count() throws {
    let copies = try countCopies(of: books, in: context)
    #expect(copies == 6)
  }

  @Test("Books that were faults are faults again")
  func faults() throws {
    try #require(books.map(\.isFault) == [true, true, true])
    _ = try countCopies(of: books, in: context)
    #expect(books.map(\.isFault) == [true, true, true])
  }

  @Test("A book that was read before stays read")
  func read() throws {
    try #require(books[0].stock == 1)
    _ = try countCopies(of: books, in: context)
    #expect(books.map(\.isFault) == [false, true, true], "the first was no fault, and someone may be looking at it")
  }

  @Test("A book with an unsaved change counts with it, and keeps it")
  func changed() throws {
    books[1].stock = 20
    let copies = try countCopies(of: books, in: context)
    #expect(copies == 24)
    #expect(books[1].stock == 20)
    #expect(books.map(\.isFault) == [true, false, true])
  }
}
