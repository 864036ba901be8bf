import CoreData

/// The stack as `NSPersistentContainer` builds it: one lazy property instead of four.
public final class NotesStack {
  public static let storeName = "ContainerStack.sqlite"

  /// Why there is no store, if there is none. Set when `persistentContainer` is first used.
  public private(set) var loadingFailure: (any Error)?

  private let folder: URL?

  /// - Parameter folder: Where the store's file is; if nil, the container's default folder.
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
    // Called once for each description. The store is not asynchronous, so it is called
    // before loadPersistentStores returns.
    container.loadPersistentStores { [self] _, error in
      loadingFailure = error
    }
    return container
  }()
  //< container

  //> view-context
  /// The main queue's context. It takes over what other contexts save.
  public lazy var viewContext: NSManagedObjectContext = {
    let context = persistentContainer.viewContext
    context.automaticallyMergesChangesFromParent = true
    return context
  }()
  //< view-context

  //> save
  /// Saves if there is anything to save.
  ///
  /// - Returns: Whether there was.
  /// - Throws: `loadingFailure` if there is no store; otherwise the save's own error. The
  ///   changes are still in the context then.
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
  /// The wrong way round, as you will meet it: saves, then asks `hasChanges` whether the save
  /// succeeded.
  public func saveContextBackwards() -> Bool {
    try? viewContext.save()
    return viewContext.hasChanges
  }
  //< save-backwards

  //> background
  /// Runs `work` in a new context on a queue of its own, then saves.
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
