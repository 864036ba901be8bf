import CoreData

//> custom-policy
/// Merges property by property, and where both sides wrote notes, keeps both. It has no state of its own, so
/// that any thread may have it.
public final class KeepBothNotesPolicy: NSMergePolicy, @unchecked Sendable {
  public override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    try super.resolve(optimisticLockingConflicts: list)
    for conflict in list {
      guard let recipe = conflict.sourceObject as? Recipe,
        let mine = conflict.objectSnapshot?["notes"] as? String,
        let theirs = conflict.persistedSnapshot?["notes"] as? String
      else { continue }
      let read = conflict.cachedSnapshot?["notes"] as? String
      if mine != read, theirs != read, mine != theirs {
        recipe.notes = theirs + " " + mine
      }
    }
  }
}
//< custom-policy
