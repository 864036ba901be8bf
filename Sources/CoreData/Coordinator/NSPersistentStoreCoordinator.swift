/// Joins one model, the stores that hold its objects, and the contexts that work on them.
///
/// May be used from any thread. Each store orders the calls it gets by itself; the list of stores changes under
/// `lock`.
nonisolated open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: `stores` and `contexts` are only touched under `lock`.

  /// The model. Frozen from here on.
  public let managedObjectModel: NSManagedObjectModel
  let layouts: ModelLayouts

  /// A name for messages and queues.
  open var name: String?

  private let lock = NSRecursiveLock()
  private var stores: [NSPersistentStore] = []
  private var contexts: [WeakContext] = []
  private let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")

  /// Not of the context's owner, whose references are counted for every object: that is slower once there is a weak
  /// one.
  private struct WeakContext {
    weak var context: NSManagedObjectContext?
  }

  /// Makes a coordinator for a model. A model that contradicts itself is a misuse; `init(checking:)` throws instead.
  public required init(managedObjectModel model: NSManagedObjectModel) {
    do {
      try model.validateForUse()
    } catch {
      fatalError("The model cannot be used: \(error.localizedDescription)")
    }
    managedObjectModel = model
    layouts = ModelLayouts.of(model)
    super.init()
    LoadedModels.note(model)
  }

  /// Makes a coordinator for a model that may be broken; throws what is wrong with it.
  public convenience init(checking model: NSManagedObjectModel) throws {
    try model.validateForUse()
    self.init(managedObjectModel: model)
  }

  /// The stores, in the order in which they were added; the first that can takes new objects.
  open var persistentStores: [NSPersistentStore] { lock.withLock { stores } }

  // Adding and removing.

  /// Opens a store and adds it. The file is made if it is not there; its folder must be.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    let storeClass = try NSPersistentStoreCoordinator.storeClass(for: storeType)
    try NSPersistentStoreCoordinator.refuseMissing(options)
    let url = try storeURL ?? NSPersistentStoreCoordinator.urlWithoutFile(for: storeType)
    if let configuration, configuration != NSPersistentStore.defaultConfigurationName,
      managedObjectModel.entities(forConfigurationName: configuration) == nil
    {
      throw Failure.unknownConfiguration(name: configuration, configurations: managedObjectModel.configurations)
        .nsError
    }
    return try lock.withLock {
      if storeType != NSInMemoryStoreType, url.path != "/dev/null",
        stores.contains(where: { $0.url?.standardizedFileURL == url.standardizedFileURL })
      {
        throw Failure.storeAlreadyAdded(url: url).nsError
      }
      let store = storeClass.init(
        persistentStoreCoordinator: self, configurationName: configuration, at: url, options: options)
      do {
        try store.loadMetadata()
      } catch let failure as Failure {
        store.detach()
        throw failure.nsError
      }
      stores.append(store)
      store.didAdd(to: self)
      RemoteChanges.note(store, of: self)
      post(.NSPersistentStoreCoordinatorStoresDidChange, [NSAddedPersistentStoresKey: [store]])
      return store
    }
  }

  /// The newer spelling.
  @discardableResult
  public func addPersistentStore(
    type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
  }

  /// Adds the store of a description, on a background queue if it says so; the handler is called when it is there.
  @preconcurrency
  open func addPersistentStore(
    with description: NSPersistentStoreDescription,
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    let add = DispatchWorkItem {
      do {
        try self.addPersistentStore(
          ofType: description.type, configurationName: description.configuration, at: description.url,
          options: description.options)
        block(description, nil)
      } catch {
        block(description, error)
      }
    }
    if description.shouldAddStoreAsynchronously {
      DispatchQueue.global(qos: .userInitiated).async(execute: add)
    } else {
      add.perform()
    }
  }

  /// Closes a store and takes it out; objects of it can no longer be used.
  open func remove(_ store: NSPersistentStore) throws {
    try lock.withLock {
      guard stores.contains(where: { $0 === store }) else {
        throw Failure.unsupportedFeature("Removing a store that was not added to this coordinator").nsError
      }
      NotificationCenter.default.post(
        name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store, userInfo: nil)
      RemoteChanges.forget(store)
      store.willRemove(from: self)
      stores.removeAll { $0 === store }
      store.detach()
      post(.NSPersistentStoreCoordinatorStoresDidChange, [NSRemovedPersistentStoresKey: [store]])
    }
  }

  private func post(_ name: Notification.Name, _ info: [AnyHashable: Any]) {
    NotificationCenter.default.post(name: name, object: self, userInfo: info)
  }

  // Finding stores and ids.

  /// The store at a location.
  open func persistentStore(for url: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.standardizedFileURL == url.standardizedFileURL }
  }

  /// Where a store lives.
  open func url(for store: NSPersistentStore) -> URL { store.url ?? URL(fileURLWithPath: "/dev/null") }

  /// The id that a URI stands for; nil when no store of this coordinator has its UUID, or the entity is unknown.
  /// Does not ask whether the row exists.
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    let parts = url.pathComponents.filter { $0 != "/" }
    guard url.scheme == "x-coredata", parts.count == 2, let host = url.host,
      let layout = layouts.layout(named: parts[0]), parts[1].hasPrefix("p"),
      let key = Int64(parts[1].dropFirst()), key > 0,
      let store = persistentStores.first(where: { $0.identity.uuid.caseInsensitiveCompare(host) == .orderedSame })
    else { return nil }
    return NSManagedObjectID(layout: layout, key: key, store: store.identity)
  }

  /// A store's metadata.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

  /// Replaces a store's metadata; written with the next save. Type and UUID stay.
  open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    var new = metadata ?? [:]
    new[NSStoreTypeKey] = store.type
    new[NSStoreUUIDKey] = store.identifier
    store.metadata = new
  }

  /// Runs a block on the coordinator's own queue, later.
  @preconcurrency
  open func perform(_ block: @escaping @Sendable () -> Void) {
    queue.async(execute: DispatchWorkItem(block: block))
  }

  /// Runs a block on the coordinator's own queue and waits for it.
  @preconcurrency
  open func performAndWait(_ block: @Sendable () -> Void) { queue.sync(execute: block) }

  /// Runs a block on the coordinator's own queue, waits for it, and returns, or throws, what it does.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T { try queue.sync(execute: block) }

  /// Runs a block on the coordinator's own queue and returns, or throws, what it does.
  @preconcurrency
  public func perform<T>(_ block: @escaping @Sendable () throws -> T) async rethrows -> T {
    let outcome: Carrier<Result<T, any Error>> = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Carrier(value: Result { try block() })) }
    }
    return try outcome.value.get(as: block)
  }

  // The contexts that work on the stores.

  func remember(_ context: NSManagedObjectContext) {
    lock.withLock {
      contexts.removeAll { $0.context == nil }
      contexts.append(WeakContext(context: context))
    }
  }

  func forget(_ context: NSManagedObjectContext) {
    lock.withLock { contexts.removeAll { $0.context == nil || $0.context === context } }
  }

  /// Lets the contexts that asked for it merge a save of another one, each on its own queue.
  func announce(_ notice: SaveNotice, from source: NSManagedObjectContext) {
    let listening = lock.withLock { contexts.compactMap(\.context) }
    for context in listening
    where context !== source && context.parent == nil && context.automaticallyMergesChangesFromParent {
      context.perform { [weak context] in context?.merge(notice) }
    }
  }
}

extension NSManagedObjectContext {
  /// The context whose `perform` block runs on this thread, innermost.
  static var current: NSManagedObjectContext? { QueueOwnership.innermost }
}
