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
public final class NSManagedObjectID: NSObject, NSCopying, @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  unowned(unsafe) let layout: EntityLayout
  /// Keeps the layout alive, even longer than the coordinator.
  private let model: NSManagedObjectModel
  let key: Int64
  /// nil for a temporary id.
  let storeIdentity: StoreIdentity?

  package init(layout: EntityLayout, key: Int64, store: StoreIdentity?) {
    self.layout = layout
    model = layout.model.model
    self.key = key
    storeIdentity = store
  }

  /// An id of no object, equal only to itself: a value for a property that has no id yet. It is temporary, its entity
  /// is of no model in use, and no context has an object for it. Any thread.
  public override convenience init() {
    self.init(layout: ModelLayouts.of(Self.emptyModel).layouts[0], key: TemporaryKeys.next(), store: nil)
  }

  /// A model whose one entity is that of ids without an object.
  private nonisolated(unsafe) static let emptyModel = {
    let model = NSManagedObjectModel()
    let entity = NSEntityDescription()
    entity.name = "NSManagedObject"
    model.entities = [entity]
    return model
  }()

  var reference: RowReference { RowReference(entity: layout.index, key: key) }

  /// The actual entity of the object.
  public var entity: NSEntityDescription { layout.entity }

  /// The store the object was saved in; nil before, and once the store is removed.
  public var persistentStore: NSPersistentStore? { storeIdentity?.store }

  /// Whether the object has not been saved yet.
  public var isTemporaryID: Bool { key < 0 }

  /// The id as a URI that you can store elsewhere. Only a permanent id is worth storing.
  public func uriRepresentation() -> URL {
    let entity = layout.name
    guard let storeIdentity, key > 0 else {
      return URL(string: "x-coredata:///\(entity)/t\(TemporaryKeys.processPrefix)\(key.magnitude)")!
    }
    return URL(string: "x-coredata://\(storeIdentity.uuid)/\(entity)/\(storeIdentity.referenceText(key))")!
  }

  /// The id itself: ids are immutable.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether two ids stand for one object: same store, same entity hierarchy, same key. Temporary and permanent ids of
  /// an object are different.
  public override func isEqual(_ object: Any?) -> Bool {
    // Sets call this often. The class is final, so comparing the type is as good as a cast.
    guard let object = object as AnyObject?, type(of: object) == NSManagedObjectID.self else { return false }
    let other = unsafeDowncast(object, to: NSManagedObjectID.self)
    if self === other { return true }
    return key == other.key && layout.rootIndex == other.layout.rootIndex
      && (key < 0
        || storeIdentity === other.storeIdentity
        || storeIdentity?.uuid == other.storeIdentity?.uuid && layout.root.name == other.layout.root.name)
  }

  /// A hash of the key and the entity hierarchy.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(key)
    hasher.combine(layout.rootIndex)
    return hasher.finalize()
  }

  /// The URI in angle brackets.
  public override var description: String { "<\(uriRepresentation().absoluteString)>" }
}

/// Keys for objects that no store has seen: negative, never used twice in a process.
enum TemporaryKeys {
  /// Distinguishes this process's temporary ids from another's.
  static let processPrefix = UUID().uuidString

  /// Any thread.
  static func next() -> Int64 { core_data_next_temporary_key() }
}
