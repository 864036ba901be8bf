/// Whether a context is used as it should be: on its queue, with stores.
extension NSManagedObjectContext {
  /// How messages call the context.
  var label: String { name.map { "\"\($0)\"" } ?? "without a name" }

  /// How messages speak of what belongs to the context: `private queue of "library"`.
  private var owningLabel: String { name.map { "\"\($0)\"" } ?? "an unnamed context" }

  /// What every entry that needs stores begins with.
  func coordinator(for call: StaticString) throws -> NSPersistentStoreCoordinator {
    guard let persistentStoreCoordinator else {
      misuse(
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

  /// Reports a use off the queue, once for each kind of call, and once for each place in the client's sources: one
  /// `save()` guards itself several times on its way. Or ends the program, if that was asked for.
  func reportWrongQueue(_ object: NSManagedObject?, call: String) {
    // Looking for the place takes time in a large program, so a call that was reported is not looked at again.
    if ConcurrencyGuard.reaction == .report && !isNewReport(call) { return }
    // A method is named with its class, an accessor is described.
    let target = object.map {
      (call.contains("(") ? "NSManagedObject." : "") + "\(call) on \($0.layout.name) \($0.objectIDForReport)"
    }
    let thread = QueueOwnership.isMainQueue ? "the main thread" : "a background thread"
    // A context without a queue is on it everywhere.
    let own = concurrencyType == .mainQueueConcurrencyType ? "main queue" : "private queue of \(owningLabel)"
    var report = MisuseReport(
      "\(name.map { "Context \"\($0)\"" } ?? "An unnamed context") was used off its queue.",
      facts: [
        ("Call", target ?? "NSManagedObjectContext.\(call)"),
        ("Queue", "\(own); called on \(thread)"),
      ],
      how: "Objects belong to the queue of the context that made them.",
      remedy: "Wrap the call in `context.perform { ... }`, or pass `objectID` and fetch the object in your own "
        + "context.")
    if ConcurrencyGuard.reaction == .trap { misuse(report) }
    report.remedy += " Start the program with `-com.apple.CoreData.ConcurrencyDebug 1` and it stops at such a call."
    let site = CallSite.ofClient()
    if let site, !isNewReport(site.address) { return }
    warn(report.locating(site))
  }

  /// Whether this call, or this place, has not been reported yet.
  private func isNewReport(_ callOrPlace: String) -> Bool {
    NSManagedObjectContext.reportLock.withLock { reportedCalls.insert(callOrPlace).inserted }
  }

  private static let reportLock = NSLock()
}

extension NSManagedObject {
  /// The id for a message about a wrong queue: without touching what belongs to the right one.
  fileprivate var objectIDForReport: String {
    NSManagedObjectID(layout: layout, key: key, store: owner.storeIdentity(store)).description
  }
}
