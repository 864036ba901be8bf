/// A store of one's own that is asked for what is needed: a server, another database, a file of any size.
///
/// Subclasses override ``loadMetadata()``, ``execute(_:with:)``, ``newValuesForObject(with:with:)``,
/// ``newValue(forRelationship:forObjectWith:with:)`` and ``obtainPermanentIDs(for:)``, are registered with
/// `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`, and added by the type they are registered for.
///
/// That is Apple's contract, and enough for records that one process writes. Four more members are this framework's,
/// for records that many write, far away; a store that knows none of them works as before:
///
/// - ``comparesBaseVersions``, with ``NSSaveChangesRequest/baseVersion(of:)``: the store compares versions where it
///   writes. Otherwise two processes that save at the same time can overwrite each other's changes.
/// - ``newValuesForObjects(with:with:)`` and ``newValues(forRelationship:forObjectsWith:with:)``: one request for many
///   objects. A fetch may be answered with nodes, and a save too: see ``execute(_:with:)``.
/// - ``canExecute(_:)``: batch requests, and requests for the store's history.
/// - ``recordsDidChange(_:)``: the store says that others have written.
///
/// Threads: a method is called on the queue of the context that asks, and with it. Contexts ask at the same time, so
/// what a store shares between them it has to protect. ``loadMetadata()`` runs on the thread that adds the store,
/// the methods about registered objects also where an object dies.
///
/// Errors that a method throws reach the client's fetch or save as they are. The use of a fault can't throw. If the
/// error is `NSManagedObjectReferentialIntegrityError` (133000), the object is gone, and is deleted in the context. Any
/// other error means that it can't be read now: the context's `unreadableFaultHandler` is asked, and without one the
/// object reads as empty, with a warning, and stays a fault. Use `fulfil(_:relationshipKeyPaths:)` before, which
/// throws.
nonisolated open class NSIncrementalStore: NSPersistentStore {
  /// Keeps the descriptions alive that layouts point into without counting.
  private let model: NSManagedObjectModel
  let layouts: ModelLayouts
  package let rowCache: RowCache
  /// What of the rows is known beyond their nodes.
  let ownVersions = OwnVersions()
  private(set) lazy var references = ReferenceTable.shared(
    uuid: metadata?[NSStoreUUIDKey] as? String ?? identity.uuid, numbersAreKeys: true)

  /// Called by the coordinator that the store is added to; without one it traps. ``loadMetadata()`` comes later.
  public required init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL, options: [AnyHashable: Any]? = nil
  ) {
    guard let root else {
      fatalError("An incremental store needs a coordinator: its objects are those of a model.")
    }
    model = root.managedObjectModel
    layouts = root.layouts
    rowCache = RowCache(layouts)
    super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    identity.takesObjects = true
    identity.asksContexts = true
    let firstUUID = "\(Self.identifierForNewStore(at: url))"
    identity.uuid = firstUUID.isEmpty ? identity.uuid : firstUUID
  }

  /// The type that ``loadMetadata()`` has put into the metadata, unless overridden.
  open override var type: String { metadata?[NSStoreTypeKey] as? String ?? "\(Swift.type(of: self))" }

  /// Sets ``NSPersistentStore/metadata``, which has to have a type (`NSStoreTypeKey`) and a UUID (`NSStoreUUIDKey`):
  /// the same one each time, since it stands in the objects' URIs. A file of zero length is a store to be made.
  open override func loadMetadata() throws { mustOverride("loadMetadata()") }

  /// Executes a request of a context and returns what it asks for.
  ///
  /// - an `NSFetchRequest<NSFetchRequestResult>`, with predicate, order, limit and offset as the client wrote them,
  ///   all of which are the store's to apply. By its `resultType`: objects, made by `context.object(with:)`; ids;
  ///   dictionaries; or an array with one `NSNumber`, the count. Unsaved changes of the context are not the store's
  ///   business. In place of objects it may return an ``NSIncrementalStoreNode`` for each: then their values are
  ///   there, and nobody asks for them. With a `fetchBatchSize` only the ids of nodes are used.
  /// - an ``NSSaveChangesRequest``: writes all of it, or throws. The result is an array, which may be empty. A node in
  ///   it tells the version that a written record has now, and values that the store has changed further; values that
  ///   a node does not name are as they were saved. Of an object without a node the framework takes the version to be 1
  ///   if it is new, else one more than before: a store that counts otherwise answers with nodes.
  /// - a request for which ``canExecute(_:)`` is true.
  ///
  /// Refuse a request of another kind with an error. If you refuse a save because objects have changed in the
  /// meantime, throw `NSManagedObjectMergeError` with ``NSMergeConflict`` objects under
  /// `NSPersistentStoreSaveConflictsErrorKey`: the context then asks its merge policy, and saves again what that
  /// leaves. Likewise `NSManagedObjectConstraintMergeError` with ``NSConstraintConflict`` objects for values that must
  /// be unique.
  open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    mustOverride("execute(_:with:)")
  }

  /// Whether the store compares each record's version with ``NSSaveChangesRequest/baseVersion(of:)`` in the transaction
  /// that writes it, for changed, deleted and locked objects, and throws conflicts. Default: false.
  ///
  /// As long as it is false, the framework reads each changed or deleted record before the save and compares versions
  /// itself. That costs a request, and another process may write after it: updates get lost. When it is true, nothing
  /// is read before the save. Apple's framework has no such property.
  open var comparesBaseVersions: Bool { false }

  /// Whether ``execute(_:with:)`` takes a request that is neither a fetch nor a save. Default: false, and the framework
  /// refuses it with `NSPersistentStoreUnsupportedRequestTypeError` (134091). Apple's framework has no such method.
  ///
  /// - ``NSBatchInsertRequest``, ``NSBatchUpdateRequest``, ``NSBatchDeleteRequest``: `execute` returns what the
  ///   request's `resultType` says: an array of ids, or a number, the count; for a status its result is not looked at.
  ///   Rows that contexts share are read again, those of the ids or else all of them.
  /// - ``NSPersistentHistoryChangeRequest``: `execute` returns an array of ``NSPersistentHistoryTransaction`` with
  ///   their changes, those behind ``NSPersistentHistoryChangeRequest/transactionNumber(inStore:)`` or the request's
  ///   date, in order. Predicates and result types are applied by the framework. If its `requestType` is
  ///   `batchDeleteRequestType`, `execute` deletes the transactions before that place and returns how many. A store
  ///   that takes these requests overrides ``lastTransactionNumber()``.
  open func canExecute(_ request: NSPersistentStoreRequest) -> Bool { false }

  /// The number of the last transaction in the store's history, 0 for none: it becomes part of the tokens that saves
  /// and remote changes are told with. Asked on any thread, of a store whose ``canExecute(_:)`` takes requests for
  /// history. Apple's framework has no such method.
  open func lastTransactionNumber() throws -> Int64 { mustOverride("lastTransactionNumber()") }

  /// The values of an object, asked for when it is used; and of each changed or deleted one before it is saved, unless
  /// ``comparesBaseVersions``: if the version is not the one that the context has read, the save is a conflict.
  ///
  /// Throws if there are none; by an error of the code `NSManagedObjectReferentialIntegrityError` (133000) the store
  /// says that the object is gone. Not overridden, it asks ``newValuesForObjects(with:with:)``.
  open func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    guard let nodes = try newValuesForObjects(with: [objectID], with: context) else {
      mustOverride("newValuesForObject(with:with:)")
    }
    guard let node = nodes.first else { throw Failure.objectNotFound(id: objectID).nsError }
    return node
  }

  /// The values of many objects, in any order; those that are gone are missing. Asked where objects are read together:
  /// in batches, prefetching, `fulfil(_:relationshipKeyPaths:)`, validation, the check before a save.
  ///
  /// The ids are of any entities, and as many as the framework needs: a store with a limit divides them. Default: nil,
  /// and ``newValuesForObject(with:with:)`` is called for each. Apple's framework has no such method.
  open func newValuesForObjects(
    with objectIDs: [NSManagedObjectID], with context: NSManagedObjectContext
  ) throws -> [NSIncrementalStoreNode]? { nil }

  /// What a relationship of an object leads to: for a to-many relationship a collection of ids, in order where it
  /// is ordered; for a to-one relationship, which is only asked for if the node has not named it, an id or `NSNull`.
  /// Not overridden, it asks ``newValues(forRelationship:forObjectsWith:with:)``.
  open func newValue(
    forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    guard let values = try newValues(forRelationship: relationship, forObjectsWith: [objectID], with: context) else {
      mustOverride("newValue(forRelationship:forObjectWith:with:)")
    }
    return values[objectID] ?? (relationship.isToMany ? [NSManagedObjectID]() : NSNull())
  }

  /// What a relationship of many objects leads to, by their ids, each in the form that
  /// ``newValue(forRelationship:forObjectWith:with:)`` has; an object that is missing has no members. Asked where
  /// relationships are read together: in prefetching, and for the delete rules of a save.
  ///
  /// Default: nil, and the other method is called for each. Apple's framework has no such method.
  open func newValues(
    forRelationship relationship: NSRelationshipDescription, forObjectsWith objectIDs: [NSManagedObjectID],
    with context: NSManagedObjectContext?
  ) throws -> [NSManagedObjectID: Any]? { nil }

  /// The UUID of a store that is made: a new one, unless overridden.
  open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

  /// The ids of objects that are to be saved for the first time, in their order, made by
  /// ``newObjectID(for:referenceObject:)``. The save may still fail; it then uses them when it is tried again.
  open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    mustOverride("obtainPermanentIDs(for:)")
  }

  /// Called when a context has come to know objects. A store that keeps what it has read may count how many contexts
  /// use it. Any thread.
  open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// Called once for each registration of an object, when its context no longer has it. Any thread.
  open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// The id of the object that the store knows by a reference, a string or a number. Any thread; not to be overridden.
  ///
  /// A reference is unique among the entities that have a common root. It stands in the object's URI, after a "p".
  ///
  /// A whole number from 1 to 2⁶² - 1 costs no memory beyond the id. Every other reference is kept as long as the
  /// store.
  open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
    id(of: entity, reference: data, in: layouts, references)
  }

  /// The reference of an id of this store. Any thread; not to be overridden.
  open func referenceObject(for objectID: NSManagedObjectID) -> Any { reference(of: objectID, in: references) }

  override func open() throws {
    try super.open()
    try takeUUID()
    try checkVersion(of: model)
    followReferences(references, makes: true)
  }

  func tell(of ids: [NSManagedObjectID], areThere: Bool) {
    if areThere {
      managedObjectContextDidRegisterObjects(with: ids)
    } else {
      managedObjectContextDidUnregisterObjects(with: ids)
    }
  }
}
