internal import CSwiftRuntime

/// The identity of a managed object: its store, its entity, its key.
///
///     let id = book.objectID
///     try await container.performBackgroundTask { context in
///       let book = try context.existingObject(with: id) as? Book
///       book?.title = "An Ambiguous Utopia"
///       try context.save()
///     }
///     context.refresh(book, mergeChanges: true)
///     print(book.title)  // An Ambiguous Utopia
///
/// You may pass ids between threads and contexts, but not objects. Two ids are equal if they name the same row of the
/// same store. An object that was never saved has a temporary id, which is equal only to itself.
///
/// The URI of a saved object is `x-coredata://<store UUID>/<entity>/p<Z_PK>`.
nonisolated open class NSManagedObjectID: NSObject, NSCopying, @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  unowned(unsafe) final let layout: EntityLayout
  /// Keeps the layout alive, even longer than the coordinator.
  private final let model: NSManagedObjectModel
  final let key: Int64
  /// nil if no store was chosen.
  final let storeIdentity: StoreIdentity?

  /// What an id is made of. Only the framework and its stores can make it.
  public struct _Parts {
    let layout: EntityLayout
    let key: Int64
    let store: StoreIdentity?
  }

  /// For the framework. Public, because a subclass in another module inherits initializers only if it sees all
  /// designated ones.
  public init(_ parts: _Parts) {
    layout = parts.layout
    model = parts.layout.model.model
    key = parts.key
    storeIdentity = parts.store
    super.init()
  }

  package convenience init(layout: EntityLayout, key: Int64, store: StoreIdentity?) {
    self.init(_Parts(layout: layout, key: key, store: store))
  }

  /// An id of no object, equal only to itself: a value for a property that has no id yet, and the id of a subclass. It
  /// is temporary, its entity is of no model in use, and no context has an object for it. Any thread.
  public override init() {
    layout = ModelLayouts.of(NSManagedObjectID.emptyModel).layouts[0]
    model = NSManagedObjectID.emptyModel
    key = TemporaryKeys.next()
    storeIdentity = nil
    super.init()
  }

  /// A model whose one entity is that of ids without an object.
  private nonisolated(unsafe) static let emptyModel = {
    let model = NSManagedObjectModel()
    let entity = NSEntityDescription()
    entity.name = "NSManagedObject"
    model.entities = [entity]
    return model
  }()

  final var reference: RowReference { RowReference(entity: layout.index, key: key) }

  /// The actual entity of the object.
  open var entity: NSEntityDescription { layout.entity }

  /// The object's store, once it is saved or was assigned to one; nil before, and once the store is removed.
  open var persistentStore: NSPersistentStore? { storeIdentity?.store }

  /// Whether the id is only valid in this process, until the object is saved or `obtainPermanentIDs(for:)` gives it a
  /// permanent one.
  open var isTemporaryID: Bool { key < 0 }

  /// The id as a URI that you can store elsewhere. Only a permanent id is worth storing.
  open func uriRepresentation() -> URL {
    let entity = layout.name
    guard let storeIdentity, key > 0 else {
      return URL(string: "x-coredata:///\(entity)/t\(TemporaryKeys.processPrefix)\(key.magnitude)")!
    }
    return URL(string: "x-coredata://\(storeIdentity.uuid)/\(entity)/\(storeIdentity.referenceText(key))")!
  }

  /// The id itself: ids are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether two ids stand for one object: same store, same entity hierarchy, same key. Temporary and permanent ids of
  /// an object are different. An id of a subclass is equal only to itself.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let object = object as AnyObject? else { return false }
    if self === object { return true }
    // Sets call this often, and comparing the type is quicker than a cast. It needn't be done for `self`: a subclass's
    // ids are made without parts, each with a key that no other id has.
    guard type(of: object) == NSManagedObjectID.self else { return false }
    let other = unsafeDowncast(object, to: NSManagedObjectID.self)
    return key == other.key && layout.rootIndex == other.layout.rootIndex
      && (key < 0
        || storeIdentity === other.storeIdentity
        || storeIdentity?.uuid == other.storeIdentity?.uuid && layout.root.name == other.layout.root.name)
  }

  /// A hash of the key and the entity hierarchy.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(layout.rootIndex)
    return hasher.finalize()
  }

  /// The URI in angle brackets.
  open override var description: String { "<\(uriRepresentation().absoluteString)>" }
}

/// Keys for objects that no store has seen: negative, never used twice in a process.
enum TemporaryKeys {
  /// Distinguishes this process's temporary ids from another's.
  static let processPrefix = UUID().uuidString

  /// Any thread.
  static func next() -> Int64 { core_data_next_temporary_key() }
}
