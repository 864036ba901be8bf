/// A child's changes, prepared so that applying them to the parent's objects can't fail.
private struct ChildSave {
  let context: NSManagedObjectContext
  var conflicts = StoreConflicts()
  private var inserted: [Target] = []
  private var updated: [Target] = []
  private var deleted: [NSManagedObject] = []
  private var links: [(store: StoreIdentity, link: LinkChange)] = []

  /// One object of the parent, and the values to set on it.
  private struct Target {
    let object: NSManagedObject
    let store: StoreIdentity
    var attributes: [(property: LayoutProperty, value: Value)] = []
    var destinations: [(property: LayoutProperty, destination: RowReference?)] = []
  }

  init(context: NSManagedObjectContext) { self.context = context }

  /// Decodes values and reads the objects that will change. An object that is gone here is a conflict.
  mutating func prepare(_ changes: ChangeSet, of store: StoreIdentity) throws {
    for row in changes.inserted { inserted.append(try target(row, store: store) { _ in true }) }
    try context.readRows(of: changes.updated.map { object($0.base.reference, store) })
    for update in changes.updated {
      let target = try target(update.row, store: store) { update.changed.contains($0.slot) }
      if try check(update.base, object: target.object, store: store) { updated.append(target) }
    }
    for row in changes.locked { _ = try check(row, object: object(row.reference, store), store: store) }
    for row in changes.deleted {
      let object = object(row.reference, store)
      if object.state.contains(.fault) { _ = try context.readRow(of: object) }
      deleted.append(object)
    }
    for link in changes.links {
      links.append((store, link))
      // A new object has no members in the store.
      let owner = object(link.owner, store)
      if owner.key > 0, let own = owner.layout.property(keyNumber: link.relationship.keyNumber) {
        try owner.readMembers(own)
      }
    }
  }

  private func object(_ reference: RowReference, _ store: StoreIdentity) -> NSManagedObject {
    context.object(for: ParentReference(reference, store))
  }

  private mutating func check(_ base: RowSnapshot, object: NSManagedObject, store: StoreIdentity) throws -> Bool {
    if try !object.state.contains(.deleted) && context.readRow(of: object) { return true }
    conflicts.versions.append((store, VersionConflict(base: base, persisted: nil)))
    return false
  }

  private func target(
    _ row: RowSnapshot, store: StoreIdentity, isSet: (LayoutProperty) -> Bool
  ) throws -> Target {
    var target = Target(object: object(row.reference, store), store: store)
    for property in target.object.layout.slots where property.word >= 0 && isSet(property) {
      if property.kind == .toOne {
        target.destinations.append((property, row.destination(property)))
      } else if property.kind == .transformable, case .data(let data) = row.value(property) {
        let decoded = try property.attribute.value(ofTransformable: data)
        target.attributes.append((property, decoded.map { .object(TransformableBox.close($0)) } ?? .null))
      } else {
        target.attributes.append((property, row.value(property)))
      }
    }
    return target
  }

  /// New objects first, so that relationships can lead to them; deletions last.
  func apply() {
    for target in inserted { context.takeInserted(target.object) }
    for target in inserted + updated {
      // An object with changed members only is an updated one as well.
      target.object.noteChange()
      for (property, value) in target.attributes {
        if value.isNull, target.object.currentValue(property).isNull { continue }
        target.object.write(value, slot: property.slot)
      }
    }
    for target in inserted + updated {
      for (property, destination) in target.destinations {
        let destination = destination.map { object($0, target.store) }
        if target.object.toOne(property) !== destination { target.object.setToOne(destination, property) }
      }
    }
    for (store, link) in links { apply(link, store) }
    for object in deleted where !object.state.contains(.deleted) { context.deleteObject(object) }
  }

  private func apply(_ link: LinkChange, _ store: StoreIdentity) {
    let owner = object(link.owner, store)
    guard let property = owner.layout.property(keyNumber: link.relationship.keyNumber) else { return }
    for reference in link.removed { owner.removeMember(object(reference, store), property) }
    for reference in link.added { owner.addMember(object(reference, store), property) }
    guard let order = link.order else { return }
    // Members that were added here without the child's knowledge come last.
    owner.orderMembers(order.map { object($0, store) }, property)
  }
}

extension NSManagedObjectContext {
  /// Takes over all changes of a child as one event of this context, or none.
  ///
  /// - Parameter touched: The objects on which the child has set the values that they had. They count as updated here.
  func takeSave(
    _ changeSets: [(store: StoreIdentity, changes: ChangeSet)], _ transients: [TransientValue],
    touched: [ParentReference]
  ) throws -> StoreConflicts {
    processPendingChanges()
    var save = ChildSave(context: self)
    for (store, changes) in changeSets { try save.prepare(changes, of: store) }
    if save.conflicts.isEmpty {
      save.apply()
      transients.forEach(takeTransient)
      touch(touched)
      processPendingChanges()
    }
    return save.conflicts
  }

  /// Marks objects as updated, although no value of theirs is set. An object that can't be read here is left out: it
  /// has nothing to save.
  private func touch(_ references: [ParentReference]) {
    let objects = references.map { object(for: $0) }.filter { !$0.state.contains(.deleted) }
    try? readRows(of: objects)
    for object in objects where (try? readRow(of: object)) == true { object.noteChange() }
  }

  private func takeTransient(_ transient: TransientValue) {
    let object = object(for: transient.object)
    guard !object.state.contains(.deleted), (try? readRow(of: object)) == true else { return }
    object.write(transient.value, slot: transient.slot)
  }

  /// The object for a row that a child inserted, made here with the same id. `awakeFromInsert()` ran in the child, and
  /// is not called again.
  fileprivate func takeInserted(_ object: NSManagedObject) {
    // The id was asked for here before, and led nowhere.
    if object.state.contains(.inaccessible) {
      ledger.cleared(object)
      object.began(asFault: true)
    }
    if object.state.contains(.deleted) {
      takeDeletionBack(of: object)
    } else if object.state.contains(.fault) {
      object.changes = ChangedValues.make(object.layout)
      object.row = nil
      markInserted(object)
    }
  }
}

/// The value of a transient property of a child's object.
struct TransientValue {
  let object: ParentReference
  let slot: Int
  let value: Value
}
