/// What happened to an object or a section of a list.
public enum NSFetchedResultsChangeType: UInt, Sendable {
  /// It was inserted.
  case insert = 1
  /// It was removed.
  case delete = 2
  /// It moved, and perhaps has new values. Objects only.
  case move = 3
  /// It has new values, in the same place. Objects only.
  case update = 4
}

/// Follows the changes of a fetched results controller's list. Every method is optional.
///
/// For each event that concerns the list, on the context's queue:
///
/// 1. `controllerWillChangeContent(_:)`; the controller still has the old list.
/// 2. `controller(_:didChange:atSectionIndex:for:)` for removed sections, last one first, and for inserted ones, first
///    one first; from here on the controller has the new list.
/// 3. `controller(_:didChange:at:for:newIndexPath:)` for objects that were removed (last one first), inserted, moved,
///    updated. `at` is a place in the old list, `newIndexPath` one in the new. If a section is inserted or removed, its
///    objects get their calls too.
/// 4. `controllerDidChangeContent(_:)`.
///
/// A delegate that implements `controller(_:didChangeContentWith:)` for snapshots gets only that call. So does one that
/// implements it for differences, if the list has no sections.
///
/// Your methods are found like any requirements of a Swift protocol: in the class that names the protocol, in its
/// extensions and superclasses, and in a subclass only if it overrides one of those.
public protocol NSFetchedResultsControllerDelegate: NSObjectProtocol {
  /// The list is about to change; the controller still has the old one.
  func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// A section was inserted or removed.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)

  /// An object was inserted (`newIndexPath`), removed (`at`), moved or updated (both).
  ///
  /// An object moves if a property that the list is sorted by changed, or its section, or its place among the others. A
  /// move implies an update.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

  /// All changes of an event have been reported; the controller has the new list.
  func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// The index title of a section. Without this method it is the controller's own, the first letter of the name,
  /// capitalised.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?

  /// The whole list, after a fetch and after each event that changed it: names of sections (one, "", if the
  /// list has none) and ids of objects. Those that changed or moved are among its `reloadedItemIdentifiers`.
  ///
  /// New objects have temporary ids until they are saved, and a save by itself is not reported. Get permanent ids first
  /// with `obtainPermanentIDs(for:)`.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference)

  /// All changes of a list without sections at once. An associated removal and insertion is one object that moved or
  /// was updated.
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
