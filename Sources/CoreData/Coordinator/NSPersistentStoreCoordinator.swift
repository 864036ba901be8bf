/// Connects a model, the stores with its objects, and the contexts that use them.
///
///     let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
///     try coordinator.addPersistentStore(type: .sqlite, at: url)
///     let context = NSManagedObjectContext(.mainQueue)
///     context.persistentStoreCoordinator = coordinator
///     print(coordinator.persistentStores.map(\.type))  // ["SQLite"]
///
/// May be used from any thread. Each store orders its calls itself. The list of stores changes under `lock`, which is
/// never held while a store is opened or a notification is posted.
nonisolated open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`: `list` and `contexts` are only touched under `lock`.

  /// The model. Frozen from here on.
  open var managedObjectModel: NSManagedObjectModel { ownModel }
  /// The model by which stores and objects are laid out, whatever a subclass returns for `managedObjectModel`.
  package let ownModel: NSManagedObjectModel
  private let modelUse: LoadedModels.Use
  let layouts: ModelLayouts

  /// A name for messages and queues.
  open var name: String?

  private let lock = RecursiveLock()
  // Unchecked, as the count of `indexed` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var list = StoreList()
  /// Saves share it. Moving or removing a store takes it exclusively, so that no save is lost between two files.
  let saving = SharedLock()
  /// A list of contexts and not of their owners, because every object retains its owner, and that is slower once a weak
  /// reference exists.
  @exclusivity(unchecked) private var contexts = WeakList<NSManagedObjectContext>()
  private let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")
  /// The thread that runs a block of `queue`; 0 for none. Waiting for another block on that thread would be a deadlock.
  private let queueThread = AtomicWord()

  /// Makes a coordinator for a model. A model that contradicts itself is a misuse; `init(checking:)` throws
  /// instead.
  public init(managedObjectModel model: NSManagedObjectModel) {
    do {
      try model.freezeChecked()
    } catch {
      misuse("The model cannot be used: \(error.localizedDescription)")
    }
    ownModel = model
    layouts = ModelLayouts.of(model)
    modelUse = LoadedModels.register(model)
    super.init()
  }

  /// `makeDynamically(_:)`.
  @_silgen_name("core_data_make_coordinator")
  convenience init(dynamically model: NSManagedObjectModel) { self.init(managedObjectModel: model) }

  /// Makes a coordinator with a model that has no entities.
  public convenience override init() { self.init(managedObjectModel: NSManagedObjectModel()) }

  deinit {
    for store in list.stores { RemoteChanges.forget(store) }
    queueThread.free()
    lock.free()
  }

  /// Makes a coordinator for a model that may contradict itself. Throws an error that says how.
  public convenience init(checking model: NSManagedObjectModel) throws {
    try model.freezeChecked()
    self.init(managedObjectModel: model)
  }

  /// The stores, in the order in which they were added. New objects go to the first one that has their entity and is
  /// not read-only.
  open var persistentStores: [NSPersistentStore] { lock.withLock { list.stores } }

  func withStores<Result>(_ body: (inout StoreList) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&list) }
  }

  // Adding and removing.

  /// Opens a store and adds it. Makes the file if there is none; its folder must exist.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addStore(ofType: storeType, configuration, at: storeURL, options)
  }

  /// Opens a store and adds it, in the newer spelling.
  @discardableResult
  public func addPersistentStore(
    type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
  }

  /// Adds the store of a description, on a background queue if the description says so. The handler is called when the
  /// store is open, or with an error. If the folder of a new file is missing, it is made, as by Apple's framework.
  @preconcurrency
  open func addPersistentStore(
    with description: NSPersistentStoreDescription,
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    let add = DispatchWorkItem {
      do {
        do { try self.addStore(description) } catch {
          guard description.makesFolder(after: error as NSError) else { throw error }
          try self.addStore(description)
        }
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

  /// Adds the store of a description, and returns the description once the store is open: the form of
  /// ``addPersistentStore(with:completionHandler:)`` for `await`. Throws what the handler would get.
  @discardableResult
  public func addPersistentStore(
    with description: NSPersistentStoreDescription
  ) async throws -> NSPersistentStoreDescription {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      addPersistentStore(with: description) { _, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
    return description
  }

  /// Has the stores execute a request. A fetch returns an array of its result type, without unsaved changes; a batch
  /// request returns its result. Called on the context's queue. A context asks this for its batch requests.
  @discardableResult
  open func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext) throws -> Any {
    if let found = try request.found(in: context) { return found }
    if let running = try request.start(in: context) { return running }
    return try context.executeRequest(request, self)
  }

  /// Closes a store and removes it; its objects can't be used afterwards.
  ///
  /// Objects keep the values that they have read. A fault becomes inaccessible: see
  /// ``NSManagedObjectContext/shouldHandleInaccessibleFault(_:for:triggeredByProperty:)``. Saving changed objects
  /// fails. Posts `NSPersistentStoreCoordinatorWillRemoveStore`, with the store as its object, and `…StoresDidChange`.
  open func remove(_ store: NSPersistentStore) throws { try removeStore(store) }

  /// Moves an open store to another URL. Returns whether that succeeded.
  ///
  /// A SQLite store closes its file and opens the one at `url`, which has to be there and to have the same
  /// tables: move the file, its `-wal` and its external data first, or copy them. Other kinds of stores write their
  /// content to `url` with the next save.
  @discardableResult
  open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { setLocation(url, of: store) }

  /// Saves the content of a store to another place, perhaps in another form. The new store replaces the old one in the
  /// coordinator; the old file stays.
  ///
  /// Objects in contexts, with their unsaved changes, and ids now belong to the new store. The ids' URIs change,
  /// because the new store has its own UUID. Your own metadata is copied. If it fails, the old store stays with the
  /// coordinator, and nothing is left at `url`. There must be no store at `url`, except an empty file, or one that
  /// `destroyPersistentStore` left.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore, to url: URL, options: [AnyHashable: Any]? = nil, withType storeType: String
  ) throws -> NSPersistentStore {
    try migrateStore(store, to: url, options, type: storeType)
  }

  /// Empties the store at a location. One of this coordinator's is removed first.
  ///
  /// The file of a SQLite store stays, without tables, because other connections may have it open. This waits for their
  /// locks, unless you set ``NSPersistentStoreForceDestroyOption``. The store's external data is removed. Files of
  /// other types are removed. Without a file nothing happens, but a SQLite store's folder has to be there.
  open func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyStore(at: url, storeType, options)
  }

  /// Replaces a store by a copy of another one, with its log and its external data. The replaced store need not exist.
  ///
  /// Neither store has to be open. If this coordinator has a store at the destination, it is removed first. This waits
  /// for SQLite's locks on both. Afterwards the destination has everything of the source, or, on failure, is as it was.
  /// The copy has the source's UUID.
  open func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil, ofType storeType: String
  ) throws {
    try replaceStore(
      at: destinationURL, options: destinationOptions, from: sourceURL, sourceOptions: sourceOptions, type: storeType)
  }

  // Finding stores and ids.

  /// The store at a location.
  open func persistentStore(for url: URL) -> NSPersistentStore? {
    persistentStores.first { $0.isAt(url) || $0.url?.standardizedFileURL == url.standardizedFileURL }
  }

  /// The URL of a store.
  open func url(for store: NSPersistentStore) -> URL { store.url ?? .storeInMemory }

  /// The id for a URI; nil if no store of this coordinator has its UUID, or if the entity is unknown. Does not check
  /// whether the row exists.
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    // A custom store's reference may have any characters in it, so the parts are decoded one by one.
    let parts = url.path(percentEncoded: true).split(separator: "/").compactMap { $0.removingPercentEncoding }
    guard url.scheme == "x-coredata", parts.count == 2, let host = url.host,
      let layout = layouts.layout(named: parts[0]),
      let store = persistentStores.first(where: { $0.identity.uuid.caseInsensitiveCompare(host) == .orderedSame }),
      let key = store.identity.referenceKey(parts[1], layout)
    else { return nil }
    return NSManagedObjectID(layout: layout, key: key, store: store.identity)
  }

  /// ``managedObjectID(forURIRepresentation:)`` for a URI as text; nil for a text that is no URI.
  public func managedObjectID(for string: String) -> NSManagedObjectID? {
    URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
  }

  /// ``managedObjectID(forURIRepresentation:)`` for a URI's bytes, which need no zero at their end.
  public func managedObjectID(fromUTF8String string: UnsafePointer<CChar>, length: Int) -> NSManagedObjectID? {
    let bytes = UnsafeRawBufferPointer(start: string, count: length)
    return managedObjectID(for: String(decoding: bytes, as: UTF8.self))
  }

  /// A store's metadata.
  open func metadata(for store: NSPersistentStore) -> [String: Any] { store.metadata }

  /// Replaces the metadata that you have added to a store. It is written with the next save. Type and UUID stay, and so
  /// do version hashes and the framework's other keys, unless `metadata` has them.
  open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    store.metadata = NSPersistentStore.metadata(
      metadata, keepingOwnOf: store.metadata, type: store.type, uuid: store.identifier)
    store.hasNewMetadata = true
  }

  /// Runs a block on the coordinator's own queue, later.
  @preconcurrency
  open func perform(_ block: @escaping @Sendable () -> Void) {
    queue.async { self.run(block) }
  }

  /// Runs a block on the coordinator's own queue and waits for it. Swift chooses other forms for your calls; those call
  /// this one if a subclass overrides it.
  @_disfavoredOverload
  @preconcurrency
  open func performAndWait(_ block: @Sendable () -> Void) { runAndWait(block) }

  /// If a block of the queue waits for another one, it runs that itself.
  fileprivate func runAndWait<T, Problem: Error>(_ block: () throws(Problem) -> T) throws(Problem) -> T {
    if queueThread.value == UInt(pthread_self()) { return try block() }
    let outcome: Result<T, Problem> = queue.sync {
      run { do throws(Problem) { return .success(try block()) } catch { return .failure(error) } }
    }
    return try outcome.get()
  }

  /// Runs a block whose turn has come.
  private func run<T>(_ block: () throws -> T) rethrows -> T {
    queueThread.value = UInt(pthread_self())
    defer { queueThread.value = 0 }
    return try block()
  }

  /// Runs a block on the coordinator's own queue and returns its result or throws its error.
  @preconcurrency
  public func perform<T>(_ block: @escaping @Sendable () throws -> T) async rethrows -> T {
    let outcome: QueueResult<Result<T, any Error>> = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: QueueResult(value: Result { try self.run(block) })) }
    }
    return try outcome.value.get(as: block)
  }

  // The contexts that work on the stores. Children are known to their parents.

  func remember(_ context: NSManagedObjectContext) {
    _ = lock.withLock { contexts.append(context) }
  }

  func removeContext(_ context: NSManagedObjectContext) {
    let identifier = ObjectIdentifier(context)
    lock.withLock { contexts.remove(identifier) }
  }

  /// Has the contexts that merge automatically merge another one's save, each on its own queue.
  ///
  /// - Parameter notice: only evaluated if a context merges.
  func announce(_ notice: () -> SaveNotice, from source: NSManagedObjectContext) {
    let others = lock.withLock { contexts.elements(but: ObjectIdentifier(source)) }
    let listening = others.filter(\.automaticallyMergesChangesFromParent)
    if listening.isEmpty { return }
    let notice = notice()
    for context in listening {
      let reference = LivingReference(context)
      context.perform { reference.object?.merge(notice) }
    }
  }
}

extension NSPersistentStoreCoordinator: OverridableWaiting {}
extension NSPersistentStoreCoordinator: _BlockPerforming {}

extension _BlockPerforming where Self: NSPersistentStoreCoordinator {
  /// Runs a block on the coordinator's own queue and waits for it.
  public func performAndWait(_ block: () -> Void) {
    if type(of: self) == NSPersistentStoreCoordinator.self { return runAndWait(block) }
    waitThroughOverride(of: self, { runAndWait(block) }, block)
  }

  /// Runs a block on the coordinator's own queue, waits for it, and returns its value or throws its error.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    if type(of: self) == NSPersistentStoreCoordinator.self { return try runAndWait(block) }
    return try waitThroughOverride(of: self, { () throws in try runAndWait(block) }, block)
  }
}

extension NSPersistentStoreCoordinator {
  fileprivate func addStore(_ description: NSPersistentStoreDescription) throws {
    try addPersistentStore(
      ofType: description.type, configurationName: description.configuration, at: description.url,
      options: description.options)
  }
}

extension NSPersistentStoreDescription {
  /// Makes the folder of the file if that is what `error` is about. Returns whether the store may be added again.
  fileprivate func makesFolder(after error: NSError) -> Bool {
    guard let url, url.isFileURL, error.code == CocoaError.Code.fileWriteUnknown.rawValue else { return false }
    let folder = url.deletingLastPathComponent()
    if FileManager.default.fileExists(atPath: folder.path) { return false }
    return (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil
  }
}

nonisolated extension NSPersistentStoreCoordinator: _MadeWithModel {
  /// A coordinator of this class, by its own ``init(managedObjectModel:)``; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_coordinator")
  fileprivate static func makeDynamically(_ model: __owned NSManagedObjectModel) -> NSPersistentStoreCoordinator
}

/// Coordinators, for `self.init(managedObjectModel:)` in their static methods; see `DynamicInitializers.swift`.
public protocol _MadeWithModel {}

extension _MadeWithModel {
  /// Makes a coordinator of a class that is a value.
  public init(managedObjectModel model: NSManagedObjectModel) {
    self = (Self.self as! NSPersistentStoreCoordinator.Type).makeDynamically(model) as! Self
  }
}
