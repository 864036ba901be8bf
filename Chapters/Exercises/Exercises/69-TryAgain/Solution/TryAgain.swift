import CoreData
import ExerciseSupport

/// Saves what `change` does, also where other machines save in between.
///
/// - Parameters:
///   - attempts: How many saves are tried, at least one.
///   - change: Fetches what it changes, and changes it. It may run several times.
/// - Throws: The last conflict if every attempt met one; any other error at once.
func saveAgain(_ attempts: Int, in context: NSManagedObjectContext, _ change: () throws -> Void) throws {
  for attempt in 1...attempts {
    context.reset()
    do {
      try change()
      return try context.save()
      // What matters: behind the last attempt the conflict is the caller's. Swallowed, it would pass for a success.
      //= } catch let error as NSError where error.code == NSManagedObjectMergeError {
    } catch let error as NSError where error.code == NSManagedObjectMergeError && attempt < attempts {
      continue
    }
  }
}
