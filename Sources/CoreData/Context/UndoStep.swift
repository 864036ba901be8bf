/// The steps that take one event back.
///
/// The undo manager's action keeps this alive, and this keeps its objects alive. The objects do not keep the context
/// alive, so a context and its manager are freed when nothing else refers to them.
struct UndoStep {
  /// What to do with an object.
  enum Action {
    /// It was inserted in the event, so it is deleted.
    case delete
    /// It was deleted in the event, so it comes back with all its values.
    case insert
    /// It changed in the event, so its changed properties get their former values.
    case update
  }

  struct Entry {
    let object: NSManagedObject
    let action: Action
    /// No value means that of the row, which can't be read.
    var values: [(property: LayoutProperty, value: Value?)] = []
    var members: [MembersDifference] = []
  }

  private(set) var entries: [Entry] = []

  /// Reads the objects of an event before its marks are taken off them.
  init(_ event: ChangeLedger.Event) {
    for object in event.objects where !object.state.contains(.inaccessible) {
      let snapshot = event.snapshots[ObjectIdentifier(object)]
      let isNew = snapshot == nil && object.state.contains(.eventInserted)
      let wasThere = !isNew && snapshot?.wasDeleted != true
      let isThere = !object.state.contains(.deleted)
      let former = FormerValues(object, snapshot, isNew: isNew)
      switch (wasThere, isThere) {
      case (false, true): entries.append(Entry(object: object, action: .delete))
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
    var entry = Entry(object: former.object, action: .insert)
    entry.values = layout.slots.map { ($0, former.restorableValue($0)) }
    // Members that can't be read are still in the store: the delete rules have not been applied to them.
    entry.members = layout.toMany.compactMap { property in
      guard let members = former.readableMembers(property) else { return nil }
      return MembersDifference(
        property: property, came: [], went: members, order: property.isOrdered ? members : nil)
    }
    return entry
  }

  private static func update(_ former: FormerValues) -> Entry? {
    var entry = Entry(object: former.object, action: .update)
    entry.values = former.changedSlots.map { ($0, former.restorableValue($0)) }
    entry.members = former.object.layout.toMany.compactMap(former.difference)
    return entry.values.isEmpty && entry.members.isEmpty ? nil : entry
  }
}
