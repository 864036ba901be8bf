/// Reading the rows of faults.
extension NSManagedObjectContext {
  /// The committed row of an object: of the shared cache while it is young enough, else of the store.
  func fulfil(_ object: NSManagedObject) throws -> RowSnapshot? {
    if let parent { return try parentRow(of: object, parent) }
    guard object.key > 0, let store = try reader(of: object.store) else { return nil }
    if stalenessInterval < 0, let cached = store.rowCache.row(object.reference) { return cached }
    if stalenessInterval >= 0 { distrustRow(of: object) }
    if let row = try batchedRow(of: object, store) { return row }
    return try publicErrors { try store.faultRow(forKey: object.key, in: object.layout.root) }
  }

  /// The next read asks the file: neither the cache, nor a transaction that an earlier read has left open.
  private func distrustRow(of object: NSManagedObject) {
    if isPinned { return }
    owner.storeIdentity(object.store)?.rowStore?.changedElsewhere([object.reference])
  }

  /// Reads the rows of many objects with one request for each store and hierarchy; they stay faults.
  func readRows(of objects: some Sequence<NSManagedObject>) throws {
    let missing = objects.filter { $0.row == nil && ($0.key > 0 || $0.state.contains(.fault)) }
    if missing.isEmpty { return }
    if let parent { return try readParentRows(of: missing, parent) }
    for (number, group) in Dictionary(grouping: missing, by: \.store) {
      guard let store = try reader(of: number) else { continue }
      for members in Dictionary(grouping: group, by: \.layout.rootIndex).values {
        let rows = try publicErrors {
          try store.rows(forKeys: Array(Set(members.map(\.key))), in: members[0].layout.root)
        }
        let byKey = Dictionary(rows.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        for member in members { member.row = byKey[member.key] }
      }
    }
  }

  /// Where a batched fetch brought the fault, the whole batch around it is read at once.
  private func batchedRow(of object: NSManagedObject, _ store: any RowReader) throws -> RowSnapshot? {
    if batches.isEmpty { return nil }
    let identity = owner.storeIdentity(object.store)
    for batch in batches where batch.store.identity === identity && batch.root == object.layout.rootIndex {
      guard let keys = batch.keys(around: object.key) else { continue }
      let rows = try publicErrors { try store.rows(forKeys: keys, in: object.layout.root) }
      var found: RowSnapshot?
      for row in rows {
        if row.key == object.key {
          found = row
        } else if let other = owner.registered(row.reference, store: object.store),
          other.state.contains(.fault), other.row == nil
        {
          other.row = row
        }
      }
      return found
    }
    return nil
  }

  /// Holds the last few objects that relationships led to: a loop over `book.author.name` reads each author once,
  /// though no book holds its author.
  func noteTraversal(to object: NSManagedObject) {
    if recentDestinations.count < NSManagedObjectContext.recentLimit {
      recentDestinations.append(object)
    } else {
      recentDestinations[recentPosition] = object
      recentPosition = (recentPosition + 1) % NSManagedObjectContext.recentLimit
    }
  }

  /// The same for a destination that a save has found set; many objects lead to one, after another.
  @inline(__always)
  func noteSaved(destination: NSManagedObject) {
    if recentDestinations.last !== destination { noteTraversal(to: destination) }
  }

  private static let recentLimit = 1024

  /// The committed members of a to-many relationship, in the store's order where it is ordered.
  func committedMembers(of property: LayoutProperty, in object: NSManagedObject) -> ContiguousArray<RowReference> {
    do {
      if let parent { return try parentMembers(of: property, in: object, parent) }
      // A new object may have its id before the store has it.
      guard object.key > 0, !object.state.contains(.inserted), let store = try reader(of: object.store) else {
        return []
      }
      return ContiguousArray(try store.members(of: property, owner: object.reference))
    } catch {
      misuse(
        "The relationship \(object.layout.name).\(property.name) of \(object.objectID.description) could not be "
          + "read: \(error.localizedDescription)")
    }
  }

  func handleInaccessible(_ object: NSManagedObject, property: LayoutProperty?) {
    let id = object.objectID
    let description = property?.description
    guard shouldHandleInaccessibleFault(object, for: id, triggeredByProperty: description) else {
      misuse(.inaccessibleFault(object, isDeleted: false))
    }
    if !object.state.contains(.deleted) { markDeleted(object) }
    ledger.rulesApplied(to: object)
  }
}

/// The keys of one fetch whose rows come in batches, as objects ask for them.
final class FaultBatch {
  let store: NSPersistentStore
  let root: Int
  private let keys: [Int64]
  private let size: Int
  /// Where the last batch began: the next fault is most likely in it or in the one after.
  private var cursor = 0
  private lazy var positions = Dictionary(
    keys.enumerated().map { ($1, Int32($0)) }, uniquingKeysWith: { first, _ in first })

  init(store: NSPersistentStore, root: Int, keys: [Int64], size: Int) {
    self.store = store
    self.root = root
    self.keys = keys
    self.size = size
  }

  /// The keys of the batch that holds this one; nil when the fetch did not bring it.
  func keys(around key: Int64) -> [Int64]? {
    let near = cursor..<min(cursor + 2 * size, keys.count)
    let position: Int
    if let found = keys[near].firstIndex(of: key) {
      position = found
    } else if let found = positions[key] {
      position = Int(found)
    } else {
      return nil
    }
    cursor = position - position % size
    return Array(keys[cursor..<min(cursor + size, keys.count)])
  }
}

extension MisuseReport {
  static func unfulfilled(_ object: NSManagedObject, _ error: any Error) -> MisuseReport {
    MisuseReport(
      "The store has no values for \(object.objectID.description).",
      facts: [("Error", error.localizedDescription)],
      how: "Its newValuesForObject(with:with:) threw when the object was used.",
      remedy: "Use existingObject(with:), which throws the error.")
  }

  static func inaccessibleFault(_ object: NSManagedObject, isDeleted: Bool) -> MisuseReport {
    MisuseReport(
      "CoreData could not fulfill a fault for \(object.objectID.description).",
      facts: [("Object", "\(object.layout.name) \(object.objectID.description)")],
      how: object.owner.storeIdentity(object.store).map { $0.store == nil } ?? false
        ? "Its store was removed from the coordinator before the object was read."
        : "The row was deleted after the object was found, by another context or another program.",
      remedy: isDeleted
        ? "The object reads as empty and is deleted, since shouldDeleteInaccessibleFaults is set; existingObject(with:) "
          + "throws instead."
        : "Use existingObject(with:), or set shouldDeleteInaccessibleFaults.")
  }
}
