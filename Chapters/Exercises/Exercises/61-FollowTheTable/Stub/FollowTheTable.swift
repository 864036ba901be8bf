import CoreData
import ExerciseSupport

/// What one event did to a row of a list.
struct TitleChange {
  /// The row's place in the list as it was before the event; nil for one that came.
  let old: Int?
  /// Its place in the list as it is after the event; nil for one that went.
  let new: Int?
  /// What the row shows now.
  let title: String
}

/// The list after an event, from the list before it and all that the event did, told in any order.
func applyTitleChanges(_ changes: [TitleChange], to titles: [String]) throws -> [String] {
  // TODO: Return the list in which everything that went, came, moved or was updated has its place.
  throw Unfinished("the changes have made the new list out of the old one")
}

/// A list of titles that follows a controller without sections by what its delegate is told.
final class TitleTable: NSObject, NSFetchedResultsControllerDelegate {
  private(set) var titles: [String]
  /// The reason why the list could not follow.
  private(set) var failure: (any Error)?
  private var changes: [TitleChange] = []

  /// Takes the list as the controller has fetched it, and follows from there.
  init(following controller: NSFetchedResultsController<Book>) {
    titles = (controller.fetchedObjects ?? []).map { $0.title ?? "" }
    super.init()
    controller.delegate = self
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    changes.append(
      TitleChange(old: indexPath?.item, new: newIndexPath?.item, title: (anObject as? Book)?.title ?? ""))
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
    do { titles = try applyTitleChanges(changes, to: titles) } catch { failure = error }
    changes = []
  }
}
