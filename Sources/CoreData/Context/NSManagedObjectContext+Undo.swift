/// Undo: each event is one action; undoing it is an event too, whose action redoes it.
extension NSManagedObjectContext {
  /// ``undo()``.
  func undoChanges() {
    guardQueue("undo()")
    processPendingChanges()
    undoManager?.undo()
  }

  /// ``redo()``.
  func redoChanges() {
    guardQueue("redo()")
    processPendingChanges()
    undoManager?.redo()
  }

  // The manager.

  /// What was changed under the former manager is registered with it.
  func prepareForUndoManager() {
    if !ledger.eventList.isEmpty, owner.isOnQueue { processPendingChanges() }
  }

  func replaceUndoManager(_ former: UndoManager?) {
    if let former { leave(former) }
    guard let undoManager else { return }
    // A private queue's events end on whatever thread its blocks run.
    if concurrencyType == .privateQueueConcurrencyType { undoManager.endsEventsItself = false }
    undoCheckpoint = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint, object: undoManager, queue: nil
    ) { [weak self] _ in
      guard let self, let owner, !ledger.eventList.isEmpty, owner.isOnQueue else { return }
      processPendingChanges()
    }
  }

  /// Takes the context's actions, and with them its objects, out of a manager.
  func leave(_ manager: UndoManager) {
    if let undoCheckpoint { NotificationCenter.default.removeObserver(undoCheckpoint) }
    undoCheckpoint = nil
    manager.removeActions(of: ObjectIdentifier(self))
  }

  /// Registers what takes an event back. Called while the objects still say what they were.
  func registerUndo(of event: ChangeLedger.Event, _ manager: UndoManager) {
    guard manager.isUndoRegistrationEnabled else { return }
    let step = UndoStep(event)
    if step.entries.isEmpty { return }
    manager.registerUndo(withTarget: self) { $0.takeBack(step) }
  }

  // Undoing.

  /// Makes objects as they were before an event.
  ///
  /// Relationships are set as a client would, so that both ends stay the same whatever happened since. First
  /// all objects come back, so that they can be related; what is to go goes when nothing leads to it any
  /// more.
  private func takeBack(_ step: UndoStep) {
    guard owner != nil else { return }
    let wasProcessing = isProcessing
    isProcessing = true
    var awakened: [(object: NSManagedObject, flags: NSSnapshotEventType)] = []
    var returned: Set<ObjectIdentifier> = []
    for entry in step.entries where entry.deed == .insert && bringBack(entry.object) {
      returned.insert(ObjectIdentifier(entry.object))
    }
    for entry in step.entries {
      let object = entry.object
      switch entry.deed {
      case .delete: continue
      case .insert:
        guard returned.contains(ObjectIdentifier(object)) else { continue }
        awakened.append((object, .undoDeletion))
      case .update:
        guard isPresent(object) else { continue }
        if object.state.contains(.fault) { object.fireForChange() }
        if object.state.contains(.inaccessible) { continue }
        awakened.append((object, .undoUpdate))
      }
      for (property, value) in entry.values { restore(value, property, of: object) }
      for difference in entry.members { restore(difference, of: object) }
    }
    for entry in step.entries where entry.deed == .delete && isPresent(entry.object) {
      takeAway(entry.object)
      awakened.append((entry.object, .undoInsertion))
    }
    isProcessing = wasProcessing
    for (object, flags) in awakened { object.awake(fromSnapshotEvents: flags) }
    processChanges(propagatingDeletes: true)
  }

  /// Whether an object is one of this context's, and not deleted.
  private func isPresent(_ object: NSManagedObject) -> Bool {
    object.owner === owner && object.state.isDisjoint(with: [.deleted, .inaccessible])
  }

  private func restore(_ value: Value, _ property: LayoutProperty, of object: NSManagedObject) {
    guard property.kind == .toOne else {
      if !value.isSame(as: object.currentValue(property)) { object.write(value, slot: property.slot) }
      return
    }
    var destination: NSManagedObject?
    if case .object(let held) = value {
      let former = unsafeDowncast(held, to: NSManagedObject.self)
      if isPresent(former) { destination = former }
    }
    if object.toOne(property) !== destination { object.setToOne(destination, property) }
  }

  private func restore(_ difference: MembersDifference, of object: NSManagedObject) {
    let property = difference.property
    for member in difference.came where member.owner === owner { object.removeMember(member, property) }
    for member in difference.went where isPresent(member) { object.takeMemberBack(member, property) }
    guard let order = difference.order else { return }
    // Members that came in some other way stay, at the end.
    let present = order.filter { isPresent($0) && object.contains($0, property) }
    let known = Set(present.map(ObjectIdentifier.init))
    object.setMembers(
      present + object.members(property).filter { !known.contains(ObjectIdentifier($0)) }, property)
  }

  // Objects that come and go.

  /// Makes a deleted object one of the context's again, related to none. False when it is there already.
  private func bringBack(_ object: NSManagedObject) -> Bool {
    if object.owner === owner {
      guard object.state.contains(.deleted), !object.state.contains(.inaccessible) else { return false }
      let wasPropagated = object.state.contains(.propagated)
      undelete(object, isNewToObservers: true)
      if wasPropagated { object.forgetNullified() }
      return true
    }
    // Deleted and saved, or never saved: it is inserted, under the id that it had, which may have been asked for since.
    if let other = owner.registered(object.reference, store: object.store) { leave(other, as: .displaced) }
    object.owner = owner
    object.ownState = []
    object.row = nil
    object.changes = ChangedValues.make(object.layout)
    object.toManyStates = ContiguousArray(object.layout.toMany.map { _ in ToManyState(base: []) })
    owner.register(object)
    markInserted(object)
    return true
  }

  /// Deletes an object whose insertion is undone. Nothing follows it: what it led to was there before.
  private func takeAway(_ object: NSManagedObject) {
    if object.state.contains(.fault) { object.fireForChange() }
    if object.state.contains(.inaccessible) { return }
    markDeleted(object)
    ledger.rulesApplied(to: object)
    for property in object.layout.relationships where property.relationship.deleteRule.severs {
      object.nullify(property)
    }
  }
}

extension NSDeleteRule {
  /// Whether the rule makes destinations forget the deleted object.
  fileprivate var severs: Bool { self == .nullifyDeleteRule || self == .cascadeDeleteRule }
}

extension NSManagedObject {
  /// Forgets the destinations that its deletion made forget this object.
  fileprivate final func forgetNullified() {
    for property in layout.relationships
    where layout.inverse(of: property) != nil && property.relationship.deleteRule.severs {
      if property.kind == .toOne {
        if toOne(property) != nil { write(.null, slot: property.slot) }
      } else {
        for member in members(property) { toManyState(property).remove(member) }
      }
    }
  }

  /// Adds a member; one that still leads here, though this object was gone, is not asked.
  fileprivate final func takeMemberBack(_ member: NSManagedObject, _ property: LayoutProperty) {
    if !contains(member, property) {
      connect(member, property)
    } else if state.contains(.inserted), !toManyState(property).isAdded(member) {
      toManyState(property).add(member)
    }
  }
}
