import CoreData
import ExerciseSupport

/// Changes to books, in steps that can be taken back one by one.
final class PriceSteps {
  let context: NSManagedObjectContext
  let undoManager = UndoManager()

  /// The context should have no unsaved changes.
  init(context: NSManagedObjectContext) {
    self.context = context
    context.undoManager = undoManager
  }

  /// Runs `change` as one step of undo, which has this name.
  func step(_ name: String, _ change: () throws -> Void) throws {
    // TODO: Whatever `change` does is one step, and what a second call in the same event does is another.
    throw Unfinished("each call is one step of undo, with its name")
  }
}
