import CoreData

/// Merges by property, and the values of models win. A new model with the unique values of a stored one, or of a new
/// one that was inserted before, updates that, and its own object is gone: the policy notes which object has taken its
/// place.
///
/// Each context has a policy of its own, which is used during its saves only.
final class ModelMergePolicy: NSMergePolicy {
  /// The objects that a save has removed, and what has their unique values now. Both are kept until the save ends, so
  /// that no other object gets the address of one.
  private var successors: [ObjectIdentifier: (removed: NSManagedObject, successor: NSManagedObject)] = [:]

  init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

  override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    let new = list.map { conflict in conflict.conflictingObjects.filter { $0.isInserted && !isRemoved($0) } }
    try settle(constraintConflicts: list, lastNewWins: true)
    for (conflict, new) in zip(list, new) {
      let candidates = [conflict.databaseObject].compactMap { $0 } + conflict.conflictingObjects
      guard let successor = candidates.first(where: { !isRemoved($0) }) else { continue }
      for object in new where isRemoved(object) {
        // One with two constraints may be in two conflicts. What is stored comes first.
        if conflict.databaseObject != nil || successors[ObjectIdentifier(object)] == nil {
          successors[ObjectIdentifier(object)] = (object, successor)
        }
      }
    }
  }

  private func isRemoved(_ object: NSManagedObject) -> Bool { object.isDeleted || object.managedObjectContext == nil }

  /// What stands in the store for a new object that the save has removed; nil if nothing does.
  func successor(of object: NSManagedObject) -> NSManagedObject? {
    var found = successors[ObjectIdentifier(object)]?.successor
    // A successor may have been removed in turn, when another conflict was settled.
    for _ in successors {
      guard let next = found.flatMap({ successors[ObjectIdentifier($0)]?.successor }) else { break }
      found = next
    }
    return found?.managedObjectContext == nil ? nil : found
  }

  func forgetSuccessors() { successors = [:] }
}
