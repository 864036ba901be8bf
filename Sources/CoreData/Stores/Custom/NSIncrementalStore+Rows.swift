/// Connects an incremental store with the coordinator.
extension NSIncrementalStore: ObjectStore {
  package func reader(for context: NSManagedObjectContext?) throws -> any RowReader {
    guard let context else {
      throw Failure.unsupportedFeature("Reading a store of class \(Swift.type(of: self)) without a context")
    }
    return IncrementalReader(self, context)
  }

  func id(_ reference: RowReference) -> NSManagedObjectID {
    NSManagedObjectID(layout: layouts[Int(reference.entity)], key: reference.key, store: identity)
  }

  package var storeHistory: (any StoreHistory)? { CustomStoreHistory(ofTokensOf: self) }

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

  package var hasUnsavedMetadata: Bool { !isReadOnly && hasNewMetadata }

  func commit(_ changes: ChangeSet, of objects: ChangedObjects) throws -> SaveOutcome {
    try writingMetadata {
      if !changes.isEmpty { return try commitObjects(changes, objects) }
      let request = NSSaveChangesRequest(inserted: nil, updated: nil, deleted: nil, locked: nil)
      _ = try execute(request, with: objects.context)
      return .saved(rewritten: [])
    }
  }

  /// Saves changes. First checks the rows that they are based on, unless the store does that. Then hands them to the
  /// store, and takes in the nodes that it returns.
  private func commitObjects(_ changes: ChangeSet, _ objects: ChangedObjects) throws -> SaveOutcome {
    let bases = changes.updated.map(\.base) + changes.deleted + changes.locked
    if !comparesBaseVersions {
      let conflicts = try conflicts(with: bases, IncrementalReader(self, objects.context))
      if !conflicts.isEmpty { return .versionConflicts(conflicts) }
    }
    let request = NSSaveChangesRequest(
      inserted: objects.set(changes.inserted.lazy.map(\.reference)),
      updated: objects.set(changes.updated.lazy.map(\.row.reference)),
      deleted: objects.set(changes.deleted.lazy.map(\.reference)),
      locked: objects.set(changes.locked.lazy.map(\.reference)))
    request.bases = Dictionary(bases.lazy.map { ($0.reference, $0.version) }, uniquingKeysWith: { first, _ in first })
    let result = try execute(request, with: objects.context)
    var written = changes.inserted + changes.updated.map(\.row)
    let rewritten = try takeNodes(elements(ofCollection: result) ?? [], into: &written)
    if !comparesBaseVersions { ownVersions.note(written, deleted: changes.deleted, rowCache) }
    rowCache.invalidate(changes.deleted.map(\.reference))
    rowCache.publish(&written, readAfter: nil, sharingEqual: false)
    return .saved(rewritten: rewritten)
  }

  /// The rows that another process changed since they were read.
  private func conflicts(with bases: [RowSnapshot], _ reader: IncrementalReader) throws -> [VersionConflict] {
    if bases.isEmpty { return [] }
    let cached = bases.map { rowCache.row($0.reference)?.version }
    let current = Dictionary(
      try reader.newestRows(of: bases.map(\.reference)).map { ($0.reference, $0) }, uniquingKeysWith: { $1 })
    return zip(bases, cached).compactMap { base, cached in
      let row = current[base.reference]
      if let row, ownVersions.isSame(base, as: row, layouts[row.entity]) { return nil }
      return VersionConflict(base: base, persisted: row, isCached: cached != nil && cached == row?.version)
    }
  }

  /// Writes the nodes that the store returned for a save into the written rows. Returns the rows that differ because of
  /// that.
  private func takeNodes(_ answer: [Any], into written: inout [RowSnapshot]) throws -> [RowSnapshot] {
    let nodes = answer.compactMap { $0 as? NSIncrementalStoreNode }
    if nodes.isEmpty { return [] }
    let method: StaticString = "execute(_:with:)"
    let encoder = NodeEncoder(layouts, self, method: method)
    let places = Dictionary(
      written.enumerated().map { ($1.reference, $0) }, uniquingKeysWith: { first, _ in first })
    var rewritten: [RowSnapshot] = []
    for node in nodes {
      guard let reference = reference(of: node.objectID, layouts), let place = places[reference] else {
        throw broken(method, "a save was answered by a node of \(node.objectID), which it did not write")
      }
      let row = written[place]
      let new = try encoder.row(row, layouts[row.entity], takingFrom: node)
      if new.version == row.version, new.hasSameValues(as: row, layouts[row.entity]) { continue }
      written[place] = new
      rewritten.append(new)
    }
    return rewritten
  }
}

/// The row versions that this coordinator's saves made up. The version that a store gives to a written row isn't known
/// until its node is read again. Any thread may use it.
final class OwnVersions: @unchecked Sendable {
  // `@unchecked Sendable`: the fields are used under `lock`.
  private let lock = NSLock()
  private var versions: [RowReference: Int64] = [:]
  /// When there are more than this, versions that are no longer needed are removed. If that doesn't remove half of
  /// them, the limit doubles.
  private var limit = 1024

  /// The number of versions that are kept.
  var count: Int { lock.withLock { versions.count } }

  func note(_ written: [RowSnapshot], deleted: [RowSnapshot], _ cache: RowCache) {
    lock.withLock {
      for row in deleted { versions[row.reference] = nil }
      for row in written { versions[row.reference] = row.version }
      guard versions.count > limit else { return }
      let known = Set(written.lazy.map(\.reference))
      // A version is compared only with a row that something still holds, so versions without a row are removed.
      versions = versions.filter { known.contains($0.key) || cache.row($0.key) != nil }
      limit = max(1024, 2 * versions.count)
    }
  }

  /// Whether the row of a context is the one that the store has now. Compares the versions, or the values if the
  /// version was made up.
  func isSame(_ base: RowSnapshot, as current: RowSnapshot, _ layout: EntityLayout) -> Bool {
    if base.entity != current.entity { return false }
    if base.version == current.version { return true }
    return lock.withLock { versions[base.reference] == base.version } && base.hasSameValues(as: current, layout)
  }
}
