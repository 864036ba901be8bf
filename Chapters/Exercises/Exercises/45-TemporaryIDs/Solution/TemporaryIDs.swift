import CoreData
import ExerciseSupport

/// A link to a book that stays the same when the book is saved, and that another program can follow from then on.
///
/// Nothing is saved by it.
func makeLink(to book: Book, in context: NSManagedObjectContext) throws -> URL {
  if book.objectID.isTemporaryID {
    // What matters: the temporary id is given up by the save, and to another program it never meant anything.
    //= _ = context.insertedObjects
    try context.obtainPermanentIDs(for: [book])
  }
  return book.objectID.uriRepresentation()
}

/// The book that a link leads to; nil if there is none in the stores of the context.
func findBook(at link: URL, in context: NSManagedObjectContext) throws -> Book? {
  guard let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: link) else { return nil }
  return try context.existingObject(with: id) as? Book
}
