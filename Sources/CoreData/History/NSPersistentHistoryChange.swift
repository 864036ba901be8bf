/// The kind of a change. Also known by its Objective-C name.
public enum NSPersistentHistoryChangeType: Int, Sendable {
  /// The object is new.
  case insert = 0
  /// The object has changed: see ``NSPersistentHistoryChange/updatedProperties``.
  case update = 1
  /// The object is gone: see ``NSPersistentHistoryChange/tombstone``.
  case delete = 2
}

/// One change of a transaction: an object, and what happened to it.
///
/// Immutable. May be used on any thread.
nonisolated open class NSPersistentHistoryChange: NSObject, NSCopying, @unchecked Sendable {
  // `@unchecked Sendable`: immutable once it is handed out.

  let row: HistoryChangeRow
  /// nil in a change that is made without one.
  private let id: NSManagedObjectID?

  /// Where `transaction` comes from.
  private var origin: HistoryOrigin?

  /// The transaction; nil in a result that has only changes. A change does not keep it alive: if nothing else does, the
  /// answer is another one that says the same but has no ``NSPersistentHistoryTransaction/changes``.
  open internal(set) var transaction: NSPersistentHistoryTransaction? {
    get { origin?.transaction }
    set { origin = newValue?.origin }
  }

  /// An empty change, for subclasses. They override what is asked of it, ``changedObjectID`` first of all.
  public override init() {
    row = HistoryChangeRow(number: 0, type: 0, row: RowReference(entity: 0, key: 0))
    id = nil
    super.init()
  }

  init(_ row: HistoryChangeRow, _ id: NSManagedObjectID) {
    self.row = row
    self.id = id
    super.init()
  }

  /// A change of a history that an ``NSIncrementalStore`` keeps. Apple's framework has no such initializer.
  ///
  /// - Parameters:
  ///   - changeID: its number in the store; later ones have higher numbers.
  ///   - changeType: whether the object was inserted, changed or deleted.
  ///   - changedObjectID: the object's id.
  ///   - updatedProperties: the names of the properties that an update changed; nil if the store does not know.
  ///   - tombstone: what a deletion preserved, by the names of attributes.
  public convenience init(
    changeID: Int64, changeType: NSPersistentHistoryChangeType, changedObjectID: NSManagedObjectID,
    updatedProperties: [String]? = nil, tombstone: [String: Any] = [:]
  ) {
    let layout = changedObjectID.layout
    self.init(
      HistoryChangeRow(
        number: changeID, type: changeType.rawValue, row: changedObjectID.reference,
        updated: updatedProperties?.compactMap(layout.property(named:)), tombstone: tombstone), changedObjectID)
  }

  /// The number of the change in its store; later ones have higher numbers.
  open var changeID: Int64 { row.number }

  /// The object. A deleted one no longer has a row.
  open var changedObjectID: NSManagedObjectID {
    guard let id else { misuse("A NSPersistentHistoryChange that was made with init() has no object.") }
    return id
  }

  /// Whether the object was inserted, updated or deleted.
  open var changeType: NSPersistentHistoryChangeType {
    NSPersistentHistoryChangeType(rawValue: row.type) ?? .update
  }

  /// The values that a deletion preserved: those of the attributes with `preservesValueInHistoryOnDeletion`, by name,
  /// except nil values. nil if there are none.
  open var tombstone: [AnyHashable: Any]? { row.tombstone.isEmpty ? nil : row.tombstone }

  /// The properties that an update changed; nil for other changes.
  open var updatedProperties: Set<NSPropertyDescription>? {
    row.updated.map { Set($0.map(\.description)) }
  }

  /// The entity for fetch requests for changes.
  open class var entityDescription: NSEntityDescription? { HistoryEntities.shared.change }

  /// The entity for fetch requests for changes, in a context.
  open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription? {
    entityDescription
  }

  /// A fetch request for changes, for ``NSPersistentHistoryChangeRequest/fetchRequest``.
  open class var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    HistoryEntities.request(entityDescription)
  }

  /// The change itself: changes are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// The number, the type and the object, for logs.
  open override var description: String {
    "<NSPersistentHistoryChange \(changeID) \(changeType) \(id.map { "\($0)" } ?? "(no object)")>"
  }
}

extension NSPersistentHistoryChange: NSFetchRequestResult {}

/// The keys of a change for predicates and sort descriptors.
extension NSPersistentHistoryChange: PredicateSubject {
  func predicateValue(for key: PredicateKey) throws -> PredicateValue {
    switch key.name {
    case "self": return .subject(self)
    case "changeID": return .constant(.int(changeID))
    case "changeType": return .constant(.int(Int64(row.type)))
    case "changedObjectID": return .constant(.object(changedObjectID))
    case "changedEntity": return .constant(.object(changedObjectID.entity))
    case "transaction": return transaction.map { .subject($0) } ?? .null
    case "tombstone": return tombstone == nil ? .null : .subject(StringDictionarySubject(dictionary: row.tombstone))
    case "updatedProperties":
      return row.updated.map { .constant(.collection($0.map { .string($0.name) })) } ?? .null
    default: throw Failure.unknownKeyPath(keyPath: key.name, entity: "CHANGE", missing: key.name)
    }
  }

  var predicateIdentity: AnyHashable? { self }
  var predicateObject: Any { self }
}
