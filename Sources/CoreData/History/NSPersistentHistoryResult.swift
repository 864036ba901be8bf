/// What the result of a request for history contains. Also known by its Objective-C name.
public enum NSPersistentHistoryResultType: Int, Sendable {
  /// Whether it succeeded: `true`.
  case statusOnly = 0
  /// The ids of the changed objects, each once.
  case objectIDs = 1
  /// The number of changes; the number of transactions if the request asked for these, or deleted them.
  case count = 2
  /// Transactions without their changes.
  case transactionsOnly = 3
  /// Changes without their transactions.
  case changesOnly = 4
  /// Transactions, each with its changes.
  case transactionsAndChanges = 5
}

/// The result of a request for history.
nonisolated open class NSPersistentHistoryResult: NSPersistentStoreResult {
  /// Depending on ``resultType``: `true`, `[NSManagedObjectID]`, a number, `[NSPersistentHistoryTransaction]` or
  /// `[NSPersistentHistoryChange]`.
  open internal(set) var result: Any?
  /// The request's result type.
  open internal(set) var resultType: NSPersistentHistoryResultType = .statusOnly

  /// For subclasses.
  public override init() { super.init() }

  convenience init(_ resultType: NSPersistentHistoryResultType, _ result: Any?) {
    self.init()
    self.resultType = resultType
    self.result = result
  }
}
