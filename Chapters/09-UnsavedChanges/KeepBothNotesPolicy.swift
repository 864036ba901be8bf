import CoreData

//> custom-policy
/// Merges property by property, and where both sides wrote notes, keeps both. It has no state
/// of its own, so that any thread may have it.
public final class KeepBothNotesPolicy: NSMergePolicy, @unchecked Sendable {
  public override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    let notes = list.map { ($0.sourceObject as? Recipe)?.notes }
    try super.resolve(optimisticLockingConflicts: list)
    for (conflict, mine) in zip(list, notes) {
      let stored = conflict.persistedSnapshot ?? conflict.cachedSnapshot
      guard let recipe = conflict.sourceObject as? Recipe, let mine,
        let theirs = stored?["notes"] as? String
      else { continue }
      let read = conflict.objectSnapshot?["notes"] as? String
      if mine != read, theirs != read, mine != theirs {
        recipe.notes = theirs + " " + mine
      }
    }
  }
}
//< custom-policy
