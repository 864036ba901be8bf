import Foundation

/// What happens to a store of another version of the model when it is added.
///
/// | options | what migrates it |
/// |---|---|
/// | a staged migration manager | its stages, one after the other |
/// | migrate automatically | the mapping model that a bundle has for the two versions |
/// | …and infer | where there is none: the mapping that the two models imply; in place for SQLite |
/// | neither | nothing: the store is not opened, error 134100 |
extension NSPersistentStoreCoordinator {
  /// Brings a store to the coordinator's model if it is of another version and the options ask for it.
  ///
  /// Does nothing for stores that are not there, and for those whose file can't be read: opening them says what is
  /// wrong.
  func migrateIfAsked(
    _ storeClass: NSPersistentStore.Type, type: String, _ configuration: String?, at url: URL,
    _ options: [AnyHashable: Any]?
  ) throws {
    let configuration = configuration == NSPersistentStore.defaultConfigurationName ? nil : configuration
    guard isMigrationAskedFor(options),
      !StoreCompatibility.isOn(NSIgnorePersistentStoreVersioningOption, options),
      url.isFileURL, url.path != "/dev/null", type != NSInMemoryStoreType, StoreFiles.isOccupied(url)
    else { return }
    if !StoreCompatibility.isOn(NSReadOnlyPersistentStoreOption, options) {
      MigrationFolder.removeAbandoned(beside: url)
    }
    guard let metadata = try? storeClass.metadataForPersistentStore(with: url),
      metadata[NSStoreTypeKey] as? String ?? type == type,
      let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data],
      let hashes = managedObjectModel.versionHashesByName(forConfigurationName: configuration),
      !Failure.Difference(stored: stored, model: hashes).isEmpty
    else { return }
    let migration = StoreMigration(
      storeClass: storeClass, type: type, url: url, configuration: configuration, options: options,
      metadata: metadata, destination: managedObjectModel)
    try publicErrors { try migration.run() }
  }
  /// A manager of stages asks for its migration, unless the options say that there is to be none.
  private func isMigrationAskedFor(_ options: [AnyHashable: Any]?) -> Bool {
    if options?[NSMigratePersistentStoresAutomaticallyOption] == nil {
      guard let manager = options?[NSPersistentStoreStagedMigrationManagerOptionKey] else { return false }
      return !(manager is NSNull)
    }
    return StoreCompatibility.isOn(NSMigratePersistentStoresAutomaticallyOption, options)
  }
}
