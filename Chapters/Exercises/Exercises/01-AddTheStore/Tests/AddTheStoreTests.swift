import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("01 Add the store", .serialized)
@MainActor struct AddTheStoreTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  @Test("The coordinator has one store, at the url that it was given")
  func oneStore() throws {
    let coordinator = try makeShopCoordinator(model: Bench.model, at: bench.storeURL)
    #expect(coordinator.persistentStores.map(\.url) == [bench.storeURL])
  }

  @Test("What is saved is in the file: another stack finds it")
  func saved() throws {
    let context = bench.makeContext(try makeShopCoordinator(model: Bench.model, at: bench.storeURL))
    Book(context: context).title = "Emma"
    try context.save()
    let count = try bench.savedCount(of: "Book")
    #expect(count == 1)
  }
}
