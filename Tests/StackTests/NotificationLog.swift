import CoreData

/// The notifications that a context posts, in order.
final class NotificationLog {
  private(set) var all: [Notification] = []
  private var tokens: [any NSObjectProtocol] = []

  init(_ context: NSManagedObjectContext) {
    for name in NotificationLog.short.keys {
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { [unowned self] in
          all.append($0)
        })
    }
  }

  deinit { tokens.forEach(NotificationCenter.default.removeObserver) }

  private static let short: [Notification.Name: String] = [
    .NSManagedObjectContextObjectsDidChange: "didChange", .NSManagedObjectContextWillSave: "willSave",
    .NSManagedObjectContextDidSave: "didSave", .NSManagedObjectContextDidSaveObjectIDs: "didSaveIDs",
    .NSManagedObjectContextDidMergeChangesObjectIDs: "didMergeIDs",
  ]

  var names: [String] { all.map { NotificationLog.short[$0.name]! } }

  func clear() { all = [] }

  subscript(name: String) -> Notification? { all.last { NotificationLog.short[$0.name] == name } }
}

extension Notification {
  func objects(_ key: String) -> Set<NSManagedObject> {
    Set((userInfo?[key] as? NSSet)?.allObjects as? [NSManagedObject] ?? [])
  }

  func ids(_ key: String) -> Set<NSManagedObjectID> {
    Set((userInfo?[key] as? NSSet)?.allObjects as? [NSManagedObjectID] ?? [])
  }

  var keys: Set<String> { Set((userInfo ?? [:]).keys.compactMap { $0 as? String }) }
}
