import CoreData

extension ModelContext {
  /// Reads the history of the container's stores: every save, by any context or program.
  ///
  /// The predicate is evaluated in memory. If it has `$0.token > token` as a condition that `&&` joins with others, and
  /// the container has one store, only what is behind the token is read; otherwise the whole history.
  ///
  /// Throws 134091 if no store keeps a history, because all are ``DataStore``s of your own. Throws
  /// `SwiftDataError.invalidTransactionFetchRequest` if `T` isn't ``DefaultHistoryTransaction``, and
  /// `SwiftDataError.historyTokenExpired` if transactions after a token of the predicate's were deleted.
  public func fetchHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T] {
    guard T.self == DefaultHistoryTransaction.self else { throw SwiftDataError.invalidTransactionFetchRequest }
    guard let predicate = descriptor.predicate else { return try select(descriptor, from: history()) }
    try checkTokens(of: predicate.expression)
    return try select(descriptor, from: history(after: start(of: predicate.expression)))
  }

  /// The last transaction that a predicate surely leaves out, if there is one store: numbers of several stores don't
  /// say where the history stands.
  private func start(of expression: Any) -> NSPersistentHistoryToken? {
    let all = openContainer.coordinator.persistentStores
    guard let store = all.first, all.count == 1 else { return nil }
    let numbers = tokensBefore(expression).compactMap { $0.tokenValue?[store.identifier] }
    return numbers.max().map { NSPersistentHistoryToken([store.identifier: $0]) }
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
      // No changes are read to find that out.
      request.resultType = .statusOnly
      _ = try result(of: request)
    }
  }

  private func result(of request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult? {
    do {
      return try managedContext.execute(request) as? NSPersistentHistoryResult
    } catch let error as NSError where error.code == NSPersistentHistoryTokenExpiredError {
      throw SwiftDataError.historyTokenExpired
    }
  }

  /// Those of some transactions that a descriptor describes.
  private func select<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>, from stored: [NSPersistentHistoryTransaction]
  ) throws -> [T] {
    guard var found = transactions(stored) as? [T] else { throw SwiftDataError.invalidTransactionFetchRequest }
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
    let stored = try history(withChanges: descriptor.looksAtChanges)
    let described = try select(descriptor, from: stored) as? [DefaultHistoryTransaction] ?? []
    let wanted = Dictionary(grouping: described, by: \.storeIdentifier).mapValues {
      Set($0.map(\.transactionIdentifier))
    }
    for store in openContainer.coordinator.persistentStores {
      guard let wanted = wanted[store.identifier] else { continue }
      let own = stored.filter { $0.storeID == store.identifier }.map(\.transactionNumber)
      // What goes from the beginning, then what goes from between transactions that stay, and what has no number
      // behind it.
      let rest = own.drop { wanted.contains($0) && $0 < .max }
      if let last = own.dropLast(rest.count).last {
        // Up to the last one that was read: others may have been written since.
        try delete(.deleteHistory(before: NSPersistentHistoryToken([store.identifier: last + 1])), in: store)
      }
      let numbers = rest.filter(wanted.contains)
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

  /// All transactions, or those after a token: each store's in the order of their numbers, those of several stores in
  /// the order of time. A clock that was set back changes no store's order.
  private func history(
    after token: NSPersistentHistoryToken? = nil, withChanges: Bool = true
  ) throws -> [NSPersistentHistoryTransaction] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
    if !withChanges { request.resultType = .transactionsOnly }
    let found = (try result(of: request)?.result as? [NSPersistentHistoryTransaction] ?? []).sorted {
      ($0.transactionNumber, $0.storeID) < ($1.transactionNumber, $1.storeID)
    }
    // The latest time up to each transaction of its store.
    var latest: [String: Date] = [:]
    let times = found.map { transaction in
      let time = max(latest[transaction.storeID] ?? .distantPast, transaction.timestamp)
      latest[transaction.storeID] = time
      return time
    }
    return found.indices.sorted { (times[$0], $0) < (times[$1], $1) }.map { found[$0] }
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

extension HistoryDescriptor {
  /// Whether it may choose transactions by their changes, which then have to be read.
  fileprivate var looksAtChanges: Bool {
    if fetchLimit > 0, !sortBy.isEmpty { return true }
    return predicate.map { asksForChanges($0.expression) } ?? false
  }
}

/// Whether an expression has a key path from a transaction to anything but what the transaction itself says.
private func asksForChanges(_ expression: Any) -> Bool {
  if let path = expression as? AnyKeyPath {
    let plain: [AnyKeyPath] = [
      \DefaultHistoryTransaction.timestamp, \DefaultHistoryTransaction.token, \DefaultHistoryTransaction.author,
      \DefaultHistoryTransaction.transactionIdentifier, \DefaultHistoryTransaction.storeIdentifier,
      \DefaultHistoryTransaction.bundleIdentifier, \DefaultHistoryTransaction.processIdentifier,
      \DefaultHistoryTransaction.id,
    ]
    return type(of: path).rootType == DefaultHistoryTransaction.self && !plain.contains(path)
  }
  return Mirror(reflecting: expression).children.contains { asksForChanges($0.value) }
}

/// The tokens that a transaction of the history is behind if it meets a predicate: those of `$0.token > token` alone,
/// and on both sides of `&&`.
private func tokensBefore(_ expression: Any) -> [DefaultHistoryToken] {
  if let both = expression as? any TwoConditions { return both.conditions.flatMap(tokensBefore) }
  return (expression as? any ComparisonOfTokens)?.earlierToken.map { [$0] } ?? []
}

private protocol TwoConditions {
  var conditions: [Any] { get }
}

extension PredicateExpressions.Conjunction: TwoConditions {
  fileprivate var conditions: [Any] { [lhs, rhs] }
}

private protocol ComparisonOfTokens {
  var earlierToken: DefaultHistoryToken? { get }
}

extension PredicateExpressions.Comparison: ComparisonOfTokens {
  fileprivate var earlierToken: DefaultHistoryToken? {
    typealias Transaction = PredicateExpressions.Variable<DefaultHistoryTransaction>
    typealias Token = PredicateExpressions.KeyPath<Transaction, DefaultHistoryToken>
    typealias Constant = PredicateExpressions.Value<DefaultHistoryToken>
    switch (op, lhs, rhs) {
    case (.greaterThan, let own as Token, let other as Constant), (.lessThan, let other as Constant, let own as Token):
      return own.keyPath == \DefaultHistoryTransaction.token ? other.value : nil
    default: return nil
    }
  }
}
