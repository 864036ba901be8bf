import CoreData

extension ModelContext {
  /// Reads the history of the container's stores: every save, by any context or program.
  ///
  /// The whole history is read, and the predicate is evaluated in memory.
  ///
  /// Throws 134091 if no store keeps a history, because all are in memory. Throws
  /// `SwiftDataError.invalidTransactionFetchRequest` if `T` isn't ``DefaultHistoryTransaction``.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    guard var found = transactions(try history()) as? [T] else { throw SwiftDataError.invalidTransactionFetchRequest }
    if let predicate = descriptor.predicate { found = try found.filter(predicate.evaluate) }
    if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
    if descriptor.fetchLimit > 0 { found = Array(found.prefix(Int(clamping: descriptor.fetchLimit))) }
    return found
  }

  /// Deletes transactions from the beginning of the history.
  ///
  /// Throws `SwiftDataError.invalidTransactionFetchRequest` if the predicate selects a transaction but not all earlier
  /// ones of the same store, or if the descriptor has a limit or an order.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    guard T.self == DefaultHistoryTransaction.self, descriptor.fetchLimit == 0, descriptor.sortBy.isEmpty else {
      throw SwiftDataError.invalidTransactionFetchRequest
    }
    let stored = try history()
    let wanted = Set(try fetchHistory(descriptor).compactMap { ($0 as? DefaultHistoryTransaction)?.id })
    var requests: [NSPersistentHistoryChangeRequest] = []
    for store in container.coordinator.persistentStores {
      let own = zip(stored, transactions(stored)).filter { $0.0.storeID == store.identifier }
      let kept = own.drop { wanted.contains($0.1.id) }
      guard kept.allSatisfy({ !wanted.contains($0.1.id) }) else { throw SwiftDataError.invalidTransactionFetchRequest }
      if kept.count == own.count { continue }
      let request =
        kept.first.map { NSPersistentHistoryChangeRequest.deleteHistory(before: $0.0) }
        ?? NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
      request.affectedStores = [store]
      requests.append(request)
    }
    for request in requests { _ = try managedContext.execute(request) }
  }

  /// All transactions, oldest first.
  private func history() throws -> [NSPersistentHistoryTransaction] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
    let result = try managedContext.execute(request) as? NSPersistentHistoryResult
    let found = result?.result as? [NSPersistentHistoryTransaction] ?? []
    return found.sorted { ($0.timestamp, $0.transactionNumber) < ($1.timestamp, $1.transactionNumber) }
  }

  /// Each transaction with a token that says where every store's history stood at that time.
  private func transactions(_ stored: [NSPersistentHistoryTransaction]) -> [DefaultHistoryTransaction] {
    var places: [String: Int64] = [:]
    return stored.map {
      places[$0.storeID] = $0.transactionNumber
      return DefaultHistoryTransaction($0, token: DefaultHistoryToken(places), container.classes.byName)
    }
  }
}
