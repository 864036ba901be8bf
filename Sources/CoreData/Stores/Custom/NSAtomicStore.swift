/// The superclass for a store of your own that has everything in memory, and is read and written as a whole: a file of
/// any format.
///
/// Subclasses override ``load()``, ``save()``, ``newReferenceObject(for:)``, ``newCacheNode(for:)`` and
/// ``updateCacheNode(_:from:)``; and `type`, `metadata` or `loadMetadata()`, and the class'
/// `metadataForPersistentStore(with:)` if their files have metadata. The metadata has a type, a UUID and version hashes
/// unless you set others; your subclass saves it.
///
/// The framework does fetches, faults and conflicts. For these it keeps the nodes' values as rows.
///
/// Threads: ``load()`` runs on the thread that adds the store. Methods of a save run on the queue of the saving
/// context, one save at a time.
nonisolated open class NSAtomicStore: NSPersistentStore {
  /// Keeps the descriptions alive that layouts point into without counting.
  private let model: NSManagedObjectModel
  let layouts: ModelLayouts
  package let committed: CommittedRows
  let nodes = CacheNodes()
  /// Taken during a save. The subclass's methods run under it, and may call anything.
  let saving = NSRecursiveLock()
  private(set) lazy var references = ReferenceTable.shared(
    uuid: metadata?[NSStoreUUIDKey] as? String ?? identity.uuid, numbersAreKeys: false)

  /// Called by the coordinator when you add the store. ``load()`` comes later. Without a coordinator the store has no
  /// objects.
  public override init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL, options: [AnyHashable: Any]? = nil
  ) {
    // Without a coordinator it has no objects: a store that a test makes for comparison.
    model = root?.ownModel ?? NSManagedObjectModel()
    layouts = ModelLayouts.of(model)
    committed = CommittedRows(layouts)
    super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    identity.takesObjects = true
  }

  /// The type that the metadata have, unless overridden.
  open override var type: String { metadata?[NSStoreTypeKey] as? String ?? "\(Swift.type(of: self))" }

  /// Override it to read the stored objects and pass them to ``addCacheNodes(_:)``. Called once, after
  /// `loadMetadata()`, also for a new store: without a file, or with an empty one, add nothing. If it throws, adding
  /// the store throws the same error.
  open func load() throws { mustOverride("load()") }

  /// Override it to write ``cacheNodes()`` and the metadata. If it throws, the client's save throws the same error, and
  /// nodes, rows and the context stay unchanged.
  open func save() throws { mustOverride("save()") }

  /// Makes a node for a new object, which already has its permanent id.
  ///
  /// All new nodes are made before any is filled: ``updateCacheNode(_:from:)`` is called for them as well, and finds
  /// those of other new objects by ``cacheNode(for:)``.
  @discardableResult
  open func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    mustOverride("newCacheNode(for:)")
  }

  /// Copies an object's values to its node.
  open func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
    mustOverride("updateCacheNode(_:from:)")
  }

  /// All nodes; during ``save()``, the nodes to write.
  open func cacheNodes() -> Set<NSAtomicStoreCacheNode> { Set(nodes.all.values) }

  /// Adds nodes that ``load()`` has read. Nodes that are added later replace existing ones.
  open func addCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    nodes.add(cacheNodes)
    if !nodes.isCollecting { takeAddedNodes() }
  }

  /// Called before the nodes of deleted objects are removed, which is before ``save()``.
  open func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {}

  /// The node of an object; nil if the store has none.
  open func cacheNode(for objectID: NSManagedObjectID) -> NSAtomicStoreCacheNode? {
    reference(of: objectID, layouts).flatMap { nodes.all[$0.key] }
  }

  /// The id of the object with a reference, which is any object, usually a string or a number. A reference is unique
  /// among entities with a common root, and its text is in the object's URI, after a "p". Any thread. Don't override
  /// it.
  @discardableResult
  open func objectID(for entity: NSEntityDescription, withReferenceObject data: Any) -> NSManagedObjectID {
    id(of: entity, reference: data, in: layouts, references)
  }

  /// Override it to return a reference for a new object that no other object has or had.
  @discardableResult
  open func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    mustOverride("newReferenceObject(for:)")
  }

  /// The reference of an id of this store. Any thread. Don't override it.
  open func referenceObject(for objectID: NSManagedObjectID) -> Any { reference(of: objectID, in: references) }

  /// Metadata may be left to the defaults.
  open override func loadMetadata() throws {}

  override func open() throws {
    try loadMetadata()
    try prepareMetadata()
    nodes.isCollecting = true
    defer { nodes.isCollecting = false }
    try load()
    // A subclass may have come to its metadata only now.
    try prepareMetadata()
    followReferences(references, makes: true)
    let changes = try rows(of: nodes.takeAdded(), method: "load()")
    var rows = MemoryRows(layouts)
    rows.apply(changes)
    committed.replace(by: rows, lastKeys: committed.givenKeys)
  }

  private func prepareMetadata() throws {
    if metadata?[NSStoreTypeKey] == nil { metadata[NSStoreTypeKey] = type }
    if metadata?[NSStoreUUIDKey] == nil { metadata[NSStoreUUIDKey] = identifier }
    try takeUUID()
    try checkVersion(of: model)
  }

  /// Drops nodes and rows. Overrides call `super`.
  open override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
    committed.removeAll()
    nodes.removeAll()
  }
}

/// The nodes of an atomic store. Any thread.
final class CacheNodes: @unchecked Sendable {
  // `@unchecked Sendable`: everything is touched under `lock`.
  private let lock = NSRecursiveLock()
  private var byKey: [Int64: NSAtomicStoreCacheNode] = [:]
  private var added: [Int64: NSAtomicStoreCacheNode] = [:]
  private var collects = false

  /// Whether nodes that are added wait for others that they lead to.
  var isCollecting: Bool {
    get { lock.withLock { collects } }
    set { lock.withLock { collects = newValue } }
  }

  /// All nodes, by key. Set it to return to an earlier state.
  var all: [Int64: NSAtomicStoreCacheNode] {
    get { lock.withLock { byKey } }
    set { lock.withLock { byKey = newValue } }
  }

  func add(_ nodes: Set<NSAtomicStoreCacheNode>) {
    lock.withLock {
      for node in nodes {
        byKey[node.objectID.key] = node
        added[node.objectID.key] = node
      }
    }
  }

  func set(_ node: NSAtomicStoreCacheNode?, at key: Int64) { lock.withLock { byKey[key] = node } }

  var haveAdded: Bool { lock.withLock { !added.isEmpty } }

  /// Nodes whose values are not among the rows yet.
  func takeAdded() -> [NSAtomicStoreCacheNode] {
    lock.withLock {
      defer { added = [:] }
      return added.sorted(on: \.key).map(\.value)
    }
  }

  func removeAll() {
    let gone = lock.withLock {
      defer { (byKey, added) = ([:], [:]) }
      return byKey
    }
    CacheNodes.part(gone)
  }

  deinit { CacheNodes.part(byKey) }

  /// Nodes on both sides of a relationship keep each other.
  private static func part(_ nodes: [Int64: NSAtomicStoreCacheNode]) {
    for node in nodes.values { node.propertyCache = nil }
  }
}
