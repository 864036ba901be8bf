/// Undo. Each event is one action. Undoing is an event too, and its action redoes what was undone.
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

  /// Changes made so far are registered with the former manager.
  func prepareForUndoManager() {
    if !ledger.eventList.isEmpty, owner.isOnQueue { processPendingChanges() }
  }

  func replaceUndoManager(_ former: UndoManager?) {
    if let former { removeActions(from: former) }
    guard let undoManager else { return }
    // A private queue's events end on the thread that runs the block.
    if concurrencyType == .privateQueueConcurrencyType { undoManager.endsEventsItself = false }
    let reference = LivingReference(self)
    undoCheckpoint = NotificationCenter.default.addObserver(
      forName: .NSUndoManagerCheckpoint, object: undoManager, queue: nil
    ) { _ in
      guard let context = reference.object, let owner = context.owner, owner.isOnQueue,
        !context.ledger.eventList.isEmpty
      else { return }
      context.processPendingChanges()
    }
  }

  /// Removes the context's actions from a manager, and with them its objects.
  func removeActions(from manager: UndoManager) {
    if let undoCheckpoint { NotificationCenter.default.removeObserver(undoCheckpoint) }
    undoCheckpoint = nil
    manager.removeActions(of: ObjectIdentifier(self))
  }

  /// Registers the action that takes an event back. Called while the objects still know their former values.
  func registerUndo(of event: ChangeLedger.Event, _ manager: UndoManager) {
    guard manager.isUndoRegistrationEnabled else { return }
    let step = UndoStep(event)
    if step.entries.isEmpty { return }
    manager.registerUndo(withTarget: self) { $0.takeBack(step) }
  }

  // Undoing.

  /// Brings objects back to their state before an event.
  ///
  /// Relationships are set as a client would set them, so that both ends agree whatever happened since. First all
  /// deleted objects come back, so that they can be related. Inserted objects go last, when nothing leads to them
  /// any longer.
  private func takeBack(_ step: UndoStep) {
    guard owner != nil else { return }
    let wasProcessing = isProcessing
    isProcessing = true
    var awakened: [(object: NSManagedObject, flags: NSSnapshotEventType)] = []
    var returned: Set<ObjectIdentifier> = []
    for entry in step.entries where entry.action == .insert && bringBack(entry.object) {
      returned.insert(ObjectIdentifier(entry.object))
    }
    for entry in step.entries {
      let object = entry.object
      switch entry.action {
      case .delete: continue
      case .insert:
        guard returned.contains(ObjectIdentifier(object)) else { continue }
        awakened.append((object, .undoDeletion))
      case .update:
        guard isPresent(object) else { continue }
        object.readForChange()
        if object.state.contains(.inaccessible) { continue }
        awakened.append((object, .undoUpdate))
      }
      for (property, value) in entry.values { restore(value, property, of: object) }
      for difference in entry.members { restore(difference, of: object) }
    }
    for entry in step.entries where entry.action == .delete && isPresent(entry.object) {
      takeAway(entry.object)
      awakened.append((entry.object, .undoInsertion))
    }
    isProcessing = wasProcessing
    for (object, flags) in awakened { object.awake(fromSnapshotEvents: flags) }
    processChangesForNow(propagatingDeletes: true)
  }

  /// Whether an object is one of this context's, and not deleted.
  private func isPresent(_ object: NSManagedObject) -> Bool {
    object.owner === owner && object.state.isDisjoint(with: [.deleted, .inaccessible])
  }

  private func restore(_ value: Value?, _ property: LayoutProperty, of object: NSManagedObject) {
    guard let value else { return object.leaveToRow(property) }
    guard property.kind == .toOne else {
      let isThere = value.isSame(as: object.currentValue(property))
      if !isThere || value.isNull && object.hasUnreadable(property) { object.write(value, slot: property.slot) }
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
    // Members that were added in some other way stay, at the end.
    object.orderMembers(order.filter(isPresent), property)
  }

  // Objects that come and go.

  /// Brings a deleted object back into the context, without relationships. False if it is there already.
  private func bringBack(_ object: NSManagedObject) -> Bool {
    if object.owner === owner {
      guard object.state.contains(.deleted), !object.state.contains(.inaccessible) else { return false }
      takeDeletionBack(of: object, isNewToObservers: true)
      return true
    }
    // Its deletion was saved, or it was never saved.
    readmit(object)
    return true
  }

  /// Takes a deletion back. If the delete rules have been applied, the object no longer leads to those that they
  /// have made forget it, so that both ends agree.
  func takeDeletionBack(of object: NSManagedObject, isNewToObservers: Bool = false) {
    let wasPropagated = object.state.contains(.propagated)
    undelete(object, isNewToObservers: isNewToObservers)
    if wasPropagated { object.forgetNullified() }
  }

  /// ``insert(_:)`` of a deleted object. If the delete rules have been applied, it is related again to those that they
  /// have made forget it, except to deleted ones, and to those that lead to another object by now.
  func insertDeleted(_ object: NSManagedObject) {
    let former = object.state.contains(.propagated) ? object.severedDestinations : []
    takeDeletionBack(of: object)
    for (property, destinations) in former {
      for destination in destinations where isPresent(destination) && destination.hasRoom(property.inverse) {
        if property.kind == .toOne {
          object.setToOne(destination, property)
        } else {
          object.takeMemberBack(destination, property)
        }
      }
    }
  }

  /// Deletes an object whose insertion is undone. No delete rules apply, because its destinations were there before.
  private func takeAway(_ object: NSManagedObject) {
    object.readForChange()
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
  /// Takes back what was set over a value that can't be read. The row has that still, unless there was a save.
  fileprivate final func leaveToRow(_ property: LayoutProperty) {
    guard changedSlots.contains(property.slot), row != nil else { return }
    let announced = announceChange(of: property)
    noteChange()
    takeBack(property, clearing: false)
    announced?.end()
  }

  /// The relationships whose destinations a deletion makes forget this object.
  private final var severedRelationships: [LayoutProperty] {
    layout.relationships.filter { $0.inverse != nil && $0.relationship.deleteRule.severs }
  }

  fileprivate final var severedDestinations:
    [(property: LayoutProperty, destinations: ContiguousArray<NSManagedObject>)]
  {
    severedRelationships.map { ($0, destinations(of: $0)) }
  }

  /// Whether the other end of a relationship may lead to one more object: it is to-many, or leads to none.
  fileprivate final func hasRoom(_ inverse: LayoutProperty?) -> Bool {
    guard let inverse, let own = layout.property(keyNumber: inverse.keyNumber) else { return false }
    if own.kind == .toMany { return true }
    readForChange()
    return toOne(own) == nil
  }

  /// Removes those destinations that its deletion made forget this object.
  fileprivate final func forgetNullified() {
    for property in severedRelationships {
      if property.kind == .toOne {
        if toOne(property) != nil { write(.null, slot: property.slot) }
      } else {
        let announced = announceChange(of: property, .members)
        for member in members(property) { toManyState(property).remove(member) }
        announced?.end()
      }
    }
  }

  /// Adds a member. A member that still leads to this object, though that was gone, is not changed.
  fileprivate final func takeMemberBack(_ member: NSManagedObject, _ property: LayoutProperty) {
    if !contains(member, property) {
      connect(member, property)
    } else if state.contains(.inserted), !toManyState(property).isAdded(member) {
      toManyState(property).add(member)
    }
  }
}
