import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("21 Only large orders", .serialized)
@MainActor struct OnlyLargeOrdersTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for (title, counts) in [("Emma", [1, 10]), ("Dracula", [5, 10]), ("Villette", [10]), ("Persuasion", [])] {
      let book = Book(context: context)
      book.title = title
      for count in counts {
        let order = Order(context: context)
        (order.count, order.book) = (Int64(count), book)
      }
    }
    try context.save()
  }

  private func titles(_ copies: Int) throws -> [String] {
    try booksOrderedOnly(inLotsOf: copies, in: context).compactMap(\.title)
  }

  @Test("A book with one small order among its orders isn't found")
  func all() throws {
    let found = try titles(5)
    #expect(found.contains("Dracula") && found.contains("Villette"), "found: \(found)")
    #expect(!found.contains("Emma"), "of Emma there is an order of one copy")
  }

  @Test("A book that no one has ordered isn't found")
  func unordered() throws {
    let found = try titles(5)
    #expect(found == ["Dracula", "Villette"])
  }

  @Test("An order of exactly that number is large enough")
  func exactly() throws {
    let found = try titles(10)
    #expect(found == ["Villette"])
  }

  @Test("The store does the looking: no other book becomes an object")
  func noOthers() throws {
    let made = try bench.objects(of: "Book") { _ = try booksOrderedOnly(inLotsOf: 5, in: $0) }
    #expect(made == 2, "\(made) objects were made for 2 books")
  }
}
