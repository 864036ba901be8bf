/// Saves to the stores.
extension StoresSource {
  func prepare(
    _ new: ContiguousArray<NSManagedObject>, for context: NSManagedObjectContext, reserving: Bool
  ) throws -> [StoreKeys] {
    try context.findKeys(for: new, forGood: reserving)
  }

  /// Checks that the stores of all changed objects are there, and can be written.
  func check(_ plan: SavePlan) throws {
    if let lost = plan.lost { throw Failure.storeNotAdded(url: nil, entity: lost.layout.name).nsError }
    // Goes by index, since copying a change set retains a dozen arrays.
    for index in plan.changeSets.indices where plan.changeSets[index].store.isReadOnly {
      let (store, changes) = plan.changeSets[index]
      let object = changes.firstRow.flatMap { plan.inserted.object(of: $0) ?? plan.updated.object(of: $0) }
      throw Failure.readOnlyStore(url: store.url, entity: object?.layout.name).nsError
    }
  }

  func commitPlan(_ plan: SavePlan, for context: NSManagedObjectContext) throws -> StoreConflicts {
    let coordinator = context.coordinator(for: "save()")
    if plan.changeSets.contains(where: { $0.store.identity.takesObjects }) {
      return try context.commitPlan(plan, withObjectsTo: coordinator)
    }
    return try coordinator.commitChangeSets(plan.changeSets, for: context)
  }

  func hasUnsavedMetadata(for context: NSManagedObjectContext) -> Bool {
    context.persistentStoreCoordinator?.storesWithUnsavedMetadata().isEmpty == false
  }

  func historyToken(after plan: SavePlan, of context: NSManagedObjectContext) -> NSPersistentHistoryToken? {
    context.persistentStoreCoordinator?.lastWrittenToken(of: plan.changeSets.lazy.map { $0.store })
  }

  func announce(_ plan: SavePlan, of context: NSManagedObjectContext) {
    // The closure would keep a copy of the whole plan.
    let (changeSets, unchanged) = (plan.changeSets, plan.unchanged)
    context.persistentStoreCoordinator?.announce(
      {
        let touched = unchanged.compactMap { object in
          object.owner.storeIdentity(object.store).map { (store: $0, reference: object.reference) }
        }
        return SaveNotice(changeSets, touched: touched)
      }, from: context)
  }
}
