import CoreData
import Foundation

/// A fresh folder for one test, with what most tests need: the bookshop's model and stacks on files in the folder.
public final class Bench {
  /// Removed with the bench.
  public let folder: URL

  public init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("strata-exercise-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  public var storeURL: URL { folder.appendingPathComponent("Bookshop.sqlite") }

  /// Authors, books and orders. Read once: two models of the same classes would each claim them.
  public static let model: NSManagedObjectModel = {
    guard let model = NSManagedObjectModel.mergedModel(from: [.module]) else {
      fatalError("The bookshop's model is missing from the exercises' resources.")
    }
    return model
  }()

  /// A coordinator with a SQLite store in the folder; several on one file are several stacks.
  public func makeCoordinator(type: String = NSSQLiteStoreType) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: storeURL, options: nil)
    return coordinator
  }

  /// A context on a coordinator, for the main queue unless said otherwise.
  public func makeContext(
    _ coordinator: NSPersistentStoreCoordinator,
    _ type: NSManagedObjectContextConcurrencyType = .mainQueueConcurrencyType
  ) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: type)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// How many objects of an entity `work` makes, also of those that it drops again. Its context is new, belongs to the
  /// main queue, and has the SQLite store in the folder.
  public func objects(of entity: String, madeBy work: (NSManagedObjectContext) throws -> Void) throws -> Int {
    let context = makeContext(try makeCoordinator())
    context.retainsRegisteredObjects = true
    try work(context)
    return context.registeredObjects.filter { $0.entity.name == entity }.count
  }

  /// What another program would find in the file: the number of rows of an entity, asked by a stack of its own.
  public func savedCount(of entity: String) throws -> Int {
    let context = makeContext(try makeCoordinator(), .privateQueueConcurrencyType)
    return try context.performAndWait { try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity)) }
  }
}
