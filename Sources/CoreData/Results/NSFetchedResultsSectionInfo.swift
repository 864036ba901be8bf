/// A section of a fetched results controller's list.
public protocol NSFetchedResultsSectionInfo: AnyObject {
  /// The value of the controller's `sectionNameKeyPath`, as text; "" for nil, and for a list without
  /// sections.
  var name: String { get }
  /// The section's title in an index.
  var indexTitle: String? { get }
  /// How many objects the section has.
  var numberOfObjects: Int { get }
  /// The section's objects, in order.
  var objects: [Any]? { get }
}

/// A section at the time of the call. Later changes don't show in it.
final class FetchedSectionInfo: NSObject, NSFetchedResultsSectionInfo {
  let name: String
  let indexTitle: String?
  private let members: ContiguousArray<NSManagedObject>

  init(_ section: ResultsSection, indexTitle: String?) {
    name = section.name
    self.indexTitle = indexTitle
    members = section.objects
  }

  var numberOfObjects: Int { members.count }
  var objects: [Any]? { Array(members) }
}

/// A section of results that are no objects.
final class FixedSectionInfo: NSObject, NSFetchedResultsSectionInfo {
  let name: String
  let indexTitle: String?
  private let members: ArraySlice<AnyObject>

  init(_ name: String, _ members: ArraySlice<AnyObject>, indexTitle: String?) {
    self.name = name
    self.indexTitle = indexTitle
    self.members = members
  }

  var numberOfObjects: Int { members.count }
  var objects: [Any]? { Array(members) }
}
