import CoreData
import ExerciseSupport

/// How many books there are, seen from two places.
struct BookCounts: Equatable {
  /// With everything that the context has not saved yet.
  let inContext: Int
  /// What the file has, whatever the context knows.
  let inFile: Int
}

/// Counts books without saving anything.
func countBooks(in context: NSManagedObjectContext) throws -> BookCounts {
  let request = NSFetchRequest<Book>(entityName: "Book")
  let inContext = try context.count(for: request)
  // What matters: without it both counts are the same, since unsaved changes take part in every request.
  //= request.includesPendingChanges = true
  request.includesPendingChanges = false
  return BookCounts(inContext: inContext, inFile: try context.count(for: request))
}
