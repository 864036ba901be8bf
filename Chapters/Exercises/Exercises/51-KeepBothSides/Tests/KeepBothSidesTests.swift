import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("51 Keep both sides", .serialized)
struct KeepBothSidesTests {
  let bench: Bench
  let context: NSManagedObjectContext
  let book: Book

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    context.mergePolicy = StockPolicy()
    book = Book(context: context)
    (book.title, book.price, book.stock) = ("Emma", 8, 10)
    try context.save()
  }

  /// Another program changes the book in the file.
  private func elsewhere(_ change: (Book) -> Void) throws {
    let other = bench.makeContext(try bench.makeCoordinator())
    change(try #require(try other.fetch(NSFetchRequest<Book>(entityName: "Book")).first))
    try other.save()
  }

  /// What a stack of its own finds in the file.
  private func saved() throws -> String {
    var line = ""
    try elsewhere { line = "\($0.title ?? ""): \($0.stock) at \($0.price)" }
    return line
  }

  @Test("Two sold here and five received there make three more")
  func both() throws {
    #expect(book.stock == 10)
    try elsewhere { $0.stock += 5 }
    book.stock -= 2
    try context.save()
    let found = try saved()
    #expect(found == "Emma: 13 at 8")
    #expect(book.stock == 13)
  }

  @Test("Both sides' other properties are merged, and the stock of one side stays")
  func others() throws {
    #expect(book.price == 8)
    try elsewhere { ($0.price, $0.stock) = (9, 12) }
    book.title = "Emma, annotated"
    try context.save()
    let found = try saved()
    #expect(found == "Emma, annotated: 12 at 9")
  }
}
