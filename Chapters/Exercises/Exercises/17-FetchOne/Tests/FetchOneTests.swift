import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("17 Fetch one", .serialized)
@MainActor struct FetchOneTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for (isbn, title) in [("101", "Emma"), ("102", "Persuasion"), ("10'3", "Middlemarch")] {
      let book = Book(context: context)
      book.isbn = isbn
      book.title = title
    }
    try context.save()
  }

  @Test("The book of a number is found")
  func found() throws {
    let title = try findBook(isbn: "102", in: context)?.title
    #expect(title == "Persuasion")
  }

  @Test("A number with a quotation mark is a number like any other")
  func quoted() throws {
    let title = try findBook(isbn: "10'3", in: context)?.title
    #expect(title == "Middlemarch")
  }

  @Test("A number that no book has finds nothing")
  func missing() throws {
    let title = try findBook(isbn: "999", in: context)?.title
    #expect(title == nil)
  }

  @Test("The request asks for one row at most")
  func limit() throws {
    let limit = try requestForBook(isbn: "101").fetchLimit
    #expect(limit == 1)
  }
}
