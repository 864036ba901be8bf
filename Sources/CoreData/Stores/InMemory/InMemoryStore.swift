/// A store whose rows live in memory only: they are gone with the store.
///
/// Any thread. `rows` and `lastKeys` are touched under `lock`; reads take a copy of `rows` and let go of it.
final class InMemoryStore: NSPersistentStore, RowStore {
  let rowCache: RowCache
  private let layouts: ModelLayouts
  /// Keeps the descriptions alive that layouts point into without counting.
  private let model: NSManagedObjectModel

  private let lock = NSLock()
  private var rows: MemoryRows
  /// By root entity index: the last key given out.
  private var lastKeys: [Int64]

  override var type: String { NSInMemoryStoreType }

  required init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) {
    guard let root else {
      fatalError("An in-memory store needs a coordinator: its rows are laid out by a model.")
    }
    model = root.managedObjectModel
    layouts = root.layouts
    rowCache = RowCache(root.layouts)
    rows = MemoryRows(root.layouts)
    lastKeys = root.layouts.layouts.map { _ in 0 }
    super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
  }

  override func loadMetadata() throws {
    let hashes = model.versionHashesByName(forConfigurationName: configurationName) ?? [:]
    metadata = [
      NSStoreTypeKey: type,
      NSStoreUUIDKey: identity.uuid,
      NSStoreModelVersionHashesKey: hashes,
      NSStoreModelVersionHashesVersionKey: 3,
      NSStoreModelVersionIdentifiersKey: model.versionIdentifiers.compactMap { $0 as? String }.sorted(),
    ]
  }

  override func willRemove(from coordinator: NSPersistentStoreCoordinator?) {
    lock.withLock { rows = MemoryRows(layouts) }
  }

  /// The committed state as it is now.
  private var committed: MemoryRows { lock.withLock { rows } }

  func rows(for fetch: FetchDescription) throws -> FetchOutcome {
    try MemoryFetch(fetch, MemoryView(committed, identity)).outcome()
  }

  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    let table = committed.tables[root.rootIndex]
    return keys.compactMap { table[$0] }
  }

  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    committed.members(of: relationship, owner: owner)
  }

  func reserveKeys(_ count: Int, in root: EntityLayout) throws -> Int64 {
    lock.withLock {
      let first = lastKeys[root.rootIndex] + 1
      lastKeys[root.rootIndex] += Int64(count)
      return first
    }
  }

  func commit(_ changes: ChangeSet) throws -> SaveOutcome {
    lock.withLock {
      let versions = rows.versionConflicts(changes)
      if !versions.isEmpty { return .versionConflicts(versions) }
      let constraints = rows.constraintConflicts(changes)
      if !constraints.isEmpty { return .constraintConflicts(constraints) }
      rows.apply(changes)
      publish(changes)
      return .saved(rewritten: [])
    }
  }

  /// Invariant 8: only what is committed.
  private func publish(_ changes: ChangeSet) {
    rowCache.invalidate(changes.deleted.map(\.reference))
    var written = changes.inserted + changes.updated.map(\.row)
    rowCache.publish(&written, sharingEqual: false)
  }
}
