/// What a context's queue is.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// None: the context is used on the thread that made it, and has no `perform`. From before contexts had queues.
  @available(*, deprecated, message: "Use privateQueueConcurrencyType or mainQueueConcurrencyType")
  case confinementConcurrencyType = 0
  /// A serial queue of the context's own.
  case privateQueueConcurrencyType = 1
  /// The main queue.
  case mainQueueConcurrencyType = 2
}

extension NSManagedObjectContextConcurrencyType {
  /// A serial queue of the context's own, as in `NSManagedObjectContext(.privateQueue)`.
  public static let privateQueue = Self.privateQueueConcurrencyType
  /// The main queue.
  public static let mainQueue = Self.mainQueueConcurrencyType

  /// Whether it is the deprecated kind without a queue.
  var isConfined: Bool { rawValue == 0 }
}

/// A scratch pad of managed objects over a coordinator.
///
///     let book = Book(context: context)
///     book.title = "The Dispossessed"
///     print(context.hasChanges)               // true
///     try context.save()
///
/// Objects are fetched into a context, changed there, and written together by ``save()``: all of the changes or
/// none. A context and its objects may be used on its queue only: wrap every use in ``perform(_:)`` or
/// ``performAndWait(_:)->_``; a main-queue context may also be used directly on the main queue.
///
/// Invariant 2: an object is in at most one of ``insertedObjects``, ``updatedObjects``, ``deletedObjects``; see
/// `ChangeLedger`.
nonisolated open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`, as in Apple's SDK: handing a context around is fine, using it is bound to its queue,
  // which the guard checks. What other threads do touch is said so on the member.

  /// The short name of the queue's kind.
  public typealias ConcurrencyType = NSManagedObjectContextConcurrencyType

  /// The kind of queue the context works on.
  public let concurrencyType: NSManagedObjectContextConcurrencyType

  /// The context's queue; the main one for a main-queue context. Any thread.
  final var queue: DispatchQueue { contextQueue.dispatchQueue(label: name) }
  let contextQueue: ContextQueue

  /// The identity map and the link from objects; made when the context gets its coordinator.
  @exclusivity(unchecked) private(set) final var owner: ContextOwner!

  /// The layouts of the coordinator's model; nil before there is one.
  var layouts: ModelLayouts? { owner?.layouts }

  /// A name for messages and persistent history; and the label of the private queue, if it is set before the
  /// context's first block.
  open var name: String?

  /// Who makes this context's changes, for persistent history.
  open var transactionAuthor: String?

  /// Anything that you want to keep with the context.
  public let userInfo = NSMutableDictionary()

  /// What to do when another context or program has changed a row: an ``NSMergePolicy``. Anything else is a misuse.
  open var mergePolicy: Any {
    get { storedMergePolicy }
    set {
      guard let policy = newValue as? NSMergePolicy else { misuse(.noMergePolicy(newValue, self)) }
      storedMergePolicy = policy
    }
  }
  // Settings that do something are computed: in an initializer, one of another module's extension included, Swift runs
  // no observers of stored properties.
  private final var storedMergePolicy = NSMergePolicy.error

  /// Whether the context keeps all of its objects alive, not only changed ones.
  open var retainsRegisteredObjects: Bool {
    get { storedRetainsRegisteredObjects }
    set {
      storedRetainsRegisteredObjects = newValue
      owner?.holdAll(newValue)
    }
  }
  private final var storedRetainsRegisteredObjects = false

  /// Whether delete rules are applied when pending changes are processed; else by the save.
  open var propagatesDeletesAtEndOfEvent = true

  /// Whether a fault whose row is gone reads as empty, and is deleted, instead of ending the program.
  open var shouldDeleteInaccessibleFaults = true

  /// What decides about a fault that can't be read; nil asks the parent's. Where there is none, the program ends; the
  /// fault of an ``NSIncrementalStore`` is kept, with a warning. Set it before the context and its children are used.
  public final var unreadableFaultHandler: UnreadableFaultHandler?

  /// How old, in seconds, a row of the shared cache may be for a fault to take it. Negative: any age.
  @exclusivity(unchecked) open var stalenessInterval: TimeInterval = -1

  /// Whether saves of the coordinator's other contexts are merged into this one as they happen.
  ///
  /// The merge runs on the context's queue, some time after the save.
  open var automaticallyMergesChangesFromParent = false

  /// What there is to save and to tell.
  final let ledger = ChangeLedger()
  @exclusivity(unchecked) final var isEventScheduled = false
  /// The event that observers are being told of.
  final var postedEvent: PostedEvent?
  final var undoCheckpoint: (any NSObjectProtocol)?
  /// Whether a save checks the model's rules. Off for a migration, which makes objects before their relationships.
  @exclusivity(unchecked) final var validatesOnSave = true
  /// Set while a save is under way, and what its event has told observers of.
  @exclusivity(unchecked) final var isSaving = false
  @exclusivity(unchecked) final var toldInSave: ToldObjects?
  /// Set while rules and merges change objects by themselves.
  @exclusivity(unchecked) final var isProcessing = false
  /// Why the delete rules of some objects could not be applied; they are tried again with the next event or save.
  final var unreadDeleteRules: (any Error)?
  /// Ids that were handed out before their object was saved: they lead to it for the life of the context.
  var formerKeys: [Int64: (reference: RowReference, store: UInt16)] = [:]
  /// Objects that relationships led to lately, oldest overwritten first; see `noteTraversal`.
  @exclusivity(unchecked) final var recentDestinations = ContiguousArray<NSManagedObject>()
  @exclusivity(unchecked) final var recentPosition = 0
  /// Which state of the stores is read; see `setQueryGenerationFrom(_:)`.
  @exclusivity(unchecked) final var generation = ReadGeneration.newest
  /// Fetches whose rows come in batches.
  @exclusivity(unchecked) var batches: [FaultBatch] = []
  /// Kinds of calls that were reported as off the queue; under `reportLock`.
  final var reportedCalls: Set<String> = []

  /// Makes a context; it needs a coordinator before it can be used.
  public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.concurrencyType = concurrencyType
    contextQueue = concurrencyType == .mainQueueConcurrencyType ? .main : ContextQueue(isMain: false)
    super.init()
  }

  /// A context on a private queue.
  public convenience override init() { self.init(concurrencyType: .privateQueueConcurrencyType) }

  /// The older spelling of ``init(concurrencyType:)``.
  public convenience init(_ concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.init(concurrencyType: concurrencyType)
  }

  deinit {
    owner?.holdAll(false)
    // Objects refer to each other over changed relationships and handed-out sets: cut that, so that they go too.
    owner?.allObjects.forEach { $0.dropReferences() }
    persistentStoreCoordinator?.forget(self)
    if let undoManager { leave(undoManager) }
  }

  /// The coordinator whose stores the context reads and writes; of a child context, the one its root has.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get { storedCoordinator }
    set {
      let former = storedCoordinator
      storedCoordinator = newValue
      guard let coordinator = newValue, coordinator !== former else { return }
      guard owner == nil else {
        misuse("The context \(label) already has a coordinator: objects cannot move between coordinators.")
      }
      owner = ContextOwner(
        self, coordinator.layouts, isMainQueue: concurrencyType == .mainQueueConcurrencyType,
        isConfined: concurrencyType.isConfined)
      if storedRetainsRegisteredObjects { owner.holdAll(true) }
      source.didAttach(self, to: coordinator)
    }
  }
  @exclusivity(unchecked) private final var storedCoordinator: NSPersistentStoreCoordinator?

  /// The context that a child reads from and saves to, in place of the stores; the child keeps it alive.
  ///
  /// Set it once, before the child is used; the parent must have its coordinator by then. A child sees what its
  /// parent has not saved yet, and ``save()`` makes its changes unsaved changes of the parent.
  open var parent: NSManagedObjectContext? {
    get { storedParent }
    set {
      if newValue === storedParent { return }
      guard let newValue else { misuse("The context \(label) cannot leave its parent: its objects come from there.") }
      storedParent = newValue
      attach(to: newValue)
    }
  }
  @exclusivity(unchecked) private final var storedParent: NSManagedObjectContext?
  /// Where saved state comes from and saves go; a parent, if there is one, is set before anything is asked.
  @exclusivity(unchecked) final var source: any ContextSource = StoresSource()
  let children = ChildList()
  /// Lists that are to be told of objects that this context does not have yet.
  final var followers = ChangeFollowers()

  /// What the context registers its changes with, one action for each event; none by default.
  open var undoManager: UndoManager? {
    get { storedUndoManager }
    set {
      let former = storedUndoManager
      if newValue !== former { prepareForUndoManager() }
      storedUndoManager = newValue
      if newValue !== former { replaceUndoManager(former) }
    }
  }
  private final var storedUndoManager: UndoManager?

  // What subclasses may override: an extension's methods can't be. The work stands with its aspect.

  /// Writes all changes to the stores: all of them, or none.
  ///
  /// On failure the context is as it was, and the error says which object, property and value stood in the way.
  /// Without changes nothing happens and nothing is posted, unless a store's metadata was set: that is written.
  open func save() throws {
    isSaving = true
    defer {
      isSaving = false
      toldInSave = nil
    }
    try saveChanges()
  }

  /// Has a batch request executed by the stores: the objects of this context stay as they are.
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    try executeInStores(request)
  }

  /// Whether a save would have anything to write.
  open var hasChanges: Bool { holdsChanges }

  /// Inserts an object that has no context. An object marked as deleted is no longer marked.
  open func insert(_ object: NSManagedObject) { insertObject(object) }

  /// Marks an object for deletion: rules are applied when pending changes are processed, the row goes with the
  /// save.
  open func delete(_ object: NSManagedObject) { deleteObject(object) }

  /// Drops all unsaved changes: new objects go, deleted ones come back, changed ones are as they were read.
  open func rollback() { discardChanges() }

  /// Forgets everything: all objects of the context become unusable.
  open func reset() { forgetObjects() }

  /// Takes the last event's changes back, as changes of their own; nothing without an undo manager.
  open func undo() { undoChanges() }

  /// Makes the changes again that were undone last.
  open func redo() { redoChanges() }

  /// Runs a block on the context's queue, later; then processes pending changes.
  @preconcurrency
  open func perform(_ block: @escaping @Sendable () -> Void) { enqueue(block) }

  /// Runs a block on the context's queue and waits for it; see the generic form, which calls choose, and which calls
  /// this where a subclass overrides it.
  @_disfavoredOverload
  @preconcurrency
  open func performAndWait(_ block: @Sendable () -> Void) { runAndWait(block) }

  /// Ends an event: applies delete rules, then posts what changed, once.
  ///
  /// Called at the end of `perform` blocks and main-queue events, before a fetch and before a save.
  open func processPendingChanges() { endEvent() }

  /// Objects that the next save writes for the first time.
  open var insertedObjects: Set<NSManagedObject> {
    guardQueue("insertedObjects")
    return Set(ledger.insertedList.lazy.filter { $0.state.intersection([.inserted, .deleted]) == .inserted })
  }

  /// Saved objects that were changed since.
  open var updatedObjects: Set<NSManagedObject> {
    guardQueue("updatedObjects")
    return Set(ledger.updatedList.lazy.filter { $0.isUpdated })
  }

  /// Objects that the next save deletes.
  open var deletedObjects: Set<NSManagedObject> {
    guardQueue("deletedObjects")
    return Set(ledger.deletedList.lazy.filter { $0.state.contains(.deleted) })
  }

  /// The objects the context knows. Unchanged ones live only as long as something else refers to them.
  open var registeredObjects: Set<NSManagedObject> {
    guardQueue("registeredObjects")
    return Set(owner?.allObjects ?? [])
  }

  /// The object of an id: the registered one, else a fault, without asking whether the row exists.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject { findObject(with: objectID) }

  /// The object of an id if the context has it.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    findRegisteredObject(for: objectID)
  }

  /// The object of an id, with its row read; throws when there is no such row.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try findExistingObject(with: objectID)
  }

  /// Gives new objects their permanent ids ahead of the save. They stay inserted.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try reserveIDs(for: objects) }

  /// Reads an object's row again. With `mergeChanges`, unsaved changes are put over the new row; without, the
  /// object becomes a fault and they are lost.
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    refreshObject(object, mergeChanges: flag)
  }

  /// Whether an object whose row is gone reads as empty and is deleted. Unless overridden, says so on standard error
  /// and answers ``shouldDeleteInaccessibleFaults``. Not asked by ``existingObject(with:)``, which throws.
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    if shouldDeleteInaccessibleFaults { warn(.inaccessibleFault(fault, isDeleted: true)) }
    return shouldDeleteInaccessibleFaults
  }
}
