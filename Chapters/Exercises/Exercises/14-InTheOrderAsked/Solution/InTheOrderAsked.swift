import CoreData
import ExerciseSupport

/// The books of these numbers, in the order of the numbers. A number that no book has is left out.
///
/// Asks the store once.
func books(isbns: [String], in context: NSManagedObjectContext) throws -> [Book] {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.predicate = NSPredicate(format: "isbn IN %@", isbns)
  let found = Dictionary(uniqueKeysWithValues: try context.fetch(request).map { ($0.isbn ?? "", $0) })
  // What matters: IN says which rows, and not in which order. The order is that of the list you have.
  //= return isbns.isEmpty ? [] : Array(found.values).sorted { ($0.isbn ?? "") < ($1.isbn ?? "") }
  return isbns.compactMap { found[$0] }
}
