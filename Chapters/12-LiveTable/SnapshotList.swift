import CoreData

//> snapshot-delegate
/// The same patients for a screen that wants the whole list each time: section names, ids, and
/// which of the ids have new values.
public final class SnapshotList: NSObject, NSFetchedResultsControllerDelegate {
  public private(set) var snapshot = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>()

  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    self.snapshot = snapshot as NSDiffableDataSourceSnapshot<String, NSManagedObjectID>
  }
}
//< snapshot-delegate

//> difference-delegate
/// The ids of a list without sections. Changes come as one difference, which Swift's arrays can
/// apply.
public final class DifferenceList: NSObject, NSFetchedResultsControllerDelegate {
  public private(set) var ids: [NSManagedObjectID]
  public private(set) var last: CollectionDifference<NSManagedObjectID>?

  public init(_ ids: [NSManagedObjectID]) { self.ids = ids }

  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith difference: CollectionDifference<NSManagedObjectID>
  ) {
    last = difference
    // Nil if the difference is of another list.
    ids = ids.applying(difference) ?? ids
  }
}
//< difference-delegate
