/// What happened to an object or a section of a list.
public enum NSFetchedResultsChangeType: UInt, Sendable {
  /// It came.
  case insert = 1
  /// It went.
  case delete = 2
  /// It has another place, and perhaps other values. Objects only.
  case move = 3
  /// It has other values in its place. Objects only.
  case update = 4
}

/// Follows the changes of a fetched results controller's list. Every method is optional.
///
/// For each event that concerns the list, on the context's queue:
///
/// 1. `controllerWillChangeContent(_:)`; the controller still has the old list.
/// 2. `controller(_:didChange:atSectionIndex:for:)` for sections that went, last one first, and for those
///    that came, first one first; the controller has the new list from here on.
/// 3. `controller(_:didChange:at:for:newIndexPath:)` for objects that went (last one first), came, moved, were
///    updated. `at` is a place in the old list, `newIndexPath` one in the new. When a section went or came, its
///    objects get their calls too.
/// 4. `controllerDidChangeContent(_:)`.
///
/// A delegate that implements `controller(_:didChangeContentWith:)` for snapshots gets that call alone. So does one
/// that implements it for differences, if the list has no sections.
///
/// The methods are found as any requirements of a Swift protocol are: in the class that names the protocol,
/// in its extensions and superclasses, and in a subclass only where it overrides one of those.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
  /// The list is about to change; the controller still has the old one.
  func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// A section came or went.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)

  /// An object came (`newIndexPath`), went (`at`), moved or was updated (both).
  ///
  /// It moved when a property that the list is sorted by changed, or its section, or its place among the
  /// others; an update is implied.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

  /// All changes of an event have been told; the controller has the new list.
  func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// The index title of a section; without this method the controller's own, the name's first letter as a
  /// capital.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?

  /// The whole list, after a fetch and after each event that changed it: names of sections (one, "", if the
  /// list has none) and ids of objects. Those that changed or moved are among its `reloadedItemIdentifiers`.
  ///
  /// New objects have temporary ids until they are saved, and a save alone tells nothing: obtain permanent
  /// ids first, with `obtainPermanentIDs(for:)`.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference)

  /// All changes of a list without sections at once. A removal and an insertion that are associated are one
  /// object that moved or was updated.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
}

extension NSFetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {}

  /// Does nothing.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {}

  /// Does nothing.
  public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
  }

  /// The controller's own title.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    controller.sectionIndexTitle(forSectionName: sectionName)
  }

  /// The controller calls it once, and learns that the delegate has no method of its own.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    controller.results.takesDifference = false
  }

  /// The controller calls it once, and learns that the delegate has no method of its own.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    controller.results.takesSnapshot = false
  }
}
