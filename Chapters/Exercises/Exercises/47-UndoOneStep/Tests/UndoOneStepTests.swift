import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("47 Undo one step", .serialized)
@MainActor struct UndoOneStepTests {
  let bench: Bench
  let context: NSManagedObjectContext
  let books: [Book]
  let steps: PriceSteps

  /// Two books at 10, saved.
  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    var books: [Book] = []
    for title in ["Emma", "Persuasion"] {
      let book = Book(context: context)
      book.title = title
      book.price = 10
      books.append(book)
    }
    self.books = books
    try context.save()
    steps = PriceSteps(context: context)
  }

  private var prices: [Int64] { books.map(\.price) }

  @Test("One undo takes back all that a step has done, and one redo does it again")
  func whole() throws {
    defer { steps.undoManager.disableUndoRegistration() }
    try steps.step("Raise Prices") {
      for book in books { book.price = 15 }
    }
    try #require(steps.undoManager.canUndo, "the step was not registered by the time it had ended")
    context.undo()
    #expect(prices == [10, 10])
    context.redo()
    #expect(prices == [15, 15])
  }

  @Test("Of two steps in one event, undo takes back the second alone")
  func second() throws {
    defer { steps.undoManager.disableUndoRegistration() }
    try steps.step("Raise Prices") { books[0].price = 15 }
    try steps.step("Lower Prices") { books[1].price = 5 }
    try #require(steps.undoManager.canUndo, "the steps were not registered by the time they had ended")
    context.undo()
    #expect(prices == [15, 10])
    context.undo()
    #expect(prices == [10, 10])
  }

  @Test("A step that throws is closed as well, and the next one is a step of its own")
  func thrown() throws {
    struct Interruption: Error {}
    defer { steps.undoManager.disableUndoRegistration() }
    #expect(throws: Interruption.self, "the step ran, and its error did not come out") {
      try steps.step("Raise Prices") {
        books[0].price = 15
        throw Interruption()
      }
    }
    try steps.step("Lower Prices") { books[1].price = 5 }
    try #require(steps.undoManager.groupingLevel == 0, "the group of the step that threw is still open")
    context.undo()
    #expect(prices == [15, 10])
  }

  @Test("A step has its name")
  func name() throws {
    defer { steps.undoManager.disableUndoRegistration() }
    try steps.step("Raise Prices") { books[0].price = 15 }
    #expect(steps.undoManager.undoActionName == "Raise Prices")
  }
}
