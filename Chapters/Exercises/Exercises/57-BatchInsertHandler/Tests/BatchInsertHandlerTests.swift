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

  /// Executes the request for these titles, and returns the number of rows.
  private func insert(_ titles: some Sequence<String>) throws -> Int {
    let request = try bookInsertion(of: titles, price: 8)
    request.resultType = .count
    let result = try context.execute(request) as? NSBatchInsertResult
    return result?.result as? Int ?? 0
  }

  @Test("Each title has a row of its own, with the price")
  func rows() throws {
    let count = try insert(["Emma", "Dracula", "Middlemarch"])
    #expect(count == 3)
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let books = try context.fetch(request).map { "\($0.title ?? "") \($0.price)" }
    #expect(books == ["Dracula 8", "Emma 8", "Middlemarch 8"])
  }

  @Test("No title, no row")
  func none() throws {
    let count = try insert([String]())
    #expect(count == 0)
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 0)
  }

  @Test("The rows are asked for one by one, and not made before")
  func oneByOne() throws {
    let request = try bookInsertion(of: ["Emma", "Dracula"], price: 8)
    let rows = request.objectsToInsert?.count
    #expect(rows == nil, "all rows were there before the store asked for one")
  }

  @Test("A thousand rows are written, and none of them becomes an object of the context")
  func many() throws {
    nonisolated(unsafe) var saves = 0
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: context, queue: nil
    ) { _ in saves += 1 }
    defer { NotificationCenter.default.removeObserver(observer) }
    let count = try insert((0..<1000).lazy.map { "Book \($0)" })
    #expect(count == 1000)
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 1000)
    #expect(context.registeredObjects.isEmpty, "\(context.registeredObjects.count) objects were made")
    #expect(saves == 0, "the context was saved, so the rows came from its objects")
  }
}
