import CoreData
import ExerciseSupport

extension NSManagedObjectContext {
  /// Saves, if there are changes.
  ///
  /// - Returns: Whether there was anything to save.
  /// - Throws: What the save met; the changes are in the context then as before.
  @discardableResult
  func saveIfNeeded() throws -> Bool {
    // TODO: Save when there are changes and only then, and let the caller know what became of it.
    throw Unfinished("the context is saved when it has changes, and the caller learns of a failure")
  }
}
