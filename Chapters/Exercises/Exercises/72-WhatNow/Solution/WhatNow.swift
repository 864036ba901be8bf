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
  if error.code == NSManagedObjectMergeError { return .readAgain }
  switch error.userInfo["SQLSTATE"] as? String {
  // What matters: the connection was lost on the way back. A save of "one more" that is repeated may be two more.
  //= case "08006", "08007", "53300": return .saveAgain
  case "08006", "53300": return .saveAgain
  case "08007": return .lookFirst
  default: return .tell
  }
}
