/// A group of actions that are undone together, the last one first.
final class UndoGroup {
  enum Item {
    case action(UndoAction)
    case group(UndoGroup)
  }

  var items: [Item] = []
  /// What the actions are called in a menu; empty without a name.
  var name = ""
  var isMarkedDiscardable = false
  /// Whether the group was opened automatically for an event, and is closed when the event ends.
  let isOfEvent: Bool
  /// The open group around this one; nil at the top, and once the group is closed.
  var parent: UndoGroup?

  init(isOfEvent: Bool = false, name: String = "", in parent: UndoGroup? = nil) {
    self.isOfEvent = isOfEvent
    self.name = name
    self.parent = parent
  }

  /// True if the group was marked as discardable, or has only groups that are.
  var isDiscardable: Bool {
    if isMarkedDiscardable || items.isEmpty { return isMarkedDiscardable }
    return items.allSatisfy { item in
      if case .group(let group) = item { group.isDiscardable } else { false }
    }
  }

  /// How many groups are open, including this one.
  var level: Int { 1 + (parent?.level ?? 0) }

  /// Runs the actions, the last one first.
  func run() {
    for item in items.reversed() {
      switch item {
      case .action(let action): action.run()
      case .group(let group): group.run()
      }
    }
  }

  /// Drops the actions of a target, and any group that is empty afterwards.
  func removeActions(of target: ObjectIdentifier) {
    items.removeAll { item in
      switch item {
      case .action(let action): return action.targetID == target
      case .group(let group):
        let wasEmpty = group.items.isEmpty
        group.removeActions(of: target)
        return group.items.isEmpty && !wasEmpty
      }
    }
  }
}

/// An action that undoes one change. It does not keep its target alive, and does nothing once the target is gone.
struct UndoAction {
  private(set) weak var target: AnyObject?
  let targetID: ObjectIdentifier
  private let handler: (AnyObject) -> Void

  init<Target: AnyObject>(_ target: Target, _ handler: @escaping (Target) -> Void) {
    self.target = target
    targetID = ObjectIdentifier(target)
    self.handler = { handler(unsafeDowncast($0, to: Target.self)) }
  }

  func run() {
    if let target { handler(target) }
  }
}
