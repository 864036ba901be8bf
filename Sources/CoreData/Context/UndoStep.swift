/// What one event changed, as what takes it back.
///
/// Held by the undo manager's action. It holds its objects, and they not the context, so that a context and
/// its manager go when nobody else holds them.
struct UndoStep {
  /// What is to be done to an object.
  enum Deed {
    /// It came in the event: it goes.
    case delete
    /// It went in the event: it comes back, with all it held.
    case insert
    /// It changed in the event: what changed is as it was.
    case update
  }

  struct Entry {
    let object: NSManagedObject
    let deed: Deed
    var values: [(property: LayoutProperty, value: Value)] = []
    var members: [MembersDifference] = []
  }

  private(set) var entries: [Entry] = []

  /// Looks at the objects of an event before their states are settled.
  init(_ event: ChangeLedger.Event) {
    for object in event.objects where !object.state.contains(.inaccessible) {
      let snapshot = event.snapshots[ObjectIdentifier(object)]
      let isNew = snapshot == nil && object.state.contains(.eventInserted)
      let wasThere = !isNew && snapshot?.wasDeleted != true
      let isThere = !object.state.contains(.deleted)
      let former = FormerValues(object, snapshot, isNew: isNew)
      switch (wasThere, isThere) {
      case (false, true): entries.append(Entry(object: object, deed: .delete))
      case (true, false): entries.append(UndoStep.insertion(former))
      case (true, true):
        if !object.state.isDisjoint(with: .pending), let entry = UndoStep.update(former) {
          entries.append(entry)
        }
      case (false, false): break
      }
    }
  }

  private static func insertion(_ former: FormerValues) -> Entry {
    let layout = former.object.layout
    var entry = Entry(object: former.object, deed: .insert)
    entry.values = layout.slots.map { ($0, former.value($0)) }
    entry.members = layout.toMany.map { property in
      let members = former.members(property)
      return MembersDifference(
        property: property, came: [], went: members, order: property.isOrdered ? members : nil)
    }
    return entry
  }

  private static func update(_ former: FormerValues) -> Entry? {
    var entry = Entry(object: former.object, deed: .update)
    entry.values = former.changedSlots.map { ($0, former.value($0)) }
    entry.members = former.object.layout.toMany.compactMap(former.difference)
    return entry.values.isEmpty && entry.members.isEmpty ? nil : entry
  }
}
