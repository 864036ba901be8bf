import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("70 Say what you mean", .serialized)
struct SayWhatYouMeanTests {
  let bench: Bench
  let context: NSManagedObjectContext
  /// A coordinator of its own: to the first one it is another machine.
  let elsewhere: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    elsewhere = bench.makeContext(try bench.makeCoordinator())
    for (isbn, title) in [("1", "Emma"), ("2", "Dracula")] {
      let book = Book(context: context)
      (book.isbn, book.title, book.stock) = (isbn, title, 5)
    }
    try context.save()
  }

  private func book(_ isbn: String, _ context: NSManagedObjectContext) throws -> Book {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.predicate = NSPredicate(format: "isbn == %@", isbn)
    return try #require(try context.fetch(request).first)
  }

  private func stored(_ isbn: String) throws -> Int {
    let fresh = bench.makeContext(try bench.makeCoordinator())
    return try withExtendedLifetime(fresh) { Int(try book(isbn, fresh).stock) }
  }

  @Test("The copies are taken from that book, and from no other")
  func taken() throws {
    let enough = try takeFromStock(2, isbn: "1", in: context)
    #expect(enough)
    let stocks = [try stored("1"), try stored("2")]
    #expect(stocks == [3, 5])
  }

  @Test("What another machine has sold since you looked counts too")
  func meanwhile() throws {
    let seen = try book("1", context)
    #expect(seen.stock == 5)
    try book("1", elsewhere).stock = 3
    try elsewhere.save()
    let enough = try takeFromStock(2, isbn: "1", in: context)
    let stock = try stored("1")
    #expect(enough)
    #expect(stock == 1, "5 copies, two sold elsewhere and two here")
    withExtendedLifetime(seen) {}
  }

  @Test("Where there are not enough, none is taken")
  func notEnough() throws {
    try book("1", elsewhere).stock = 1
    try elsewhere.save()
    let enough = try takeFromStock(2, isbn: "1", in: context)
    let stock = try stored("1")
    #expect(!enough)
    #expect(stock == 1)
  }

  @Test("What the caller has not saved yet stays unsaved")
  func unsaved() throws {
    try book("2", context).title = "Draft"
    _ = try takeFromStock(1, isbn: "1", in: context)
    let fresh = bench.makeContext(try bench.makeCoordinator())
    let title = try withExtendedLifetime(fresh) { try book("2", fresh).title }
    #expect(title == "Dracula")
  }
}
