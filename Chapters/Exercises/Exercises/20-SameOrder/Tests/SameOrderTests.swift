import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("20 One order, two conditions", .serialized)
@MainActor struct SameOrderTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    let shelf: [(String, [(String, Int)])] = [
      ("Emma", [("Ada", 1), ("Grace", 10)]), ("Dracula", [("Ada", 10), ("Ada", 1)]), ("Villette", [("Grace", 10)]),
      ("Persuasion", []), ("Beowulf", [("Ada", 5)]),
    ]
    for (title, orders) in shelf {
      let book = Book(context: context)
      book.title = title
      for (customer, count) in orders {
        let order = Order(context: context)
        (order.customer, order.count, order.book) = (customer, Int64(count), book)
      }
    }
    try context.save()
  }

  private func titles(_ customer: String, _ copies: Int) throws -> [String] {
    try booksOrdered(by: customer, atLeast: copies, in: context).compactMap(\.title)
  }

  @Test("A book is found by an order that is both by the customer and large enough")
  func both() throws {
    let found = try titles("Ada", 5)
    #expect(found == ["Beowulf", "Dracula"], "Ada ordered five of Beowulf, ten of Dracula, and one of Emma")
  }

  @Test("Ten copies for Grace don't make one copy for Ada ten")
  func notTwoOrders() throws {
    let found = try titles("Ada", 10)
    #expect(found == ["Dracula"], "of Emma, Grace ordered ten and Ada one")
  }

  @Test("A customer who ordered nothing finds nothing")
  func none() throws {
    let found = try titles("Alan", 1)
    #expect(found == [])
  }

  @Test("The store does the looking: no other book becomes an object")
  func noOthers() throws {
    let made = try bench.objects(of: "Book") { _ = try booksOrdered(by: "Ada", atLeast: 5, in: $0) }
    #expect(made == 2, "\(made) objects were made for 2 books")
  }
}
