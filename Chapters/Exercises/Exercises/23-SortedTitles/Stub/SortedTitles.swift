import CoreData
import ExerciseSupport

/// The titles of all books, the newest first. Books of the same year come by title, A to Z.
///
/// The store sorts: it has an order for any number of rows, and no object is made to compare them.
func titlesNewestFirst(in context: NSManagedObjectContext) throws -> [String] {
  // TODO: Let the store sort the books by year, newest first, and within a year by title.
  throw Unfinished("the books come sorted by year, newest first, and within a year by title")
}
