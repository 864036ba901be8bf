/// The history of an incremental store, which the store's author keeps.
final class CustomStoreHistory: StoreHistory {
  private let store: NSIncrementalStore
  /// The request to ask the store with; nil if only the last number is needed.
  private let asked: (request: NSPersistentHistoryChangeRequest, context: NSManagedObjectContext)?

  init(_ store: NSIncrementalStore, request: NSPersistentHistoryChangeRequest, context: NSManagedObjectContext) {
    self.store = store
    asked = (request, context)
  }

  /// For making tokens. Nil if the store doesn't take history requests.
  init?(ofTokensOf store: NSIncrementalStore) {
    guard store.canExecute(NSPersistentHistoryChangeRequest()) else { return nil }
    self.store = store
    asked = nil
  }

  func lastNumber() throws -> Int64 { try store.lastTransactionNumber() }

  /// The store doesn't tell which process wrote the last transaction. Reading from this number on misses no later one.
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

  /// Such a store deletes up to the request's place. If it passed over the fetch request, too much would be gone.
  var deletesChosen: Bool { false }

  func delete(before bound: HistoryBound, chosen: ((HistoryTransactionRow) throws -> Bool)?) throws -> Int {
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
