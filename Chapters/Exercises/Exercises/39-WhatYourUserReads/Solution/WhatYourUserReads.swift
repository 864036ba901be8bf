import CoreData
import ExerciseSupport

/// What someone reads whose data can't be opened. `name` is the file's.
///
/// - A store of another version: "NAME was written by another version of this program."
/// - Not readable as a store: "NAME is damaged, or not a file of this program. Keep it, and ask for help."
/// - Another program holds a lock: "NAME is in use by another program. Close it, and try again."
/// - Anything else: "NAME can't be opened now (DOMAIN CODE)."
func sentence(for error: any Error, opening name: String) throws -> String {
  let error = error as NSError
  // What matters: code 256 or 134080 is said of many things. What stands in the way is SQLite's own code, beside it.
  //= let sqlite: Int? = nil
  let sqlite = error.userInfo[NSSQLiteErrorDomain] as? Int
  switch (error.code, sqlite) {
  case (NSPersistentStoreIncompatibleVersionHashError, _):
    return "\(name) was written by another version of this program."
  case (CocoaError.fileReadCorruptFile.rawValue, _):
    return "\(name) is damaged, or not a file of this program. Keep it, and ask for help."
  case (NSPersistentStoreTimeoutError, _), (_, 5):  // SQLITE_BUSY
    return "\(name) is in use by another program. Close it, and try again."
  default:
    return "\(name) can't be opened now (\(error.domain) \(error.code))."
  }
}
