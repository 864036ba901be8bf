/// Saves that some of several stores have written, and another one has not: there is no transaction over all
/// of them.
extension NSManagedObjectContext {
  /// Takes over what some stores have written; everything else stays to be saved.
  func adopt(
    _ plan: SavePlan, writtenBy stores: [NSPersistentStore],
    _ rewritten: [(store: StoreIdentity, row: RowSnapshot)], _ coordinator: NSPersistentStoreCoordinator
  ) {
    let numbers = Set(stores.map { owner.number(of: $0.identity) })
    let part = plan.part(ofStores: numbers, stores)
    let (inserted, updated, deleted) = (insertedList, updatedList, deletedList)
    let locked = ContiguousArray(lockedList.filter { !numbers.contains($0.store) })
    adopt(part)
    for object in inserted where object.state.contains(.inserted) {
      object.state.insert(.listedInserted)
      insertedList.append(object)
    }
    for object in updated where object.isUpdated {
      object.state.insert(.listedUpdated)
      updatedList.append(object)
    }
    for object in deleted where object.state.contains(.deleted) {
      object.state.insert(.listedDeleted)
      deletedList.append(object)
    }
    for object in locked { object.state.insert(.locked) }
    lockedList = locked
    finish(part, rewritten, coordinator)
  }

  /// Names the stores that have written nothing, the objects that are still to be saved there, and why.
  func incompleteSave(_ stores: [NSPersistentStore], _ error: NSError) -> NSError {
    let incomplete = Failure.incompleteSave(stores: stores, errors: [error]).nsError
    var info = incomplete.userInfo
    let numbers = Set(stores.map { owner.number(of: $0.identity) })
    let pending = insertedList + updatedList + deletedList
    info[NSAffectedObjectsErrorKey] = pending.filter {
      !$0.state.isDisjoint(with: .pending) && numbers.contains($0.store)
    }.map { $0 as NSManagedObject }
    info[NSUnderlyingErrorKey] = error
    return NSError(domain: incomplete.domain, code: incomplete.code, userInfo: info)
  }
}
