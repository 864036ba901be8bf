/// Saves that some stores have written and another has not: no transaction spans several stores.
extension NSManagedObjectContext {
  /// Takes over what some stores have written; everything else stays to be saved.
  func adoptPartialSave(
    of plan: SavePlan, writtenBy stores: [NSPersistentStore],
    rewritten: [(store: StoreIdentity, row: RowSnapshot)]
  ) {
    let numbers = Set(stores.map { owner.number(of: $0.identity) })
    let part = plan.part(ofStores: numbers, stores)
    adoptSavedRows(of: part, writtenStores: numbers)
    finish(part, rewritten)
  }

  /// An error that names the stores that have written nothing, the objects still to be saved there, and the reason.
  func incompleteSave(_ stores: [NSPersistentStore], _ error: NSError) -> NSError {
    let incomplete = Failure.incompleteSave(stores: stores, errors: [error]).nsError
    var info = incomplete.userInfo
    let numbers = Set(stores.map { owner.number(of: $0.identity) })
    info[NSAffectedObjectsErrorKey] = ledger.pendingObjects { numbers.contains($0.store) }
    info[NSUnderlyingErrorKey] = error
    return NSError(domain: incomplete.domain, code: incomplete.code, userInfo: info)
  }
}
