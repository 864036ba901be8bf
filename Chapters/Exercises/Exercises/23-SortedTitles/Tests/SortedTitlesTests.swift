import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("23 Sorted titles", .serialized)
@MainActor struct SortedTitlesTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
  }

  /// Saves the books one by one, so that their rows lie in this order.
  private func save(_ books: [(title: String, year: Int64)]) throws {
    for (title, year) in books {
      let book = Book(context: context)
      book.title = title
      book.year = year
      try context.save()
    }
  }

  @Test("The newest book comes first")
  func newest() throws {
    try save([("Emma", 1815), ("Middlemarch", 1871), ("Persuasion", 1817)])
    let titles = try titlesNewestFirst(in: context)
    #expect(titles == ["Middlemarch", "Persuasion", "Emma"])
  }

  @Test("Books of one year come by title, whatever the order they were saved in", arguments: [false, true])
  func sameYear(reversed: Bool) throws {
    let titles = ["Adam Bede", "Bleak House", "Cranford", "Dracula"]
    try save((reversed ? titles.reversed() : titles).map { ($0, 1860) })
    let found = try titlesNewestFirst(in: context)
    #expect(found == titles)
  }

  @Test("An unsaved book has its place in the list")
  func unsaved() throws {
    try save([("Emma", 1815), ("Persuasion", 1817)])
    let book = Book(context: context)
    book.title = "Northanger Abbey"
    book.year = 1817
    let titles = try titlesNewestFirst(in: context)
    #expect(titles == ["Northanger Abbey", "Persuasion", "Emma"])
  }
}
