/// What an object held before its first change in an event.
///
/// An object without earlier unsaved changes has no snapshot: its row says what it held, and a new object held nothing.
/// A snapshot is kept until the event has been posted.
final class EventSnapshot {
  /// The members of a to-many relationship, with the changes made before the event; see `ToManyState`.
  struct Members {
    var added = ContiguousArray<NSManagedObject>()
    var removed: Set<RowReference> = []
    var order: ContiguousArray<NSManagedObject>?

    init() {}

    init?(_ state: ToManyState?) {
      guard let state, state.isChanged else { return nil }
      added = state.added
      removed = state.removed
      order = state.order
    }
  }

  let row: RowSnapshot?
  let wasDeleted: Bool
  /// Unsaved values; freed with the snapshot.
  let changes: ChangedValues?
  /// By the to-many index of the relationship; empty if none was changed.
  let members: ContiguousArray<Members?>
  /// Keeps the layout that the values lie by.
  private let owner: ObjectOwner

  /// Copies what the object holds now.
  init(_ object: NSManagedObject) {
    owner = object.owner
    row = object.row
    wasDeleted = object.state.contains(.deleted)
    changes = object.changes?.copy()
    members = object.hasChangedMembers ? ContiguousArray(object.toManyStates.map(Members.init)) : []
  }

  /// The snapshot of an object without unsaved changes: what its row says.
  init(unchanged object: NSManagedObject) {
    owner = object.owner
    row = object.row
    wasDeleted = false
    changes = nil
    members = []
  }

  deinit { changes?.free() }
}

/// The event that observers are being told of. It is the current one for them.
final class PostedEvent {
  let changes: ObjectChanges
  let snapshots: [ObjectIdentifier: EventSnapshot]
  /// Made when the first observer asks.
  private lazy var inserted = Set(changes.inserted.lazy.map(ObjectIdentifier.init))
  private lazy var others = Set((changes.updated + changes.deleted).lazy.map(ObjectIdentifier.init))

  init(_ changes: ObjectChanges, _ snapshots: [ObjectIdentifier: EventSnapshot]) {
    self.changes = changes
    self.snapshots = snapshots
  }

  func isInserted(_ object: NSManagedObject) -> Bool { inserted.contains(ObjectIdentifier(object)) }
  func contains(_ object: NSManagedObject) -> Bool {
    others.contains(ObjectIdentifier(object)) || isInserted(object)
  }
}

extension NSManagedObject {
  final var hasChangedMembers: Bool { toManyStates.contains { $0?.isChanged == true } }

  /// Whether the object holds something that its row doesn't say.
  final var needsSnapshot: Bool {
    if state.contains(.deleted) || hasChangedMembers { return true }
    guard let changes else { return false }
    return row == nil || !changes.changed.isEmpty || !layout.transientSlots.isEmpty
  }
}
