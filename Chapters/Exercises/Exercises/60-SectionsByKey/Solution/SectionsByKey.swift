import CoreData
import ExerciseSupport

/// The shop's books that have an author, in one section for each author's name, by title within the section. Fetched.
func booksByAuthor(in context: NSManagedObjectContext) throws -> NSFetchedResultsController<Book> {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.predicate = NSPredicate(format: "author != nil")
  request.sortDescriptors = [
    // What matters: sorted by the section's name first, or an author's books are not together.
    //= NSSortDescriptor(key: "price", ascending: true),
    NSSortDescriptor(key: "author.name", ascending: true),
    NSSortDescriptor(key: "title", ascending: true),
  ]
  let controller = NSFetchedResultsController(
    fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "author.name", cacheName: nil)
  try controller.performFetch()
  return controller
}
