import CoreData
import ExerciseSupport

/// A context for the main queue, for lists that stay on the screen while other contexts save.
///
/// Its objects take over what the coordinator's other contexts save, without being fetched again.
func makeListeningContext(on coordinator: NSPersistentStoreCoordinator) throws -> NSManagedObjectContext {
  let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
  context.persistentStoreCoordinator = coordinator
  // What matters: a context keeps the rows that it has read. It is off unless asked for, since a merge may change an
  // object at any turn of the queue, and not every program wants that.
  //= context.automaticallyMergesChangesFromParent = false
  context.automaticallyMergesChangesFromParent = true
  return context
}
