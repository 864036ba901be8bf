import CoreData

/// The recipes' container, and the kinds of context that one edits in.
public final class RecipeStack {
  public static let storeName = "Recipes.sqlite"

  public let container: NSPersistentContainer

  /// For the main queue. It does not merge what others save, so that one can see what happens then.
  public var viewContext: NSManagedObjectContext { container.viewContext }

  //> recipe-stack
  /// Opens the store in `folder`, or makes an empty one.
  ///
  /// - Throws: What `loadPersistentStores` says.
  public init(folder: URL) throws {
    container = NSPersistentContainer(name: "Recipes")
    let url = folder.appendingPathComponent(Self.storeName)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    // Set before `loadPersistentStores` returns: the store is not asynchronous.
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }
  //< recipe-stack

  //> second-window
  /// A second context for the main queue, as a second window of the program would have.
  public func newMainContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = container.persistentStoreCoordinator
    return context
  }
  //< second-window

  /// Takes the stores off the coordinator, which closes their files.
  public func close() throws {
    viewContext.reset()
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
