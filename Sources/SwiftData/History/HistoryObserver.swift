import CoreData

/// Counts what is written to a container's stores, by whichever context or program, so that somebody can look into the
/// history when there is news.
///
///     let observer = HistoryObserver(observedModels: [Book.self], authors: ["import"], modelContainer: container)
///     withObservationTracking { _ = observer.eventCounter } onChange: { … }
///
/// As long as one exists, the container's files are watched. Stores in memory keep no history, and nobody is told of
/// them.
public final class HistoryObserver: Observable, @unchecked Sendable {
  // `@unchecked Sendable`: the count and the places are only touched under `lock`; nothing else changes.

  private let container: ModelContainer
  private let types: [ModelType]
  private let authors: [String]
  private let actor: (any Actor)?
  private let registrar = ObservationRegistrar()
  private let lock = NSLock()
  private var count = 0
  /// The numbers of the transactions that were looked at last, by the stores' UUIDs.
  private var places: [String: Int64]
  private var observation: (any NSObjectProtocol)?

  /// - Parameters:
  ///   - tokens: the places up to which the history is known. What has come after them counts as one event from the
  ///     start; without tokens, what comes from now on counts.
  ///   - models: only transactions count that concern one of them, or a class that inherits from one; all without any.
  ///   - authors: only transactions of these count, see ``ModelContext/author``; all without any.
  ///   - container: whose stores are observed.
  ///   - isolation: where the counter changes: on the actor that the initializer is called on. Without one, on a queue
  ///     of the observer's own.
  public init(
    historyTokens tokens: [DefaultHistoryToken] = [], observedModels models: [any PersistentModel.Type] = [],
    authors: [String] = [], modelContainer container: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) {
    self.container = container
    types = models.map(ModelType.of)
    self.authors = authors
    actor = isolation
    container.coordinator.postRemoteChanges()
    places = container.coordinator.currentPersistentHistoryToken(fromStores: nil)?.numbers ?? [:]
    for token in tokens { places.merge(token.tokenValue ?? [:]) { min($0, $1) } }
    observation = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: container.coordinator, queue: nil
    ) { [weak self] _ in self?.takeUp() }
    if !tokens.isEmpty, lock.withLock({ hasNews() }) { count = 1 }
  }

  deinit { if let observation { NotificationCenter.default.removeObserver(observation) } }

  /// How often there was news: one for each time that transactions were found which count.
  public var eventCounter: Int {
    registrar.access(self, keyPath: \.eventCounter)
    return lock.withLock { count }
  }

  private func takeUp() {
    guard lock.withLock({ hasNews() }) else { return }
    guard let actor else { return increase() }
    Task { [weak self] in await self?.increase(on: actor) }
  }

  private func increase(on actor: isolated any Actor) { increase() }

  private func increase() {
    registrar.withMutation(of: self, keyPath: \.eventCounter) { lock.withLock { count += 1 } }
  }

  /// Looks at what has come since the last time.
  private func hasNews() -> Bool {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = container.coordinator
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: NSPersistentHistoryToken(places))
    let transactions: [NSPersistentHistoryTransaction]
    do {
      let result = try context.performAndWait { try context.execute(request) as? NSPersistentHistoryResult }
      transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
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
