import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("14 In the order asked", .serialized)
@MainActor struct InTheOrderAskedTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for (isbn, title) in [("101", "Emma"), ("102", "Persuasion"), ("103", "Dracula")] {
      let book = Book(context: context)
      (book.isbn, book.title) = (isbn, title)
    }
    Book(context: context).title = "A book without a number"
    try context.save()
  }

  private func titles(_ isbns: [String]) throws -> [String] {
    try books(isbns: isbns, in: context).compactMap(\.title)
  }

  @Test("The books come in the order of their numbers in the list")
  func order() throws {
    let titles = try titles(["103", "101", "102"])
    #expect(titles == ["Dracula", "Emma", "Persuasion"])
  }

  @Test("A number that no book has is left out")
  func missing() throws {
    let titles = try titles(["102", "999", "101"])
    #expect(titles == ["Persuasion", "Emma"])
  }

  @Test("No numbers, no books: the one without a number isn't found either")
  func empty() throws {
    let titles = try titles([])
    #expect(titles == [])
  }
}
