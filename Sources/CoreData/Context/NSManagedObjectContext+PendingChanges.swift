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
    let reference = LivingReference(self)
    DispatchQueue.main.async {
      guard let context = reference.object else { return }
      context.isEventScheduled = false
      QueueOwnership.with(context) { context.processPendingChanges() }
      context.undoManager?.endEvent()
    }
  }

  /// ``processPendingChanges()``.
  func endEvent() {
    guardQueue("processPendingChanges()")
    processChangesForNow(propagatingDeletes: propagatesDeletesAtEndOfEvent)
  }

  /// For calls that can't throw. Delete rules that could not be applied stay due, and a save throws why.
  func processChangesForNow(propagatingDeletes: Bool) { try? processChanges(propagatingDeletes: propagatingDeletes) }

  /// Throws the store's error if it kept the delete rules of some objects from being applied. Those are due with the
  /// next event or save; all else is done.
  func processChanges(propagatingDeletes: Bool) throws {
    if isProcessing { return }
    // Delete rules may have been postponed since the event in which the object was deleted.
    if ledger.isEventEmpty && !(propagatingDeletes && hasDeletesToPropagate) { return }
    isProcessing = true
    let (unread, postponed) = propagateDeletes(ofNewObjectsOnly: !propagatingDeletes)
    let event = ledger.takeEvent(without: postponed)
    if let undoManager { registerUndo(of: event, undoManager) }
    let (changes, unborn) = ledger.eventEnded(event)
    for object in unborn { leave(object, as: .unsaved) }
    isProcessing = false
    checkInvariants("after processing its changes")
    if !changes.isEmpty, NotificationObservers.areThere(for: .NSManagedObjectContextObjectsDidChange) {
      tell(of: changes, event)
    }
    if let unread { throw unread }
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
  ///
  /// Rules can't throw once they have begun. So what those of an object need is read before, and where that fails they
  /// are left for later. Returns the last such error, and the new objects whose rules are left: they can't leave yet.
  private func propagateDeletes(
    ofNewObjectsOnly isForNewOnly: Bool
  ) -> (error: (any Error)?, postponed: [NSManagedObject]) {
    let reading = owner.hasAuthors && !isForNewOnly ? DeleteRuleReading(self) : nil
    var unread: (any Error)?
    var postponed: [NSManagedObject] = []
    var left: Set<ObjectIdentifier> = []
    func isDue(_ object: NSManagedObject) -> Bool {
      object.state.contains(.deleted) && !object.state.contains(.propagated)
        && !(isForNewOnly && !object.state.contains(.inserted))
        && (left.isEmpty || !left.contains(ObjectIdentifier(object)))
    }
    var index = 0
    while true {
      if index == ledger.deletedList.count {
        // One whose deletion was taken back is in the list still, before the one whose rule deletes it again.
        guard let again = ledger.deletedList.firstIndex(where: isDue) else { break }
        index = again
      }
      let object = ledger.deletedList[index]
      reading?.readNewcomers(from: index)
      index += 1
      guard isDue(object) else { continue }
      if reading?.lacks(object) == true {
        left.insert(ObjectIdentifier(object))
        continue
      }
      let read: [NSManagedObject]
      do { read = try readForRules(of: object) } catch {
        unread = error
        left.insert(ObjectIdentifier(object))
        if object.state.contains(.inserted) { postponed.append(object) }
        continue
      }
      ledger.rulesApplied(to: object)
      for property in object.layout.relationships { apply(property.relationship.deleteRule, of: property, to: object) }
      withExtendedLifetime(read) {}
    }
    return (unread ?? reading?.error, postponed)
  }

  /// Reads the members that delete rules ask for, and the rows of the faults that they change. With an undo manager it
  /// reads all members, because the deletion's undoing brings them back whatever the rule.
  ///
  /// - Returns: The faults that it has read. Without a reference to one, its row would be read again by the rule.
  private func readForRules(of object: NSManagedObject) throws -> [NSManagedObject] {
    var read: [NSManagedObject] = []
    for property in object.layout.relationships {
      let isCascade = property.relationship.deleteRule == .cascadeDeleteRule
      let isOneSided = property.oneSidedInverse != nil
      let inverse = object.layout.inverse(of: property) ?? property.oneSidedInverse
      let isSevered = isCascade || property.relationship.deleteRule == .nullifyDeleteRule && inverse != nil
      if property.kind == .toMany, isSevered || undoManager != nil { try object.readMembers(property) }
      guard isCascade || isSevered && (inverse?.kind == .toOne || isOneSided) else { continue }
      let destinations =
        property.kind == .toMany
        ? object.members(property) : ContiguousArray([object.toOne(property)].compactMap { $0 })
      for destination in destinations {
        if destination.state.contains(.fault) {
          guard try realised(destination) else { continue }
          read.append(destination)
        }
        if isOneSided, let inverse, inverse.kind == .toMany, inverse.destinations.contains(object.layout.index),
          let own = destination.layout.property(keyNumber: inverse.keyNumber)
        {
          try destination.readMembers(own)
        }
      }
    }
    return read
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
