import CoreData
import ExerciseSupport

/// Counts the events in which objects of a context change, for as long as something holds the watch.
final class StockWatch {
  let context: NSManagedObjectContext
  private(set) var changes = 0
  private var token: (any NSObjectProtocol)?

  init(_ context: NSManagedObjectContext) {
    self.context = context
    token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
        // TODO: A watch that nothing holds any longer is released, and releases its context.
    ) { _ in self.changes += 1 }
  }

  deinit {
    if let token { NotificationCenter.default.removeObserver(token) }
  }
}
