import CoreData

extension ModelContext {
  /// Reads the history of the container's stores: every save, by any context or program.
  ///
  /// The whole history is read, and the predicate is evaluated in memory.
  ///
  /// Throws 134091 if no store keeps a history, because all are in memory. Throws
  /// `SwiftDataError.invalidTransactionFetchRequest` if `T` isn't ``DefaultHistoryTransaction``, and
  /// `SwiftDataError.historyTokenExpired` if transactions after a token of the predicate's were deleted.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    if let predicate = descriptor.predicate { try checkTokens(of: predicate.expression) }
    return try history(descriptor)
  }

  /// Throws an error if transactions after a token that the expression names were deleted.
  private func checkTokens(of expression: Any) throws {
    func tokens(in value: Any) -> [DefaultHistoryToken] {
      if let token = value as? DefaultHistoryToken { return [token] }
      return Mirror(reflecting: value).children.flatMap { tokens(in: $0.value) }
    }
    let known = Set(openContainer.coordinator.persistentStores.map(\.identifier))
    for token in tokens(in: expression) {
      let numbers = (token.tokenValue ?? [:]).filter { known.contains($0.key) }
      let request = NSPersistentHistoryChangeRequest.fetchHistory(after: NSPersistentHistoryToken(numbers))
      request.resultType = .count
      do {
        _ = try managedContext.execute(request)
      } catch let error as NSError where error.code == NSPersistentHistoryTokenExpiredError {
        throw SwiftDataError.historyTokenExpired
      }
    }
  }

  /// The transactions that a descriptor describes.
  private func history<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    guard var found = transactions(try history()) as? [T] else { throw SwiftDataError.invalidTransactionFetchRequest }
    if let predicate = descriptor.predicate { found = try found.filter(predicate.evaluate) }
    if !descriptor.sortBy.isEmpty { found.sort(using: descriptor.sortBy) }
    if descriptor.fetchLimit > 0 { found = Array(found.prefix(Int(clamping: descriptor.fetchLimit))) }
    return found
  }

  /// Deletes the transactions that ``fetchHistory(_:)`` would return for the descriptor.
  ///
  /// Throws `SwiftDataError.invalidTransactionFetchRequest` if `T` isn't ``DefaultHistoryTransaction``.
  public func deleteHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws {
    guard T.self == DefaultHistoryTransaction.self else { throw SwiftDataError.invalidTransactionFetchRequest }
    let stored = try history()
    let wanted = Set(try history(descriptor).compactMap { $0 as? DefaultHistoryTransaction })
    if wanted.isEmpty { return }
    let all = Array(zip(stored, transactions(stored)))
    for store in openContainer.coordinator.persistentStores {
      let own = all.filter { $0.0.storeID == store.identifier }
      // What goes from the beginning, then what goes from between transactions that stay.
      let kept = own.drop { wanted.contains($0.1) }
      if let last = own.dropLast(kept.count).last {
        // Up to the last one that was read: others may have been written since.
        let end = NSPersistentHistoryToken([store.identifier: last.0.transactionNumber + 1])
        try delete(.deleteHistory(before: end), in: store)
      }
      let numbers = kept.filter { wanted.contains($0.1) }.map(\.0.transactionNumber)
      if numbers.isEmpty { continue }
      let request = NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
      request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
      request.fetchRequest?.predicate = NSPredicate(format: "transactionNumber IN %@", numbers)
      try delete(request, in: store)
    }
  }

  private func delete(_ request: NSPersistentHistoryChangeRequest, in store: NSPersistentStore) throws {
    request.affectedStores = [store]
    _ = try managedContext.execute(request)
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
      return DefaultHistoryTransaction($0, token: DefaultHistoryToken(places), openContainer.classes.byName)
    }
  }
}
