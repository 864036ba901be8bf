import CoreData
import ExerciseSupport

/// What a program does after a save that threw.
enum NextStep: Equatable {
  /// Nothing was written, and the same save may succeed later.
  case saveAgain
  /// Another machine came first: read again, change again, save again.
  case readAgain
  /// It may have been written: look, before you do anything twice.
  case lookFirst
  /// A person has to know.
  case tell
}

/// - Parameter error: What `save()` threw, with a store on a server.
func nextStep(after error: NSError) throws -> NextStep {
  // TODO: Return the step after which nothing is lost and nothing has been done twice.
  throw Unfinished("each error leads to its step")
}
