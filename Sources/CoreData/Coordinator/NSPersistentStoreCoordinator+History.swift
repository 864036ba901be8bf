/// The history of the stores.
extension NSPersistentStoreCoordinator {
  /// The token for everything that was written to the stores so far; nil if no store keeps a history.
  ///
  /// - Parameter stores: stores of this coordinator; nil for all.
  public func currentPersistentHistoryToken(fromStores stores: [Any]?) -> NSPersistentHistoryToken? {
    var numbers: [String: Int64] = [:]
    for store in persistentStores {
      guard stores?.contains(where: { $0 as AnyObject === store }) ?? true,
        let number = try? store.identity.rowStore?.storeHistory?.lastNumber()
      else { continue }
      numbers[store.identity.uuid] = number
    }
    return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
  }

  /// The place after this process's last write to stores; nil if none of them keeps a history.
  func lastWrittenToken(of stores: some Sequence<NSPersistentStore>) -> NSPersistentHistoryToken? {
    var numbers: [String: Int64] = [:]
    for store in stores {
      guard let history = store.identity.rowStore?.storeHistory else { continue }
      numbers[store.identity.uuid] = history.placeAfterWriting
    }
    return numbers.isEmpty ? nil : NSPersistentHistoryToken(numbers)
  }

  /// Throws a `Failure`.
  func executeHistory(
    _ request: NSPersistentHistoryChangeRequest, for context: NSManagedObjectContext
  ) throws -> NSPersistentHistoryResult {
    let stores = try historyStores(of: request, context)
    if request.deletes { return try deleteHistory(request, stores) }
    let search = try HistorySearch(request.fetchRequest)
    let wantsChanges =
      request.resultType.isAboutChanges || search?.isAboutChanges == true
      || request.resultType == .count && search == nil
    var transactions: [NSPersistentHistoryTransaction] = []
    for (store, history) in stores {
      let evaluator = try search?.evaluator(store: store.identity.uuid)
      var found: NSPersistentHistoryTransaction?
      try history.read(after: request.place.bound(store.identity.uuid)) { row in
        let transaction = NSPersistentHistoryTransaction(row, store: store.identity.uuid)
        if search?.isAboutChanges != true, let evaluator, try !evaluator.matches(transaction) { return false }
        found = transaction
        if !wantsChanges { transactions.append(transaction) }
        return wantsChanges
      } changes: { _, rows in
        guard let transaction = found else { return }
        var changes = rows.map { row in
          let layout = layouts[Int(row.row.entity)]
          let id = NSManagedObjectID(layout: layout, key: row.row.key, store: store.identity)
          let change = NSPersistentHistoryChange(row, id)
          change.transaction = transaction
          return change
        }
        if search?.isAboutChanges == true {
          if let evaluator { changes = try changes.filter { try evaluator.matches($0) } }
          if changes.isEmpty { return }
        }
        transaction.changes = changes
        transactions.append(transaction)
      }
    }
    return NSPersistentHistoryResult(
      request.resultType, try HistoryAnswer(transactions, search).result(request.resultType))
  }

  /// Those of the requested stores that keep a history. Throws if there is none, or if a store that was named keeps
  /// none.
  private func historyStores(
    of request: NSPersistentHistoryChangeRequest, _ context: NSManagedObjectContext
  ) throws -> [(store: NSPersistentStore, history: any StoreHistory)] {
    let asked = request.affectedStores
    let stores = persistentStores.filter { store in asked?.contains { $0 === store } ?? true }
    let found = stores.compactMap { store -> (store: NSPersistentStore, history: any StoreHistory)? in
      if let custom = store as? NSIncrementalStore {
        guard custom.canExecute(request) else { return nil }
        return (store, CustomStoreHistory(custom, request: request, context: context))
      }
      return store.identity.rowStore?.storeHistory.map { (store, $0) }
    }
    if found.isEmpty || asked != nil && found.count < stores.count {
      let store = stores.first { store in !found.contains { $0.store === store } } ?? stores.first
      throw Failure.historyNotTracked(store: store?.type, url: store?.url)
    }
    return found
  }

  private func deleteHistory(
    _ request: NSPersistentHistoryChangeRequest,
    _ stores: [(store: NSPersistentStore, history: any StoreHistory)]
  ) throws -> NSPersistentHistoryResult {
    let search = try HistorySearch(request.fetchRequest)
    if search?.isAboutChanges == true {
      throw Failure.malformedFetchRequest(
        entity: nil, what: "history is deleted by whole transactions, not by a fetch request for changes")
    }
    let evaluators = try stores.map { try search?.evaluator(store: $0.store.identity.uuid) }
    // Before anything is deleted in another store.
    if zip(stores, evaluators).contains(where: { $1 != nil && !$0.history.deletesChosen }) {
      throw Failure.malformedFetchRequest(
        entity: nil, what: "an incremental store deletes history up to a place, not by a fetch request")
    }
    let count = try zip(stores, evaluators).reduce(0) { sum, pair in
      let (store, evaluator) = pair
      let uuid = store.store.identity.uuid
      let chosen = evaluator.map { evaluator in
        { row in try evaluator.matches(NSPersistentHistoryTransaction(row, store: uuid)) }
      }
      return try sum + store.history.delete(before: request.place.bound(uuid), chosen: chosen)
    }
    switch request.resultType {
    case .count: return NSPersistentHistoryResult(.count, NSNumber(value: count))
    case .statusOnly, .transactionsAndChanges: return NSPersistentHistoryResult(.statusOnly, NSNumber(value: true))
    case .objectIDs, .transactionsOnly, .changesOnly:
      throw Failure.malformedFetchRequest(
        entity: nil, what: "deleting history answers with a status or a count, not with what is gone")
    }
  }
}

/// The results, in the form that a request asks for.
private struct HistoryAnswer {
  private let transactions: [NSPersistentHistoryTransaction]
  private let search: HistorySearch?

  init(_ transactions: [NSPersistentHistoryTransaction], _ search: HistorySearch?) throws {
    self.search = search
    self.transactions = search?.isAboutChanges == false ? try search!.sorted(transactions) : transactions
  }

  /// In the order of the transactions, unless the request sorts changes.
  private func changes() throws -> [NSPersistentHistoryChange] {
    let changes = transactions.flatMap { $0.changes ?? [] }
    return search?.isAboutChanges == true ? try search!.sorted(changes) : changes
  }

  func result(_ type: NSPersistentHistoryResultType) throws -> Any {
    switch type {
    case .statusOnly: return NSNumber(value: true)
    case .objectIDs:
      var seen: Set<NSManagedObjectID> = []
      return try changes().map(\.changedObjectID).filter { seen.insert($0).inserted }
    case .count:
      let isOfTransactions = search?.isAboutChanges == false
      return NSNumber(value: isOfTransactions ? transactions.count : try changes().count)
    case .transactionsOnly:
      for transaction in transactions { transaction.changes = nil }
      return transactions
    case .changesOnly:
      let changes = try changes()
      for change in changes { change.transaction = nil }
      return changes
    case .transactionsAndChanges:
      if search?.isAboutChanges == true {
        for transaction in transactions { transaction.changes = try search!.sorted(transaction.changes ?? []) }
      }
      return transactions
    }
  }
}

extension NSPersistentHistoryResultType {
  fileprivate var isAboutChanges: Bool {
    switch self {
    case .objectIDs, .changesOnly, .transactionsAndChanges: true
    case .statusOnly, .count, .transactionsOnly: false
    }
  }
}
