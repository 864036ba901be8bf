/// One attempt at a save: the change sets for the stores, and the object that each row comes from.
///
/// Invariant 7: once the plan is made, no managed object is read until the stores have answered, except by stores whose
/// authors' methods take objects (`ObjectStore`), and by a child, which hands over transient values too
/// (`ParentSource+Saving`).
struct SavePlan {
  private(set) var inserted = PlannedRows()
  private(set) var updated = PlannedRows()
  private(set) var unchanged: [NSManagedObject] = []
  private(set) var deleted: [NSManagedObject] = []
  private(set) var changeSets: [(store: NSPersistentStore, changes: ChangeSet)] = []

  /// How many objects the save is about.
  var count: Int { inserted.count + updated.count + unchanged.count + deleted.count }

  private let writer: RowWriter
  /// The store of the last object, by its number in the context, and the index of its change set.
  private var lastStore = -1
  private var lastIndex = 0
  /// A changed object whose store is gone.
  private(set) var lost: NSManagedObject?

  /// Keys that stores have named for new objects.
  private var storeKeys: [StoreKeys] = []

  /// Finds keys for new objects and encodes every changed object.
  ///
  /// - Parameter reservingKeys: Whether to reserve keys, because another process has taken those that were only named.
  init(_ context: NSManagedObjectContext, reservingKeys: Bool = false) throws {
    writer = RowWriter(keepsTemporaryKeys: context.source.keepsTemporaryKeys)
    do { try addAll(context, reservingKeys) } catch {
      takeBackValues(of: context.ledger.newObjects)
      giveBackKeys(of: context.ledger.newObjects)
      throw error
    }
  }

  private mutating func addAll(_ context: NSManagedObjectContext, _ reservingKeys: Bool) throws {
    try addInserts(context.ledger.newObjects, context: context, reservingKeys: reservingKeys)
    let changed = context.ledger.changedObjects
    // A fault that is marked as updated was only changed from the other side of a relationship.
    try context.readRows(of: changed.filter { $0.row == nil })
    try changed.forEachHeld { try addUpdate(of: $0, context) }
    for object in context.ledger.deletedObjects {
      deleted.append(object)
      if let row = object.row { withChanges(object, context: context) { $0.deleted.append(row) } }
    }
    for object in context.ledger.lockedList where object.state.isDisjoint(with: .pending) {
      if let row = object.row { withChanges(object, context: context) { $0.locked.append(row) } }
    }
    try context.source.check(self)
  }

  /// The part of the plan for some of the stores.
  func part(ofStores numbers: Set<UInt16>, _ stores: [NSPersistentStore]) -> SavePlan {
    var part = self
    part.inserted = inserted.ofStores(numbers)
    part.updated = updated.ofStores(numbers)
    part.unchanged.removeAll { !numbers.contains($0.store) }
    part.deleted.removeAll { !numbers.contains($0.store) }
    part.changeSets.removeAll { set in !stores.contains { $0 === set.store } }
    return part
  }

  private mutating func addInserts(
    _ new: ContiguousArray<NSManagedObject>, context: NSManagedObjectContext, reservingKeys: Bool
  ) throws {
    guard let first = new.first else { return }
    storeKeys = try context.source.prepare(new, for: context, reserving: reservingKeys)
    var (traits, isOfOneStore) = (EntityTraits(), true)
    inserted = try PlannedRows(new) { object in
      traits.formUnion(object.places.traits)
      if object.store != first.store { isOfOneStore = false }
      return try writer.row(of: object, version: 1 &+ (object.changes?.formerVersion ?? 0))
    }
    if isOfOneStore {
      let rows = inserted.rows
      withChanges(first, context: context) { $0.inserted = rows }
    } else {
      inserted.forEach { object, row in withChanges(object, context: context) { $0.inserted.append(row) } }
    }
    for (store, keys) in storeKeys {
      if let index = changeSets.firstIndex(where: { $0.store === store }) {
        changeSets[index].changes.proposedKeys.append(keys)
      }
    }
    guard traits.contains(.toMany) else { return }
    try new.forEachHeld { if $0.places.traits.contains(.toMany) { try addLinks(of: $0, context) } }
  }

