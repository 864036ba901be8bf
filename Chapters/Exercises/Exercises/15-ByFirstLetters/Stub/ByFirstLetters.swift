import CoreData
import ExerciseSupport

/// The books whose title begins with what someone has typed, by title. Case and accents make no difference.
func books(beginningWith typed: String, in context: NSManagedObjectContext) throws -> [Book] {
  // TODO: Find the books whose title begins with the letters, which may be any characters.
  throw Unfinished("the books are found whose title begins with the typed letters")
}
