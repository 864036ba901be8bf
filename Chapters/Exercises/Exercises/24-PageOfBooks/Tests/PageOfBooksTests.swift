import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("24 A page of books", .serialized)
@MainActor struct PageOfBooksTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    // In no order, and with three prices for seven books.
    for (isbn, price) in [("5", 9), ("1", 9), ("7", 5), ("3", 9), ("2", 5), ("6", 12), ("4", 9)] {
      let book = Book(context: context)
      (book.isbn, book.price) = (isbn, Int64(price))
    }
    try context.save()
  }

  private func prices(_ number: Int, of size: Int) throws -> [Int64] {
    try page(number, of: size, in: context).map(\.price)
  }

  @Test("The first page has the cheapest books")
  func first() throws {
    let prices = try prices(0, of: 3)
    #expect(prices == [5, 5, 9])
  }

  @Test("The pages have each book once, and the last has what is left")
  func each() throws {
    let pages = try (0..<3).map { try page($0, of: 3, in: context).compactMap(\.isbn) }
    #expect(pages.map(\.count) == [3, 3, 1], "books on the three pages")
    #expect(Set(pages.joined()).count == 7, "different books on the three pages: \(pages)")
  }

  @Test("Behind the last page there is nothing")
  func behind() throws {
    let prices = try prices(3, of: 3)
    #expect(prices == [])
  }

  @Test("A page makes objects of its own books, and of no others")
  func noOthers() throws {
    let reading = bench.makeContext(try bench.makeCoordinator())
    reading.retainsRegisteredObjects = true
    let books = try page(1, of: 3, in: reading)
    #expect(books.count == 3)
    #expect(reading.registeredObjects.count == 3, "\(reading.registeredObjects.count) objects were made for a page")
  }

  @Test("Books of one price are always in the same order")
  func sameOrder() throws {
    let all = try page(0, of: 10, in: context).compactMap(\.isbn)
    #expect(all == ["2", "7", "1", "3", "4", "5", "6"], "by price, and within a price by number")
  }
}
