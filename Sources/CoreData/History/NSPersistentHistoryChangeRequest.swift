/// Asks stores for what was written to them, or deletes the record of it.
///
/// The stores must have been opened with `NSPersistentHistoryTrackingKey`.
///
///     let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
///     let result = try context.execute(request) as? NSPersistentHistoryResult
///     for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
///       context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
///       lastToken = transaction.token
///     }
///
/// Executing it throws 134301 (`NSPersistentHistoryTokenExpiredError`) where transactions behind the token were
/// deleted, and 134091 where a store keeps no history.
nonisolated open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
  /// Where in the history, for each store.
  enum Place {
    case start
    case date(Date)
    case token(NSPersistentHistoryToken)

    /// The place in the history of one store. A token that does not know the store is before its beginning.
    func bound(_ store: String) -> HistoryBound {
      switch self {
      case .start: .start
      case .date(let date): .time(date.timeIntervalSinceReferenceDate)
      case .token(let token): token.numbers[store].map(HistoryBound.number) ?? .start
      }
    }
  }

  private(set) final var place = Place.start
  private(set) final var deletes = false

  /// What ``NSPersistentHistoryResult/result`` is. Default: transactions with their changes; for deletions that it was
  /// done.
  open var resultType: NSPersistentHistoryResultType = .transactionsAndChanges

  /// Which transactions or changes: a request of ``NSPersistentHistoryTransaction/fetchRequest`` or
  /// ``NSPersistentHistoryChange/fetchRequest`` with a predicate and sort descriptors. Its limit is not regarded.
  ///
  /// With a predicate for changes, transactions come with the changes that meet it, and without those transactions
  /// that have none.
  open var fetchRequest: NSFetchRequest<NSFetchRequestResult>?

  /// A request for the whole history.
  public required override init() { super.init() }

  private static func make<Request: NSPersistentHistoryChangeRequest>(
    _ type: Request.Type, _ place: Place, deletes: Bool = false
  ) -> Request {
    let request = type.init()
    request.place = place
    request.deletes = deletes
    if deletes { request.resultType = .statusOnly }
    return request
  }

  private static func place(_ token: NSPersistentHistoryToken?) -> Place { token.map(Place.token) ?? .start }

  /// Asks for transactions that were written after a date.
  open class func fetchHistory(after date: Date) -> Self { make(self, .date(date)) }

  /// Asks for transactions after a token; nil for all that there are.
  open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { make(self, place(token)) }

  /// Asks for transactions after another one, in its store; nil for all that there are.
  open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
    make(self, place(transaction?.token))
  }

  /// Asks for what a fetch request for transactions or changes describes.
  open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<NSFetchRequestResult>) -> Self {
    let request = make(self, .start)
    request.fetchRequest = fetchRequest
    return request
  }

  /// The same for a request whose result has a type: without Objective-C the one is not the other.
  public class func fetchHistory<Result>(withFetch fetchRequest: NSFetchRequest<Result>) -> Self {
    let request = make(self, .start)
    let untyped = NSFetchRequest<NSFetchRequestResult>()
    untyped.takeAll(from: fetchRequest)
    request.fetchRequest = untyped
    return request
  }

  /// Deletes transactions that were written before a date.
  open class func deleteHistory(before date: Date) -> Self { make(self, .date(date), deletes: true) }

  /// Deletes transactions before that of a token, which stays; none for nil.
  open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
    make(self, place(token), deletes: true)
  }

  /// Deletes transactions before another one, which stays; none for nil.
  open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
    make(self, place(transaction?.token), deletes: true)
  }

  /// The token that the request was made with.
  open var token: NSPersistentHistoryToken? {
    if case .token(let token) = place { token } else { nil }
  }

  /// The number of the transaction, in the store of this UUID, behind which history is asked for, or before which it is
  /// to be deleted; nil where the request says no place, or a ``date``. For an ``NSIncrementalStore`` that keeps a
  /// history. Apple's framework has no such method.
  public final func transactionNumber(inStore storeID: String) -> Int64? {
    if case .number(let number) = place.bound(storeID) { number } else { nil }
  }

  /// The date that the request was made with. Apple's framework has no such property.
  public final var date: Date? {
    if case .date(let date) = place { date } else { nil }
  }

  /// History has no type of its own in Apple's enumeration: these are the nearest.
  open override var requestType: NSPersistentStoreRequestType {
    deletes ? .batchDeleteRequestType : .fetchRequestType
  }

  /// A copy with the same place in the history and a copy of the fetch request.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSPersistentHistoryChangeRequest.make(type(of: self), place, deletes: deletes)
    copy.resultType = resultType
    copy.fetchRequest = fetchRequest?.copy() as? NSFetchRequest<NSFetchRequestResult>
    copy.affectedStores = affectedStores
    return copy
  }
}
