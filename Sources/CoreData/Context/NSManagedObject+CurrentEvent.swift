/// What changed in the current event, that is, since pending changes were last processed.
extension NSManagedObject {
  /// ``changedValuesForCurrentEvent()``, whatever a subclass answers.
  final func formerValuesOfEvent() -> [String: Any] {
    guard let context = (owner as? ContextOwner)?.context, let former = context.formerValues(of: self) else {
      return [:]
    }
    if state.contains(.fault), !hasChangedMembers { return [:] }
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
