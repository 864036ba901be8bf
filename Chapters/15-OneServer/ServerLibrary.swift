import CoreData
import PostgreSQLStore

/// A library whose store is a database on a server.
public final class ServerLibrary {
  public let container: NSPersistentContainer

  //> open
  /// Connects, and makes the tables if the database has none.
  ///
  /// - Throws: What `loadPersistentStores` says.
  public init(at url: URL, options: [String: NSObject] = [:]) throws {
    container = NSPersistentContainer(name: "OneServer", managedObjectModel: Self.model)
    let description = NSPersistentStoreDescription(postgreSQL: url)
    for (key, value) in options { description.setOption(value, forKey: key) }
    container.persistentStoreDescriptions = [description]
    // Set before `loadPersistentStores` returns: the store is not asynchronous.
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }
  //< open

  //> telling
  /// The options of a store that records each save, and hears of those of others.
  public static let telling: [String: NSObject] = [
    NSPersistentHistoryTrackingKey: true as NSNumber,
    NSPersistentStoreRemoteChangeNotificationPostOptionKey: true as NSNumber,
  ]
  //< telling

  /// Read once: two models of the same classes would each claim them.
  static let model: NSManagedObjectModel = {
    guard let model = NSManagedObjectModel.mergedModel(from: [.module]) else {
      fatalError("The chapter's model is missing from its resources.")
    }
    return model
  }()

  /// How often the store has sent something to the server and waited for the answer.
  package var trips: Int {
    container.persistentStoreCoordinator.persistentStores.reduce(0) { $0 + (($1 as? PostgreSQLStore)?.trips ?? 0) }
  }
}
