import CoreData
import ExerciseSupport

/// Changes to books, in steps that can be taken back one by one.
final class PriceSteps {
  let context: NSManagedObjectContext
  let undoManager = UndoManager()

  /// The context should have no unsaved changes.
  init(context: NSManagedObjectContext) {
    self.context = context
    // What matters: else there is a group for the event around every other, and undo takes back all of the event.
    //= undoManager.groupsByEvent = true
    undoManager.groupsByEvent = false
    context.undoManager = undoManager
  }

  /// Runs `change` as one step of undo, which has this name.
  func step(_ name: String, _ change: () throws -> Void) throws {
    undoManager.beginUndoGrouping()
    defer {
      // The context registers what it has processed. Later than this, the group would be closed.
      context.processPendingChanges()
      undoManager.setActionName(name)
      undoManager.endUndoGrouping()
    }
    try change()
  }
}
