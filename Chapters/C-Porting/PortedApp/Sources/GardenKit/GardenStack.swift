import CoreData
import Foundation

/// The container of the garden's store. Nothing in it knows which system it runs on.
public final class GardenStack {
  public let container: NSPersistentContainer

  //> model
  /// Read once: with two models of the same classes, no one could say whose the classes are.
  static let model: NSManagedObjectModel = {
    // Bundle.module on both systems: the resources of this target, wherever the program lies.
    guard let url = Bundle.module.url(forResource: "Garden", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: url)
    else { fatalError("The program was built without its model.") }
    return model
  }()
  //< model

  //> open
  /// Opens the store.
  ///
  /// - Parameter url: Where its file is. `/dev/null` keeps it in memory, for tests.
  /// - Throws: The error that the container's handler got.
  public init(url: URL) throws {
    container = NSPersistentContainer(name: "Garden", managedObjectModel: Self.model)
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: url)]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    container.viewContext.automaticallyMergesChangesFromParent = true
  }
  //< open
}
