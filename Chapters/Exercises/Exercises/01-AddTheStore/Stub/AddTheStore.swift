import CoreData
import ExerciseSupport

/// A coordinator that keeps the objects of `model` in a SQLite file at `url`.
func makeShopCoordinator(model: NSManagedObjectModel, at url: URL) throws -> NSPersistentStoreCoordinator {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  _ = coordinator
  // TODO: Add a SQLite store at `url`, so that what is saved reaches a file.
  throw Unfinished("the coordinator has a SQLite store at the url")
}
