import CoreData
import ExerciseSupport

/// The authors of these names, by name: those that the shop has, and new ones for the rest. Does not save.
///
/// - Parameter names: A batch as it comes in a file; a name may be in it several times.
func findOrCreateAuthors(named names: [String], in context: NSManagedObjectContext) throws -> [String: Author] {
  let request = NSFetchRequest<Author>(entityName: "Author")
  request.predicate = NSPredicate(format: "name IN %@", names)
  var authors: [String: Author] = [:]
  for author in try context.fetch(request) { authors[author.name ?? ""] = author }
  // What matters: the dictionary is asked and not the store, and it learns of the new ones as they are made.
  //= for name in names {
  for name in names where authors[name] == nil {
    let author = Author(context: context)
    author.name = name
    authors[name] = author
  }
  return authors
}
