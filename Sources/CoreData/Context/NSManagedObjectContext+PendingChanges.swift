/// From single changes to an event: what changed, delete rules, one notification.
extension NSManagedObjectContext {
  // The ledger's transitions, each of which may begin an event.

  func noteChange(of object: NSManagedObject) {
    ledger.changed(object)
    scheduleEvent()
  }

  func markInserted(_ object: NSManagedObject) {
    ledger.inserted(object)
    scheduleEvent()
  }

  func markDeleted(_ object: NSManagedObject) {
    ledger.deleted(object)
    scheduleEvent()
  }

  func undelete(_ object: NSManagedObject, isNewToObservers: Bool = false) {
    ledger.undeleted(object, isNewToObservers: isNewToObservers)
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

  /// ``processPendingChanges()``.
  func endEvent() {
    guardQueue("processPendingChanges()")
    processChanges(propagatingDeletes: propagatesDeletesAtEndOfEvent)
  }

  func processChanges(propagatingDeletes: Bool) {
    if isProcessing { return }
    // Delete rules may have been postponed since the event in which the object was deleted.
    if ledger.isEventEmpty && !(propagatingDeletes && hasDeletesToPropagate) { return }
    isProcessing = true
    propagateDeletes(ofNewObjectsOnly: !propagatingDeletes)
    let event = ledger.takeEvent()
    if let undoManager { registerUndo(of: event, undoManager) }
    let (changes, unborn) = ledger.eventEnded(event)
    for object in unborn { leave(object, as: .unsaved) }
    isProcessing = false
    checkInvariants("after processing its changes")
    if !changes.isEmpty, NotificationObservers.areThere(for: .NSManagedObjectContextObjectsDidChange) {
      tell(of: changes, event)
    }
  }

  private func tell(of changes: ObjectChanges, _ event: ChangeLedger.Event) {
    let outer = postedEvent
    postedEvent = PostedEvent(changes, event.snapshots)
    let sets = changes.sets()
    if isSaving { toldInSave = ToldObjects(changes: changes, sets: sets) }
    post(.NSManagedObjectContextObjectsDidChange, sets.userInfo)
    postedEvent = outer
  }

  private var hasDeletesToPropagate: Bool {
    ledger.deletedList.contains { $0.state.contains(.deleted) && !$0.state.contains(.propagated) }
  }

  /// Applies the delete rules of every deleted object whose rules were not applied yet; cascades add to the list
  /// while it is walked. New objects leave when the event ends, so their rules can't wait for the save.
  func propagateDeletes(ofNewObjectsOnly isForNewOnly: Bool = false) {
    let reading = owner.hasAuthors && !isForNewOnly ? DeleteRuleReading(self) : nil
    defer { reading?.end() }
    var index = 0
    while index < ledger.deletedList.count {
      let object = ledger.deletedList[index]
      reading?.readNewcomers(from: index)
      index += 1
      guard object.state.contains(.deleted), !object.state.contains(.propagated) else { continue }
      if isForNewOnly && !object.state.contains(.inserted) { continue }
      if reading?.lacks(object) == true { continue }
      ledger.rulesApplied(to: object)
      for property in object.layout.relationships { apply(property.relationship.deleteRule, of: property, to: object) }
    }
  }

  private func apply(
    _ rule: NSDeleteRule, of property: LayoutProperty, to object: NSManagedObject
  ) {
    switch rule {
    // Deny is checked by the save, which succeeds only if no destination leads back here.
    case .noActionDeleteRule, .denyDeleteRule: break
    case .nullifyDeleteRule: object.nullify(property)
    case .cascadeDeleteRule:
      let destinations =
        property.kind == .toMany
        ? object.members(property) : ContiguousArray([object.toOne(property)].compactMap { $0 })
      for destination in destinations where !destination.state.contains(.deleted) {
        if destination.state.contains(.fault) { destination.fireForChange() }
        if destination.state.contains(.inaccessible) { continue }
        destination.prepareForDeletion()
        markDeleted(destination)
      }
      object.nullify(property)
    @unknown default: break
    }
  }
}
