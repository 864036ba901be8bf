import CoreData
import ExerciseSupport

extension NSManagedObjectContext {
  /// Saves, if there are changes.
  ///
  /// - Returns: Whether there was anything to save.
  /// - Throws: The save's error. The changes are then still in the context.
  @discardableResult
  func saveIfNeeded() throws -> Bool {
    // TODO: Save when there are changes and only then, and tell the caller how it went.
    throw Unfinished("the context is saved when it has changes, and the caller learns of a failure")
  }
}
