import CoreData
import ExerciseSupport

/// Whether the SQLite store at `url` can be opened with `model` as it is. The store is neither opened nor changed.
///
/// - Throws: If there is no such file, or it is no store.
func storeFits(_ model: NSManagedObjectModel, at url: URL) throws -> Bool {
  let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
    ofType: NSSQLiteStoreType, at: url, options: nil)
  // What matters: the hashes of all entities are compared, and not only their names.
  //= return metadata[NSStoreModelVersionHashesKey] as? [String: Data] != nil && !model.entities.isEmpty
  return model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
}
