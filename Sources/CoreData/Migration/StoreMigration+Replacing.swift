import Foundation

extension StoreMigration {
  /// Makes a new store by a mapping model and puts it in the place of the old one.
  func replaceStore(from source: NSManagedObjectModel, by mapping: NSMappingModel) throws {
    throw Failure.unsupportedFeature("Migration by a mapping model")
  }
}
