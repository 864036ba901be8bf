import CoreData
import ExerciseSupport

/// A container with its store loaded: the SQLite file Bookshop.sqlite in `folder`.
///
/// - Throws: Why the store could not be loaded. You never get a container without its store.
func loadContainer(model: NSManagedObjectModel, in folder: URL) throws -> NSPersistentContainer {
  let container = NSPersistentContainer(name: "Bookshop", managedObjectModel: model)
  let description = NSPersistentStoreDescription(url: folder.appendingPathComponent("Bookshop.sqlite"))
  container.persistentStoreDescriptions = [description]
  var failure: (any Error)?
  container.loadPersistentStores { _, error in failure = error }
  // What matters: loading itself doesn't throw. Drop the error, and you hear of it at the first save, far from the
  // cause.
  //= _ = failure
  if let failure { throw failure }
  return container
}
