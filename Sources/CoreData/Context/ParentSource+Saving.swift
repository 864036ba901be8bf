/// A child's save: its change sets become unsaved changes of the parent.
extension ParentSource {
  /// The parent knows which store a new object is for.
  func prepare(
    _ new: ContiguousArray<NSManagedObject>, for context: NSManagedObjectContext, reserving: Bool
  ) throws -> [StoreKeys] {
    for object in new { _ = try context.assignedStore(of: object) }
    return []
  }

  func check(_ plan: SavePlan) {}

  /// Hands the changes over to the parent. Nothing is handed over if there is a conflict.
  func commitPlan(_ plan: SavePlan, for context: NSManagedObjectContext) throws -> StoreConflicts {
    let changeSets = plan.changeSets.map { (store: $0.store.identity, changes: $0.changes) }
    let transients = transientValues(of: plan)
    let touched = plan.unchanged.map { ParentReference($0.reference, $0.owner.storeIdentity($0.store)) }
    return try ask(for: context) { try $0.takeSave(changeSets, transients, touched: touched) }
  }

  func hasUnsavedMetadata(for context: NSManagedObjectContext) -> Bool { false }

  func historyToken(after plan: SavePlan, of context: NSManagedObjectContext) -> NSPersistentHistoryToken? { nil }

  /// The parent has changed, not the stores, so only observers of the contexts are told.
  func announce(_ plan: SavePlan, of context: NSManagedObjectContext) {}

  /// The author, or the nearest parent's if the child has none.
  func batchOrigin(of context: NSManagedObjectContext) -> ChangeOrigin {
    let own = context.changeOrigin
    if own.author != nil && own.contextName != nil { return own }
    let above = parent.runAnswering { parent.source.batchOrigin(of: parent) }
    return ChangeOrigin(author: own.author ?? above.author, contextName: own.contextName ?? above.contextName)
  }

  /// Values that were set on transient properties, which rows don't have.
  private func transientValues(of plan: SavePlan) -> [TransientValue] {
    var values: [TransientValue] = []
    func add(_ object: NSManagedObject, isNew: Bool) {
      guard let changes = object.changes, !object.layout.transientSlots.isEmpty else { return }
      let reference = ParentReference(object.reference, object.owner.storeIdentity(object.store))
      object.layout.transientSlots.forEach { slot in
        guard isNew ? changes.holds(slot) : changes.isChanged(slot) else { return }
        // A value may refer to objects of this context, which the parent can't use.
        if case .object(let value) = changes[slot], value is NSManagedObject { return }
        values.append(TransientValue(object: reference, slot: slot, value: changes[slot]))
      }
    }
    plan.inserted.objects.forEachHeld { add($0, isNew: true) }
    plan.updated.objects.forEachHeld { add($0, isNew: false) }
    for object in plan.unchanged { add(object, isNew: false) }
    return values
  }
}
