/// Reads the history of stores, or deletes it.
///
/// The stores must have been opened with `NSPersistentHistoryTrackingKey`.
///
///     let request = NSPersistentHistoryChangeRequest.fetchHistory(after: lastToken)
///     let result = try context.execute(request) as? NSPersistentHistoryResult
///     for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
///       print(transaction.changes?.count ?? 0)  // 5
///       context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
///       lastToken = transaction.token
///     }
///
/// Executing it throws 134301 (`NSPersistentHistoryTokenExpiredError`) if transactions after the token were deleted,
/// and 134091 if a store keeps no history.
nonisolated open class NSPersistentHistoryChangeRequest: NSPersistentStoreRequest {
  /// The place in the history, for each store.
  enum Place {
    case start
    case date(Date)
    case token(NSPersistentHistoryToken)

    /// The place in the history of one store. If the token has no place for the store, it means the beginning.
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

  /// What ``NSPersistentHistoryResult/result`` is. Default: transactions with their changes; for deletions, `true`.
  open var resultType: NSPersistentHistoryResultType = .transactionsAndChanges

  /// Selects transactions or changes: a request from ``NSPersistentHistoryTransaction/fetchRequest`` or
  /// ``NSPersistentHistoryChange/fetchRequest``, with a predicate and sort descriptors. Its limit is ignored.
  ///
  /// With a predicate for changes, transactions have only the changes that meet it, and those without any are left out.
  ///
  /// A deletion takes a request for transactions: of those before its place it deletes the ones that meet the
  /// predicate. Gaps between transactions that stay expire no token.
  open var fetchRequest: NSFetchRequest<NSFetchRequestResult>?

  /// A request for the whole history.
  public override init() { super.init() }

  /// `makeDynamically()`.
  @_silgen_name("core_data_make_history_request")
  convenience init(dynamically: Void) { self.init() }

  private static func make<Request: NSPersistentHistoryChangeRequest>(
    _ type: Request.Type, _ place: Place, deletes: Bool = false
  ) -> Request {
    let request = unsafeDowncast(type.makeDynamically(), to: type)
    request.place = place
    request.deletes = deletes
    if deletes { request.resultType = .statusOnly }
    return request
  }

  private static func place(_ token: NSPersistentHistoryToken?) -> Place { token.map(Place.token) ?? .start }

  /// Asks for transactions that were written after a date.
  open class func fetchHistory(after date: Date) -> Self { make(self, .date(date)) }

  /// Asks for transactions after a token; nil for all.
  open class func fetchHistory(after token: NSPersistentHistoryToken?) -> Self { make(self, place(token)) }

  /// Asks for transactions after another one, in its store; nil for all.
  open class func fetchHistory(after transaction: NSPersistentHistoryTransaction?) -> Self {
    make(self, place(transaction?.token))
  }

  /// Asks for the transactions or changes that a fetch request describes.
  open class func fetchHistory(withFetch fetchRequest: NSFetchRequest<NSFetchRequestResult>) -> Self {
    let request = make(self, .start)
    request.fetchRequest = fetchRequest
    return request
  }

  /// Asks for what a fetch request with a result type describes. Without Objective-C the two types can't be converted.
  public class func fetchHistory<Result>(withFetch fetchRequest: NSFetchRequest<Result>) -> Self {
    let request = make(self, .start)
    request.fetchRequest = NSFetchRequest(withAllOf: fetchRequest)
    return request
  }

  /// Deletes transactions that were written before a date.
  open class func deleteHistory(before date: Date) -> Self { make(self, .date(date), deletes: true) }

  /// Deletes the transactions before that of a token, which stays; nil deletes none.
  open class func deleteHistory(before token: NSPersistentHistoryToken?) -> Self {
    make(self, place(token), deletes: true)
  }

  /// Deletes the transactions before another one, which stays; nil deletes none.
  open class func deleteHistory(before transaction: NSPersistentHistoryTransaction?) -> Self {
    make(self, place(transaction?.token), deletes: true)
  }

  /// The token that the request was made with.
  open var token: NSPersistentHistoryToken? {
    if case .token(let token) = place { token } else { nil }
  }

  /// The number of a transaction in the store with this UUID: the request asks for the history after it, or deletes
  /// what is before it. nil if the request has no place, or a ``date``. For an ``NSIncrementalStore`` that keeps a
  /// history. Apple's framework has no such method.
  public final func transactionNumber(inStore storeID: String) -> Int64? {
    if case .number(let number) = place.bound(storeID) { number } else { nil }
  }

  /// The date that the request was made with. Apple's framework has no such property.
  public final var date: Date? {
    if case .date(let date) = place { date } else { nil }
  }

  /// Apple's enumeration has no case for history. These are the nearest ones.
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

extension NSPersistentHistoryChangeRequest {
  /// A request of this class, by its own ``init()``; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_history_request")
  static func makeDynamically() -> NSPersistentHistoryChangeRequest
}
