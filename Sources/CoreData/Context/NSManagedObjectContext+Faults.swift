/// Reading the rows of faults.
extension NSManagedObjectContext {
  /// Reads the rows of many objects together; they stay faults.
  func readRows(of objects: some Sequence<NSManagedObject>) throws {
    let keepsTemporaryKeys = source.keepsTemporaryKeys
    let missing = objects.filter {
      $0.row == nil && ($0.key > 0 || keepsTemporaryKeys && $0.state.contains(.fault))
    }
    if !missing.isEmpty { try source.readRows(of: missing, for: self) }
  }

  func noteTraversal(to object: NSManagedObject) {
    recentDestinations.note(object, objectCount: owner.objectCount)
  }

  func handleInaccessible(_ object: NSManagedObject, property: LayoutProperty?) {
    let id = object.objectID
    let description = property?.description
    guard shouldHandleInaccessibleFault(object, for: id, triggeredByProperty: description) else {
      misuse(.inaccessibleFault(object, isDeleted: false))
    }
    // There was never a row for an id that only another context knows, so there is nothing to delete.
    if object.isOfUnknownID { return }
    if !object.state.contains(.deleted) { markDeleted(object) }
    ledger.rulesApplied(to: object)
  }
}

extension NSManagedObject {
  /// Whether the object was made for a temporary id that its context can't know anything of. No row can refer to it.
  final var isOfUnknownID: Bool {
    key < 0 && !state.contains(.inserted) && ownContext.map { !$0.source.mayHave(key) } ?? false
  }
}

extension MisuseReport {
  /// The report of a fault that finds no row.
  init(unfulfilled object: NSManagedObject, how: String, remedy: String) {
    let id = object.objectID.description
    self.init(
      "CoreData could not fulfill a fault for \(id).", facts: [("Object", "\(object.layout.name) \(id)")], how: how,
      remedy: remedy)
  }

  static func inaccessibleFault(_ object: NSManagedObject, isDeleted: Bool) -> MisuseReport {
    if object.isOfUnknownID { return unknownID(object, isEmpty: isDeleted) }
    return MisuseReport(
      unfulfilled: object,
      how: object.owner.storeIdentity(object.store).map { $0.store == nil } ?? false
        ? "Its store was removed from the coordinator before the object was read."
        : "The row was deleted after the object was found, by another context or another program.",
      remedy: isDeleted
        ? "The object reads as empty and is deleted, since shouldDeleteInaccessibleFaults is set; existingObject(with:) "
          + "throws instead."
        : "Use existingObject(with:), or set shouldDeleteInaccessibleFaults.")
  }

  private static func unknownID(_ object: NSManagedObject, isEmpty: Bool) -> MisuseReport {
    MisuseReport(
      unfulfilled: object,
      how: "Its id is temporary: it belongs to an object of another context, still unsaved, or to one that is gone.",
      remedy: (isEmpty ? "The object reads as empty. " : "")
        + "Save the object first, or use obtainPermanentIDs(for:), and pass on its permanent id.")
  }
}
