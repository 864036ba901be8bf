/// The wording of misuses of a fetched results controller.
extension MisuseReport {
  static func listWithoutOrder(_ entity: String?) -> MisuseReport {
    MisuseReport(
      "An instance of NSFetchedResultsController requires a fetch request with sort descriptors.",
      facts: [("Call", "NSFetchedResultsController.init"), ("Entity", entity ?? "none")],
      how: "The request's sortDescriptors are nil. A list needs an order, so that each object has a place.",
      remedy: "Set the request's sortDescriptors before you make the controller; [] keeps the store's order.")
  }

  static func noObject(at indexPath: IndexPath, _ counts: [Int]?) -> MisuseReport {
    MisuseReport(
      "There is no object at index path \(indexPath) of a fetched results controller.",
      facts: [("Objects in each section", counts.map { "\($0)" } ?? "none: performFetch() was not called")],
      how: "The list has changed since you got the index path, or the path does not have two indexes.",
      remedy:
        "Ask `sections` for the current counts, and update the screen when the delegate is called."
    )
  }

  static func noSection(titled title: String, _ titles: [String]) -> MisuseReport {
    MisuseReport(
      "A fetched results controller has no section with the index title \"\(title)\".",
      facts: [("Titles", titles.joined(separator: ", "))],
      how: "The list has changed since you got the title.", remedy: "Take the title from `sectionIndexTitles`.")
  }

  static func listCannotFollow(_ error: any Error, _ entity: String) -> MisuseReport {
    MisuseReport(
      "A fetched results controller could not follow a change: \(Failure.words(of: error))",
      facts: [("Entity", entity)],
      how: "With a delegate, the controller evaluates predicate and sort order in memory, and fires faults to do so.",
      remedy: "Use a predicate that works in memory, or leave out the delegate.")
  }

  static func listWaits(_ error: any Error, _ entity: String) -> MisuseReport {
    MisuseReport(
      "A fetched results controller could not read what changed.",
      facts: [("Entity", entity), ("Error", Failure.words(of: error))],
      how: "A store threw when the controller read objects to follow a change. The list stays as it was as far as they "
        + "are concerned, until the next change or save in its context.",
      remedy: "Once the store can be read, call refreshAllObjects() of the context, or performFetch().")
  }

  static func noSnapshotSection(_ identifier: Any, _ sections: [Any]) -> MisuseReport {
    MisuseReport(
      "A snapshot has no section with the identifier \"\(identifier)\".",
      facts: [("Sections", sections.isEmpty ? "none" : sections.map { "\($0)" }.joined(separator: ", "))],
      how: "A section must be in the snapshot before you refer to it.", remedy: "Call `appendSections` first.")
  }

  static func noSnapshotItem(_ identifier: Any) -> MisuseReport {
    MisuseReport(
      "A snapshot has no item with the identifier \"\(identifier)\".",
      how: "You can move an item, reload it or insert beside it only if the snapshot has it.",
      remedy: "Check with `indexOfItem` first.")
  }

  static func snapshotWithoutSections(_ count: Int) -> MisuseReport {
    MisuseReport(
      "Items were added to a snapshot without sections.", facts: [("Items", "\(count)")],
      how: "Every item belongs to a section.", remedy: "Call `appendSections` first.")
  }

  static func repeatedSnapshotIdentifier(_ identifier: Any) -> MisuseReport {
    MisuseReport(
      "The identifier \"\(identifier)\" was given to a snapshot twice.",
      how: "A section's identifier must be unique among the sections, an item's among the items of all sections.",
      remedy: "Leave out identifiers that the snapshot already has, or that you named before.")
  }

  static func unhashableIdentifier(_ identifier: Any) -> MisuseReport {
    MisuseReport(
      "A value that is not hashable was given to a snapshot as an identifier.",
      facts: [("Type", "\(type(of: identifier))")],
      how: "Identifiers are found by their hash.", remedy: "Use strings, numbers or object ids.")
  }

  static func otherIdentifiers(
    _ section: Any.Type, item: Any.Type, snapshot: NSDiffableDataSourceSnapshotReference
  ) -> MisuseReport {
    let types = [snapshot.sectionIdentifiers.first, snapshot.itemIdentifiers.first].map {
      $0.map { "\(type(of: $0))" } ?? "none"
    }
    return MisuseReport(
      "A snapshot was cast to a type with other identifiers.",
      facts: [("Asked for", "\(section), \(item)"), ("It has", types.joined(separator: ", "))],
      how: "A fetched results controller's snapshots identify sections by name and items by object id.",
      remedy: "Cast to `NSDiffableDataSourceSnapshot<String, NSManagedObjectID>`.")
  }

  static func otherCachedRequest(_ name: String, cached: [String], asked: [String]) -> MisuseReport {
    MisuseReport(
      "The cache \"\(name)\" of a fetched results controller belongs to another request.",
      facts: [("Cached", cached.joined(separator: "; ")), ("Asked", asked.joined(separator: "; "))],
      how: "A cache belongs to one entity, predicate, order and section key path, and the controller's request has "
        + "changed since it was made.",
      remedy:
        "Call `deleteCache(withName:)` before a fetch with a changed request, give each request a cache of its "
        + "own, or make the controller without a cache."
    )
  }
}
