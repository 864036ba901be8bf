/// Going back to the stored state: refresh, rollback, reset.
extension NSManagedObjectContext {
  /// ``refresh(_:mergeChanges:)``.
  func refreshObject(_ object: NSManagedObject, mergeChanges: Bool) {
    guardQueue("refresh(_:mergeChanges:)")
    guard object.owner === owner else { return }
    guard isRefreshable(object) else {
      if !mergeChanges { forgetValues(ofNew: object) }
      return
    }
    // A deletion stays, now of the newest version of the row.
    if mergeChanges || object.state.contains(.deleted) {
      if object.state.contains(.fault) {
        object.forgetFaultRow()
        return
      }
      guard let row = readAgain(object) else { return }
      if object.state.isDisjoint(with: [.pending, .observed]) {
        // A fault again, which finds the newest row when it is used. An observed object stays,
        // since observers are told what differs.
        object.turnIntoFault()
        object.row = row
      } else {
        object.takeRefreshed(row)
      }
    } else {
      let announced = object.announceChanges(.setting)
      if object.state.contains(.updated) { revertChanges(of: object) }
      object.turnIntoFault(announced)
    }
    markRefreshed(object)
  }

  /// A new object becomes a fault as well. It has no row to be read from: it starts again with its default values, and
  /// is inserted as before.
  private func forgetValues(ofNew object: NSManagedObject) {
    if !object.state.isDisjoint(with: [.deleted, .fault]) { return }
    let announced = object.announceChanges(.setting)
    object.noteChange()
    for property in object.layout.relationships { object.nullify(property) }
    object.willTurnIntoFault()
    object.setDefaultValues()
    object.toManyStates = ToManyStates(count: object.layout.toMany.count)
    object.becameFault()
    object.didTurnIntoFault()
    object.tellOfFault(announced)
    markRefreshed(object)
  }

  /// A new object has no row to go back to, unless its temporary id is known to the parent.
  private func isRefreshable(_ object: NSManagedObject) -> Bool {
    !object.state.contains(.inserted) && (object.key > 0 || source.keepsTemporaryKeys)
  }

  /// The object's row as the store has it now; nil if it is gone. A refresh or a merge can't throw, so a row that can't
  /// be read is reported on standard error, and the object keeps its values.
  func readAgain(_ object: NSManagedObject) -> RowSnapshot? {
    do { return try source.newestRow(of: object, for: self) } catch {
      warn(
        MisuseReport(
          "\(object.layout.name) \(object.objectID.description) could not be read again.",
          facts: [("Error", error.localizedDescription)],
          how: "Its store could not be read while the object was refreshed, or another context's save merged.",
          remedy: "The object keeps the values it had; refresh it once the store can be read."))
      return nil
    }
  }

  /// ``refreshAllObjects()``.
  func refreshEveryObject() {
    guardQueue("refreshAllObjects()")
    for object in owner?.allObjects ?? [] where isRefreshable(object) {
      if object.state.isDisjoint(with: .pending) {
        object.turnIntoFault()
        markRefreshed(object)
      } else {
        refresh(object, mergeChanges: true)
      }
    }
  }

  /// ``rollback()``.
  func discardChanges() {
    guardQueue("rollback()")
    guard owner != nil else { return }
    processPendingChanges()
    let inserted = ledger.newObjects
    // One that was changed and deleted is in both lists.
    let touched =
      ledger.updatedList.filter { $0.state.isUpdated }
      + ledger.deletedList.filter { $0.state.contains(.deleted) && !$0.state.contains(.inserted) }
    let announced = touched.compactMap { $0.announceChanges(.anything) }
    for object in inserted { leave(object, as: .rolledBack) }
    for object in touched {
      let wasFault = object.state.contains(.fault)
      discardChanges(of: object)
      ledger.cleared(object)
      object.began(asFault: wasFault || object.row == nil)
      object.awake(fromSnapshotEvents: .rollback)
    }
    ledger.reset()
    undoManager?.removeAllActions(withTarget: self)
    for change in announced { change.end() }
    checkInvariants("after a rollback")
    var changes = ObjectChanges()
    changes.deleted = inserted
    changes.refreshed = ContiguousArray(touched)
    if !changes.isEmpty { post(.NSManagedObjectContextObjectsDidChange, changes.userInfo) }
  }

  /// ``reset()``.
  func forgetObjects() {
    guardQueue("reset()")
    guard owner != nil else { return }
    let objects = owner.allObjects
    let ids = objects.map(\.objectID)
    let nobody = ForgottenOwner(owner.layouts)
    for object in objects {
      takeOut(object, as: .reset)
      letGo(object, as: .reset, to: nobody)
    }
    ledger.reset()
    moveGeneration()
    undoManager?.removeAllActions(withTarget: self)
    // Children may name objects by the temporary ids that they were saved under.
    if children.contexts.isEmpty { forgetKeys() }
    batches = []
    recentDestinations.removeAll()
    post(.NSManagedObjectContextObjectsDidChange, [NSInvalidatedAllObjectsKey: ids])
  }
}

/// The owner of objects after a reset. They are faults until they are used; no context fulfils them, so they read as
/// empty.
private final class ForgottenOwner: ObjectOwner {
  override var keepsFaults: Bool { false }

  override func handleInaccessible(_ object: NSManagedObject, property: LayoutProperty?) { warn(.forgotten(object)) }
}

extension MisuseReport {
  fileprivate static func forgotten(_ object: NSManagedObject) -> MisuseReport {
    MisuseReport(
      unfulfilled: object,
      how: "Its context was reset and no longer knows it. The object reads as empty, and what you set on it is lost.",
      remedy: "Let go of all objects of a context before reset(), or keep `objectID` and fetch the object again.")
  }
}

extension NSManagedObject {
  /// Takes a newer row; unsaved changes stay on top of it.
  final func takeRefreshed(_ row: RowSnapshot) {
    if state.contains(.eventListed) { ownContext?.ledger.rowChanges(of: self) }
    let announced = announceChanges(.anything)
    defer { announced?.end() }
    self.row = row
    refreshMembers()
    if state.contains(.fault) { return }
    if let changes {
      let changed = changedSlots
      for property in layout.slots where changes.holds(property.slot) && !changed.contains(property.slot) {
        if !property.isTransient { changes.drop(property.slot) }
      }
    }
    awake(fromSnapshotEvents: .refresh)
  }

  /// A fault reads its row again when it is used. Members may have been added and removed from the other side.
  final func forgetFaultRow() {
    row = nil
    refreshMembers()
  }

  final func refreshMembers() {
    forgetFetchedValues()
    for property in layout.toMany {
      guard let state = knownState(of: property) else { continue }
      if state.isChanged {
        // Members that can't be read stay as they were.
        if let members = owner.members(of: property, in: self) {
          state.refresh(members) { owner.object(for: $0, store: store) }
        }
      } else {
        state.discardChanges(keepingBase: false)
      }
    }
  }

  /// Forgets all values, changed ones included.
  ///
  /// - Parameter announced: what observers were told before, if the change began earlier.
  final func turnIntoFault(_ announced: AnnouncedChange? = nil) {
    if state.contains(.fault) {
      row = nil
      // Members may have been read for a question from the other side.
      if !toManyStates.isEmpty { toManyStates = ToManyStates() }
      return
    }
    let announced = announced ?? announceChanges(.setting)
    willTurnIntoFault()
    changes = nil
    toManyStates = ToManyStates()
    row = nil
    ChangeLedger.reverted(self)
    becameFault()
    didTurnIntoFault()
    tellOfFault(announced)
  }
}
