import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("13 One row, two objects", .serialized)
@MainActor struct SameRowTests {
  let bench: Bench
  let tills: [NSManagedObjectContext]

  /// Two books in a file that two contexts have open.
  init() throws {
    bench = try Bench()
    let coordinator = try bench.makeCoordinator()
    tills = [bench.makeContext(coordinator), bench.makeContext(coordinator)]
    for title in ["Emma", "Dracula"] { Book(context: tills[0]).title = title }
    try tills[0].save()
  }

  private func book(_ title: String, _ till: Int) throws -> Book {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == %@", title)
    return try #require(try tills[till].fetch(request).first)
  }

  @Test("Two different books are two")
  func two() throws {
    let count = try differentBooks(in: [[book("Emma", 0), book("Dracula", 0)]])
    #expect(count == 2)
  }

  @Test("One book twice in a basket is one: a context has one object of a row")
  func twice() throws {
    let count = try differentBooks(in: [[book("Emma", 0), book("Emma", 0)]])
    #expect(count == 1)
  }

  @Test("One book in the baskets of two contexts is one as well")
  func twoContexts() throws {
    let count = try differentBooks(in: [[book("Emma", 0), book("Dracula", 0)], [book("Emma", 1)]])
    #expect(count == 2, "Emma in two baskets, and Dracula in one")
  }

  @Test("Two editions with one title are two books")
  func editions() throws {
    let first = try book("Emma", 0)
    let second = Book(context: tills[0])
    second.title = "Emma"
    try tills[0].save()
    let count = try differentBooks(in: [[first, second], [book("Dracula", 1)]])
    #expect(count == 3, "two editions of Emma, and Dracula")
  }
}
