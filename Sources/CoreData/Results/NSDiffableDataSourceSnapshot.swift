/// The content of a list at one moment, as a value: identifiers of sections, and of the items in each.
///
/// UIKit and AppKit have this type on Apple's platforms; a fetched results controller hands it to its
/// delegate there, and here, with the sections' names and the ids of the objects:
///
///     func controller(
///       _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
///       didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
///     ) {
///       let snapshot = snapshot as NSDiffableDataSourceSnapshot<String, NSManagedObjectID>
///       show(snapshot.itemIdentifiers)
///     }
///
/// Every identifier occurs once. Naming an identifier that must exist and doesn't, or adding one twice, is a misuse and
/// traps; Apple's framework raises an exception.
///
/// You may pass it between threads if its identifiers allow that.
nonisolated public struct NSDiffableDataSourceSnapshot<
  SectionIdentifierType: Hashable, ItemIdentifierType: Hashable
> {
  struct Section {
    let identifier: SectionIdentifierType
    var items: [ItemIdentifierType]
  }

  var sections: [Section] = []
  /// The index of identifiers, made when it is needed.
  var index = SnapshotIndex<SectionIdentifierType, ItemIdentifierType>()

  /// The sections to reload, in the order in which you asked for it.
  public internal(set) var reloadedSectionIdentifiers: [SectionIdentifierType] = []
  /// The items to reload. In a snapshot from a fetched results controller, those whose objects changed.
  public internal(set) var reloadedItemIdentifiers: [ItemIdentifierType] = []
  /// The items whose views should be configured again.
  public internal(set) var reconfiguredItemIdentifiers: [ItemIdentifierType] = []

  /// An empty snapshot.
  public init() {}

  /// A snapshot whose identifiers are known to be unique.
  init(sections: [Section], reloaded: [ItemIdentifierType]) {
    self.sections = sections
    reloadedItemIdentifiers = reloaded
  }

  /// How many sections there are.
  public var numberOfSections: Int { sections.count }

  /// How many items all sections have together.
  public var numberOfItems: Int { sections.reduce(0) { $0 + $1.items.count } }

  /// The sections in order.
  public var sectionIdentifiers: [SectionIdentifierType] { sections.map(\.identifier) }

  /// The items of all sections, in order.
  public var itemIdentifiers: [ItemIdentifierType] {
    sections.count == 1 ? sections[0].items : sections.flatMap(\.items)
  }

  /// The number of items in a section, which must exist.
  public func numberOfItems(inSection identifier: SectionIdentifierType) -> Int {
    sections[place(ofSection: identifier)].items.count
  }

  /// The items of a section, which must exist.
  public func itemIdentifiers(inSection identifier: SectionIdentifierType) -> [ItemIdentifierType] {
    sections[place(ofSection: identifier)].items
  }

  /// The section that an item is in; nil if there is no such item.
  public func sectionIdentifier(containingItem identifier: ItemIdentifierType) -> SectionIdentifierType? {
    index.place(of: identifier, sections).map { sections[$0.section].identifier }
  }

  /// The position of an item among those of all sections; nil if there is no such item.
  public func indexOfItem(_ identifier: ItemIdentifierType) -> Int? {
    index.place(of: identifier, sections).map {
      sections[..<$0.section].reduce($0.item) { $0 + $1.items.count }
    }
  }

  /// The position of a section; nil if there is no such section.
  public func indexOfSection(_ identifier: SectionIdentifierType) -> Int? {
    index.place(ofSection: identifier, sections)
  }

  func place(ofSection identifier: SectionIdentifierType) -> Int {
    guard let place = index.place(ofSection: identifier, sections) else {
      misuse(.noSnapshotSection(identifier, sectionIdentifiers))
    }
    return place
  }

  func place(ofItem identifier: ItemIdentifierType) -> ResultsPlace {
    guard let place = index.place(of: identifier, sections) else { misuse(.noSnapshotItem(identifier)) }
    return place
  }
}

// The index is under a lock; everything else is values.
extension NSDiffableDataSourceSnapshot: @unchecked Sendable
where SectionIdentifierType: Sendable, ItemIdentifierType: Sendable {}

/// The positions of a snapshot's identifiers. Copies of the snapshot share it until one of them changes.
final class SnapshotIndex<SectionID: Hashable, ItemID: Hashable>: @unchecked Sendable {
  typealias Sections = [NSDiffableDataSourceSnapshot<SectionID, ItemID>.Section]

  // `@unchecked Sendable`: both under the lock, except while only one snapshot has the index and is changed.
  private let lock = NSLock()
  private var places: [ItemID: ResultsPlace]?
  private var sectionPlaces: [SectionID: Int]?

  func place(of item: ItemID, _ sections: Sections) -> ResultsPlace? {
    lock.withLock {
      if places == nil {
        var all: [ItemID: ResultsPlace] = [:]
        all.reserveCapacity(sections.reduce(0) { $0 + $1.items.count })
        for (number, section) in sections.enumerated() {
          for (item, id) in section.items.enumerated() { all[id] = ResultsPlace(section: number, item: item) }
        }
        places = all
      }
      return places![item]
    }
  }

  func place(ofSection identifier: SectionID, _ sections: Sections) -> Int? {
    lock.withLock {
      if sectionPlaces == nil {
        // In a list's snapshot two names may differ in their scalars only; then the first counts.
        sectionPlaces = Dictionary(
          sections.enumerated().map { ($1.identifier, $0) }, uniquingKeysWith: { first, _ in first })
      }
      return sectionPlaces![identifier]
    }
  }

  /// Adds items at the end of a section.
  func append(_ items: [ItemID], section: Int, from first: Int) {
    if places == nil { return }
    for (offset, id) in items.enumerated() {
      places![id] = ResultsPlace(section: section, item: first + offset)
    }
  }

  /// Adds sections after all others.
  func append(_ identifiers: [SectionID], from first: Int) {
    if sectionPlaces == nil { return }
    for (offset, id) in identifiers.enumerated() { sectionPlaces![id] = first + offset }
  }
}
