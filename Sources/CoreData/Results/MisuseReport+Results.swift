/// The words for what can be done wrong with a fetched results controller.
extension MisuseReport {
  static func listWithoutOrder(_ entity: String?) -> MisuseReport {
    MisuseReport(
      "An instance of NSFetchedResultsController requires a fetch request with sort descriptors.",
      facts: [("Call", "NSFetchedResultsController.init"), ("Entity", entity ?? "none")],
      how: "The request's sortDescriptors are nil. A list needs an order, so that objects have places in it.",
      remedy: "Set the request's sortDescriptors before the controller is made; [] is the order of the store.")
  }

  static func noObject(at indexPath: IndexPath, _ list: ResultsList?) -> MisuseReport {
    let counts = list.map { "\($0.sections.map(\.objects.count))" } ?? "none: performFetch() was not called"
    return MisuseReport(
      "There is no object at index path \(indexPath) of a fetched results controller.",
      facts: [("Objects in each section", counts)],
      how: "The index path is of another state of the list, or has not two indexes.",
      remedy:
        "Ask `sections` for the counts of this moment, and change what the screen shows when the delegate is told."
    )
  }

  static func noSection(titled title: String, _ titles: [String]) -> MisuseReport {
    MisuseReport(
      "A fetched results controller has no section with the index title \"\(title)\".",
      facts: [("Titles", titles.joined(separator: ", "))],
      how: "The title is of another state of the list.", remedy: "Take the title from `sectionIndexTitles`.")
  }

  static func listCannotFollow(_ error: any Error, _ entity: String) -> MisuseReport {
    MisuseReport(
      "A fetched results controller could not follow a change: \(Failure.words(of: error))",
      facts: [("Entity", entity)],
      how: "With a delegate, predicate and sort order are evaluated in memory, and faults are read.",
      remedy: "Use a predicate that can be evaluated in memory, or no delegate.")
  }

  static func noSnapshotSection(_ identifier: Any, _ sections: [Any]) -> MisuseReport {
    MisuseReport(
      "A snapshot has no section with the identifier \"\(identifier)\".",
      facts: [("Sections", sections.isEmpty ? "none" : sections.map { "\($0)" }.joined(separator: ", "))],
      how: "Sections have to be put in before they are named.", remedy: "Call `appendSections` first.")
  }

  static func noSnapshotItem(_ identifier: Any) -> MisuseReport {
    MisuseReport(
      "A snapshot has no item with the identifier \"\(identifier)\".",
      how: "Only what is there can be moved, reloaded, or the place of what comes.",
      remedy: "Ask `indexOfItem` whether it is there.")
  }

  static func snapshotWithoutSections(_ count: Int) -> MisuseReport {
    MisuseReport(
      "Items were added to a snapshot without sections.", facts: [("Items", "\(count)")],
      how: "Each item is in a section.", remedy: "Call `appendSections` first.")
  }

  static func repeatedSnapshotIdentifier(_ identifier: Any) -> MisuseReport {
    MisuseReport(
      "The identifier \"\(identifier)\" was given to a snapshot twice.",
      how: "Identifiers are different from each other: sections among sections, items among all items.",
      remedy: "Leave out what is there already, or what was named before.")
  }

  static func unhashableIdentifier(_ identifier: Any) -> MisuseReport {
    MisuseReport(
      "A value that is not hashable was given to a snapshot as an identifier.",
      facts: [("Type", "\(type(of: identifier))")],
      how: "Identifiers are found by their hash.", remedy: "Use strings, numbers or object ids.")
  }

  static func otherIdentifiers(
    _ section: Any.Type, _ item: Any.Type, _ snapshot: NSDiffableDataSourceSnapshotReference
  ) -> MisuseReport {
    let types = [snapshot.sectionIdentifiers.first, snapshot.itemIdentifiers.first].map {
      $0.map { "\(type(of: $0))" } ?? "none"
    }
    return MisuseReport(
      "A snapshot was cast to one with other types of identifiers.",
      facts: [("Asked for", "\(section), \(item)"), ("It has", types.joined(separator: ", "))],
      how: "A fetched results controller's snapshots have names of sections and ids of objects.",
      remedy: "Cast to `NSDiffableDataSourceSnapshot<String, NSManagedObjectID>`.")
  }

  static func otherCachedRequest(_ name: String, _ cached: [String], _ asked: [String]) -> MisuseReport {
    MisuseReport(
      "The cache \"\(name)\" of a fetched results controller has the sections of another request.",
      facts: [("Cached", cached.joined(separator: "; ")), ("Asked", asked.joined(separator: "; "))],
      how: "A cache belongs to one entity, predicate, order and section key path.",
      remedy:
        "Call `deleteCache(withName:)` before a fetch with a changed request, give each request a cache of its "
        + "own, or make the controller without a cache."
    )
  }
}
