import CoreData
import ExerciseSupport

/// A book that is being edited in a form. Release it, and nothing has changed. The original's context belongs to the
/// main queue; so does the draft.
final class BookDraft {
  let context: NSManagedObjectContext
  let book: Book

  /// Opens a saved book for editing. Throws if it is gone.
  init(of original: Book) throws {
    // TODO: Give the draft its own object of the same book, and below, hand its changes to the original's context.
    throw Unfinished("the draft has its own object of the book, in a context on top of the original's")
  }

  /// Hands the changes to the original's context, which has them unsaved then.
  func keep() throws {
    throw Unfinished("the original's context has the draft's changes, and the file has not")
  }
}
