import CoreData
import ExerciseSupport

/// The books whose title begins with what someone has typed, by title. Case and accents make no difference.
func books(beginningWith typed: String, in context: NSManagedObjectContext) throws -> [Book] {
  let request = NSFetchRequest<Book>(entityName: "Book")
  // What matters: LIKE would take a typed ? or * for a wildcard. BEGINSWITH takes every character for itself.
  //= request.predicate = NSPredicate(format: "title LIKE[cd] %@", typed + "*")
  request.predicate = NSPredicate(format: "title BEGINSWITH[cd] %@", typed)
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  return try context.fetch(request)
}
