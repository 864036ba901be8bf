/// The step after the stores have written: objects take what was saved as their committed state.
extension NSManagedObjectContext {
  /// `stores` are those that were written, if not all were.
  func adoptSavedRows(of plan: SavePlan, writtenStores stores: Set<UInt16>? = nil) {
    let isHeard = ledger.hearsOfSaves
    // First all keys, so that references of objects to each other are right when relationships settle.
    adoptReservedKeys(of: plan.inserted.objects)
    plan.inserted.forEach(takeSavedRow)
    plan.updated.forEach(takeSavedRow)
    for object in plan.unchanged { takeSavedRow(object, nil) }
    for object in plan.deleted { takeOut(object, as: .deleted) }
    ledger.saveEnded(count: plan.count, stores: stores)
    source.noteTemporaryMembers(of: plan)
    if isHeard { tellOfSave(plan) } else { plan.deleted.forEach(letGoDeleted) }
  }

  private func letGoDeleted(_ object: NSManagedObject) {
    // Nothing that didSave() has set will be saved.
    ledger.left(object)
    letGo(object, as: .deleted, to: DeletedOwner(owner.layouts))
  }

  /// Calls `didSave()`. Meanwhile objects still say what the save did to them; what they change is for the next one.
  private func tellOfSave(_ plan: SavePlan) {
    plan.inserted.objects.forEachHeld { $0.didSave() }
    plan.updated.objects.forEachHeld { $0.didSave() }
    for object in plan.unchanged { object.didSave() }
    for object in plan.deleted {
      object.didSave()
      letGoDeleted(object)
    }
    plan.inserted.objects.forEachHeld { ledger.toldOfSave($0) }
    plan.updated.objects.forEachHeld { ledger.toldOfSave($0) }
    for object in plan.unchanged { ledger.toldOfSave(object) }
    for object in plan.deleted { ledger.toldOfSave(object) }
  }

  private func takeSavedRow(_ object: NSManagedObject, _ row: RowSnapshot?) {
    if let row { object.row = row }
    ledger.saved(object)
    let traits = object.places.traits
    if traits.contains(.toMany) { for state in object.toManyStates { state?.adoptChanges(in: owner) } }
    guard let changes = object.changes else { return }
    // From now on the row names the destinations, and the object keeps none of them alive.
    if traits.contains(.toOne) {
      changes.forEachDestination { noteTraversal(to: unsafeDowncast($0, to: NSManagedObject.self)) }
    }
    if traits.contains(.keptValues) {
      let layout = object.layout
      // Transients live in memory only; decoded transformables stay the objects they are.
      for property in layout.slots where !property.isTransient && property.kind != .transformable {
        changes.drop(property.slot)
      }
      changes.clearChanged()
    } else {
      object.changes = nil
    }
  }

  /// Tells the observers of this context, then the coordinator's other contexts.
  func announce(_ plan: SavePlan) {
    var changes = ObjectChanges()
    changes.inserted = plan.inserted.objects
    changes.updated = plan.updated.objects
    // Those that were set to what they had are told, too: by setting a property to itself, programs tell observers of
    // an object that something related to it has changed.
    if !plan.unchanged.isEmpty { changes.updated.append(contentsOf: plan.unchanged) }
    changes.deleted = ContiguousArray(plan.deleted)
    // An observer may have another context merge the notification at once, on its thread, where the objects are asked
    // for their ids: they are made before.
    if NotificationObservers.areThere(for: .NSManagedObjectContextDidSave) {
      changes.inserted.forEachHeld { _ = $0.objectID }
      changes.updated.forEachHeld { _ = $0.objectID }
    }
    post(.NSManagedObjectContextDidSave, savedInfo(changes, plan))
    post(.NSManagedObjectContextDidSaveObjectIDs, changes.idUserInfo)
    source.announce(plan, of: self)
    if children.isEmpty { return }
    announceToChildren(
      inserted: changes.inserted.map(\.objectID), updated: changes.updated.map(\.objectID),
      deleted: changes.deleted.map(\.objectID), isWhole: true)
  }

  private func savedInfo(_ changes: ObjectChanges, _ plan: SavePlan) -> [AnyHashable: Any] {
    var info = changes.sets(reusing: toldInSave).userInfo
    toldInSave = nil
    if isPinned { info[NSManagedObjectContextQueryGenerationKey] = queryGenerationToken }
    if let token = source.historyToken(after: plan, of: self) { info[newChangeTokenKey] = token }
    return info
  }
}
