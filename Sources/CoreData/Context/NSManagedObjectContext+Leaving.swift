/// How an object leaves its context. Whatever the reason, the identity map forgets it, nothing of it is saved, and its
/// new owner knows no other objects.
extension NSManagedObjectContext {
  /// Why an object leaves. The reason decides what the object reads as from then on.
  enum Departure {
    /// It was inserted and deleted without a save in between. Its attributes stay.
    case unsaved
    /// Its deletion was saved. Its attributes stay until the save was told of; then it reads as empty.
    case deleted
    /// Its row was deleted by another context or program. Values that were read stay.
    case deletedElsewhere
    /// It was inserted, and that was rolled back. Its attributes stay.
    case rolledBack
    /// The context was reset. It is a fault that reads as empty.
    case reset
    /// It was a fault for the id of an object that comes back. It reads as empty.
    case displaced
  }

  func leave(_ object: NSManagedObject, as departure: Departure) {
    takeOut(object, as: departure)
    letGo(
      object, as: departure, to: ObjectOwner(owner.layouts, former: departure == .deletedElsewhere ? owner : nil))
  }

  /// The first half: the context no longer knows the object, but the object still knows its context. A deleted object's
  /// `didSave()` runs in this state.
  func takeOut(_ object: NSManagedObject, as departure: Departure) {
    switch departure {
    // Observers will ask for the id, and afterwards the store can't be reached.
    case .deleted, .deletedElsewhere: _ = object.objectID
    case .unsaved, .rolledBack, .reset, .displaced: break
    }
    if object.state.contains(.registered) { owner.unregister(object) }
    if departure == .deleted { ledger.saved(object) } else { ledger.left(object) }
    switch departure {
    case .unsaved, .deletedElsewhere: break
    case .deleted, .rolledBack, .displaced: object.forgotContext()
    case .reset: object.forgotContext(asFault: true)
    }
  }

  /// The second half: the object no longer knows its context, and refers to no other object.
  func letGo(_ object: NSManagedObject, as departure: Departure, to owner: ObjectOwner) {
    object.owner = owner
    switch departure {
    case .unsaved, .deleted, .deletedElsewhere, .rolledBack: break
    case .displaced: object.changes = nil
    case .reset:
      object.changes = nil
      object.row = nil
    }
    object.dropReferences()
  }
}

extension NSManagedObject {
  /// Drops the references to all other objects.
  final func dropReferences() {
    toManyStates = ToManyStates()
    guard let changes else { return }
    for property in layout.slots where property.kind == .toOne && changes.holds(property.slot) {
      changes.drop(property.slot)
    }
  }
}

/// The owner of an object whose deletion was saved: one for each. As in Apple's framework, the object reads as empty
/// once the save was told of. What it had is here, for an undo or another insertion.
final class DeletedOwner: ObjectOwner {
  // Both are used only on the queue, or by the thread, that uses the object.
  private var row: RowSnapshot?
  private var changes: ChangedValues?

  deinit { changes?.free() }

  override var isOfDeleted: Bool { true }

  /// Takes them once. An observer of the save may have inserted the object again, deleted it and saved that.
  override func takeValues(of object: NSManagedObject) {
    guard row == nil, changes == nil else { return }
    row = object.row
    object.row = nil
    changes = object.moveChanges()
  }

  /// Gives back what was not set on the object meanwhile.
  override func giveValuesBack(to object: NSManagedObject) {
    if object.row == nil { object.row = row }
    guard let kept = changes else { return }
    guard object.changes != nil else {
      changes = nil
      object.changes = kept
      return
    }
    for slot in object.layout.slots.map(\.slot) where kept.holds(slot) && object.changes?.holds(slot) == false {
      object.changes?[slot] = kept[slot]
    }
  }
}
