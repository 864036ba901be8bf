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
        // What matters: the notification center keeps the closure, and so all that the closure holds.
        //= ) { _ in self.changes += 1 }
    ) { [weak self] _ in self?.changes += 1 }
  }

  deinit {
    if let token { NotificationCenter.default.removeObserver(token) }
  }
}
