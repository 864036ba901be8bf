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
    throw NSError(
      domain: bookshopErrorDomain, code: 1,
      userInfo: [
        NSLocalizedDescriptionKey: "The bookshop could not be opened",
        NSLocalizedFailureReasonErrorKey: "The store \(url.path) could not be added",
        // What matters: the user can do nothing with it, but if you have to find the cause, you have nothing else.
        //= NSUnderlyingErrorKey: NSError(domain: bookshopErrorDomain, code: 0),
        NSUnderlyingErrorKey: error as NSError,
      ])
  }
  return coordinator
}
