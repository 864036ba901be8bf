import CoreData
import Testing

// Blocks of `performAndWait` in the Swift 6 language mode, in the shapes that applications have.

private func assertHolds(_ condition: @autoclosure () throws -> Bool) rethrows -> Bool { try condition() }

/// From before Swift had it in Core Data: some applications have such an overload.
extension NSManagedObjectContext {
  func performAndWait<T>(_ block: (NSManagedObjectContext) throws -> T) rethrows -> T {
    try performAndWait { try block(self) }
  }
}

private struct OutOfPaper: Error {}

/// Counts the blocks that go through its method, as a program's own context does.
final class CountingContext: NSManagedObjectContext, @unchecked Sendable {
  nonisolated(unsafe) var count = 0

  override func performAndWait(_ block: () -> Void) {
    count += 1
    super.performAndWait(block)
  }
}

final class StrictlyCountingContext: NSManagedObjectContext, @unchecked Sendable {
  nonisolated(unsafe) var count = 0

  override func performAndWait(_ block: @Sendable () -> Void) {
    count += 1
    super.performAndWait { block() }
  }
}

@Suite("Blocks that are waited for")
struct PerformingClientTests {
  @MainActor
  private static func context() -> NSManagedObjectContext { Shelf().container.newBackgroundContext() }

  @Test("A block may set what is around it, and look at it in an autoclosure")
  func autoclosure() async throws {
    let context = await Self.context()
    var volume: Volume?
    var held = false
    context.performAndWait {
      volume = Volume(context: context)
      volume?.title = "A"
      held = assertHolds(volume?.title == "A")
    }
    #expect(held)
    let title = try context.performAndWait {
      try context.save()
      return volume?.title
    }
    #expect(title == "A")
  }

  @Test("Values and errors come back")
  func results() async throws {
    let context = await Self.context()
    let three: Int = context.performAndWait { 3 }
    #expect(three == 3)
    #expect(throws: OutOfPaper.self) { try context.performAndWait { throw OutOfPaper() } }
    func wrapped<T>(_ body: () throws -> T) rethrows -> T { try context.performAndWait(body) }
    #expect(wrapped { 4 } == 4)
    let maybe: NSManagedObjectContext? = context
    #expect(maybe?.performAndWait { 5 } == 5)
  }

  @Test("The method is a value, also beside an overload of the program's own")
  func methodValue() async {
    let context = await Self.context()
    func run(_ perform: (() -> Void) -> Void) -> Bool {
      var ran = false
      perform { ran = true }
      return ran
    }
    #expect(run(context.performAndWait))
    let stored: (() -> Void) -> Void = context.performAndWait
    #expect(run(stored))
    #expect(context.performAndWait { $0 === context })
  }

  @Test("A subclass that overrides the method sees every block, and runs it once")
  func overridden() {
    func runs(_ context: NSManagedObjectContext) -> Int {
      var runs = 0
      context.performAndWait { runs += 1 }
      let two = context.performAndWait {
        runs += 1
        return 2
      }
      context.performAndWait { context.performAndWait { runs += two } }
      return runs
    }
    let counting = CountingContext(concurrencyType: .privateQueueConcurrencyType)
    #expect(runs(counting) == 4)
    #expect(counting.count == 4)
    let strict = StrictlyCountingContext(concurrencyType: .privateQueueConcurrencyType)
    #expect(runs(strict) == 4)
    #expect(strict.count == 4)
  }
}
