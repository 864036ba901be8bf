/// Changes of a snapshot that is an object; ``NSDiffableDataSourceSnapshot`` says what each does.
nonisolated extension NSDiffableDataSourceSnapshotReference {
  private func hashables(_ identifiers: [Any]) -> [AnyHashable] { identifiers.map(hashable) }

  /// Appends items to the last section, which must exist.
  public func appendItems(withIdentifiers identifiers: [Any]) { erased.appendItems(hashables(identifiers)) }

  /// Appends items to a section, which must exist.
  public func appendItems(
    withIdentifiers identifiers: [Any], intoSectionWithIdentifier sectionIdentifier: Any
  ) {
    erased.appendItems(hashables(identifiers), toSection: hashable(sectionIdentifier))
  }

  /// Inserts items before another one, which must exist.
  public func insertItems(withIdentifiers identifiers: [Any], beforeItemWithIdentifier itemIdentifier: Any) {
    erased.insertItems(hashables(identifiers), beforeItem: hashable(itemIdentifier))
  }

  /// Inserts items after another one, which must exist.
  public func insertItems(withIdentifiers identifiers: [Any], afterItemWithIdentifier itemIdentifier: Any) {
    erased.insertItems(hashables(identifiers), afterItem: hashable(itemIdentifier))
  }

  /// Removes items; unknown ones are ignored.
  public func deleteItems(withIdentifiers identifiers: [Any]) { erased.deleteItems(hashables(identifiers)) }

  /// Removes all items and all sections.
  public func deleteAllItems() { erased.deleteAllItems() }

  /// Moves an item before another one. Both must exist.
  public func moveItem(withIdentifier fromIdentifier: Any, beforeItemWithIdentifier toIdentifier: Any) {
    erased.moveItem(hashable(fromIdentifier), beforeItem: hashable(toIdentifier))
  }

  /// Moves an item after another one. Both must exist.
  public func moveItem(withIdentifier fromIdentifier: Any, afterItemWithIdentifier toIdentifier: Any) {
    erased.moveItem(hashable(fromIdentifier), afterItem: hashable(toIdentifier))
  }

  /// Asks the view to reload items, which must be in the snapshot.
  public func reloadItems(withIdentifiers identifiers: [Any]) { erased.reloadItems(hashables(identifiers)) }

  /// Asks the view to configure the views of items again. The items must be in the snapshot.
  public func reconfigureItems(withIdentifiers identifiers: [Any]) {
    erased.reconfigureItems(hashables(identifiers))
  }

  /// Appends new, empty sections.
  public func appendSections(withIdentifiers identifiers: [Any]) {
    erased.appendSections(hashables(identifiers))
  }

  /// Inserts new, empty sections before another one, which must exist.
  public func insertSections(
    withIdentifiers identifiers: [Any], beforeSectionWithIdentifier toIdentifier: Any
  ) {
    erased.insertSections(hashables(identifiers), beforeSection: hashable(toIdentifier))
  }

  /// Inserts new, empty sections after another one, which must exist.
  public func insertSections(withIdentifiers identifiers: [Any], afterSectionWithIdentifier toIdentifier: Any) {
    erased.insertSections(hashables(identifiers), afterSection: hashable(toIdentifier))
  }

  /// Removes sections with their items; unknown ones are ignored.
  public func deleteSections(withIdentifiers identifiers: [Any]) {
    erased.deleteSections(hashables(identifiers))
  }

  /// Moves a section before another one. Both must exist.
  public func moveSection(withIdentifier fromIdentifier: Any, beforeSectionWithIdentifier toIdentifier: Any) {
    erased.moveSection(hashable(fromIdentifier), beforeSection: hashable(toIdentifier))
  }

  /// Moves a section after another one. Both must exist.
  public func moveSection(withIdentifier fromIdentifier: Any, afterSectionWithIdentifier toIdentifier: Any) {
    erased.moveSection(hashable(fromIdentifier), afterSection: hashable(toIdentifier))
  }

  /// Asks the view to reload sections, which must be in the snapshot.
  public func reloadSections(withIdentifiers identifiers: [Any]) {
    erased.reloadSections(hashables(identifiers))
  }
}
