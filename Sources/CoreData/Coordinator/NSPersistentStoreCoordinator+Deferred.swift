/// Lightweight migrations whose costly part was put off with
/// `NSPersistentStoreDeferredLightweightMigrationOptionKey`. A store that has such a part has the same key in its
/// metadata, with the value true, until it is done.
extension NSPersistentStoreCoordinator {
  /// Does everything that migrations of the coordinator's stores have put off.
  ///
  /// Blocks until it is done; other stores and readers go on meanwhile. Any thread.
  ///
  /// - Throws: what SQLite says. A store's part is done as a whole or not at all.
  public func finishDeferredLightweightMigration() throws {
    try publicErrors {
      for case let store as any InPlaceMigrating in persistentStores {
        _ = try store.finishDeferredMigration(isOne: false)
      }
    }
  }

  /// Does one piece, a table or a column, of what migrations have put off; nothing where nothing is left.
  ///
  /// - Throws: what SQLite says; the piece is then still to be done.
  public func finishDeferredLightweightMigrationTask() throws {
    try publicErrors {
      for case let store as any InPlaceMigrating in persistentStores
      where try store.finishDeferredMigration(isOne: true) { return }
    }
  }
}
