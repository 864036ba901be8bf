/// The words for what can be done wrong with a fetched results controller.
extension MisuseReport {
  static func listWithoutOrder(_ entity: String?) -> MisuseReport {
    MisuseReport(
      "A fetched results controller was made with a request without sort descriptors.",
      facts: [("Entity", entity ?? "none")],
      how: "A list needs an order, so that objects have places in it.",
      remedy: "Set the request's sortDescriptors before the controller is made.")
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
}
