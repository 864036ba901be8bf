import CoreData

//> follower
/// Merges what the writer saves into the view context, with objects that the view context does
/// not have.
///
/// `automaticallyMergesChangesFromParent` refreshes objects that are there. An object that no
/// list shows is not, and nobody would ask whether its new values belong into one.
public final class StoreFollower {
  private let context: NSManagedObjectContext
  private var observer: (any NSObjectProtocol)?

  /// Takes the place of the automatic merging of `stack`'s view context.
  public init(_ stack: WaitingRoomStack) {
    let context = stack.viewContext
    self.context = context
    context.automaticallyMergesChangesFromParent = false
    observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSaveObjectIDs, object: stack.writer, queue: nil
    ) { saved in
      // Here it is the writer's queue. The notification holds ids, which may go anywhere.
      nonisolated(unsafe) let saved = saved
      context.perform { Self.merge(saved, into: context) }
    }
  }

  private static func merge(_ saved: Notification, into context: NSManagedObjectContext) {
    let updated = saved.userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> ?? []
    // Faults: made without a look at the store, and there as long as they are held.
    let held = updated.map { context.object(with: $0) }
    withExtendedLifetime(held) { context.mergeChanges(fromContextDidSave: saved) }
  }

  /// Goes back to automatic merging.
  public func stop() {
    observer.map(NotificationCenter.default.removeObserver)
    observer = nil
    context.automaticallyMergesChangesFromParent = true
  }

  deinit { observer.map(NotificationCenter.default.removeObserver) }
}
//< follower
