import CoreData
import ExerciseSupport

/// The domain of the bookshop's own errors.
let bookshopErrorDomain = "Bookshop"

/// A coordinator with a SQLite store at `url`.
///
/// - Throws: If the store can't be opened, an error in ``bookshopErrorDomain`` with code 1. Its description is "The
///   bookshop could not be opened", its failure reason has the path of the file, and its underlying error is the one
///   that Core Data threw.
func openBookshop(model: NSManagedObjectModel, at url: URL) throws -> NSPersistentStoreCoordinator {
  let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  do {
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
  } catch {
    // TODO: Throw the bookshop's own error, with a description, a reason that has the path, and what lies under it.
    throw Unfinished("the failure has a description for the user, the path, and Core Data's error")
  }
  return coordinator
}
