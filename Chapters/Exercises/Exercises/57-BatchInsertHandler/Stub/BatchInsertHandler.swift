import CoreData
import ExerciseSupport

/// Inserts a book for each title past the context, with the price for all, and without holding all rows at once.
///
/// - Returns: How many rows were written.
func insertBooks(titled titles: some Sequence<String>, price: Int64, in context: NSManagedObjectContext) throws -> Int {
  // TODO: Insert exactly one row for each title by a batch request that asks for them one by one.
  throw Unfinished("a batch insert has asked for the titles one by one and written a row for each")
}
