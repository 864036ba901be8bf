import CoreData
import ExerciseSupport

/// How many copies of some books are in stock.
///
/// Books that are faults are faults again afterwards, so that a long list doesn't fill the memory. The others stay as
/// they are, with their unsaved changes.
func countCopies(of books: [Book], in context: NSManagedObjectContext) throws -> Int64 {
  var copies: Int64 = 0
  for book in books {
    // An object with unsaved changes is never a fault, so nothing that waits for a save is thrown away.
    let wasFault = book.isFault
    copies += book.stock
    // What matters: only what was a fault is turned back into one. A changed book would lose its change.
    //= context.refresh(book, mergeChanges: false)
    if wasFault { context.refresh(book, mergeChanges: false) }
  }
  return copies
}
