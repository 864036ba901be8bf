import CoreData

/// The weather log's container. It keeps a history, and the view context merges what other contexts save.
public final class WeatherStack {
  public static let storeName = "Weather.sqlite"

  public let container: NSPersistentContainer

  public var viewContext: NSManagedObjectContext { container.viewContext }

  //> open
  /// Opens the store in `folder`, or makes an empty one.
  ///
  /// - Throws: What `loadPersistentStores` says.
  public init(folder: URL) throws {
    container = NSPersistentContainer(name: "Weather")
    let url = folder.appendingPathComponent(Self.storeName)
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    container.persistentStoreDescriptions = [description]
    // Set before `loadPersistentStores` returns: the store is not asynchronous.
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    container.viewContext.automaticallyMergesChangesFromParent = true
  }
  //< open

  //> importer
  /// A context for batches. The history records what it writes under the author's name.
  public func newImporter(author: String) -> NSManagedObjectContext {
    let context = container.newBackgroundContext()
    context.transactionAuthor = author
    return context
  }
  //< importer

  /// Takes the store off the coordinator, which closes its file.
  public func close() throws {
    viewContext.reset()
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
