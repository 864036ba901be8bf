import CoreData
import ExerciseSupport

/// The shop's books that have an author, in one section for each author's name, by title within the section. Fetched.
func booksByAuthor(in context: NSManagedObjectContext) throws -> NSFetchedResultsController<Book> {
  // TODO: Make a controller with one section for each author's name, and the titles of each in order.
  throw Unfinished("the controller has a section for each author, with the author's books by title")
}
