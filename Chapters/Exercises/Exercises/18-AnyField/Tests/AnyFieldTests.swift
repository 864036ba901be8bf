import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("18 Any field, any text", .serialized)
@MainActor struct AnyFieldTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for (title, isbn, name) in [
      ("Gulliver's Travels", "101", "Jonathan Swift"), ("Jane Eyre", "102", "Charlotte Brontë"),
      ("Emma", "201", "Jane Austen"),
    ] {
      let book = Book(context: context)
      (book.title, book.isbn) = (title, isbn)
      book.author = Author(context: context)
      book.author?.name = name
    }
    try context.save()
  }

  private func titles(_ field: SearchField, _ text: String) throws -> [String] {
    try books(field, contains: text, in: context).compactMap(\.title)
  }

  @Test("Each field is searched for itself: Jane is a title once, and an author once")
  func fields() throws {
    let byTitle = try titles(.title, "jane")
    #expect(byTitle == ["Jane Eyre"], "searched by title")
    let byAuthor = try titles(.author, "jane")
    #expect(byAuthor == ["Emma"], "searched by author")
    let byNumber = try titles(.isbn, "10")
    #expect(byNumber == ["Gulliver's Travels", "Jane Eyre"], "searched by number")
  }

  @Test("An apostrophe is a character like any other")
  func apostrophe() throws {
    let found = try titles(.title, "r's t")
    #expect(found == ["Gulliver's Travels"])
  }

  @Test("A text that looks like a predicate is a text")
  func injected() throws {
    let found = try titles(.title, "' OR 'a' == 'a")
    #expect(found == [])
    let sign = try titles(.title, "%@")
    #expect(sign == [])
  }

  @Test("The store does the looking: no other book becomes an object")
  func noOthers() throws {
    let made = try bench.objects(of: "Book") { _ = try books(.title, contains: "jane", in: $0) }
    #expect(made == 1, "\(made) objects were made for 1 book")
  }
}
