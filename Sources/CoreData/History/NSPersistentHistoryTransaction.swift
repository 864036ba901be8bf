/// The changes that one save, or one batch request, wrote to one store.
///
/// Immutable. May be used on any thread.
nonisolated open class NSPersistentHistoryTransaction: NSObject, NSCopying, @unchecked Sendable {
  // `@unchecked Sendable`: immutable once it is handed out.

  private final var known: HistoryOrigin?
  final var row: HistoryTransactionRow { known?.row ?? HistoryTransactionRow(number: 0, time: 0) }
  private final var store: String { known?.store ?? "" }

  /// The changes, in the order in which they were recorded; nil if the request asked only for transactions.
  open internal(set) var changes: [NSPersistentHistoryChange]?

  /// An empty transaction, for subclasses.
  public override init() { super.init() }

  convenience init(_ row: HistoryTransactionRow, store: String) {
    self.init(HistoryOrigin(row, store: store))
  }

  fileprivate convenience init(_ origin: HistoryOrigin) {
    self.init()
    known = origin
  }

  /// What changes know of this transaction; nil if it was made without anything.
  final var origin: HistoryOrigin? {
    known?.lead(to: self)
    return known
  }

  /// A transaction of a history that an ``NSIncrementalStore`` keeps. Apple's framework has no such initializer.
  ///
  /// - Parameters:
  ///   - transactionNumber: its number in the store; later ones have higher numbers.
  ///   - storeID: the store's UUID, its `identifier`.
  ///   - timestamp: when it was committed.
  ///   - author: the `transactionAuthor` of the context that saved it.
  ///   - contextName: the `name` of that context.
  ///   - bundleID: the identifier of the program that saved it.
  ///   - processID: that of its process.
  ///   - changes: what it changed, in order.
  public convenience init(
    transactionNumber: Int64, storeID: String, timestamp: Date, author: String? = nil, contextName: String? = nil,
    bundleID: String? = nil, processID: String? = nil, changes: [NSPersistentHistoryChange]
  ) {
    self.init(
      HistoryTransactionRow(
        number: transactionNumber, time: timestamp.timeIntervalSinceReferenceDate, author: author,
        contextName: contextName, bundleID: bundleID, processID: processID), store: storeID)
    for change in changes { change.transaction = self }
    self.changes = changes
  }

  /// The time at which it was written.
  open var timestamp: Date { Date(timeIntervalSinceReferenceDate: row.time) }
  /// The number of the transaction in its store; later ones have higher numbers.
  open var transactionNumber: Int64 { row.number }
  /// The UUID of the store.
  open var storeID: String { store }
  /// The bundle identifier of the program that wrote it; the program's name if it has none.
  open var bundleID: String { row.bundleID ?? "" }
  /// The name of the program that wrote it.
  open var processID: String { row.processID ?? "" }
  /// The name of the context that was saved.
  open var contextName: String? { row.contextName }
  /// The context's `transactionAuthor`.
  open var author: String? { row.author }
  /// The place in the history after this transaction.
  open var token: NSPersistentHistoryToken { NSPersistentHistoryToken([store: row.number]) }

  /// The entity for fetch requests for transactions.
  open class var entityDescription: NSEntityDescription? { HistoryEntities.shared.transaction }

  /// The entity for fetch requests for transactions, in a context.
  open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
    entityDescription
  }

  /// A fetch request for transactions, for ``NSPersistentHistoryChangeRequest/fetchRequest``.
  open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntities.request(entityDescription)
  }

  /// The transaction itself: transactions are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The number, the store, the time and the author, for logs.
  open override var description: String {
    "<NSPersistentHistoryTransaction \(transactionNumber) of \(storeID), \(timestamp), author \(author ?? "nil"), "
      + "context \(contextName ?? "nil"), \(changes.map { "\($0.count)" } ?? "unread") changes>"
  }
}

/// What the changes of a transaction keep of it, so that they need not keep it alive: it has them.
///
/// Any thread.
final class HistoryOrigin: @unchecked Sendable {
  // `@unchecked Sendable`: all but `living` is constant, and that is only touched under `lock`.
  let row: HistoryTransactionRow
  let store: String
  private weak var living: NSPersistentHistoryTransaction?
  private static let lock = NSLock()

  init(_ row: HistoryTransactionRow, store: String) {
    self.row = row
    self.store = store
  }

  fileprivate func lead(to transaction: NSPersistentHistoryTransaction) {
    Self.lock.withLock { living = transaction }
  }

  /// The same one as long as it lives.
  var transaction: NSPersistentHistoryTransaction {
    Self.lock.withLock {
      if let living { return living }
      let made = NSPersistentHistoryTransaction(self)
      living = made
      return made
    }
  }
}

extension NSPersistentHistoryTransaction: NSFetchRequestResult {}

/// The keys of a transaction for predicates and sort descriptors.
extension NSPersistentHistoryTransaction: PredicateSubject {
  func predicateValue(for key: PredicateKey) throws -> PredicateValue {
    switch key.name {
    case "self": return .subject(self)
    case "timestamp": return .constant(.date(timestamp))
    // Tokens in predicates become numbers, too: see HistorySearch.
    case "token", "transactionNumber": return .constant(.int(row.number))
    case "storeID": return .constant(.string(store))
    case "author": return .constant(row.author.map(PredicateConstant.string) ?? .null)
    case "contextName": return .constant(row.contextName.map(PredicateConstant.string) ?? .null)
    case "bundleID": return .constant(row.bundleID.map(PredicateConstant.string) ?? .null)
    case "processID": return .constant(row.processID.map(PredicateConstant.string) ?? .null)
    default: throw Failure.unknownKeyPath(keyPath: key.name, entity: "TRANSACTION", missing: key.name)
    }
  }

  var predicateIdentity: AnyHashable? { self }
  var predicateObject: Any { self }
}
