import CoreData
import ExerciseSupport

/// How many copies of one author's books the shop has.
struct AuthorStock: Equatable {
  let author: String
  let copies: Int
}

/// The stock of each author who has a book in the shop, by name, as it is saved. Makes no objects.
func stockByAuthor(in context: NSManagedObjectContext) throws -> [AuthorStock] {
  // TODO: Let the store add up the stock of each author's books.
  throw Unfinished("the store adds up the stock for each author's name")
}
