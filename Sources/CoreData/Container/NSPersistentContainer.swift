/// A whole stack: model, coordinator, stores, and a context for the main queue.
///
///     let container = NSPersistentContainer(name: "Library")
///     container.loadPersistentStores { description, error in … }
///     let books = try container.viewContext.fetch(Book.fetchRequest())
open class NSPersistentContainer: NSObject, @unchecked Sendable {
  // `@unchecked Sendable`, as in Apple's SDK: set up on one thread, then only read.

  /// The name of the model and of the store's file.
  public let name: String
  public let managedObjectModel: NSManagedObjectModel
  public let persistentStoreCoordinator: NSPersistentStoreCoordinator

  /// The main queue's context.
  public let viewContext: NSManagedObjectContext

  /// The stores to open; one SQLite store in ``defaultDirectoryURL()`` unless set otherwise before loading.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription]

  /// Where stores live by default: the user's application support folder. Made when it is missing.
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

  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    self.name = name
    managedObjectModel = model
    persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    viewContext.persistentStoreCoordinator = persistentStoreCoordinator
    viewContext.name = "viewContext"
    persistentStoreDescriptions = []
    super.init()
    let file = type(of: self).defaultDirectoryURL().appendingPathComponent("\(name).sqlite")
    persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
  }

  private static func model(named name: String) -> NSManagedObjectModel {
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
        how: "No \(name).momd or \(name).mom lies among the resources of the program's targets.",
        remedy: "Let the target that holds \(name).xcdatamodeld use the CompileDataModel plugin, or hand the "
          + "container a model: NSPersistentContainer(name:managedObjectModel:)."))
    return NSManagedObjectModel()
  }

  /// Opens the stores. The handler is called once for each description, with an error where one could not be
  /// opened: before this returns, on the calling thread, or for an asynchronous description later, on a
  /// background queue.
  @preconcurrency
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    for description in persistentStoreDescriptions {
      if let url = description.url, description.type != NSInMemoryStoreType, url.path != "/dev/null",
        persistentStoreCoordinator.persistentStore(for: url) != nil
      {
        continue
      }
      persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
    }
  }

  /// A new context on a private queue.
  open func newBackgroundContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }

  /// Runs a block with a context of its own, on that context's queue, later.
  open func performBackgroundTask(_ block: sending @escaping (NSManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.perform { block(context) }
  }

  /// Runs a block with a context of its own, on that context's queue, and returns what it returns.
  public func performBackgroundTask<T, Problem: Error>(
    _ block: sending @escaping (NSManagedObjectContext) throws(Problem) -> T
  ) async throws(Problem) -> T {
    let context = newBackgroundContext()
    return try await context.perform { () throws(Problem) -> T in try block(context) }
  }
}
