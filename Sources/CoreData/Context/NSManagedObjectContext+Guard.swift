/// Whether a context is used as it should be: on its queue, with stores.
extension NSManagedObjectContext {
  /// How messages call the context.
  var label: String { name.map { "\"\($0)\"" } ?? "without a name" }

  /// What every entry that needs stores begins with.
  func coordinator(for call: StaticString) throws -> NSPersistentStoreCoordinator {
    guard let persistentStoreCoordinator else {
      fatalError(
        "\(call) was called on the context \(label), which has no coordinator: set "
          + "persistentStoreCoordinator first, or take the context of a container.")
    }
    return persistentStoreCoordinator
  }

  /// First in every public entry: the context may be used on its queue only.
  @inline(__always)
  func guardQueue(_ call: @autoclosure () -> String) {
    if ConcurrencyGuard.isOn, let owner, !owner.isOnQueue { reportWrongQueue(nil, call: call()) }
  }

  /// Reports a use off the queue, once for each kind of call; or ends the program, if that was asked for.
  func reportWrongQueue(_ object: NSManagedObject?, call: String) {
    // A method is named with its class, an accessor is described.
    let target = object.map {
      (call.contains("(") ? "NSManagedObject." : "") + "\(call) on \($0.layout.name) \($0.objectIDForReport)"
    }
    let thread = QueueOwnership.isMainQueue ? "the main thread" : "a background thread"
    // A context without a queue is on it everywhere.
    let own = concurrencyType == .mainQueueConcurrencyType ? "main queue" : "private queue of \(label)"
    let report = MisuseReport(
      "Context \(label) was used off its queue.",
      facts: [
        ("Call", target ?? "NSManagedObjectContext.\(call)"),
        ("Queue", "\(own); called on \(thread)"),
      ],
      how: "Objects belong to the queue of the context that made them.",
      remedy: "Wrap the call in `context.perform { ... }`, or pass `objectID` and fetch the object in your own "
        + "context.")
    if ConcurrencyGuard.reaction == .trap { misuse(report) }
    NSManagedObjectContext.reportLock.lock()
    let isNew = reportedCalls.insert(call).inserted
    NSManagedObjectContext.reportLock.unlock()
    if isNew { warn(report) }
  }

  private static let reportLock = NSLock()
}

extension NSManagedObject {
  /// The id for a message about a wrong queue: without touching what belongs to the right one.
  fileprivate var objectIDForReport: String {
    NSManagedObjectID(layout: layout, key: key, store: owner.storeIdentity(store)).description
  }

  /// Lets go of all objects that this one refers to.
  final func dropReferences() {
    toManyStates = []
    for property in layout.slots where property.kind == .toOne {
      if let changes, changes.holds(property.slot) { changes.drop(property.slot) }
    }
  }
}
