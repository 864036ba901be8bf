import CoreData
import ExerciseSupport

extension NSManagedObjectContext {
  /// Saves, if there are changes.
  ///
  /// - Returns: Whether there was anything to save.
  /// - Throws: The save's error. The changes are then still in the context.
  @discardableResult
  func saveIfNeeded() throws -> Bool {
    // What matters: ask before the save. Only then does the answer say what the save will do.
    //= _ = hasChanges
    guard hasChanges else { return false }
    try save()
    return true
  }
}
