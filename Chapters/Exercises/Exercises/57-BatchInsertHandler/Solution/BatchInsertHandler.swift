import CoreData
import ExerciseSupport

/// A request that inserts a book for each title, with the price for all, and without holding all rows at once.
func bookInsertion(of titles: some Sequence<String>, price: Int64) throws -> NSBatchInsertRequest {
  var iterator = titles.makeIterator()
  return NSBatchInsertRequest(
    entityName: "Book",
    dictionaryHandler: { row in
      // What matters: true ends it and drops this row, so it is for the call after the last title.
      //= guard let title = iterator.next(), let _ = iterator.next() else { return true }
      guard let title = iterator.next() else { return true }
      row["title"] = title
      row["price"] = price
      return false
    })
}
