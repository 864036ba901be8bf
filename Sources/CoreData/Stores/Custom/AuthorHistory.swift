/// The history of an incremental store, which its author keeps.
final class AuthorHistory: StoreHistory {
  private let store: NSIncrementalStore
  /// What the store is asked; nil for somebody who wants to know the last number alone.
  private let asked: (request: NSPersistentHistoryChangeRequest, context: NSManagedObjectContext)?

  init(_ store: NSIncrementalStore, request: NSPersistentHistoryChangeRequest, context: NSManagedObjectContext) {
    self.store = store
    asked = (request, context)
  }

  /// For tokens; nil where the store takes no requests for history.
  init?(ofTokensOf store: NSIncrementalStore) {
    guard store.canExecute(NSPersistentHistoryChangeRequest()) else { return nil }
    self.store = store
    asked = nil
  }

  func lastNumber() throws -> Int64 { try store.lastTransactionNumber() }

  /// The store does not say which process has written the last one: whoever reads from here on misses nothing of later
  /// ones.
  var lastWritten: Int64 { (try? store.lastTransactionNumber()) ?? 0 }

  func read(
    after bound: HistoryBound, take: (HistoryTransactionRow) throws -> Bool,
    changes: (HistoryTransactionRow, [HistoryChangeRow]) throws -> Void
  ) throws {
    let answer = try execute()
    guard let transactions = answer as? [NSPersistentHistoryTransaction] else {
      throw store.broken("execute(_:with:)", "a request for history was answered by the type \(type(of: answer))")
    }
    for transaction in transactions where try take(transaction.row) {
      try changes(transaction.row, (transaction.changes ?? []).map(\.row))
    }
  }

  func delete(before bound: HistoryBound) throws -> Int {
    let answer = try execute()
    guard let count = NSNumber(anyNumber: answer) else {
      throw store.broken("execute(_:with:)", "deleting history was answered by the type \(type(of: answer))")
    }
    return count.intValue
  }

  private func execute() throws -> Any {
    guard let asked else { preconditionFailure("History for tokens is not read.") }
    return try store.execute(asked.request, with: asked.context)
  }
}
