/// An incremental store behind the coordinator.
extension NSIncrementalStore: ObjectStore {
  func reader(for context: NSManagedObjectContext?) throws -> any RowReader {
    guard let context else {
      throw Failure.unsupportedFeature("Reading a store of class \(Swift.type(of: self)) without a context")
    }
    return IncrementalReader(self, context)
  }

  func id(_ reference: RowReference) -> NSManagedObjectID {
    NSManagedObjectID(layout: layouts.layouts[Int(reference.entity)], key: reference.key, store: identity)
  }

  func reserveKeys(for objects: [NSManagedObject]) throws -> [Int64] {
    let ids = try obtainPermanentIDs(for: objects)
    let method: StaticString = "obtainPermanentIDs(for:)"
    guard ids.count == objects.count else {
      throw broken(method, "for \(objects.count) objects it returned \(ids.count) ids")
    }
    return try zip(objects, ids).map { object, id in
      guard let reference = reference(of: id, layouts), Int(reference.entity) == object.layout.index else {
        throw broken(method, "for an object of \(object.layout.name) it returned \(id)")
      }
      return id.key
    }
  }

  /// Checks what the save is based on, then hands it over.
  func commit(_ changes: ChangeSet, of objects: ChangedObjects) throws -> SaveOutcome {
    let reader = IncrementalReader(self, objects.context)
    var conflicts: [VersionConflict] = []
    for base in changes.updated.map(\.base) + changes.deleted + changes.locked {
      let cached = rowCache.row(base.reference)
      let root = layouts.layouts[base.entity].root
      let current = try reader.faultRow(forKey: base.key, in: root)
      if let current, ownVersions.isSame(base, as: current) { continue }
      conflicts.append(
        VersionConflict(base: base, persisted: current, isCached: cached != nil && cached?.version == current?.version))
    }
    if !conflicts.isEmpty { return .versionConflicts(conflicts) }
    let request = NSSaveChangesRequest(
      inserted: objects.set(changes.inserted.lazy.map(\.reference)),
      updated: objects.set(changes.updated.lazy.map(\.row.reference)),
      deleted: objects.set(changes.deleted.lazy.map(\.reference)),
      locked: objects.set(changes.locked.lazy.map(\.reference)))
    _ = try execute(request, with: objects.context)
    ownVersions.note(changes)
    rowCache.invalidate(changes.deleted.map(\.reference))
    var written = changes.inserted + changes.updated.map(\.row)
    rowCache.publish(&written, sharingEqual: false)
    return .saved(rewritten: [])
  }
}

/// Which versions of rows this coordinator's saves have made up: what number a store gives to what it has written is
/// not known until its node is seen again. Any thread.
final class OwnVersions: @unchecked Sendable {
  // `@unchecked Sendable`: `versions` is touched under `lock`.
  private let lock = NSLock()
  private var versions: [RowReference: Int64] = [:]

  func note(_ changes: ChangeSet) {
    lock.withLock {
      for row in changes.deleted { versions[row.reference] = nil }
      for row in changes.inserted { versions[row.reference] = row.version }
      for update in changes.updated { versions[update.row.reference] = update.row.version }
    }
  }

  /// Whether a row that a context has is the one that the store has now: by the version; or, where that was made up,
  /// by the values.
  func isSame(_ base: RowSnapshot, as current: RowSnapshot) -> Bool {
    if base.entity != current.entity { return false }
    if base.version == current.version { return true }
    guard lock.withLock({ versions[base.reference] == base.version }) else { return false }
    return base.byteCount == current.byteCount && memcmp(base.words, current.words, base.byteCount) == 0
  }
}
