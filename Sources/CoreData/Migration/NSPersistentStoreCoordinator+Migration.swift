import Foundation

/// Migrates a store of another version of the model when it is added.
///
/// | options | the store is migrated by |
/// |---|---|
/// | a staged migration manager | its stages, one after the other |
/// | migrate automatically | the mapping model that a bundle has for the two versions |
/// | …and infer | if there is none, the inferred mapping of the two models; in place for SQLite and on servers |
/// | neither | nothing: the store is not opened, error 134100 |
extension NSPersistentStoreCoordinator {
  /// Opens a store. If it is of another version and the options ask for a migration, migrates it first to the
  /// coordinator's model.
  ///
  /// It tries to open the store before anything else, because the versions nearly always agree, and then nothing is
  /// read twice. A store that does not open for another reason, or whose metadata can't be read, fails as it would
  /// without the options.
  func openMigrating(
    _ storeClass: NSPersistentStore.Type, type: String, configuration: String?, at url: URL,
    options: [AnyHashable: Any]?
  ) throws -> NSPersistentStore {
    let isOnServer = storeClass is any ServerStore.Type
    guard type != NSInMemoryStoreType, !url.isStoreInMemory, isOnServer || url.isFileURL,
      isMigrationAskedFor(options), options?.flag(NSIgnorePersistentStoreVersioningOption) != true,
      isOnServer || StoreFiles.isOccupied(url)
    else { return try openStore(storeClass, configuration: configuration, at: url, options: options) }
    if !isOnServer, options?.flag(NSReadOnlyPersistentStoreOption) != true {
      MigrationFolder.removeAbandoned(beside: url)
    }
    do {
      return try openStore(storeClass, configuration: configuration, at: url, options: options)
    } catch let error as NSError where Self.isOfAnotherVersion(error) {
      guard let migration = migration(storeClass, type: type, configuration: configuration, at: url, options: options)
      else {
        if isOfOwnVersion(storeClass, configuration, at: url) {
          return try openStore(storeClass, configuration: configuration, at: url, options: options)
        }
        throw error
      }
      do { try publicErrors { try migration.run() } } catch {
        // Another process that opens the store at the same time may have been faster.
        if !isOfOwnVersion(storeClass, configuration, at: url) { throw error }
      }
      return try openStore(storeClass, configuration: configuration, at: url, options: options)
    }
  }

  private static func isOfAnotherVersion(_ error: NSError) -> Bool {
    error.domain == NSCocoaErrorDomain
      && [NSPersistentStoreIncompatibleVersionHashError, NSMigrationMissingMappingModelError].contains(error.code)
  }

  /// The migration that a store needs; nil for a store of this version, and for one that does not state its version.
  private func migration(
    _ storeClass: NSPersistentStore.Type, type: String, configuration: String?, at url: URL,
    options: [AnyHashable: Any]?
  ) -> StoreMigration? {
    guard let metadata = try? storeClass.metadataForPersistentStore(with: url),
      metadata[NSStoreTypeKey] as? String ?? type == type, agrees(metadata, configuration) == false
    else { return nil }
    return StoreMigration(
      storeClass: storeClass, type: type, url: url,
      configuration: ownModel.configuration(unlessDefault: configuration), options: options,
      metadata: metadata, destination: ownModel)
  }

  private func isOfOwnVersion(_ storeClass: NSPersistentStore.Type, _ configuration: String?, at url: URL) -> Bool {
    (try? storeClass.metadataForPersistentStore(with: url)).flatMap { agrees($0, configuration) } == true
  }

  /// Whether a store's metadata states the hashes of the coordinator's model; nil if it states none.
  private func agrees(_ metadata: [String: Any], _ configuration: String?) -> Bool? {
    guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data],
      let hashes = ownModel.versionHashesByName(forConfigurationName: configuration)
    else { return nil }
    return Failure.Difference(stored: stored, model: hashes).isEmpty
  }

  /// Whether the options ask for a migration. A staged migration manager does, unless they turn migration off.
  private func isMigrationAskedFor(_ options: [AnyHashable: Any]?) -> Bool {
    if options?[NSMigratePersistentStoresAutomaticallyOption] == nil {
      guard let manager = options?[NSPersistentStoreStagedMigrationManagerOptionKey] else { return false }
      return !(manager is NSNull)
    }
    return options?.flag(NSMigratePersistentStoresAutomaticallyOption) == true
  }
}
