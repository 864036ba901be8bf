import CoreData

/// The stack as `NSPersistentContainer` builds it: one lazy property in place of four.
public final class NotesStack {
  public static let storeName = "ContainerStack.sqlite"

  /// Why the store is not there, if it is not. Set when `persistentContainer` is first asked for.
  public private(set) var loadingFailure: (any Error)?

  private let folder: URL?

  /// - Parameter folder: Where the store's file is; the container's own default if nil.
  public init(folder: URL? = nil) {
    self.folder = folder
  }

  //> container
  public lazy var persistentContainer: NSPersistentContainer = {
    let container = NSPersistentContainer(name: "ContainerStack")
    if let folder {
      let url = folder.appendingPathComponent(Self.storeName)
      let description = NSPersistentStoreDescription(url: url)
      container.persistentStoreDescriptions = [description]
    }
    // The handler is called once for each description, and, as nothing asks for it to be
    // asynchronous, before `loadPersistentStores` returns.
    container.loadPersistentStores { [self] _, error in
      loadingFailure = error
    }
    return container
  }()
  //< container

  //> view-context
  /// The main queue's context. It hears of what other contexts save.
  public lazy var viewContext: NSManagedObjectContext = {
    let context = persistentContainer.viewContext
    context.automaticallyMergesChangesFromParent = true
    return context
  }()
  //< view-context

  //> save
  /// Asks first, saves then.
  ///
  /// - Returns: Whether there was anything to save.
  /// - Throws: `loadingFailure` if there is no store; else the save's own error, with the
  ///   changes still in the context.
  @discardableResult
  public func saveContext() throws -> Bool {
    let context = viewContext
    if let loadingFailure { throw loadingFailure }
    guard context.hasChanges else { return false }
    try context.save()
    return true
  }
  //< save

  //> save-backwards
  /// The same the wrong way round, as one meets it: saves, then asks `hasChanges` to learn
  /// whether it went well.
  public func saveContextBackwards() -> Bool {
    try? viewContext.save()
    return viewContext.hasChanges
  }
  //< save-backwards

  //> background
  /// Runs `work` in a new context on a queue of its own, and saves what it did.
  public func performInBackground<Value>(
    _ work: @escaping (NSManagedObjectContext) throws -> Value
  ) async throws -> Value {
    try await persistentContainer.performBackgroundTask { context in
      let value = try work(context)
      if context.hasChanges { try context.save() }
      return value
    }
  }
  //< background

  /// Takes the stores off the coordinator, which closes their files.
  public func close() throws {
    viewContext.reset()
    let coordinator = persistentContainer.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
