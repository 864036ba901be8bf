/// Lightweight migrations whose costly part was deferred with `NSPersistentStoreDeferredLightweightMigrationOptionKey`.
/// A store that has such a part has the same key in its metadata, with the value true, until it is done.
extension NSPersistentStoreCoordinator {
  /// Does all the work that migrations of the coordinator's stores have deferred.
  ///
  /// Blocks until it is done; other stores and readers go on meanwhile. Any thread.
  ///
  /// - Throws: SQLite's error. A store's work is done as a whole or not at all.
  public func finishDeferredLightweightMigration() throws {
    try publicErrors {
      for case let store as any InPlaceMigrating in persistentStores {
        _ = try store.finishDeferredMigration(isOne: false)
      }
    }
  }

  /// Does one piece, a table or a column, of the deferred work. Does nothing if none is left.
  ///
  /// - Throws: SQLite's error. The piece then remains to be done.
  public func finishDeferredLightweightMigrationTask() throws {
    try publicErrors {
      for case let store as any InPlaceMigrating in persistentStores
      where try store.finishDeferredMigration(isOne: true) { return }
    }
  }
}
