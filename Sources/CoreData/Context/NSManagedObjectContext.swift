/// The kinds of queues that a context can have.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// No queue: the context is used on the thread that made it, and has no `perform`. This is how contexts were before
  /// they had queues.
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

  /// Whether this is the deprecated kind without a queue.
  var isConfined: Bool { rawValue == 0 }
}

/// A scratch pad of managed objects over a coordinator.
///
///     let book = Book(context: context)
///     book.title = "The Dispossessed"
///     print(context.hasChanges)  // true
///     try context.save()
///     print(context.hasChanges)  // false
///
/// You fetch objects into a context, change them there, and write all of the changes, or none, with ``save()``. Use a
/// context and its objects only on its queue: wrap every use in ``perform(_:)`` or `performAndWait(_:)`; a
/// main-queue context may also be used directly on the main queue.
nonisolated open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`, as in Apple's SDK: passing a context to another thread is fine; using it is bound to its
  // queue, which the guard checks. Members that any thread may use say so.

  /// The short name of the queue's kind.
  public typealias ConcurrencyType = NSManagedObjectContextConcurrencyType

  /// The kind of queue the context works on.
  public let concurrencyType: NSManagedObjectContextConcurrencyType

  /// The context's private queue, made when it is first needed; the main queue for a main-queue context. Any thread.
  final var queue: DispatchQueue { contextQueue.dispatchQueue(label: name) }
  let contextQueue: ContextQueue

  /// The identity map and the link from objects; made when the context gets its coordinator or its first object.
  private(set) final var owner: ContextOwner!

  /// The layouts of the context's model; nil before it has a coordinator or an object.
  var layouts: ModelLayouts? { owner?.layouts }

  // Unchecked, here and below, as the counts of `fire`, `indexed` and `write1` ask for; see CONTRIBUTING.md.
  /// A name for messages and persistent history; and the label of the private queue, if it is set before the
  /// context's first block.
  @exclusivity(unchecked) open var name: String?

  /// Who makes this context's changes, for persistent history.
  @exclusivity(unchecked) open var transactionAuthor: String?

  /// Anything that you want to keep with the context.
  public let userInfo = NSMutableDictionary()

  /// Decides what a save does when another context or program has changed or deleted a row, or when new values break a
  /// uniqueness constraint. ``NSMergePolicy/error`` by default. Must be an ``NSMergePolicy``: anything else ends the
  /// program.
  open var mergePolicy: Any {
    get { storedMergePolicy }
    set {
      guard let policy = newValue as? NSMergePolicy else { misuse(.noMergePolicy(newValue, self)) }
      storedMergePolicy = policy
    }
  }
  // Settings with an effect are computed, because Swift runs no observers of stored properties in an initializer, not
  // even in one of another module's extension.
  @exclusivity(unchecked) private final var storedMergePolicy = NSMergePolicy.error

  /// Whether the context keeps all of its objects alive, not only changed ones.
  open var retainsRegisteredObjects: Bool {
    get { storedRetainsRegisteredObjects }
    set {
      storedRetainsRegisteredObjects = newValue
      owner?.holdAll(newValue)
    }
  }
  private final var storedRetainsRegisteredObjects = false

  /// Whether a fault whose row is gone reads as empty and is deleted. If false, using it ends the program.
  open var shouldDeleteInaccessibleFaults = true

  /// Decides about a fault that can't be read; nil asks the parent's handler. Without any handler the program ends,
  /// except that the fault of an ``NSIncrementalStore`` is kept, with a warning. Set it before the context and its
  /// children are used.
  public final var unreadableFaultHandler: UnreadableFaultHandler?

  /// Whether a fault that the handler has kept can be changed. For a context that throws the store's error before it
  /// saves, as a migration's does.
  final var letsUnreadChange = false

  /// Whether a fault that you use takes the row that the coordinator still has in memory, or reads its row from the
  /// store. In seconds; -1 by default.
  ///
  /// - A negative number: the row in memory is taken, however old it is. It is there as long as an object of one of the
  ///   coordinator's contexts has it.
  /// - 0 and more: the row is read from the store. A positive number is not compared with the row's age, because rows
  ///   here don't keep the time at which they were read; it counts as 0. Apple's framework takes a row up to that age.
  ///
  /// It concerns faults only, and of these not one that has just come with its row from a fetch. An object whose values
  /// were read keeps them until you refresh it. A pinned context reads the state that it is pinned to, whatever this
  /// says, and a child context what its parent has.
  @exclusivity(unchecked) open var stalenessInterval: TimeInterval = -1

  /// Whether delete rules are applied when pending changes are processed. If false, the save applies them.
  @exclusivity(unchecked) open var propagatesDeletesAtEndOfEvent = true

  /// Whether saves of the coordinator's other contexts are merged into this one as they happen.
  ///
  /// The merge runs on the context's queue, some time after the save.
  @exclusivity(unchecked) open var automaticallyMergesChangesFromParent = false

  /// What is left to save and to report.
  final let ledger = ChangeLedger()
  @exclusivity(unchecked) final var isEventScheduled = false
  /// The event that observers are being told of.
  @exclusivity(unchecked) final var postedEvent: PostedEvent?
  final var undoCheckpoint: (any NSObjectProtocol)?
  /// Whether a save checks the model's rules. Off for a migration, which makes objects before their relationships.
  @exclusivity(unchecked) final var validatesOnSave = true
  @exclusivity(unchecked) final var isSaving = false
  /// What observers have been told in the current save's event; nil outside of a save.
  @exclusivity(unchecked) final var toldInSave: ToldObjects?
  /// The objects of each event that has ended while a save calls methods of the client's; nil at other times.
  @exclusivity(unchecked) final var touchedInSave: [ContiguousArray<NSManagedObject>]?
  /// True while an event ends, delete rules included, and while an undo changes objects: no event begins or ends then.
  @exclusivity(unchecked) final var isProcessing = false
  /// Temporary ids that the program has seen. They lead to their objects as long as the context lives.
  let formerKeys = FormerKeys()
  /// The objects that relationships led to last.
  @exclusivity(unchecked) final var recentDestinations = RecentDestinations()
  /// Which state of the stores is read; see `setQueryGenerationFrom(_:)`.
  @exclusivity(unchecked) final var generation = ReadGeneration.newest
  /// Grows with each save and merge, and when the context is pinned again. What was read before is then out of date.
  @exclusivity(unchecked) final var stateNumber = 0
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

  /// `makeDynamically(_:)`.
  @_silgen_name("core_data_make_context")
  convenience init(dynamically concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.init(concurrencyType: concurrencyType)
  }

  /// Here because Apple's framework demands it of subclasses. A context can't be archived: this ends the program.
  public required init?(coder: NSCoder) {
    misuse("A context can't be read from an archive. Make it with init(concurrencyType:).")
  }

  /// A context without a queue, as contexts were before they had queues: it is used on the thread that made it, and has
  /// no ``perform(_:)``.
  @available(*, deprecated, message: "Use init(concurrencyType:) with a queue")
  public convenience override init() { self.init(concurrencyType: .confinementConcurrencyType) }

  /// The older spelling of ``init(concurrencyType:)``.
  public convenience init(_ concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.init(concurrencyType: concurrencyType)
  }

  deinit {
    owner?.holdAll(false)
    // Objects refer to each other through changed relationships and sets that the program got. These references are
    // cut, so that the objects are freed too.
    owner?.allObjects.forEach { $0.dropReferences() }
    persistentStoreCoordinator?.removeContext(self)
    if let undoManager { removeActions(from: undoManager) }
  }

  /// The coordinator whose stores the context reads and writes. Until it is set, objects can be inserted, changed and
  /// deleted, but neither fetched nor saved. For a child context it is that of the topmost parent.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get { storedCoordinator }
    set {
      let former = storedCoordinator
      storedCoordinator = newValue
      guard let coordinator = newValue, coordinator !== former else { return }
      if let first = firstCoordinator.object, first !== coordinator {
        misuse("The context \(label) already has a coordinator: objects cannot move between coordinators.")
      }
      guard owner == nil || owner.layouts === coordinator.layouts else {
        misuse(
          "The context \(label) can't get the coordinator of another model: it has objects of its first model.")
      }
      if owner == nil { makeOwner(coordinator.layouts) }
      if firstCoordinator.object == nil { source.didAttach(self, to: coordinator) }
      firstCoordinator.object = coordinator
    }
  }
  private final var storedCoordinator: NSPersistentStoreCoordinator?
  /// The coordinator that objects of the context have come from.
  private final var firstCoordinator = LivingReference<NSPersistentStoreCoordinator>()

  /// Makes the owner of the context's objects: for its coordinator's model, or for that of the first object which is
  /// inserted before there is a coordinator.
  @discardableResult
  final func makeOwner(_ layouts: ModelLayouts) -> ContextOwner {
    let made = ContextOwner(
      self, layouts, isMainQueue: concurrencyType == .mainQueueConcurrencyType,
      isConfined: concurrencyType.isConfined)
    owner = made
    if storedRetainsRegisteredObjects { made.holdAll(true) }
    return made
  }

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
  private final var storedParent: NSManagedObjectContext?
  /// The source of saved state and the target of saves. A parent, if there is one, is set before the first use.
  final var source: any ContextSource = StoresSource()
  let children = ChildList()
  /// Lists that have to know of objects that this context does not have yet.
  final var followers = ChangeFollowers()

  /// The manager with which the context registers its changes, one action for each event. nil by default.
  open var undoManager: UndoManager? {
    get { storedUndoManager }
    set {
      let former = storedUndoManager
      if newValue !== former { prepareForUndoManager() }
      storedUndoManager = newValue
      if newValue !== former { replaceUndoManager(former) }
    }
  }
  @exclusivity(unchecked) private final var storedUndoManager: UndoManager?

  // Methods that subclasses may override. Those of extensions can't be overridden, so these call the work in the
  // extensions.

  /// Writes all changes to the store: all of them, or none.
  ///
  /// On failure the changes stay to be saved, and the error says which object, property and value caused it. What a
  /// merge policy has settled by then stays settled. Without changes the notifications are posted without objects, and
  /// metadata that was set for a store is written.
  ///
  /// No transaction spans several stores. If one fails, those before it stay written, and the error, with the code
  /// `NSPersistentStoreIncompleteSaveError`, names the others and their objects.
  open func save() throws {
    isSaving = true
    defer {
      isSaving = false
      toldInSave = nil
    }
    try saveChanges()
  }

  /// Has the stores execute a request: batch requests, which leave the objects of this context as they are, requests
  /// for history, and asynchronous fetches, which go on after this returns. The result of an ordinary fetch is an
  /// ``NSAsynchronousFetchResult`` whose `finalResult` is what the request's `resultType` asks for.
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    try executeInStores(request)
  }

  /// Finds the objects of a request, for subclasses that answer fetches in another way. All other code calls the
  /// generic form, which asks an override of this method.
  @_disfavoredOverload
  open func fetch(_ request: NSFetchRequest<any NSFetchRequestResult>) throws -> [Any] { try found(by: request) }
  /// Whether an override of `fetch(_:)` runs, which `super.fetch(_:)` must not call again.
  final var isAnsweringFetch = false

  /// Counts the objects of a request, for subclasses that answer fetches in another way. All other code calls the
  /// generic form, which asks an override of this method.
  @_disfavoredOverload
  open func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int { try counted(by: request) }
  /// Whether an override of `count(for:)` runs, which `super.count(for:)` must not call again.
  final var isAnsweringCount = false

  /// Whether a save would have anything to write.
  open var hasChanges: Bool { holdsChanges }

  /// Inserts an object that has no context, together with those that it is related to. An object marked as deleted is
  /// no longer marked, and is related again to those that the deletion made forget it, if they are not deleted as well
  /// and lead to no other object by now. If it is a new object that the context has already, observers are told of its
  /// insertion once more.
  open func insert(_ object: NSManagedObject) { insertObject(object) }

  /// Marks an object for deletion: rules are applied when pending changes are processed, the row goes with the
  /// save.
  open func delete(_ object: NSManagedObject) { deleteObject(object) }

  /// Drops all unsaved changes: new objects go, deleted ones come back, changed ones get their stored values.
  open func rollback() { discardChanges() }

  /// Forgets everything: all objects of the context become unusable.
  open func reset() { forgetObjects() }

  /// Undoes the changes of the last event, as new changes. Does nothing without an undo manager.
  open func undo() { undoChanges() }

  /// Redoes the changes that were undone last.
  open func redo() { redoChanges() }

  /// Runs a block on the context's queue, later; then processes pending changes.
  @preconcurrency
  open func perform(_ block: @escaping @Sendable () -> Void) { enqueue(block) }

  /// Runs a block on the context's queue and waits for it. Swift chooses other forms for your calls; those call this
  /// one if a subclass overrides it.
  @_disfavoredOverload
  @preconcurrency
  open func performAndWait(_ block: @Sendable () -> Void) { runAndWait(block) }

  /// Ends an event: applies delete rules, then posts what changed, once.
  ///
  /// Called at the end of `perform` blocks and main-queue events, before a fetch and before a save.
  open func processPendingChanges() { endEvent() }

  /// Objects that the next save writes for the first time; until the event ends, also new ones that were deleted.
  open var insertedObjects: Set<NSManagedObject> {
    guardQueue("insertedObjects")
    return Set(ledger.insertedList.lazy.filter { $0.state.contains(.inserted) })
  }

  /// Saved objects that were changed since.
  open var updatedObjects: Set<NSManagedObject> {
    guardQueue("updatedObjects")
    return Set(ledger.updatedList.lazy.filter { $0.state.isUpdated })
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

  /// The objects that the context knows, without a check of the queue: for code that is the last to have the context,
  /// on any thread.
  package final var remainingObjects: [NSManagedObject] { owner?.allObjects ?? [] }
  /// Those of the ``remainingObjects`` whose values can be read without a store.
  package final var objectsWithValues: [NSManagedObject] { owner?.objectsWithRows ?? [] }

  /// The object with an id: the registered one, or else a fault. Does not check whether the row exists. A temporary id
  /// that means nothing to this context gives a fault that has none.
  @discardableResult
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject { findObject(with: objectID) }

  /// The object with an id, if the context has it.
  @discardableResult
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    findRegisteredObject(for: objectID)
  }

  /// The object with an id, with its row read. Throws if there is no such row.
  @discardableResult
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    try findExistingObject(with: objectID)
  }

  /// Gives new objects their permanent ids ahead of the save. They stay inserted.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws { try reserveIDs(for: objects) }

  /// Reads an object's row again. With `mergeChanges`, unsaved changes stay, on top of the new row; without it the
  /// object becomes a fault and they are lost. With `mergeChanges`, an object keeps its values if its row is gone or
  /// can't be read: a save, or a fault, tells.
  open func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    refreshObject(object, mergeChanges: flag)
  }

  /// Refreshes every object; unsaved changes are kept.
  open func refreshAllObjects() { refreshEveryObject() }

  /// Merges a save of another context, from its `didSave` notification or the one with ids.
  ///
  /// New objects come in as faults. Changed objects that this context has are refreshed, and keep its own unsaved
  /// changes. Deleted ones leave, with those that cascade rules lead to from them, if their rows are gone as well. A
  /// changed object that this context does not have comes in too if a fetched results controller with a delegate lists
  /// its entity, since it may belong in that list now. Merged values do not mark objects as updated, so they are not
  /// saved again. Ids of stores that this context does not have are ignored. A pinned context moves on to the newest
  /// state. Call this on the context's queue.
  open func mergeChanges(fromContextDidSave notification: Notification) { mergeSave(notification) }

  /// Merges changes that no context of this process made, such as those of a batch request, into contexts, parents
  /// first. Waits for the contexts' queues.
  ///
  /// The keys are those of the notifications, for objects or for ids; the values are arrays or sets of ids, or of
  /// their URIs.
  open class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
  ) {
    mergeElsewhere(changeNotificationData, into: contexts)
  }

  /// Chooses the store in which a new object will be saved.
  open func assign(_ object: Any, to store: NSPersistentStore) { choose(store, for: object) }

  /// Locks an unchanged object's version: the next save fails if another context or program has changed its row.
  open func detectConflicts(for object: NSManagedObject) { lockVersion(of: object) }

  /// Whether an object whose row is gone reads as empty and is deleted. Unless overridden, this prints a warning to
  /// standard error and returns ``shouldDeleteInaccessibleFaults``. ``existingObject(with:)`` does not ask; it throws.
  open func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    if shouldDeleteInaccessibleFaults { warn(.inaccessibleFault(fault, isDeleted: true)) }
    return shouldDeleteInaccessibleFaults
  }
}

nonisolated extension NSManagedObjectContext: _MadeWithConcurrencyType {
  /// A context of this class, by its own ``init(concurrencyType:)``; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_context")
  fileprivate static func makeDynamically(
    _ concurrencyType: NSManagedObjectContextConcurrencyType
  ) -> NSManagedObjectContext
}

/// Contexts, for `self.init(concurrencyType:)` in their static methods; see `DynamicInitializers.swift`.
public protocol _MadeWithConcurrencyType {}

extension _MadeWithConcurrencyType {
  /// Makes a context of a class that is a value.
  public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
    self = (Self.self as! NSManagedObjectContext.Type).makeDynamically(concurrencyType) as! Self
  }
}
