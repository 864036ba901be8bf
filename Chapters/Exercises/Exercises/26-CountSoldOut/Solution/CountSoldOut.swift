import CoreData
import ExerciseSupport

/// How many books are sold out. Makes no objects.
func countSoldOut(in context: NSManagedObjectContext) throws -> Int {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.predicate = NSPredicate(format: "stock == 0")
  // What matters: to count what a fetch returns is to read every row, and to make an object of each.
  //= return try context.fetch(request).count
  return try context.count(for: request)
}
