import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("19 Search books", .serialized)
struct SearchBooksTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    let shelf = [
      ("Jane Eyre", "Charlotte Brontë", ["Ada", "Grace"]), ("Emma", "Jane Austen", ["Edsger", "Barbara"]),
      ("Finnegan's Wake", "James Joyce", []),
    ]
    for (title, author, customers) in shelf {
      let book = Book(context: context)
      book.title = title
      book.author = Author(context: context)
      book.author?.name = author
      for customer in customers {
        let order = Order(context: context)
        order.customer = customer
        order.book = book
      }
    }
    try context.save()
  }

  private func titles(_ text: String) throws -> [String] {
    try searchBooks(for: text, in: context).map { $0.title ?? "" }
  }

  @Test("Titles and authors are both searched, and the books come by title")
  func titleAndAuthor() throws {
    let found = try titles("Jane")
    #expect(found == ["Emma", "Jane Eyre"])
  }

  @Test("Case and accents make no difference")
  func caseAndAccents() throws {
    let found = try titles("bronte")
    #expect(found == ["Jane Eyre"])
    let then = try titles("EMMA")
    #expect(then == ["Emma"])
  }

  @Test("A book is found by any one of its customers")
  func customers() throws {
    let found = try titles("grace")
    #expect(found == ["Jane Eyre"])
    let then = try titles("ba")
    #expect(then == ["Emma"])
  }

  @Test("The text is text: a quotation mark in it is looked for like any other character")
  func quotation() throws {
    let found = try titles("n's w")
    #expect(found == ["Finnegan's Wake"])
    let injected = try titles("' OR 1 == 1 OR '' == '")
    #expect(injected == [])
  }

  @Test("The store does the looking: no other book becomes an object")
  func noOthers() throws {
    let made = try bench.objects(of: "Book") { _ = try searchBooks(for: "Jane", in: $0) }
    #expect(made == 2, "\(made) objects were made for 2 books")
  }
}
