/// What the result of a request for history holds. Also known by its Objective-C name.
public enum NSPersistentHistoryResultType: Int, Sendable {
  /// That it was done.
  case statusOnly = 0
  /// The ids of the changed objects, each once.
  case objectIDs = 1
  /// How many changes there are; how many transactions, where the request was for these, or deleted them.
  case count = 2
  /// Transactions without their changes.
  case transactionsOnly = 3
  /// Changes without their transactions.
  case changesOnly = 4
  /// Transactions, each with its changes.
  case transactionsAndChanges = 5
}

/// The answer to a request for history.
nonisolated open class NSPersistentHistoryResult: NSPersistentStoreResult {
  /// As ``resultType`` says: `true`, `[NSManagedObjectID]`, a number, `[NSPersistentHistoryTransaction]` or
  /// `[NSPersistentHistoryChange]`.
  public let result: Any?
  /// The request's result type.
  public let resultType: NSPersistentHistoryResultType

  init(_ resultType: NSPersistentHistoryResultType, _ result: Any?) {
    self.resultType = resultType
    self.result = result
    super.init()
  }
}
