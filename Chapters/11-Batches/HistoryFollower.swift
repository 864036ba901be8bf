import CoreData

/// Reads the history from where it stopped the last time, and merges it into a context.
public final class HistoryFollower {
  private let context: NSManagedObjectContext
  /// Up to where the history was read. A program that ends keeps it in a file: it can be archived.
  public private(set) var token: NSPersistentHistoryToken?

  /// Follows from now on.
  public init(_ context: NSManagedObjectContext) {
    self.context = context
    token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
  }

  //> follow
  /// Merges all transactions since the last call and returns them. Call it on the context's
  /// queue.
  public func follow() throws -> [NSPersistentHistoryTransaction] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
    let result = try context.execute(request) as? NSPersistentHistoryResult
    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    for transaction in transactions {
      context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      token = transaction.token
    }
    return transactions
  }
  //< follow
}
