/// Changes of a snapshot's sections.
extension NSDiffableDataSourceSnapshot {
  /// Appends new, empty sections.
  public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {
    checkNew(identifiers)
    let first = sections.count
    sections += identifiers.map { Section(identifier: $0, items: []) }
    if isKnownUniquelyReferenced(&index) {
      index.append(identifiers, from: first)
    } else {
      index = SnapshotIndex()
    }
  }

  /// Inserts new, empty sections before another one, which must exist.
  public mutating func insertSections(
    _ identifiers: [SectionIdentifierType], beforeSection toIdentifier: SectionIdentifierType
  ) {
    insert(identifiers, at: place(ofSection: toIdentifier))
  }

  /// Inserts new, empty sections after another one, which must exist.
  public mutating func insertSections(
    _ identifiers: [SectionIdentifierType], afterSection toIdentifier: SectionIdentifierType
  ) {
    insert(identifiers, at: place(ofSection: toIdentifier) + 1)
  }

  /// Removes sections with their items; unknown ones are ignored.
  public mutating func deleteSections(_ identifiers: [SectionIdentifierType]) {
    let leaving = Set(identifiers)
    let items = Set(sections.filter { leaving.contains($0.identifier) }.flatMap(\.items))
    sections.removeAll { leaving.contains($0.identifier) }
    reloadedSectionIdentifiers.removeAll(where: leaving.contains)
    reloadedItemIdentifiers.removeAll(where: items.contains)
    reconfiguredItemIdentifiers.removeAll(where: items.contains)
    index = SnapshotIndex()
  }

  /// Moves a section before another one. Both must exist.
  public mutating func moveSection(
    _ identifier: SectionIdentifierType, beforeSection toIdentifier: SectionIdentifierType
  ) {
    move(identifier, to: toIdentifier, offset: 0)
  }

  /// Moves a section after another one. Both must exist.
  public mutating func moveSection(
    _ identifier: SectionIdentifierType, afterSection toIdentifier: SectionIdentifierType
  ) {
    move(identifier, to: toIdentifier, offset: 1)
  }

  /// Asks the view to reload sections, which must be in the snapshot.
  public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {
    var known = Set(reloadedSectionIdentifiers)
    for identifier in identifiers {
      _ = place(ofSection: identifier)
      if known.insert(identifier).inserted { reloadedSectionIdentifiers.append(identifier) }
    }
  }

  private mutating func insert(_ identifiers: [SectionIdentifierType], at place: Int) {
    checkNew(identifiers)
    sections.insert(contentsOf: identifiers.map { Section(identifier: $0, items: []) }, at: place)
    index = SnapshotIndex()
  }

  private mutating func move(
    _ identifier: SectionIdentifierType, to target: SectionIdentifierType, offset: Int
  ) {
    let (from, to) = (place(ofSection: identifier), place(ofSection: target))
    if from == to { return }
    let section = sections.remove(at: from)
    sections.insert(section, at: (from < to ? to - 1 : to) + offset)
    index = SnapshotIndex()
  }

  private func checkNew(_ identifiers: [SectionIdentifierType]) {
    var seen: Set<SectionIdentifierType> = []
    for identifier in identifiers
    where !seen.insert(identifier).inserted || index.place(ofSection: identifier, sections) != nil {
      misuse(.repeatedSnapshotIdentifier(identifier))
    }
  }
}
