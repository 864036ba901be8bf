/// A whole stack: model, coordinator, stores, and a context for the main queue.
///
///     let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
///     container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
///     container.loadPersistentStores { _, error in
///       if let error { fatalError("\(error)") }
///     }
///     let book = Book(context: container.viewContext)
///     book.title = "Solaris"
///     try container.viewContext.save()
///     print(try container.viewContext.count(for: Book.fetchRequest()))  // 1
nonisolated open class NSPersistentContainer: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`, as in Apple's SDK: set up on one thread, then only read.

  /// The name of the model and of the store's file.
  open var name: String { ownName }
  /// The model of the coordinator and of all contexts.
  open var managedObjectModel: NSManagedObjectModel { ownModel }
  /// The coordinator that the stores are added to, and that all contexts of the container use.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator { ownCoordinator }

  /// The main queue's context.
  open var viewContext: NSManagedObjectContext { ownViewContext }

  private let ownName: String
  private let ownModel: NSManagedObjectModel
  private var ownCoordinator: NSPersistentStoreCoordinator
  private var ownViewContext: NSManagedObjectContext
  /// Descriptions whose stores were loaded; under `lock`.
  private var loaded: [NSPersistentStoreDescription] = []
  private let lock = NSLock()

  /// The stores to open; one SQLite store in ``defaultDirectoryURL()`` unless set otherwise before loading.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription] {
    get {
      if let ownDescriptions { return ownDescriptions }
      let file = type(of: self).defaultDirectoryURL().appendingPathComponent("\(name).sqlite")
      let descriptions = [NSPersistentStoreDescription(url: file)]
      ownDescriptions = descriptions
      return descriptions
    }
    set { ownDescriptions = newValue }
  }
  /// nil until the descriptions are read or set: the default folder is made only when it is needed.
  private var ownDescriptions: [NSPersistentStoreDescription]?

  /// Where stores live by default: the user's application support folder. Made when it is missing.
  @discardableResult
  open class func defaultDirectoryURL() -> URL {
    let support =
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? URL(fileURLWithPath: NSHomeDirectory())
    let folder = support.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// A container for the model of this name among the program's resources.
  ///
  /// Without such a model the container has an empty one and says so on standard error, as Apple's does.
  public convenience init(name: String) {
    self.init(name: name, managedObjectModel: NSPersistentContainer.model(named: name))
  }

  /// A container for a model that the program has. Nothing is opened yet: see
  /// ``loadPersistentStores(completionHandler:)``.
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    ownName = name
    ownModel = model
    ownCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    ownViewContext = NSPersistentContainer.viewContext(of: ownCoordinator)
    super.init()
    ownCoordinator.withStores { $0.loading = .notAsked }
  }

  /// `makeDynamically(_:_:)`.
  @_silgen_name("core_data_make_container")
  convenience init(dynamically name: String, _ model: NSManagedObjectModel) {
    self.init(name: name, managedObjectModel: model)
  }

  /// A container around a coordinator whose stores are already loaded.
  ///
  /// This is a convenience initializer so that subclasses in other modules, which can't see it, inherit `init(name:)`.
  convenience init(
    name: String, coordinator: NSPersistentStoreCoordinator, _ descriptions: [NSPersistentStoreDescription]
  ) {
    self.init(name: name, managedObjectModel: coordinator.managedObjectModel)
    ownCoordinator = coordinator
    ownViewContext = NSPersistentContainer.viewContext(of: coordinator)
    persistentStoreDescriptions = descriptions
  }

  private static func viewContext(of coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.name = "viewContext"
    return context
  }

  fileprivate static func model(named name: String) -> NSManagedObjectModel {
    for type in ["momd", "mom"] {
      if let url = Bundle.main.url(forResource: name, withExtension: type),
        let model = NSManagedObjectModel(contentsOf: url)
      {
        return model
      }
    }
    warn(
      MisuseReport(
        "Failed to load model named \(name).",
        how: "None of the program's targets has \(name).momd or \(name).mom among its resources.",
        remedy: "Let the target that holds \(name).xcdatamodeld use the CompileDataModel plugin, or hand the "
          + "container a model: NSPersistentContainer(name:managedObjectModel:)."))
    return NSManagedObjectModel()
  }

  /// Opens the stores. The handler is called once for each description, with an error where one could not be
  /// opened: before this returns, on the calling thread, or for an asynchronous description later, on a
  /// background queue. A failure leaves the other stores loaded. A description whose file is open already fails
  /// with the code 134081; one of a store in memory that is there already succeeds, and nothing is added.
  @preconcurrency
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    load(persistentStoreDescriptions, completionHandler: block)
  }

  /// ``loadPersistentStores(completionHandler:)`` for some of the descriptions.
  final func load(
    _ descriptions: [NSPersistentStoreDescription],
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    persistentStoreCoordinator.withStores { $0.loading = .asked }
    for description in descriptions {
      if isLoadedInMemory(description) {
        block(description, nil)
        continue
      }
      persistentStoreCoordinator.addPersistentStore(with: description) { added, error in
        if error == nil { self.lock.withLock { self.loaded.append(added) } }
        block(added, error)
      }
    }
  }

  /// Whether a description's store was loaded into memory. Several such stores may share a URL, so the coordinator
  /// can't tell that it has this one.
  private func isLoadedInMemory(_ description: NSPersistentStoreDescription) -> Bool {
    guard description.isInMemory else { return false }
    let url = description.url ?? .storeInMemory
    return lock.withLock { loaded.contains { $0 === description } }
      && persistentStoreCoordinator.persistentStores.contains { $0.url == url && $0.type == description.type }
  }

  /// A new context on a private queue.
  @discardableResult
  open func newBackgroundContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }

  /// Runs a block with a context of its own, on that context's queue, later.
  @preconcurrency
  open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.perform { block(context) }
  }
}

nonisolated extension NSPersistentContainer: _BlockPerforming {}

nonisolated extension _BlockPerforming where Self: NSPersistentContainer {
  /// Runs a block with a context of its own, on that context's queue, and returns what it returns.
  @preconcurrency
  public func performBackgroundTask<T>(
    _ block: @escaping @Sendable (NSManagedObjectContext) throws -> T
  ) async rethrows -> T {
    let context = newBackgroundContext()
    return try await context.perform { try block(context) }
  }
}

nonisolated extension NSPersistentContainer: _MadeWithName {
  /// A container of this class, by its own ``init(name:managedObjectModel:)``; see `DynamicInitializers.swift`.
  @_silgen_name("core_data_make_container")
  fileprivate static func makeDynamically(
    _ name: __owned String, _ model: __owned NSManagedObjectModel
  ) -> NSPersistentContainer
}

/// Containers, for `self.init(name:)` in their static methods; see `DynamicInitializers.swift`.
public protocol _MadeWithName {}

extension _MadeWithName {
  /// Makes a container of a class that is a value, for the model of this name among the program's resources.
  public init(name: String) {
    self.init(name: name, managedObjectModel: NSPersistentContainer.model(named: name))
  }

  /// Makes a container of a class that is a value, for a model that the program has.
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    self = (Self.self as! NSPersistentContainer.Type).makeDynamically(name, model) as! Self
  }
}
