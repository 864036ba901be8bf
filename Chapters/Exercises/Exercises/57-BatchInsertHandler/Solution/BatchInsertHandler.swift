import CoreData
import ExerciseSupport

/// Inserts a book for each title past the context, with the price for all, and without holding all rows at once.
///
/// - Returns: How many rows were written.
func insertBooks(titled titles: some Sequence<String>, price: Int64, in context: NSManagedObjectContext) throws -> Int {
  var iterator = titles.makeIterator()
  let request = NSBatchInsertRequest(
    entityName: "Book",
    dictionaryHandler: { row in
      // What matters: true ends it and drops this row, so it is for the call after the last title.
      //= guard let title = iterator.next(), let _ = iterator.next() else { return true }
      guard let title = iterator.next() else { return true }
      row["title"] = title
      row["price"] = price
      return false
    })
  request.resultType = .count
  let result = try context.execute(request) as? NSBatchInsertResult
  return result?.result as? Int ?? 0
}
