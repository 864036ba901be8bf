import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("02 Four parts", .serialized)
@MainActor struct FourPartsTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  @Test("The context is for the main queue, and its coordinator has the model that was given")
  func parts() throws {
    let context = try makeFourParts(model: Bench.model, at: bench.storeURL)
    #expect(context.concurrencyType == .mainQueueConcurrencyType)
    let coordinator = try #require(context.persistentStoreCoordinator, "the context has no coordinator")
    #expect(coordinator.managedObjectModel === Bench.model, "the coordinator has another model")
  }

  @Test("The coordinator has one SQLite store, at the url that it was given")
  func store() throws {
    let context = try makeFourParts(model: Bench.model, at: bench.storeURL)
    let coordinator = try #require(context.persistentStoreCoordinator, "the context has no coordinator")
    #expect(coordinator.persistentStores.map(\.url) == [bench.storeURL])
    #expect(coordinator.persistentStores.map(\.type) == [NSSQLiteStoreType])
  }

  @Test("A book that is made in the context and saved is in the file")
  func saved() throws {
    let context = try makeFourParts(model: Bench.model, at: bench.storeURL)
    _ = try #require(context.persistentStoreCoordinator, "the context has no coordinator, so it can't make a book")
    Book(context: context).title = "Emma"
    try context.save()
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 1)
  }
}
