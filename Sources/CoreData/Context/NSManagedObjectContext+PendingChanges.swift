/// From single changes to an event: who changed, delete rules, one notification.
extension NSManagedObjectContext {
  // Marking. Each list is appended to only if the object does not stand in it already.

  func noteChange(of object: NSManagedObject) {
    if object.changes != nil || !object.toManyStates.isEmpty { keepSnapshot(of: object) }
    if object.state.isDisjoint(with: .pending) {
      object.state.insert(.updated)
      if !object.state.contains(.listedUpdated) {
        object.state.insert(.listedUpdated)
        updatedList.append(object)
      }
    }
    // A new object that changes after the event of its insertion is an updated one to observers.
    if object.state.isDisjoint(with: [.eventInserted, .deleted]) { object.state.insert(.eventUpdated) }
    addToEvent(object)
  }

  private func addToEvent(_ object: NSManagedObject) {
    if !object.state.contains(.eventListed) {
      object.state.insert(.eventListed)
      eventList.append(object)
    }
    scheduleEvent()
  }

  /// On the main queue an event ends when the queue gets to its next block; `perform` ends its own.
  private func scheduleEvent() {
    guard !isEventScheduled, !isProcessing, concurrencyType == .mainQueueConcurrencyType else { return }
    isEventScheduled = true
    DispatchQueue.main.async { [weak self] in
      guard let self else { return }
      isEventScheduled = false
      QueueOwnership.with(self) { self.processPendingChanges() }
      undoManager?.endEvent()
    }
  }

  func markInserted(_ object: NSManagedObject) {
    object.state.insert([.inserted, .eventInserted])
    object.state.remove(.fault)
    if !object.state.contains(.listedInserted) {
      object.state.insert(.listedInserted)
      insertedList.append(object)
    }
    addToEvent(object)
  }

  func markDeleted(_ object: NSManagedObject) {
    keepSnapshot(of: object)
    object.state.insert([.deleted, .eventDeleted])
    object.state.remove(.eventUpdated)
    if !object.state.contains(.listedDeleted) {
      object.state.insert(.listedDeleted)
      deletedList.append(object)
    }
    addToEvent(object)
  }

  func undelete(_ object: NSManagedObject) {
    keepSnapshot(of: object)
    object.state.remove([.deleted, .eventDeleted, .propagated])
    if object.state.contains(.inserted) {
      markInserted(object)
    } else {
      noteChange(of: object)
    }
  }

  /// ``processPendingChanges()``.
  func endEvent() {
    guardQueue("processPendingChanges()")
    processChanges(propagatingDeletes: propagatesDeletesAtEndOfEvent)
  }

  func processChanges(propagatingDeletes: Bool) {
    if isProcessing { return }
    // Rules may have been put off from the event in which the object was deleted.
    if eventList.isEmpty && refreshedInEvent.isEmpty && !(propagatingDeletes && hasDeletesToPropagate) { return }
    isProcessing = true
    propagateDeletes(ofNewObjectsOnly: !propagatingDeletes)
    let event = eventList
    let refreshed = refreshedInEvent
    let snapshots = eventSnapshots
    eventList = []
    eventSnapshots = [:]
    refreshedInEvent = []
    if let undoManager { registerUndo(of: event, snapshots, undoManager) }
    var changes = changes(of: event)
    changes.refreshed = refreshed
    isProcessing = false
    checkInvariants("after processing its changes")
    if changes.isEmpty { return }
    let outer = postedEvent
    postedEvent = PostedEvent(changes, snapshots)
    let sets = changes.sets()
    if isSaving { toldInSave = ToldObjects(changes: changes, sets: sets) }
    post(.NSManagedObjectContextObjectsDidChange, sets.userInfo)
    postedEvent = outer
  }

  /// What has happened to the objects of an event, whose marks are taken off. Nearly always the same to all.
  private func changes(of event: ContiguousArray<NSManagedObject>) -> ObjectChanges {
    let marks: ObjectState = [.eventListed, .eventInserted, .eventUpdated, .eventDeleted]
    let gone: ObjectState = [.deleted, .eventDeleted]
    var changes = ObjectChanges()
    if event.allHeld({ $0.state.isDisjoint(with: gone) && $0.state.contains(.eventInserted) }) {
      event.forEachHeld { $0.state.remove(marks) }
      changes.inserted = event
      return changes
    }
    if event.allHeld({ $0.state.isDisjoint(with: gone.union(.eventInserted)) && $0.state.contains(.eventUpdated) }) {
      event.forEachHeld { $0.state.remove(marks) }
      changes.updated = event
      return changes
    }
    for object in event {
      let state = object.state
      object.state.remove(marks)
      if state.contains(.deleted) && state.contains(.inserted) {
        // Inserted and deleted without a save between: as if it had never been.
        dismiss(object)
        if !state.contains(.eventInserted) { changes.deleted.append(object) }
      } else if state.contains(.eventDeleted) {
        changes.deleted.append(object)
      } else if state.contains(.eventInserted) {
        changes.inserted.append(object)
      } else if state.contains(.eventUpdated) {
        changes.updated.append(object)
      }
    }
    return changes
  }

  /// A new object that was deleted before any save leaves the context.
  private func dismiss(_ object: NSManagedObject) {
    object.state.remove([.inserted, .deleted])
    owner.unregister(object)
    object.owner = ObjectOwner(owner.layouts)
    object.dropReferences()
  }

  private var hasDeletesToPropagate: Bool {
    deletedList.contains { $0.state.contains(.deleted) && !$0.state.contains(.propagated) }
  }

  /// Applies the delete rules of every deleted object whose rules were not applied yet; cascades add to the list
  /// while it is walked. New objects leave with the event, so that their rules can't wait for the save.
  func propagateDeletes(ofNewObjectsOnly isForNewOnly: Bool = false) {
    var index = 0
    while index < deletedList.count {
      let object = deletedList[index]
      index += 1
      guard object.state.contains(.deleted), !object.state.contains(.propagated) else { continue }
      if isForNewOnly && !object.state.contains(.inserted) { continue }
      object.state.insert(.propagated)
      for property in object.layout.relationships { apply(property.relationship.deleteRule, of: property, to: object) }
    }
  }

  private func apply(
    _ rule: NSDeleteRule, of property: LayoutProperty, to object: NSManagedObject
  ) {
    switch rule {
    // Deny is checked by the save: it succeeds only if no destination is left to lead back here.
    case .noActionDeleteRule, .denyDeleteRule: break
    case .nullifyDeleteRule: object.nullify(property)
    case .cascadeDeleteRule:
      let destinations =
        property.kind == .toMany
        ? object.members(property) : ContiguousArray([object.toOne(property)].compactMap { $0 })
      for destination in destinations where !destination.state.contains(.deleted) {
        if destination.state.contains(.fault) { destination.fire() }
        if destination.state.contains(.inaccessible) { continue }
        destination.prepareForDeletion()
        markDeleted(destination)
      }
      object.nullify(property)
    @unknown default: break
    }
  }
}
