import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("35 Hear the other context", .serialized)
@MainActor struct HearTheOtherContextTests {
  let bench: Bench
  let coordinator: NSPersistentStoreCoordinator

  /// One book in the file.
  init() throws {
    bench = try Bench()
    coordinator = try bench.makeCoordinator()
    let context = bench.makeContext(coordinator)
    let book = Book(context: context)
    book.title = "Emma"
    book.stock = 3
    try context.save()
  }

  private func book(in context: NSManagedObjectContext) throws -> Book {
    try #require(context.persistentStoreCoordinator === coordinator, "the context is not on the coordinator")
    return try #require(try context.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
  }

  /// Sets title and stock in a context of its own, and lets the main queue do what the save has queued there.
  private func saveElsewhere(title: String, _ listening: NSManagedObjectContext) async throws {
    let other = bench.makeContext(coordinator, .privateQueueConcurrencyType)
    try await other.perform {
      let book = try other.fetch(NSFetchRequest<Book>(entityName: "Book")).first
      book?.title = title
      book?.stock = 4
      try other.save()
    }
    await listening.perform(schedule: .enqueued) {}
  }

  @Test("An object that is held takes over what another context has saved")
  func change() async throws {
    let context = try makeListeningContext(on: coordinator)
    let book = try book(in: context)
    try #require(book.title == "Emma")
    try await saveElsewhere(title: "Persuasion", context)
    #expect(book.title == "Persuasion")
  }

  @Test("What was changed here and not saved stays, beside what comes from there")
  func unsaved() async throws {
    let context = try makeListeningContext(on: coordinator)
    let book = try book(in: context)
    book.title = "Emma, annotated"
    try await saveElsewhere(title: "Persuasion", context)
    #expect(book.title == "Emma, annotated")
    #expect(book.stock == 4)
  }

  @Test("The context is one for the main queue")
  func queue() throws {
    #expect(try makeListeningContext(on: coordinator).concurrencyType == .mainQueueConcurrencyType)
  }
}
