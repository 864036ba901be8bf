import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("57 A batch insert with a handler", .serialized)
struct BatchInsertHandlerTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
  }

  @Test("Each title has a row of its own, with the price")
  func rows() throws {
    let count = try insertBooks(titled: ["Emma", "Dracula", "Middlemarch"], price: 8, in: context)
    #expect(count == 3)
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let books = try context.fetch(request).map { "\($0.title ?? "") \($0.price)" }
    #expect(books == ["Dracula 8", "Emma 8", "Middlemarch 8"])
  }

  @Test("No title, no row")
  func none() throws {
    let count = try insertBooks(titled: [], price: 8, in: context)
    #expect(count == 0)
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 0)
  }

  @Test("A thousand rows are written, and none of them becomes an object of the context")
  func many() throws {
    let count = try insertBooks(titled: (0..<1000).lazy.map { "Book \($0)" }, price: 8, in: context)
    #expect(count == 1000)
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 1000)
    #expect(context.registeredObjects.isEmpty, "\(context.registeredObjects.count) objects were made")
  }
}
