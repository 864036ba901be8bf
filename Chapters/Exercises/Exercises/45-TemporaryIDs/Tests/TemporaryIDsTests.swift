import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("45 Temporary ids", .serialized)
@MainActor struct TemporaryIDsTests {
  let bench: Bench
  let context: NSManagedObjectContext
  /// Not saved yet.
  let book: Book

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    book = Book(context: context)
    book.title = "Emma"
  }

  @Test("The link is the same before the save and after it")
  func same() throws {
    let before = try makeLink(to: book, in: context)
    try context.save()
    let after = try makeLink(to: book, in: context)
    #expect(before == after)
  }

  @Test("Another stack follows a link that was made before the save")
  func followed() throws {
    let link = try makeLink(to: book, in: context)
    try context.save()
    let other = bench.makeContext(try bench.makeCoordinator())
    let found = try findBook(at: link, in: other)
    #expect(found?.title == "Emma")
  }

  @Test("Making the link saves nothing")
  func unsaved() throws {
    _ = try makeLink(to: book, in: context)
    #expect(book.isInserted)
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 0)
  }
}
