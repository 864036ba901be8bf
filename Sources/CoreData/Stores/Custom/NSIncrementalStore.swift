/// The superclass for a store of your own that is asked only for what is needed: a server, another database, a file of
/// any size.
///
/// Subclasses override ``loadMetadata()``, ``execute(_:with:)``, ``newValuesForObject(with:with:)``,
/// ``newValue(forRelationship:forObjectWith:with:)`` and ``obtainPermanentIDs(for:)``, are registered with
/// `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`, and added by that type.
///
/// That is Apple's contract, and enough for records that only one process writes. This framework has four more members,
/// for remote records that several processes write. A store that implements none of them works as well:
///
/// - ``comparesBaseVersions``, with ``NSSaveChangesRequest/baseVersion(of:)``: the store compares versions while it
///   writes. Without this, two processes that save at the same time can overwrite each other's changes.
/// - ``newValuesForObjects(with:with:)`` and ``newValues(forRelationship:forObjectsWith:with:)``: one request for many
///   objects. A fetch may be answered with nodes, and a save too: see ``execute(_:with:)``.
/// - ``canExecute(_:)``: batch requests, and requests for the store's history.
/// - ``recordsDidChange(_:)``: the store reports that others have written.
///
/// Threads: a method is called on the queue of the asking context, and gets that context. Contexts may ask at the same
/// time, so protect the state that they share. ``loadMetadata()`` runs on the thread that adds the store. The methods
/// about registered objects may run on any thread that frees an object.
///
/// Errors that a method throws reach the client's fetch or save unchanged. Using a fault can't throw. If the error is
/// `NSManagedObjectReferentialIntegrityError` (133000), the object is gone, and is deleted in the context. Any other
/// error means that it can't be read now. Then the context's `unreadableFaultHandler` decides; without one the object
/// reads as empty, with a warning, and stays a fault. To get the error instead, call `fulfil(_:relationshipKeyPaths:)`
/// first, which throws it.
nonisolated open class NSIncrementalStore: NSPersistentStore {
  /// Keeps the descriptions alive that layouts point into without counting.
  private let model: NSManagedObjectModel
  let layouts: ModelLayouts
  package let rowCache: RowCache
  /// What is known about the rows besides their nodes.
  let ownVersions = OwnVersions()
  private(set) lazy var references = ReferenceTable.shared(
    uuid: metadata?[NSStoreUUIDKey] as? String ?? identity.uuid, numbersAreKeys: true)

  /// Called by the coordinator when you add the store. ``loadMetadata()`` comes later. Without a coordinator the store
  /// has no objects.
  public override init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL, options: [AnyHashable: Any]? = nil
  ) {
    // Without a coordinator it has no objects: a store that a test makes for comparison.
    model = root?.ownModel ?? NSManagedObjectModel()
    layouts = ModelLayouts.of(model)
    rowCache = RowCache(layouts)
    super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    identity.takesObjects = true
    identity.asksContexts = true
    let firstUUID = "\(Self.identifierForNewStore(at: url))"
    identity.uuid = firstUUID.isEmpty ? identity.uuid : firstUUID
  }

  /// The type that ``loadMetadata()`` has set in the metadata, unless overridden.
  open override var type: String { metadata?[NSStoreTypeKey] as? String ?? "\(Swift.type(of: self))" }

  /// Sets ``NSPersistentStore/metadata``, which must have a type (`NSStoreTypeKey`) and a UUID (`NSStoreUUIDKey`). Set
  /// the same UUID each time, because it is part of the objects' URIs. A file of zero length means a new store.
  open override func loadMetadata() throws { mustOverride("loadMetadata()") }

  /// Override it to execute a context's request and return its result. The requests are
  ///
  /// - an `NSFetchRequest<NSFetchRequestResult>`, with the client's predicate, order, limit and offset, all of which
  ///   your store applies. Depending on its `resultType`, return objects, made by `context.object(with:)`; ids;
  ///   dictionaries; or an array with one `NSNumber`, the count. Ignore unsaved changes of the context. Instead of
  ///   objects you may return an ``NSIncrementalStoreNode`` for each; then the framework has their values and does not
  ///   ask for them. With a `fetchBatchSize` only the ids of nodes are used.
  /// - an ``NSSaveChangesRequest``: write all of it, or throw. Return an array, which may be empty. A node in it has
  ///   the new version of a written record, and values that your store has changed further; other values stay as they
  ///   were saved. For an object without a node the framework assumes version 1 if it is new, or else one more than
  ///   before. If your store counts versions in another way, return nodes. If all sets of the request are nil, only
  ///   the store's metadata have changed: write these.
  /// - a request for which ``canExecute(_:)`` is true.
  ///
  /// Throw an error for any other request. If you refuse a save because objects have changed meanwhile, throw
  /// `NSManagedObjectMergeError` with ``NSMergeConflict`` objects under `NSPersistentStoreSaveConflictsErrorKey`: the
  /// context then asks its merge policy, and saves the result. Likewise `NSManagedObjectConstraintMergeError` with
  /// ``NSConstraintConflict`` objects for values that must be unique.
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    mustOverride("execute(_:with:)")
  }

  /// Whether the store compares each record's version with ``NSSaveChangesRequest/baseVersion(of:)`` in the transaction
  /// that writes it, for changed, deleted and locked objects, and throws conflicts. Default: false.
  ///
  /// If it is false, the framework reads each changed or deleted record before the save and compares versions itself.
  /// That costs a request, and if another process writes in between, its update is lost. If it is true, nothing is read
  /// before the save. Apple's framework has no such property.
  open var comparesBaseVersions: Bool { false }

  /// Whether ``execute(_:with:)`` takes a request that is neither a fetch nor a save. Default: false, and the framework
  /// refuses it with `NSPersistentStoreUnsupportedRequestTypeError` (134091). Apple's framework has no such method.
  ///
  /// - ``NSBatchInsertRequest``, ``NSBatchUpdateRequest``, ``NSBatchDeleteRequest``: `execute` returns what the
  ///   request's `resultType` says: an array of ids, or a number, the count; for a status its result is ignored.
  ///   Afterwards shared rows are read again: those of the ids, or else all.
  /// - ``NSPersistentHistoryChangeRequest``: `execute` returns an array of ``NSPersistentHistoryTransaction`` with
  ///   their changes, those after ``NSPersistentHistoryChangeRequest/transactionNumber(inStore:)`` or the request's
  ///   date, in order. The framework applies predicates and result types. If its `requestType` is
  ///   `batchDeleteRequestType`, `execute` deletes the transactions before that place and returns how many. A store
  ///   that takes these requests overrides ``lastTransactionNumber()``.
  open func canExecute(_ request: NSPersistentStoreRequest) -> Bool { false }

  /// The number of the last transaction in the store's history, 0 for none: it becomes part of the tokens for saves and
  /// remote changes. Called on any thread, if ``canExecute(_:)`` accepts requests for history. Apple's framework has no
  /// such method.
  open func lastTransactionNumber() throws -> Int64 { mustOverride("lastTransactionNumber()") }

  /// Override it to return the values of an object. Called when a fault is used, and, unless ``comparesBaseVersions``,
  /// for each changed or deleted object before a save: if the version differs from the one that the context has read,
  /// there is a conflict.
  ///
  /// Throw an error if there are none; the code `NSManagedObjectReferentialIntegrityError` (133000) means that the
  /// object is gone. The default calls ``newValuesForObjects(with:with:)``.
  open func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    guard let nodes = try newValuesForObjects(with: [objectID], with: context) else {
      mustOverride("newValuesForObject(with:with:)")
    }
    guard let node = nodes.first else { throw Failure.objectNotFound(id: objectID).nsError }
    return node
  }

  /// Override it to return the values of many objects, in any order, without those that are gone. Called when objects
  /// are read together: in batches, prefetching, `fulfil(_:relationshipKeyPaths:)`, validation, the check before a
  /// save.
  ///
  /// The ids may be of any entities and in any number; if your store has a limit, divide them. Default: nil, and then
  /// ``newValuesForObject(with:with:)`` is called for each. Apple's framework has no such method.
  open func newValuesForObjects(
    with objectIDs: [NSManagedObjectID], with context: NSManagedObjectContext
  ) throws -> [NSIncrementalStoreNode]? { nil }

  /// Override it to return the destinations of an object's relationship: for a to-many relationship a collection of
  /// ids, in order if it is ordered; for a to-one relationship, which is only asked for if the node does not have it,
  /// an id or `NSNull`. The default calls ``newValues(forRelationship:forObjectsWith:with:)``.
  open func newValue(
    forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    guard let values = try newValues(forRelationship: relationship, forObjectsWith: [objectID], with: context) else {
      mustOverride("newValue(forRelationship:forObjectWith:with:)")
    }
    return values[objectID] ?? (relationship.isToMany ? [NSManagedObjectID]() : NSNull())
  }

  /// Override it to return the destinations of many objects' relationship, by their ids, each in the form of
  /// ``newValue(forRelationship:forObjectWith:with:)``. An object that you leave out has no members. Called when
  /// relationships are read together: in prefetching, and for the delete rules of a save.
  ///
  /// Default: nil, and then the other method is called for each object. Apple's framework has no such method.
  open func newValues(
    forRelationship relationship: NSRelationshipDescription, forObjectsWith objectIDs: [NSManagedObjectID],
    with context: NSManagedObjectContext?
  ) throws -> [NSManagedObjectID: Any]? { nil }

  /// The UUID for a new store: a random one, unless overridden.
  open class func identifierForNewStore(at storeURL: URL) -> Any { UUID().uuidString }

  /// Override it to return permanent ids for new objects, in their order, made by
  /// ``newObjectID(for:referenceObject:)``. If the save then fails, the next attempt uses the same ids.
  @discardableResult
  open func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    mustOverride("obtainPermanentIDs(for:)")
  }

  /// Called when a context registers objects. If your store caches what it has read, it may count how many contexts use
  /// it. Any thread.
  open func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// Called once for each registration of an object, after its context has dropped it. Any thread.
  open func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {}

  /// The id of the object with a reference, a string or a number. Any thread. Don't override it.
  ///
  /// A reference is unique among entities with a common root. It is part of the object's URI, after a "p".
  ///
  /// A whole number from 1 to 2⁶² - 1 costs no memory beyond the id. Every other reference is kept as long as the
  /// store.
  @discardableResult
  open func newObjectID(for entity: NSEntityDescription, referenceObject data: Any) -> NSManagedObjectID {
    id(of: entity, reference: data, in: layouts, references)
  }

  /// The reference of an id of this store. Any thread. Don't override it.
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
