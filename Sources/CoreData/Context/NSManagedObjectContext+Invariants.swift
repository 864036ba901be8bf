/// Whether contexts check their invariants after every save and every processing of changes. Only on in tests, since a
/// check looks at every object of the context.
enum InvariantChecks {
  nonisolated(unsafe) static var isOn = false
}

/// The invariants that hold between any two calls.
extension NSManagedObjectContext {
  /// Traps with a sentence if one of the invariants is broken. It reads no rows, so faults and unread relationships are
  /// not checked.
  func checkInvariants(_ moment: StaticString) {
    guard InvariantChecks.isOn, let broken = brokenInvariants().first else { return }
    fatalError("In the context \(label), \(moment): \(broken)")
  }

  /// A sentence for each breach.
  func brokenInvariants() -> [String] {
    guard let owner else { return [] }
    let objects = owner.allObjects
    let listed = PendingIdentities(
      PendingObjects(inserted: ledger.insertedList, changed: ledger.updatedList, deleted: ledger.deletedList))
    return sharedRows(objects) + objects.flatMap { state(of: $0, listed) + ends(of: $0) }
  }

  /// Invariant 1: at most one object for each id; and the map finds it.
  private func sharedRows(_ objects: [NSManagedObject]) -> [String] {
    var seen: [NSManagedObjectID: NSManagedObject] = [:]
    return objects.compactMap { object in
      let id = NSManagedObjectID(
        layout: object.layout, key: object.key, store: owner.storeIdentity(object.store))
      if let other = seen.updateValue(object, forKey: id), other !== object {
        return "Invariant 1: two objects have the id \(id)."
      }
      if owner.registered(object.reference, store: object.store) !== object {
        return "Invariant 1: the identity map does not find the object of \(id)."
      }
      return nil
    }
  }

  /// Invariant 2, in which a new object that is deleted is taken for deleted; an object is in the list for its state.
  /// Invariant 4: it has a temporary id only while it is new, here or in the parent.
  private func state(of object: NSManagedObject, _ listed: PendingIdentities) -> [String] {
    var broken: [String] = []
    let name = "\(object.layout.name) \(object.objectID)"
    let identity = ObjectIdentifier(object)
    let kinds = [
      listed.inserted.contains(identity) && object.state.intersection([.inserted, .deleted]) == .inserted,
      listed.changed.contains(identity) && object.state.isUpdated,
      listed.deleted.contains(identity) && object.state.contains(.deleted),
    ].filter { $0 }.count
    if kinds > 1 { broken.append("Invariant 2: \(name) is in \(kinds) of inserted, updated, deleted.") }
    if object.hasChanges, kinds == 0 { broken.append("Invariant 2: \(name) has changes, but is in no list.") }
    if object.state.contains(.inserted), object.state.contains(.updated) {
      broken.append("Invariant 2: \(name) is inserted and updated.")
    }
    // A fault may have been made for any id, and finds no row.
    if !source.mayHave(object.key), object.state.isDisjoint(with: [.inserted, .fault, .inaccessible]) {
      broken.append("Invariant 4: \(name) has a temporary id, but is not new.")
    }
    return broken
  }

  /// Invariant 3: both ends of a changed relationship agree, if both have been read. Unchanged ends may have been read
  /// at different times; deleted objects keep what they had.
  private func ends(of object: NSManagedObject) -> [String] {
    guard object.state.isDisjoint(with: [.fault, .deleted, .inaccessible]) else { return [] }
    var broken: [String] = []
    func check(
      _ member: NSManagedObject, property: LayoutProperty, inverse: LayoutProperty, leadsBack: Bool
    ) {
      guard !member.state.contains(.deleted), member.owner === owner,
        let own = member.layout.property(named: inverse.name), let back = member.knows(object, own),
        back != leadsBack
      else { return }
      broken.append(
        "Invariant 3: \(member.layout.name) \(member.objectID) \(leadsBack ? "came into" : "left") "
          + "\(property.name) of \(object.layout.name) \(object.objectID), but its \(inverse.name) says otherwise."
      )
    }
    for property in object.layout.relationships {
      guard let inverse = property.inverse else { continue }
      if property.kind == .toOne {
        guard object.changedSlots.contains(property.slot), let member = object.toOne(property) else {
          continue
        }
        check(member, property: property, inverse: inverse, leadsBack: true)
      } else if let state = object.knownState(of: property) {
        for member in state.added { check(member, property: property, inverse: inverse, leadsBack: true) }
        for reference in state.removed {
          if let member = owner.registered(reference, store: object.store) {
            check(member, property: property, inverse: inverse, leadsBack: false)
          }
        }
      }
    }
    return broken
  }
}

extension NSManagedObject {
  /// Whether the relationship leads to an object; nil if only reading a row could tell.
  fileprivate func knows(_ other: NSManagedObject, _ property: LayoutProperty) -> Bool? {
    if state.contains(.fault) || state.contains(.inaccessible) { return nil }
    if property.kind == .toOne { return toOne(property) === other }
    guard let state = knownState(of: property) else { return nil }
    if let order = state.order { return order.contains { $0 === other } }
    if state.isAdded(other) { return true }
    if state.removed.contains(other.reference) { return false }
    return state.base.map { $0.contains(other.reference) }
  }
}
