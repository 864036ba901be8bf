import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

/// Counts how often it was asked to save.
private final class SaveCountingContext: NSManagedObjectContext, @unchecked Sendable {
  var saves = 0

  override func save() throws {
    saves += 1
    try super.save()
  }
}

@Suite("32 Save only when changed", .serialized)
@MainActor struct SaveOnlyWhenChangedTests {
  let bench: Bench
  private let context: SaveCountingContext

  init() throws {
    bench = try Bench()
    context = SaveCountingContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = try bench.makeCoordinator()
  }

  @Test("Without changes the answer is false, and nothing is saved")
  func nothing() throws {
    let answer = try context.saveIfNeeded()
    #expect(answer == false)
    #expect(context.saves == 0)
  }

  @Test("With a new book the answer is true, and the book is in the file")
  func changed() throws {
    Book(context: context).title = "Emma"
    let answer = try context.saveIfNeeded()
    #expect(answer == true)
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 1)
  }

  @Test("A save that fails throws its own error, and the context keeps the changes")
  func failed() throws {
    Book(context: context).title = nil
    let error = #expect(throws: (any Error).self, "a book without a title can't be saved") {
      try context.saveIfNeeded()
    }
    if let unfinished = error as? Unfinished { throw unfinished }
    #expect((error as NSError?)?.code == NSValidationMissingMandatoryPropertyError)
    #expect(context.hasChanges)
  }
}
