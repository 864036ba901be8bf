import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("28 Count and group", .serialized)
struct CountAndGroupTests {
  let bench: Bench
  /// Of a program that has just started: it has no objects.
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    let filling = bench.makeContext(try bench.makeCoordinator())
    var authors: [String: Author] = [:]
    let shelf = [
      ("Emma", "Jane Austen", 3), ("Middlemarch", "George Eliot", 4), ("Persuasion", "Jane Austen", 2),
      ("Beowulf", "", 9),
    ]
    for (title, name, stock) in shelf {
      let book = Book(context: filling)
      book.title = title
      book.stock = Int64(stock)
      if !name.isEmpty {
        let author = authors[name] ?? Author(context: filling)
        author.name = name
        authors[name] = author
        book.author = author
      }
    }
    try filling.save()
    context = bench.makeContext(try bench.makeCoordinator())
    context.retainsRegisteredObjects = true
  }

  @Test("Each author has one line with the sum of all their books; a book of no author is in none")
  func sums() throws {
    let expected = [AuthorStock(author: "George Eliot", copies: 4), AuthorStock(author: "Jane Austen", copies: 5)]
    let found = try stockByAuthor(in: context)
    #expect(found == expected)
  }

  @Test("The store does the adding: the context has no object afterwards")
  func noObjects() throws {
    let lines = try stockByAuthor(in: context)
    #expect(!lines.isEmpty)
    #expect(context.registeredObjects.isEmpty, "\(context.registeredObjects.count) objects were made")
  }
}
