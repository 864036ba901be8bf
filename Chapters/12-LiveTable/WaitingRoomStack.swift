import CoreData

/// The container of the waiting room: a context that shows, and one that writes.
public final class WaitingRoomStack {
  public static let storeName = "WaitingRoom.sqlite"

  public let container: NSPersistentContainer

  //> two-contexts
  /// For the table, on the main queue. It only shows, and everything it shows comes from the
  /// store.
  public var viewContext: NSManagedObjectContext { container.viewContext }

  /// For all changes, on a queue of its own. There is only one, so no two writers meet.
  public let writer: NSManagedObjectContext

  //> open
  /// Opens the store in `folder`, or makes an empty one.
  ///
  /// - Throws: What `loadPersistentStores` says.
  public init(folder: URL) throws {
    container = NSPersistentContainer(name: "WaitingRoom")
    let url = folder.appendingPathComponent(Self.storeName)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    // Set before `loadPersistentStores` returns: the store is not asynchronous.
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    writer = container.newBackgroundContext()
    container.viewContext.automaticallyMergesChangesFromParent = true
  }
  //< open
  //< two-contexts

  /// Takes the stores off the coordinator, which closes their files.
  public func close() throws {
    viewContext.reset()
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