  private mutating func addUpdate(of object: NSManagedObject, _ context: NSManagedObjectContext) throws {
    guard let base = object.row else { throw Failure.faultNotFulfillable(id: object.objectID).nsError }
    let row = try writer.row(of: object, version: base.version &+ 1)
    let layout = object.layout
    var changed = SlotMask()
    object.forEachSavedSlot { slot in
      let property = layout.slots[slot]
      if !property.isTransient, !row.isEqual(property, to: base) { changed.insert(slot) }
    }
    let hasLinks = object.places.traits.contains(.toMany) && object.toManyStates.contains { $0?.isChanged == true }
    guard !changed.isEmpty || hasLinks else {
      unchanged.append(object)
      return
    }
    updated.append(object, row)
    withChanges(object, context: context) { changes in
      if hasLinks {
        for property in layout.toMany where object.knownState(of: property)?.isChanged == true {
          changes.toManyUpdates.append(ToManyChange(update: changes.updated.count, number: property.toManyIndex))
        }
      }
      changes.updated.append(RowUpdate(row: row, base: base, changed: changed))
    }
    if hasLinks { try addLinks(of: object, context) }
  }

  /// The to-many changes that no foreign key on the many side expresses.
  private mutating func addLinks(of object: NSManagedObject, _ context: NSManagedObjectContext) throws {
    for property in object.layout.toMany {
      guard let state = object.knownState(of: property), state.isChanged, !property.isTransient else { continue }
      let inverse = property.inverse
      if inverse?.kind == .toOne && !property.isOrdered { continue }
      // A new member that was deleted, and that no rule removed, can't be referred to.
      let added = state.added.filter { $0.owner === object.owner }
      if let unknown = added.first(where: \.isOfUnknownID) {
        throw Failure.faultNotFulfillable(id: unknown.objectID).nsError
      }
      for member in added where !member.sharesStore(with: object) {
        throw Failure.externalRelationship(
          .init(object: object, entity: object.layout.name, property: property.name),
          destination: member.layout.name
        ).nsError
      }
      let order = state.order?.filter { $0.owner === object.owner }
      let link = LinkChange(
        owner: object.finalReference, relationship: property, added: added.map(\.finalReference),
        removed: Array(state.removed), order: order.map { $0.map(\.finalReference) })
      withChanges(object, context: context) { $0.links.append(link) }
    }
  }

  // Inlined by force, as the count of `tag` asks for; see CONTRIBUTING.md.
  @inline(__always)
  private mutating func withChanges(
    _ object: NSManagedObject, context: NSManagedObjectContext, change: (ChangeSet) -> Void
  ) {
    // It is nearly always the same store as for the last object.
    if Int(object.store) != lastStore {
      guard let index = indexOfChangeSet(for: object, context) else { return }
      (lastStore, lastIndex) = (Int(object.store), index)
    }
    change(changeSets[lastIndex].changes)
  }

  private mutating func indexOfChangeSet(for object: NSManagedObject, _ context: NSManagedObjectContext) -> Int? {
    guard let store = context.owner.storeIdentity(object.store)?.store else {
      // If an object was deleted in a store that is gone, there is nothing left to do.
      if !object.state.contains(.deleted) { lost = object }
      return nil
    }
    if let index = changeSets.firstIndex(where: { $0.store === store }) { return index }
    let changes = ChangeSet()
    changes.origin = context.changeOrigin
    changeSets.append((store, changes))
    return changeSets.count - 1
  }

  /// Called when an attempt has not written everything: new objects have their values again, and no row of the plan
  /// changes with them.
  func takeBackValues() { takeBackValues(of: inserted.objects) }

  private func takeBackValues(of new: ContiguousArray<NSManagedObject>) { new.forEachHeld { $0.takeBackValues() } }

  /// Called after an attempt that has not written everything. Keys that were only named are free again.
  ///
  /// - Parameter all: Whether the objects forget reserved keys as well. Reserved keys are not given out again.
  mutating func giveBackKeys(all: Bool) { giveBackKeys(of: inserted.objects, all: all) }

  private mutating func giveBackKeys(of new: ContiguousArray<NSManagedObject>, all: Bool = false) {
    if storeKeys.isEmpty, !all { return }
    let named = storeKeys
    storeKeys = []
    new.forEachHeld { object in
      guard object.key < 0, let changes = object.changes, changes.reservedKey != 0 else { return }
      let (root, key) = (object.layout.rootIndex, changes.reservedKey)
      if all || named.contains(where: { $0.keys.root == root && ($0.keys.first...$0.keys.last).contains(key) }) {
        changes.reservedKey = 0
      }
    }
    for (store, keys) in named.reversed() { store.valueStore?.giveBack(keys) }
  }
}

extension NSManagedObject {
  /// The slots whose values a save writes if they differ from the row's. Those that primitive accessors have set belong
  /// to it, though they are not marked as changed.
  final func forEachSavedSlot(_ body: (Int) -> Void) {
    guard let changes else { return }
    changes.held.forEach { slot in
      // The object of a transformable is held from its first reading on, also where the bytes are no archive.
      if layout.slots[slot].kind == .transformable, !changes.isChanged(slot) { return }
      body(slot)
    }
  }
}
