/// Saves that some of several stores have written, and another one has not: there is no transaction over all
/// of them.
extension NSManagedObjectContext {
  /// Takes over what some stores have written; everything else stays to be saved.
  func adopt(
    _ plan: SavePlan, writtenBy stores: [NSPersistentStore],
    _ rewritten: [(store: StoreIdentity, row: RowSnapshot)]
  ) {
    let numbers = Set(stores.map { owner.number(of: $0.identity) })
    let part = plan.part(ofStores: numbers, stores)
    adopt(part, writtenStores: numbers)
    finish(part, rewritten)
  }

  /// Names the stores that have written nothing, the objects that are still to be saved there, and why.
  func incompleteSave(_ stores: [NSPersistentStore], _ error: NSError) -> NSError {
    let incomplete = Failure.incompleteSave(stores: stores, errors: [error]).nsError
    var info = incomplete.userInfo
    let numbers = Set(stores.map { owner.number(of: $0.identity) })
    info[NSAffectedObjectsErrorKey] = ledger.pendingObjects { numbers.contains($0.store) }
    info[NSUnderlyingErrorKey] = error
    return NSError(domain: incomplete.domain, code: incomplete.code, userInfo: info)
  }
}
