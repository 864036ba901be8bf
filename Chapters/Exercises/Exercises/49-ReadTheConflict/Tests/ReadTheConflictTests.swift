import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("49 Read the conflict", .serialized)
struct ReadTheConflictTests {
  let bench: Bench
  let coordinator: NSPersistentStoreCoordinator
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    coordinator = try bench.makeCoordinator()
    context = bench.makeContext(coordinator)
    for title in ["Emma", "Dracula"] {
      let book = Book(context: context)
      (book.title, book.price) = (title, 8)
    }
    try context.save()
  }

  /// Another context raises all prices to 9, then this one raises them to 10.
  private func errorOfCollision(with other: NSManagedObjectContext) throws -> any Error {
    // Held, so that they stay as they were read: a context lets go of unchanged objects that nothing uses.
    let books = try context.fetch(NSFetchRequest<Book>(entityName: "Book"))
    for book in books { #expect(book.price == 8) }
    for book in try other.fetch(NSFetchRequest<Book>(entityName: "Book")) { book.price = 9 }
    try other.save()
    for book in books { book.price = 10 }
    return try #require(throws: (any Error).self) { try context.save() }
  }

  private let expected = ["Dracula", "Emma"].map { PriceConflict(title: $0, read: 8, here: 10, stored: 9) }

  @Test("A conflict with another context of the program is told with all three prices")
  func sameProgram() throws {
    let other = bench.makeContext(coordinator)
    let conflicts = try priceConflicts(in: try errorOfCollision(with: other))
    withExtendedLifetime(other) {
      #expect(conflicts == expected)
    }
  }

  @Test("A conflict with another program is told with all three prices")
  func otherProgram() throws {
    let other = bench.makeContext(try bench.makeCoordinator())
    let conflicts = try priceConflicts(in: try errorOfCollision(with: other))
    #expect(conflicts == expected)
  }

  @Test("An error of another kind holds no conflicts")
  func otherError() throws {
    Book(context: context).title = nil
    let error = try #require(throws: (any Error).self) { try context.save() }
    let found = try priceConflicts(in: error)
    #expect(found == [])
  }
}
