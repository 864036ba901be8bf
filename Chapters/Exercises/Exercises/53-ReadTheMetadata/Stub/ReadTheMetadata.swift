import CoreData
import ExerciseSupport

/// Whether the SQLite store at `url` can be opened with `model` as it is. The store is neither opened nor changed.
///
/// - Throws: If there is no such file, or it is no store.
func storeFits(_ model: NSManagedObjectModel, at url: URL) throws -> Bool {
  // TODO: Compare the model with what the file says of the model that wrote it.
  throw Unfinished("the file's metadata have been compared with the model")
}
