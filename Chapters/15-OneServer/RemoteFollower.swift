import CoreData

/// Takes what other processes save into a context, by the history, in the order of their commits.
public final class RemoteFollower: @unchecked Sendable {
  // `@unchecked Sendable`: what changes is only touched on the context's queue.

  private let context: NSManagedObjectContext
  private var token: NSPersistentHistoryToken?
  private var observer: (any NSObjectProtocol)?
  /// What was merged: authors, in the order of the commits.
  public private(set) var authors: [String] = []
  /// Why the history could not be read the last time, if it couldn't: the next notification tries again.
  public private(set) var failure: (any Error)?

  //> hear
  /// Follows from now on.
  public init(_ context: NSManagedObjectContext) {
    self.context = context
    let coordinator = context.persistentStoreCoordinator
    token = coordinator?.currentPersistentHistoryToken(fromStores: nil)
    observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
    ) { [weak self] _ in
      context.perform { self?.follow() }
    }
  }
  //< hear

  deinit { observer.map(NotificationCenter.default.removeObserver) }

  //> follow
  private func follow() {
    do {
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
      let result = try context.execute(request) as? NSPersistentHistoryResult
      for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
        context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
        authors.append(transaction.author ?? "no author")
        token = transaction.token
      }
      failure = nil
    } catch {
      // The server may be away. What was missed is still in the history when it is back.
      failure = error
    }
  }
  //< follow
}
