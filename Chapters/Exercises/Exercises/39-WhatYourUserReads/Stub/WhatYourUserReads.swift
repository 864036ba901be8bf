import CoreData
import ExerciseSupport

/// What someone reads whose data can't be opened. `name` is the file's.
///
/// - A store of another version: "NAME was written by another version of this program."
/// - Not readable as a store: "NAME is damaged, or not a file of this program. Keep it, and ask for help."
/// - Another program holds a lock: "NAME is in use by another program. Close it, and try again."
/// - Anything else: "NAME can't be opened now (DOMAIN CODE)."
func sentence(for error: any Error, opening name: String) throws -> String {
  // TODO: Sort the error by its codes, Core Data's and SQLite's.
  throw Unfinished("each of the four cases has its sentence")
}
