import CoreData
import ExerciseSupport

/// How many different books are in these baskets. Each basket is of a context of its own, and all books are saved.
func differentBooks(in baskets: [[Book]]) throws -> Int {
  // TODO: Count a book once, also when two contexts have an object of it.
  throw Unfinished("a book is counted once, however many contexts have an object of it")
}
