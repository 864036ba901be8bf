import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("03 Before the save", .serialized)
@MainActor struct BeforeTheSaveTests {
  let bench: Bench
  let context: NSManagedObjectContext

  /// Two books in the file.
  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for title in ["Emma", "Persuasion"] { Book(context: context).title = title }
    try context.save()
  }

  @Test("After a save both counts are the same")
  func saved() throws {
    let counts = try countBooks(in: context)
    #expect(counts == BookCounts(inContext: 2, inFile: 2))
  }

  @Test("A new book is in the context, and not in the file")
  func inserted() throws {
    Book(context: context).title = "Middlemarch"
    let counts = try countBooks(in: context)
    #expect(counts == BookCounts(inContext: 3, inFile: 2))
  }

  @Test("A deleted book is gone from the context, and still in the file")
  func deleted() throws {
    context.delete(try #require(try context.fetch(NSFetchRequest<Book>(entityName: "Book")).first))
    let counts = try countBooks(in: context)
    #expect(counts == BookCounts(inContext: 1, inFile: 2))
  }

  @Test("Counting saves nothing")
  func unsaved() throws {
    Book(context: context).title = "Middlemarch"
    _ = try countBooks(in: context)
    #expect(context.hasChanges)
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 2)
  }
}
