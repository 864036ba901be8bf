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
    context.retainsRegisteredObjects = true
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
    nonisolated(unsafe) var saves = 0
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: context, queue: nil
    ) { _ in saves += 1 }
    defer { NotificationCenter.default.removeObserver(observer) }
    let count = try insertBooks(titled: (0..<1000).lazy.map { "Book \($0)" }, price: 8, in: context)
    #expect(count == 1000)
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 1000)
    #expect(context.registeredObjects.isEmpty, "\(context.registeredObjects.count) objects were made")
    #expect(saves == 0, "the context was saved, so the rows came from its objects")
  }
}
