import CoreData
import ExerciseSupport

extension NSManagedObjectContext {
  /// Saves, if there are changes.
  ///
  /// - Returns: Whether there was anything to save.
  /// - Throws: What the save met; the changes are in the context then as before.
  @discardableResult
  func saveIfNeeded() throws -> Bool {
    // What matters: the question comes before the save, when its answer says what the save will do.
    //= _ = hasChanges
    guard hasChanges else { return false }
    try save()
    return true
  }
}
