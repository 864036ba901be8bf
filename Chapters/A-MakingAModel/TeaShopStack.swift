import CoreData
import Foundation

/// The tea shop's container. One file holds all entities.
public final class TeaShopStack {
  public static let storeName = "TeaShop.sqlite"

  public let container: NSPersistentContainer
  public var context: NSManagedObjectContext { container.viewContext }

  /// - Throws: What `loadPersistentStores` says.
  public init(folder: URL) throws {
    container = NSPersistentContainer(name: "TeaShop")
    let url = folder.appendingPathComponent(Self.storeName)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }

  public func tea(_ code: String, _ name: String) -> Tea {
    let tea = Tea(context: context)
    tea.code = code
    tea.name = name
    return tea
  }

  public func close() throws {
    context.reset()
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
