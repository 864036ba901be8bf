// On Apple's systems the delegate's methods are optional, so programs that hand on what they hear write
// `next?.controllerDidChangeContent?(controller)`. A Swift protocol's methods aren't optional; these properties of the
// same names are. They are disfavoured: a call without the question mark, and a delegate's own property `controller`,
// mean what they meant without them.

extension NSFetchedResultsControllerDelegate {
  /// The method of this name, for a call that asks whether there is one. There always is: one that the delegate lacks
  /// does nothing.
  @_disfavoredOverload
  public var controllerWillChangeContent: ((NSFetchedResultsController<any NSFetchRequestResult>) -> Void)? {
    { self.controllerWillChangeContent($0) }
  }

  /// The method of this name, for a call that asks whether there is one. There always is: one that the delegate lacks
  /// does nothing.
  @_disfavoredOverload
  public var controllerDidChangeContent: ((NSFetchedResultsController<any NSFetchRequestResult>) -> Void)? {
    { self.controllerDidChangeContent($0) }
  }

  /// The methods that begin with this name, for calls that ask whether there is one:
  /// `next?.controller?(controller, didChange: …)`. There always is.
  @_disfavoredOverload
  public var controller: _DelegateCalls? { _DelegateCalls(delegate: self) }
}

/// The methods `controller(_:…)` of a delegate.
public struct _DelegateCalls {
  let delegate: any NSFetchedResultsControllerDelegate

  /// A section was inserted or removed.
  public func callAsFunction(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    delegate.controller(controller, didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
  }

  /// An object was inserted, removed, moved or updated.
  public func callAsFunction(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    delegate.controller(controller, didChange: anObject, at: indexPath, for: type, newIndexPath: newIndexPath)
  }

  /// The index title of a section.
  public func callAsFunction(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    delegate.controller(controller, sectionIndexTitleForSectionName: sectionName)
  }

  /// The whole list.
  public func callAsFunction(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
  ) {
    delegate.controller(controller, didChangeContentWith: snapshot)
  }

  /// All changes of a list without sections at once.
  public func callAsFunction(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    delegate.controller(controller, didChangeContentWith: diff)
  }
}
