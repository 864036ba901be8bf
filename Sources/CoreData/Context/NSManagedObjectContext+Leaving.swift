/// How an object leaves its context, for whatever reason: the identity map forgets it, nothing is left to save of it,
/// and it belongs to an owner that knows no other objects.
extension NSManagedObjectContext {
  /// Why an object leaves, which decides what it reads as from then on.
  enum Departure {
    /// It was inserted and deleted without a save between, as if it had never been. Its attributes stay.
    case unsaved
    /// Its deletion was saved. Its attributes stay.
    case deleted
    /// Its row was deleted by another context or program. What its row said stays, as far as it was read.
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
    letGo(object, as: departure, to: ObjectOwner(owner.layouts))
  }

  /// The first half: the context does not know the object any more, but the object its context. A deleted object is
  /// told of its save in this state.
  func takeOut(_ object: NSManagedObject, as departure: Departure) {
    switch departure {
    // The id is asked for once more when observers are told; afterwards the store is out of reach.
    case .deleted, .deletedElsewhere: _ = object.objectID
    case .unsaved, .rolledBack, .reset, .displaced: break
    }
    if object.state.contains(.registered) { owner.unregister(object) }
    if departure == .deleted { ledger.saved(object) } else { ledger.left(object) }
    switch departure {
    case .unsaved, .deletedElsewhere: break
    case .deleted, .rolledBack, .displaced: object.ownState = []
    case .reset: object.ownState = [.fault]
    }
  }

  /// The second half: the object does not know its context any more, and holds no other object.
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
  /// Lets go of all objects that this one refers to.
  final func dropReferences() {
    toManyStates = []
    guard let changes else { return }
    for property in layout.slots where property.kind == .toOne && changes.holds(property.slot) {
      changes.drop(property.slot)
    }
  }
}
