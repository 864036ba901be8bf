/// Changes of a snapshot's items.
extension NSDiffableDataSourceSnapshot {
  /// Appends items to a section, or to the last section if none is named. The section must exist. Items that exist
  /// already move.
  public mutating func appendItems(
    _ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil
  ) {
    takeOutForInsertion(identifiers)
    guard let last = sections.indices.last else { misuse(.snapshotWithoutSections(identifiers.count)) }
    let section = sectionIdentifier.map { place(ofSection: $0) } ?? last
    let first = sections[section].items.count
    sections[section].items += identifiers
    if isKnownUniquelyReferenced(&index) {
      index.append(identifiers, section: section, from: first)
    } else {
      index = SnapshotIndex()
    }
  }

  /// Inserts items before another one, which must exist. Items that exist already move.
  public mutating func insertItems(
    _ identifiers: [ItemIdentifierType], beforeItem beforeIdentifier: ItemIdentifierType
  ) {
    insert(identifiers, at: beforeIdentifier, offset: 0)
  }

  /// Inserts items after another one, which must exist. Items that exist already move.
  public mutating func insertItems(
    _ identifiers: [ItemIdentifierType], afterItem afterIdentifier: ItemIdentifierType
  ) {
    insert(identifiers, at: afterIdentifier, offset: 1)
  }

  /// Removes items; unknown ones are ignored.
  public mutating func deleteItems(_ identifiers: [ItemIdentifierType]) {
    let leaving = Set(identifiers)
    takeOut(leaving)
    reloadedItemIdentifiers.removeAll(where: leaving.contains)
    reconfiguredItemIdentifiers.removeAll(where: leaving.contains)
  }

  /// Removes all items and all sections.
  public mutating func deleteAllItems() { self = NSDiffableDataSourceSnapshot() }

  /// Moves an item before another one. Both must exist.
  public mutating func moveItem(_ identifier: ItemIdentifierType, beforeItem toIdentifier: ItemIdentifierType) {
    _ = place(ofItem: identifier)
    if identifier != toIdentifier { insert([identifier], at: toIdentifier, offset: 0) }
  }

  /// Moves an item after another one. Both must exist.
  public mutating func moveItem(_ identifier: ItemIdentifierType, afterItem toIdentifier: ItemIdentifierType) {
    _ = place(ofItem: identifier)
    if identifier != toIdentifier { insert([identifier], at: toIdentifier, offset: 1) }
  }

  /// Asks the view to reload items, which must be in the snapshot.
  public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {
    addToList(identifiers, in: \.reloadedItemIdentifiers)
  }

  /// Asks the view to configure the views of items again. The items must be in the snapshot.
  public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
    addToList(identifiers, in: \.reconfiguredItemIdentifiers)
  }

  private mutating func addToList(
    _ identifiers: [ItemIdentifierType], in list: WritableKeyPath<Self, [ItemIdentifierType]>
  ) {
    var known = Set(self[keyPath: list])
    for identifier in identifiers {
      _ = place(ofItem: identifier)
      if known.insert(identifier).inserted { self[keyPath: list].append(identifier) }
    }
  }

  private mutating func insert(
    _ identifiers: [ItemIdentifierType], at target: ItemIdentifierType, offset: Int
  ) {
    if identifiers.contains(target) { misuse(.repeatedSnapshotIdentifier(target)) }
    takeOutForInsertion(identifiers)
    let place = place(ofItem: target)
    sections[place.section].items.insert(contentsOf: identifiers, at: place.item + offset)
    index = SnapshotIndex()
  }

  /// Removes items that will be inserted elsewhere. An item that occurs twice among them is a misuse.
  private mutating func takeOutForInsertion(_ identifiers: [ItemIdentifierType]) {
    var seen: Set<ItemIdentifierType> = []
    var isMoving = false
    for identifier in identifiers {
      if !seen.insert(identifier).inserted { misuse(.repeatedSnapshotIdentifier(identifier)) }
      isMoving = isMoving || index.place(of: identifier, sections) != nil
    }
    if isMoving { takeOut(seen) }
  }

  private mutating func takeOut(_ leaving: Set<ItemIdentifierType>) {
    for section in sections.indices where sections[section].items.contains(where: leaving.contains) {
      sections[section].items.removeAll(where: leaving.contains)
    }
    index = SnapshotIndex()
  }
}
