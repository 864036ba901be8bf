/// What changed in the current event, that is, since pending changes were last processed.
extension NSManagedObject {
  /// ``changedValuesForCurrentEvent()``, whatever a subclass answers.
  final func formerValuesOfEvent() -> [String: Any] {
    guard let former = formerOfEvent else { return [:] }
    var values: [String: Any] = [:]
    for property in former.changedSlots where !property.isTransient {
      if let composite = property.composite {
        values[composite.name] = composite.composed { former.value($0).boxed(for: $0) } ?? NSNull()
      } else {
        values[property.name] = former.value(property).boxed(for: property) ?? NSNull()
      }
    }
    for property in layout.toMany where former.difference(property) != nil {
      let members = Array(former.readableMembers(property) ?? [])
      values[property.name] = property.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
    }
    return values
  }

  /// Whether one of these properties has changed in the current event. Neither values nor members of the others are
  /// read.
  final func hasChangedInEvent(_ keys: Set<String>) -> Bool {
    guard let former = formerOfEvent else { return false }
    return former.hasChanged { !$0.isTransient && keys.contains(($0.composite ?? $0).name) }
      || layout.toMany.contains { keys.contains($0.name) && former.difference($0) != nil }
  }

  /// nil if the current event does not concern the object, or nothing is known of what it held.
  private final var formerOfEvent: FormerValues? {
    guard let former = ownContext?.formerValues(of: self) else { return nil }
    return state.contains(.fault) && !hasChangedMembers ? nil : former
  }
}

extension NSManagedObjectContext {
  /// nil if the current event does not concern the object.
  fileprivate func formerValues(of object: NSManagedObject) -> FormerValues? {
    let id = ObjectIdentifier(object)
    if let postedEvent, postedEvent.contains(object) {
      let snapshot = postedEvent.snapshots[id]
      return FormerValues(object, snapshot, isNew: snapshot == nil && postedEvent.isInserted(object))
    }
    guard object.state.contains(.eventListed) else { return nil }
    let snapshot = ledger.snapshots[id]
    return FormerValues(object, snapshot, isNew: snapshot == nil && object.state.contains(.eventInserted))
  }
}
