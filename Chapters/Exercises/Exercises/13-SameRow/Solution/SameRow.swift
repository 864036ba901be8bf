import CoreData
import ExerciseSupport

/// How many different books are in these baskets. Each basket is of a context of its own, and all books are saved.
func differentBooks(in baskets: [[Book]]) throws -> Int {
  let books = baskets.joined()
  // What matters: within a context a row has one object, but two contexts have two. The id is the row's own.
  //= return Set(books).count
  return Set(books.map(\.objectID)).count
}
