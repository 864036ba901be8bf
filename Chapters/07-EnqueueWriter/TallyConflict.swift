import CoreData

/// A conflict over a tally: what was read, what was to be saved, and what is in the store now.
public struct TallyConflict: Equatable, Sendable {
  public let readVersion: Int
  public let storedVersion: Int
  public let readTotal: Int64?
  public let wantedTotal: Int64?
  public let storedTotal: Int64?

  //> read-conflict
  /// The conflicts in a save's error; none if it failed for another reason. Call it on the queue
  /// of the context that could not save, since a conflict holds that context's object.
  static func all(in error: any Error) -> [TallyConflict] {
    // The key has no constant of its own.
    let list = (error as NSError).userInfo["conflictList"]
    return (list as? [NSMergeConflict] ?? []).map { conflict in
      // The row as it is now: from the file, or from another context of this coordinator.
      let stored = conflict.persistedSnapshot ?? conflict.cachedSnapshot
      return TallyConflict(
        readVersion: conflict.oldVersionNumber,
        storedVersion: conflict.newVersionNumber,
        readTotal: conflict.objectSnapshot?["total"] as? Int64,
        wantedTotal: (conflict.sourceObject as? Tally)?.total,
        storedTotal: stored?["total"] as? Int64)
    }
  }
  //< read-conflict
}
