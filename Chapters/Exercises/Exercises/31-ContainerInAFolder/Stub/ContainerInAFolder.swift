import CoreData
import ExerciseSupport

/// A container with its store loaded: the SQLite file Bookshop.sqlite in `folder`.
///
/// - Throws: Why the store could not be loaded. You never get a container without its store.
func loadContainer(model: NSManagedObjectModel, in folder: URL) throws -> NSPersistentContainer {
  // TODO: The container's one store is the file in the folder, and a failure to load it is thrown.
  throw Unfinished("the container has its store in the folder, or its failure is thrown")
}
