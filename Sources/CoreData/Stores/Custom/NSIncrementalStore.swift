/// A store of one's own that is asked for what is needed: a server, another database, a file of any size.
///
/// Subclasses override ``loadMetadata()``, ``execute(_:with:)``, ``newValuesForObject(with:with:)``,
/// ``newValue(forRelationship:forObjectWith:with:)`` and ``obtainPermanentIDs(for:)``, are registered with
/// `NSPersistentStoreCoordinator.registerStoreClass(_:forStoreType:)`, and added by the type they are registered for.
///
/// Threads: a method is called on the queue of the context that asks, and with it. Contexts ask at the same time, so
/// what a store shares between them it has to protect. ``loadMetadata()`` runs on the thread that adds the store,
/// the methods about registered objects also where an object dies.
///
/// Errors that a method throws reach the client's fetch or save as they are. Reading a fault can't throw: the object is
/// then handled as one whose row is gone.
nonisolated open class NSIncrementalStore: NSPersistentStore {
  /// Keeps the descriptions alive that layouts point into without counting.
  private let model: NSManagedObjectModel
  let layouts: ModelLayouts
  let rowCache: RowCache
  /// What of the rows is known beyond their nodes.
  let ownVersions = OwnVersions()
  private(set) lazy var references = ReferenceTable.shared(uuid: metadata?[NSStoreUUIDKey] as? String ?? identity.uuid)

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
  ///   business.
  /// - an ``NSSaveChangesRequest``: writes all of it, or throws. The result, an empty array, is not looked at.
  ///
  /// Refuse a request of another kind with an error. If you refuse a save because objects have changed in the
  /// meantime, throw `NSManagedObjectMergeError` with ``NSMergeConflict`` objects under
  /// `NSPersistentStoreSaveConflictsErrorKey`: the context then asks its merge policy.
  open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    mustOverride("execute(_:with:)")
  }

  /// The values of an object, asked for when it is used, and of each changed or deleted one before it is saved: if
  /// the version is not the one that the context has read, the save is a conflict.
  ///
  /// Throws if there are none; by an error of the code `NSManagedObjectReferentialIntegrityError` (133000) the store
  /// says that the object is gone.
  open func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    mustOverride("newValuesForObject(with:with:)")
  }

  /// What a relationship of an object leads to: for a to-many relationship a collection of ids, in order where it
  /// is ordered; for a to-one relationship, which is only asked for if the node has not named it, an id or `NSNull`.
  open func newValue(
    forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    mustOverride("newValue(forRelationship:forObjectWith:with:)")
  }

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
