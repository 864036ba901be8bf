/// Changes of a snapshot that is an object; ``NSDiffableDataSourceSnapshot`` says what each does.
nonisolated extension NSDiffableDataSourceSnapshotReference {
  private func hashables(_ identifiers: [Any]) -> [AnyHashable] { identifiers.map(hashable) }

  public func appendItems(withIdentifiers identifiers: [Any]) { erased.appendItems(hashables(identifiers)) }

  public func appendItems(
    withIdentifiers identifiers: [Any], intoSectionWithIdentifier sectionIdentifier: Any
  ) {
    erased.appendItems(hashables(identifiers), toSection: hashable(sectionIdentifier))
  }

  public func insertItems(withIdentifiers identifiers: [Any], beforeItemWithIdentifier itemIdentifier: Any) {
    erased.insertItems(hashables(identifiers), beforeItem: hashable(itemIdentifier))
  }

  public func insertItems(withIdentifiers identifiers: [Any], afterItemWithIdentifier itemIdentifier: Any) {
    erased.insertItems(hashables(identifiers), afterItem: hashable(itemIdentifier))
  }

  public func deleteItems(withIdentifiers identifiers: [Any]) { erased.deleteItems(hashables(identifiers)) }

  public func deleteAllItems() { erased.deleteAllItems() }

  public func moveItem(withIdentifier fromIdentifier: Any, beforeItemWithIdentifier toIdentifier: Any) {
    erased.moveItem(hashable(fromIdentifier), beforeItem: hashable(toIdentifier))
  }

  public func moveItem(withIdentifier fromIdentifier: Any, afterItemWithIdentifier toIdentifier: Any) {
    erased.moveItem(hashable(fromIdentifier), afterItem: hashable(toIdentifier))
  }

  public func reloadItems(withIdentifiers identifiers: [Any]) { erased.reloadItems(hashables(identifiers)) }

  public func reconfigureItems(withIdentifiers identifiers: [Any]) {
    erased.reconfigureItems(hashables(identifiers))
  }

  public func appendSections(withIdentifiers identifiers: [Any]) {
    erased.appendSections(hashables(identifiers))
  }

  public func insertSections(
    withIdentifiers identifiers: [Any], beforeSectionWithIdentifier toIdentifier: Any
  ) {
    erased.insertSections(hashables(identifiers), beforeSection: hashable(toIdentifier))
  }

  public func insertSections(withIdentifiers identifiers: [Any], afterSectionWithIdentifier toIdentifier: Any)
  {
    erased.insertSections(hashables(identifiers), afterSection: hashable(toIdentifier))
  }

  public func deleteSections(withIdentifiers identifiers: [Any]) {
    erased.deleteSections(hashables(identifiers))
  }

  public func moveSection(withIdentifier fromIdentifier: Any, beforeSectionWithIdentifier toIdentifier: Any) {
    erased.moveSection(hashable(fromIdentifier), beforeSection: hashable(toIdentifier))
  }

  public func moveSection(withIdentifier fromIdentifier: Any, afterSectionWithIdentifier toIdentifier: Any) {
    erased.moveSection(hashable(fromIdentifier), afterSection: hashable(toIdentifier))
  }

  public func reloadSections(withIdentifiers identifiers: [Any]) {
    erased.reloadSections(hashables(identifiers))
  }
}
