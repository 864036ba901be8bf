import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("59 History since a token", .serialized)
struct HistorySinceTests {
  let bench: Bench
  let writer: NSManagedObjectContext
  let reader: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Bench.model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL,
      options: [NSPersistentHistoryTrackingKey: true])
    writer = bench.makeContext(coordinator)
    reader = bench.makeContext(coordinator)
  }

  @discardableResult
  private func saveBook(_ title: String) throws -> Book {
    let book = Book(context: writer)
    book.title = title
    try writer.save()
    return book
  }

  @Test("Without a token everything is told, in order")
  func everything() throws {
    let book = try saveBook("Emma")
    book.price = 8
    try writer.save()
    writer.delete(book)
    try writer.save()
    let news = try historyNews(since: nil, in: reader)
    #expect(news.changes == ["insert Book", "update Book", "delete Book"])
  }

  @Test("With the token of the last answer only what came later is told")
  func later() throws {
    try saveBook("Emma")
    let book = try saveBook("Dracula")
    let first = try historyNews(since: nil, in: reader)
    book.price = 7
    try writer.save()
    let second = try historyNews(since: first.token, in: reader)
    #expect(second.changes == ["update Book"])
  }

  @Test("Where nothing has happened nothing is told, and the token stays good")
  func nothing() throws {
    try saveBook("Emma")
    let first = try historyNews(since: nil, in: reader)
    let second = try historyNews(since: first.token, in: reader)
    #expect(second.changes == [])
    try saveBook("Dracula")
    let third = try historyNews(since: second.token, in: reader)
    #expect(third.changes == ["insert Book"])
  }
}
