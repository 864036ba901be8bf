/// The conflicts that stores reported for a commit.
struct StoreConflicts {
  var versions: [(store: StoreIdentity, conflict: VersionConflict)] = []
  var constraints: [(store: StoreIdentity, conflict: ConstraintConflict)] = []
  /// Rows that the stores themselves changed while writing.
  var rewritten: [(store: StoreIdentity, row: RowSnapshot)] = []
  /// The stores that have written their part nevertheless.
  var written: [NSPersistentStore] = []
  /// The error of a custom store, with conflicts that it has made itself.
  var stated: (error: NSError, conflicts: [Any])?
  /// Whether another process has taken keys that were named for new rows. Then the save is planned again, without
  /// asking the merge policy.
  var hasStaleKeys = false

  var isEmpty: Bool { versions.isEmpty && constraints.isEmpty && stated == nil && !hasStaleKeys }
}

/// A save of several stores that failed at one of them. What others have written stays.
// @unchecked Sendable: rows are immutable, stores may be used from any thread.
struct PartialSave: Error, @unchecked Sendable {
  let written: [NSPersistentStore]
  let rewritten: [(store: StoreIdentity, row: RowSnapshot)]
  /// The store that failed, and those that were not asked after it.
  let unsaved: [NSPersistentStore]
  let error: NSError
}
