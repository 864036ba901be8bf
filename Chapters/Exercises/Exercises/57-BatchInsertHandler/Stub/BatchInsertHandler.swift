import CoreData
import ExerciseSupport

/// A request that inserts a book for each title, with the price for all, and without holding all rows at once.
func bookInsertion(of titles: some Sequence<String>, price: Int64) throws -> NSBatchInsertRequest {
  // TODO: Return a batch request that asks for the rows one by one, and inserts exactly one for each title.
  throw Unfinished("a batch insert asks for the titles one by one and writes a row for each")
}
