import CoreData
import ExerciseSupport

/// A coordinator that keeps the objects of `model` in a SQLite file at `url`.
func makeShopCoordinator(model: NSManagedObjectModel, at url: URL) throws -> NSPersistentStoreCoordinator {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  // What matters: the type decides that it is a SQLite file; with the in-memory type everything would work until the
  // program ends.
  //= try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: url, options: nil)
  try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
  return coordinator
}
