import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("05 One author twice", .serialized)
@MainActor struct OneAuthorTwiceTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
  }

  private func author(_ name: String, _ titles: [String]) -> Author {
    let author = Author(context: context)
    author.name = name
    for title in titles {
      let book = Book(context: context)
      book.title = title
      book.author = author
    }
    return author
  }

  private func titles(_ author: Author) -> [String] {
    (author.books as? Set<Book> ?? []).compactMap(\.title).sorted()
  }

  @Test("The author has the books of both, and those that were there before are still there")
  func allBooks() throws {
    let author = author("Ursula K. Le Guin", ["The Dispossessed"])
    try merge(double(), into: author)
    let titles = titles(author)
    #expect(titles == ["A Wizard of Earthsea", "The Dispossessed", "The Left Hand of Darkness"])
  }

  @Test("Every book leads to the author that stays")
  func inverses() throws {
    let author = author("Ursula K. Le Guin", [])
    let books = try merged(into: author)
    #expect(books.allSatisfy { $0.author === author }, "a book has another author, or none")
  }

  @Test("The double is deleted, and the file has one author and three books")
  func deleted() throws {
    let author = author("Ursula K. Le Guin", ["The Dispossessed"])
    try context.save()
    let double = double()
    try context.save()
    try merge(double, into: author)
    #expect(double.isDeleted, "the double is not deleted")
    try context.save()
    let counts = [try bench.savedCount(of: "Author"), try bench.savedCount(of: "Book")]
    #expect(counts == [1, 3], "authors and books in the file")
  }

  private func double() -> Author {
    author("Ursula Le Guin", ["A Wizard of Earthsea", "The Left Hand of Darkness"])
  }

  private func merged(into author: Author) throws -> [Book] {
    let double = double()
    let books = Array(double.books as? Set<Book> ?? [])
    try merge(double, into: author)
    return books
  }
}
