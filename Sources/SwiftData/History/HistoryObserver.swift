import CoreData

/// Counts the changes that any context or program writes to a container's stores. Observe the counter to learn when to
/// read the history.
///
///     let observer = HistoryObserver(observedModels: [Book.self], authors: ["import"], modelContainer: container)
///     withObservationTracking { _ = observer.eventCounter } onChange: { … }
public final class HistoryObserver: Observable, @unchecked Sendable {
  // `@unchecked Sendable`: `count` is used under `lock` only, `places` under `reading`; `observation` is set once.

  private let container: ModelContainer
  private let types: [ModelType]
  private let authors: [String]
  private let actor: (any Actor)?
  private let registrar = ObservationRegistrar()
  private let lock = NSLock()
  private var count = 0
  /// Held while the history is read, which may take a while. ``eventCounter`` doesn't wait for it.
  private let reading = NSLock()
  /// The number of the last transaction that was looked at, by the UUID of its store.
  private var places: [String: Int64]
  private var observation: (any NSObjectProtocol)?

  /// - Parameters:
  ///   - tokens: positions up to which you know the history. If there are newer transactions, they count as one event
  ///     from the start. Without tokens, only transactions from now on count.
  ///   - models: counts only transactions that change one of these classes or a subclass; all transactions if it is
  ///     empty.
  ///   - authors: counts only transactions of these authors, see ``ModelContext/author``; all if it is empty.
  ///   - container: the container whose stores are observed.
  ///   - isolation: the actor on which the counter changes, by default the caller's. Without an actor, the counter
  ///     changes on the queue on which Core Data posts `NSPersistentStoreRemoteChange`.
  public init(
    historyTokens tokens: [DefaultHistoryToken] = [], observedModels models: [any PersistentModel.Type] = [],
    authors: [String] = [], modelContainer container: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) {
    self.container = container
    types = models.map(ModelType.of)
    self.authors = authors
    actor = isolation
    places = container.coordinator.currentPersistentHistoryToken(fromStores: nil)?.numbers ?? [:]
    for token in tokens { places.merge(token.tokenValue ?? [:]) { min($0, $1) } }
    observation = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: container.coordinator, queue: nil
    ) { [weak self] _ in self?.takeUp() }
    if !tokens.isEmpty, hasNews() { lock.withLock { count += 1 } }
  }

  deinit { if let observation { NotificationCenter.default.removeObserver(observation) } }

  /// How many times new transactions that count were found.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return lock.withLock { count }
  }

  private func takeUp() {
    guard hasNews() else { return }
    guard let actor else { return increase() }
    Task { [weak self] in await self?.increase(on: actor) }
  }

  private func increase(on actor: isolated any Actor) { increase() }

  private func increase() {
    registrar.withMutation(of: self, keyPath: \.eventCounter) { lock.withLock { count += 1 } }
  }

  /// Reads the transactions since the last call, and says whether one of them counts.
  private func hasNews() -> Bool {
    reading.lock()
    defer { reading.unlock() }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = container.coordinator
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: NSPersistentHistoryToken(places))
    let transactions: [NSPersistentHistoryTransaction]
    do {
      let result = try context.performAndWait { try context.execute(request) as? NSPersistentHistoryResult }
      transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    } catch let error as CocoaError where error.code == .persistentHistoryTokenExpired {
      // What came before is gone from the history; whether it would have counted can't be told any more.
      places = container.coordinator.currentPersistentHistoryToken(fromStores: nil)?.numbers ?? [:]
      return true
    } catch {
      warn(
        MisuseReport(
          "The history of a container's stores could not be read.", facts: [("Error", error.localizedDescription)],
          how: "A store was written, and its history does not answer. The observer's counter stays.",
          remedy: "Keep the stores open for as long as something observes them."))
      return false
    }
    for transaction in transactions {
      places[transaction.storeID] = max(places[transaction.storeID] ?? 0, transaction.transactionNumber)
    }
    return transactions.contains(where: counts)
  }

  private func counts(_ transaction: NSPersistentHistoryTransaction) -> Bool {
    guard authors.isEmpty || transaction.author.map(authors.contains) == true else { return false }
    return types.isEmpty
      || (transaction.changes ?? []).contains { change in
        guard let type = container.classes.byName[change.changedObjectID.entity.name ?? ""] else { return false }
        return types.contains(where: type.inherits)
      }
  }
}
