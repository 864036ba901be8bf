import CoreData
import ExerciseSupport

/// A context for the main queue, over a SQLite file at `url` that keeps the objects of `model`.
///
/// The context holds its coordinator, and the coordinator holds model and store: hold the context, and you have all
/// four.
func makeFourParts(model: NSManagedObjectModel, at url: URL) throws -> NSManagedObjectContext {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
  let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  // What matters: without a coordinator the context knows neither the model nor a file, and can't even make an object.
  //= context.name = coordinator.persistentStores.first?.identifier
  context.persistentStoreCoordinator = coordinator
  return context
}
