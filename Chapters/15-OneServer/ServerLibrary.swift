import CoreData
import PostgreSQLStore

/// A library whose store is a database on a server.
public final class ServerLibrary {
  public let container: NSPersistentContainer

  //> open hidden
  /// - Parameters:
  ///   - keepingStatements: Whether connections keep prepared statements, as they do by default.
  ///   - patience: How many seconds a save waits for a server that has gone away.
  public init(at url: URL, keepingStatements: Bool = true, patience: TimeInterval = 30) throws {
    container = NSPersistentContainer(name: "OneServer", managedObjectModel: Self.model)
    let description = NSPersistentStoreDescription(postgreSQL: url)
    description.setOption(keepingStatements as NSNumber, forKey: PostgreSQLPreparedStatementsOption)
    description.setOption(patience as NSNumber, forKey: NSPersistentStoreTimeoutOption)
    container.persistentStoreDescriptions = [description]
    nonisolated(unsafe) var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
  }
  //< open

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
