import CoreData
import ExerciseSupport

/// Saves what `change` does, also where other machines save in between.
///
/// - Parameters:
///   - attempts: How many saves are tried, at least one.
///   - change: Fetches what it changes, and changes it. It may run several times.
/// - Throws: The last conflict if every attempt met one; any other error at once.
func saveAgain(_ attempts: Int, in context: NSManagedObjectContext, _ change: () throws -> Void) throws {
  // TODO: A conflict makes the block run again, on what is stored by then.
  try change()
  try context.save()
}
