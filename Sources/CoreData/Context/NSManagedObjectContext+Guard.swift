/// Checks that a context is used on its queue, and has stores.
extension NSManagedObjectContext {
  /// The context's name in messages.
  var label: String { name.map { "\"\($0)\"" } ?? "without a name" }

  /// How messages name something of the context's: `private queue of "library"`.
  private var owningLabel: String { name.map { "\"\($0)\"" } ?? "an unnamed context" }

  /// The first step of every entry that needs stores. Without a coordinator the program ends.
  func coordinator(for call: StaticString) -> NSPersistentStoreCoordinator {
    guard let persistentStoreCoordinator else {
      misuse(
        "\(call) was called on the context \(label), which has no coordinator: set "
          + "persistentStoreCoordinator first, or take the context of a container.")
    }
    return persistentStoreCoordinator
  }

  /// Ends the program without a coordinator, for an entry whose source asks the coordinator later.
  func requireCoordinator(for call: StaticString) { _ = coordinator(for: call) }

  /// The first step of every public entry. The context may only be used on its queue.
  func guardQueue(_ call: @autoclosure () -> String) {
    if ConcurrencyGuard.isOn, let owner, !owner.isOnQueue { reportWrongQueue(nil, call: call()) }
  }

  /// Reports a use off the queue, once for each kind of call and each place in the client's sources, because one
  /// `save()` asks the guard several times. Ends the program if `ConcurrencyDebug` asks for that.
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
  /// The id for a message about a wrong queue, found without touching anything that belongs to the right one.
  fileprivate var objectIDForReport: String {
    NSManagedObjectID(layout: layout, key: key, store: owner.storeIdentity(store)).description
  }
}
