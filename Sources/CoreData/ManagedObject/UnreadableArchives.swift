/// Archived values that could not be read. Each property is reported once, because a file can have a million of them.
enum UnreadableArchives {
  private static let lock = NSLock()
  private nonisolated(unsafe) static var reported: Set<String> = []

  static func report(_ id: NSManagedObjectID, property: LayoutProperty, what: String) {
    let name = "\(id.entity.name ?? "").\(property.name)"
    let store = id.persistentStore?.url?.path ?? "in memory"
    guard lock.withLock({ reported.insert("\(store) \(name)").inserted }) else { return }
    warn(
      MisuseReport(
        "\(name) of an object can't be read, and reads as nil: \(what).",
        facts: [("Store", store), ("Object", "\(id.uriRepresentation())")],
        how: "The file holds an archive that the value transformer refuses.",
        remedy: "If the file is yours, register a transformer that allows the class. If it came from elsewhere, don't "
          + "trust it. Further objects with such a value are not reported."))
  }
}
