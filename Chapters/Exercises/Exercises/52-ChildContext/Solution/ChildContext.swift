import CoreData
import ExerciseSupport

/// A book that is being edited in a form. Release it, and nothing has changed. The original's context belongs to the
/// main queue; so does the draft.
final class BookDraft {
  let context: NSManagedObjectContext
  let book: Book

  /// Opens a saved book for editing. Throws if it is gone.
  init(of original: Book) throws {
    context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    // What matters: the parent is where the draft reads from and saves to. On the coordinator, the save would be a save
    // of the file.
    //= context.persistentStoreCoordinator = original.managedObjectContext?.persistentStoreCoordinator
    context.parent = original.managedObjectContext
    // The same id, so the same class.
    book = try context.existingObject(with: original.objectID) as! Book
  }

  /// Hands the changes to the original's context, which has them unsaved then.
  func keep() throws {
    try context.save()
  }
}
