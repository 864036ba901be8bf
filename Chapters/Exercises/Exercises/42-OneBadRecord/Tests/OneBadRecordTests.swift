import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("42 One bad record", .serialized)
struct OneBadRecordTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
  }

  @Test("Good lines become books with their prices, unsaved")
  func good() throws {
    try importPrices(["Emma;8", "Dracula;7"], in: context)
    let books = context.insertedObjects.compactMap { $0 as? Book }
    #expect(books.map { "\($0.title ?? "") \($0.price)" }.sorted() == ["Dracula 7", "Emma 8"])
  }

  @Test("The error names the first line that is bad")
  func error() throws {
    #expect(throws: BadPriceLine(number: 2)) {
      try importPrices(["Emma;8", "Dracula;cheap", ";5"], in: context)
    }
  }

  @Test("After an error nothing of the import is in the context")
  func nothing() throws {
    #expect(throws: BadPriceLine(number: 3)) {
      try importPrices(["Emma;8", "Dracula;7", "nonsense"], in: context)
    }
    #expect(context.insertedObjects.isEmpty, "\(context.insertedObjects.count) books are left in the context")
  }

  @Test("After an error the caller's own changes are still there")
  func callersChanges() throws {
    Author(context: context).name = "Jane Austen"
    #expect(throws: BadPriceLine(number: 2)) { try importPrices(["Emma;8", "nonsense"], in: context) }
    let names = context.insertedObjects.map { ($0 as? Author)?.name ?? "a book of the import" }
    #expect(names == ["Jane Austen"])
  }
}
