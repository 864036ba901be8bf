/// From single changes to an event: what changed, one notification. Its delete rules are in `+DeleteRules`.
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

  func markInsertedAgain(_ object: NSManagedObject) {
    ledger.insertedAgain(object)
    scheduleEvent()
  }

  func markDeleted(_ object: NSManagedObject) {
    ledger.deleted(object)
    scheduleEvent()
  }

  /// Marks an object as deleted, then lets it prepare, while its relationships still stand. A deletion in there that
  /// comes back to the object finds the mark, and ends.
  func beginDeletion(of object: NSManagedObject) {
    markDeleted(object)
    ledger.preparing(object)
    object.prepareForDeletion()
    ledger.prepared(object)
  }

  func undelete(_ object: NSManagedObject, isNewToObservers: Bool = false) {
    ledger.undeleted(object, isNewToObservers: isNewToObservers)
    scheduleEvent()
  }

  func markRefreshed(_ object: NSManagedObject) {
    ledger.refreshed(object)
    scheduleEvent()
  }

  func markLost(_ objects: ContiguousArray<NSManagedObject>) {
    if objects.isEmpty { return }
    ledger.lost(objects)
    scheduleEvent()
  }

  /// On the main queue an event ends when the queue gets to its next block, also that of a context without a queue;
  /// `perform` ends its own.
  private func scheduleEvent() {
    guard !isEventScheduled, !isProcessing,
      concurrencyType == .mainQueueConcurrencyType || concurrencyType.isConfined && QueueOwnership.isMainQueue
    else { return }
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
  func processChanges(propagatingDeletes: Bool = true) throws {
    if isProcessing { return }
    // Delete rules may have been postponed since the event in which the object was deleted.
    if ledger.isEventEmpty && !(propagatingDeletes && hasDeletesToPropagate) { return }
    isProcessing = true
    // An accessor that threw has never said that its change is over.
    if !owner.announcedDestinations.isEmpty { owner.announcedDestinations = [] }
    let (unread, postponed) = propagateDeletes(ofNewObjectsOnly: !propagatingDeletes)
    let event = ledger.takeEvent(without: postponed)
    if !event.objects.isEmpty { touchedInSave?.append(event.objects) }
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
}
