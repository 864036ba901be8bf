import CoreData

extension ModelContext {
  /// What was written to the container's stores, by whomever.
  ///
  /// The predicate is asked in memory, of the whole history of the stores. Stores in memory have none: it throws 134091
  /// where there is no other. `SwiftDataError.invalidTransactionFetchRequest` for transactions of another type than
  /// ``DefaultHistoryTransaction``.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    guard var found = transactions(try history()) as? [T] else { throw SwiftDataError.invalidTransactionFetchRequest }
    if let predicate = descriptor.predicate { found = try found.filter(predicate.evaluate) }
    if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
    if descriptor.fetchLimit > 0 { found = Array(found.prefix(Int(clamping: descriptor.fetchLimit))) }
    return found
  }

  /// Forgets transactions. History is deleted from its beginning: a predicate that is true of a transaction, and not of
  /// an earlier one of the same store, is refused with `SwiftDataError.invalidTransactionFetchRequest`, as are a limit
  /// and an order.
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

  /// The token of each has all stores' places at its time.
  private func transactions(_ stored: [NSPersistentHistoryTransaction]) -> [DefaultHistoryTransaction] {
    var places: [String: Int64] = [:]
    return stored.map {
      places[$0.storeID] = $0.transactionNumber
      return DefaultHistoryTransaction($0, token: DefaultHistoryToken(places), container.classes.byName)
    }
  }
}
