import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

/// References that keep nothing alive.
private struct WeakWatch {
  weak var watch: StockWatch?
  weak var context: NSManagedObjectContext?
}

@Suite("36 A retain cycle", .serialized)
@MainActor struct RetainCycleTests {
  let bench: Bench
  let coordinator: NSPersistentStoreCoordinator

  init() throws {
    bench = try Bench()
    coordinator = try bench.makeCoordinator()
  }

  private func addBook(to context: NSManagedObjectContext) {
    Book(context: context).title = "Emma"
    context.processPendingChanges()
  }

  /// A watch that was used, and that nothing holds any longer.
  private func useWatch() async -> WeakWatch {
    let watch = StockWatch(bench.makeContext(coordinator))
    addBook(to: watch.context)
    await watch.context.perform(schedule: .enqueued) {}
    return WeakWatch(watch: watch, context: watch.context)
  }

  @Test("A watch counts the events of its context")
  func counts() {
    let watch = StockWatch(bench.makeContext(coordinator))
    addBook(to: watch.context)
    addBook(to: watch.context)
    #expect(watch.changes == 2)
  }

  @Test("A watch that nothing holds is gone")
  func watchGone() async {
    let left = await useWatch()
    #expect(left.watch == nil, "the watch is still there: something holds it")
  }

  @Test("Its context is gone as well")
  func contextGone() async {
    let left = await useWatch()
    #expect(left.context == nil, "the context is still there: something holds it")
  }
}
