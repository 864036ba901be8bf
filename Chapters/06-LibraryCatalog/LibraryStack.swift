import CoreData

/// The library's container: a view context for lists, and contexts in the background for imports.
public final class LibraryStack {
  public static let storeName = "Library.sqlite"

  /// Says in a sentence which library file cannot be used, and why.
  public struct Failure: LocalizedError {
    public let url: URL
    public let underlying: NSError

    public var errorDescription: String? {
      let reason = underlying.localizedFailureReason ?? underlying.localizedDescription
      return "The library \(url.path) cannot be opened: \(reason) (\(underlying.domain) \(underlying.code))"
    }
  }

  public let container: NSPersistentContainer
  /// The library's file; `/dev/null` for a library in memory.
  public let url: URL

  //> library-stack
  /// Opens the library in `folder`; if there is none, makes an empty one.
  public init(folder: URL) throws {
    url = folder.appendingPathComponent(Self.storeName)
    container = NSPersistentContainer(name: "LibraryModel")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    // Set before `loadPersistentStores` returns, since the store is opened while we wait.
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw Failure(url: url, underlying: failure as NSError) }
  }
  //< library-stack

  /// A library of `records` in memory, for questions that only a store can answer.
  init(inMemory records: [CatalogRecord]) throws {
    url = URL(fileURLWithPath: "/dev/null")
    let description = NSPersistentStoreDescription()
    description.type = NSInMemoryStoreType
    container = NSPersistentContainer(name: "LibraryModel")
    container.persistentStoreDescriptions = [description]
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    let writer = CatalogWriter(context: container.viewContext)
    _ = try writer.add(records)
    try writer.saveAndForget()
  }

  /// Closes the library's file.
  public func close() throws {
    container.viewContext.reset()
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  /// The catalogue keys of the books for which `condition` holds. Call it on the main queue.
  func keysOfBooks(meeting condition: BookCondition) throws -> Set<String> {
    let request: NSFetchRequest<BookManagedObject> = BookManagedObject.fetchRequest()
    request.predicate = condition.predicate
    let context = container.viewContext
    return try condition.asking(context) { Set(try context.fetch(request).compactMap(\.catalogKey)) }
  }
}
