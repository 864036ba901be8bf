import CoreData

/// Reads, changes and saves models.
///
///     let context = ModelContext(container)
///     context.insert(Book(title: "Solaris"))
///     try context.save()
///
/// Use a context and its models on one thread or actor at a time: the one that made it, or the
/// main actor for ``ModelContainer/mainContext``. Models don't keep their context alive.
public final class ModelContext: Equatable {
  /// The container that stores the models.
  public var container: ModelContainer { owner ?? openContainer }
  /// Keeps the stores open: the container, or another one that shares its stores, if the container owns this context.
  let openContainer: ModelContainer
  /// The container that owns this context; nil for others, and once it is gone.
  private weak var owner: ModelContainer?
  /// Who the context belongs to, and so when it ends.
  private enum Life {
    /// It belongs to the code that made it.
    case ofItsMaker
    /// A container has it for its main context.
    case ofContainer
    /// It is what another context has left to the models that outlive it. No program gets hold of it.
    case remains
  }
  private let life: Life
  /// The Core Data context that does the work.
  package let managedContext: NSManagedObjectContext
  let mergePolicy = ModelMergePolicy()
  /// What leads from models to this context.
  let reference = ContextReference()
  // Unchecked for `modelinsert`, as are those below; see CONTRIBUTING.md.
  /// Models with unsaved changes. They are kept alive until the save, because inserts and
  /// values of transient properties would be lost with them.
  @exclusivity(unchecked) var changed = ChangedModels()
  /// Models whose insertion was rolled back. They keep their relationships only for a while: two models that lead to
  /// each other would keep each other alive for ever.
  @exclusivity(unchecked) var rolledBack: [ModelStorage] = []
  /// The entity that was last asked for: programs often insert many models of one class in a row.
  @exclusivity(unchecked) var lastEntity: (type: ModelType, entity: NSEntityDescription)?
  /// Where a save by itself may be run; nil for a context that has no queue of its own.
  var autosaveQueue: ((@escaping @Sendable () -> Void) -> Void)?
  @exclusivity(unchecked) var isAutosaveScheduled = false
  /// The container's `erasureCount` when this context last let go of its models.
  var seenErasures: Int
  /// Whether a change off the main queue was reported, which nothing saves.
  @exclusivity(unchecked) var hasReportedNoQueue = false

  /// Makes a context for the calling thread or actor. It doesn't save automatically.
  public convenience init(_ container: ModelContainer) {
    // Core Data's confinement type, which has no queue. Its name is deprecated there, so it
    // stands here by its number.
    self.init(container, NSManagedObjectContextConcurrencyType(rawValue: 0)!)
  }

  init(_ container: ModelContainer, _ concurrencyType: NSManagedObjectContextConcurrencyType) {
    life = concurrencyType == .mainQueueConcurrencyType ? .ofContainer : .ofItsMaker
    editingStateID = UUID()
    openContainer = life == .ofContainer ? ModelContainer(sharingStoresOf: container) : container
    seenErasures = container.ownStores.erasureCount.load(ordering: .acquiring)
    managedContext = NSManagedObjectContext(concurrencyType: concurrencyType)
    reference.context = self
    managedContext.persistentStoreCoordinator = container.coordinator
    managedContext.mergePolicy = mergePolicy
    managedContext.undoManager = nil
    managedContext.userInfo[ModelContext.editingStateKey] = editingStateID
    managedContext.modelContext = self
    managedContext.followInverses { object, name in
      unsafeDowncast(object, to: ModelObject.self).storage?.noteInverse(name)
    }
    for store in container.dataStores { store.beginState(editingState) }
    guard life == .ofContainer else { return }
    owner = container
    openContainer.sharedBy = self
    managedContext.automaticallyMergesChangesFromParent = true
    autosaveQueue = { block in DispatchQueue.main.async(execute: block) }
    autosaveEnabled = true
  }

  deinit {
    managedContext.modelContext = nil
    // Models that outlive this context keep what is left of it, which no longer merges saves.
    let haveModels = managedContext.remainingObjects.contains { ($0 as? ModelObject)?.storage != nil }
    if haveModels { managedContext.automaticallyMergesChangesFromParent = false }
    reference.remains = haveModels ? ModelContext(remainsOf: self) : nil
    reference.context = reference.remains
    letGoOfChanged()
    // What is left reads by the same state.
    if !haveModels { for store in openContainer.dataStores { store.endState(editingState) } }
  }

  /// What is left of a context for the models that outlive it: they can be read, and inserted into another context.
  private init(remainsOf context: ModelContext) {
    life = .remains
    editingStateID = context.editingStateID
    openContainer = context.openContainer
    seenErasures = context.seenErasures
    managedContext = context.managedContext
    reference.context = self
  }

  /// Whether it is what another context has left.
  var isRemains: Bool { life == .remains }

  /// Whether the context is gone, or the container that owned it, in which case it may still wait to save by itself.
  var isLeftBehind: Bool {
    switch life {
    case .ofItsMaker: false
    case .ofContainer: owner == nil
    case .remains: true
    }
  }

  static let editingStateKey = "SwiftDataEditingState"
  private let editingStateID: UUID
  /// Identifies the context to a ``DataStore``.
  public var editingState: EditingState { EditingState(id: editingStateID, author: author) }

  /// Whether both are the same context.
  public static func == (left: ModelContext, right: ModelContext) -> Bool { left === right }

  /// Whether the context saves automatically soon after a change: on the main queue, or on the
  /// queue of its model actor. An error is written to standard error.
  ///
  /// It is true for the main context and false for any other. If the context has no such queue,
  /// it reports that on standard error, once, and nothing is saved until you call `save()` or
  /// change something on the main queue.
  @exclusivity(unchecked) public var autosaveEnabled = false {
    didSet { if autosaveEnabled, hasChanges { scheduleAutosave() } }
  }

  /// The undo manager that records changes of this context; nil by default.
  public var undoManager: UndoManager? {
    get { managedContext.undoManager }
    set { managedContext.undoManager = newValue }
  }

  /// The author that the store's history records for this context's saves.
  public var author: String? {
    get { managedContext.transactionAuthor }
    set { managedContext.transactionAuthor = newValue }
  }

  // Notifications.

  /// Posted before a save, with the context as its object.
  public static let willSave = Notification.Name("NSModelContextWillSave")
  /// Posted after a save, with the context as its object. The user info has values under the raw values of
  /// ``NotificationKey``s: arrays of ``PersistentIdentifier``, and a ``DefaultHistoryToken``.
  public static let didSave = Notification.Name("NSModelContextDidSave")

  /// The keys of a notification's user info, which programs also write as their texts.
  public enum NotificationKey: String, Sendable {
    /// The models that the save inserted.
    case insertedIdentifiers = "inserted"
    /// The models that the save updated.
    case updatedIdentifiers = "updated"
    /// The models that the save deleted.
    case deletedIdentifiers = "deleted"
    /// The ``DefaultHistoryToken`` of the stores after the save; missing if no store keeps a history.
    case historyTokens
    /// Never set here, because a save names the models that it changed.
    case invalidatedAllIdentifiers
    /// Never set here, because a context always reads the stores' current state.
    case queryGeneration
  }
}
