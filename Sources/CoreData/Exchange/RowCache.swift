internal import CSwiftRuntime

/// The rows of one store that are in use, so that contexts share their bytes, and a fault that another context has
/// already read costs no SQL.
///
/// The cache does not keep rows alive: a row leaves it when its last user releases it. Any thread; everything is under
/// `lock`.
///
/// Invariant 8: the cache never holds a version newer than the store's last commit, since a commit's rows are
/// published only after it.
package final class RowCache: @unchecked Sendable {
  // `@unchecked Sendable`: the tables are only touched under `lock`.

  /// Recursive, because releasing a row under the lock may free it, and its deinit removes it from the cache.
  private let lock = NSRecursiveLock()
  // Unchecked or inlined by force, as the count of `fire` asks for; see CONTRIBUTING.md.
  /// The tables by the index of the entity. Entities of one hierarchy have the same table.
  @exclusivity(unchecked) private var tables: [Table]
  private let layouts: ModelLayouts

  private final class Table {
    @exclusivity(unchecked) var keys = KeyTable()
  }

  package init(_ layouts: ModelLayouts) {
    self.layouts = layouts
    tables = RowCache.emptyTables(layouts)
  }

  private static func emptyTables(_ layouts: ModelLayouts) -> [Table] {
    var tables: [Table] = []
    // The root of a hierarchy comes before its subentities.
    for layout in layouts.layouts { tables.append(layout.isRoot ? Table() : tables[layout.rootIndex]) }
    return tables
  }

  private func table(ofEntity entity: Int) -> Table { tables[entity] }

  /// The cached row of a key, if it is in use.
  package func row(_ reference: RowReference) -> RowSnapshot? {
    if Stress.isOn { return nil }
    lock.lock()
    defer { lock.unlock() }
    return held(table(ofEntity: Int(reference.entity)), reference.key)
  }

  private func held(_ table: Table, _ key: Int64) -> RowSnapshot? {
    guard let pointer = table.keys[key], swift_tryRetain(pointer) != nil else { return nil }
    return Unmanaged<RowSnapshot>.fromOpaque(pointer).takeRetainedValue()
  }

  /// Publishes rows that a store has just read or committed. If the cache already has the same values at the same
  /// version, the array's row is replaced by the cached one, so that there is one copy.
  package func publish(_ rows: inout [RowSnapshot], sharingEqual: Bool = true) {
    guard !rows.isEmpty, !Stress.isOn else { return }
    lock.lock()
    defer { lock.unlock() }
    table(ofEntity: rows[0].entity).keys.reserve(rows.count)
    var shared: [(index: Int, row: RowSnapshot)] = []
    var entered: UInt32 = 0
    var index = 0
    while index < rows.count {
      let entity = rows[index].entity
      let table = table(ofEntity: entity)
      var place = index
      index = rows.forEachHeld(from: index, while: { $0.entity == entity }) { row in
        defer { place += 1 }
        if sharingEqual, let cached = held(table, row.key) {
          if isSame(cached, row) {
            shared.append((place, cached))
            return
          }
          // A commit has overtaken this read: the cache keeps what is newer.
          if cached.version > row.version { return }
        }
        if publishRow(row, table) { entered += 1 }
      }
    }
    // One retain for all rows that refer to the cache from now on.
    if entered > 0 { swift_retain_n(Unmanaged.passUnretained(self).toOpaque(), entered) }
    for (index, row) in shared { rows[index] = row }
  }

  /// Publishes what a store has just committed: its rows are newer than what the cache has.
  package func publish(_ changes: ChangeSet) {
    if !changes.deleted.isEmpty { invalidate(changes.deleted.map(\.reference)) }
    if Stress.isOn { return }
    lock.lock()
    defer { lock.unlock() }
    var entered = publishNew(changes.inserted)
    for update in changes.updated where publishRow(update.row, table(ofEntity: update.row.entity)) { entered += 1 }
    if entered > 0 { swift_retain_n(Unmanaged.passUnretained(self).toOpaque(), entered) }
  }

  /// Returns how many of the rows began to refer to the cache.
  private func publishNew(_ rows: [RowSnapshot]) -> UInt32 {
    guard let first = rows.first else { return 0 }
    table(ofEntity: first.entity).keys.reserve(rows.count)
    var entered: UInt32 = 0
    var index = 0
    while index < rows.count {
      let entity = rows[index].entity
      let table = table(ofEntity: entity)
      index = rows.forEachHeld(from: index, while: { $0.entity == entity }) { row in
        if publishRow(row, table) { entered += 1 }
      }
    }
    return entered
  }

  /// Publishes one row. Returns the cached one if it is equal.
  package func publish(_ row: RowSnapshot) -> RowSnapshot {
    if Stress.isOn { return row }
    lock.lock()
    defer { lock.unlock() }
    let table = table(ofEntity: row.entity)
    if let cached = held(table, row.key) {
      if isSame(cached, row) { return cached }
      if cached.version > row.version { return row }
    }
    if publishRow(row, table) { swift_retain_n(Unmanaged.passUnretained(self).toOpaque(), 1) }
    return row
  }

  /// Returns whether the row began to refer to the cache. If so, the caller retains the cache for it.
  @inline(__always)
  private func publishRow(_ row: RowSnapshot, _ table: Table) -> Bool {
    table.keys.insert(Unmanaged.passUnretained(row).toOpaque(), at: row.key)
    return row.withUnsafeMutablePointerToHeader { header in
      if header.pointee.cache != nil { return false }
      header.pointee.cache = Unmanaged.passUnretained(self)
      return true
    }
  }

  /// Whether version and values are equal.
  private func isSame(_ cached: RowSnapshot, _ row: RowSnapshot) -> Bool {
    cached.version == row.version && cached.hasSameValues(as: row, layouts[row.entity])
  }

  /// Drops the rows of keys that are gone from the store, or known to be stale.
  package func invalidate(_ references: [RowReference]) {
    lock.lock()
    defer { lock.unlock() }
    for reference in references {
      let table = table(ofEntity: Int(reference.entity))
      if let pointer = table.keys[reference.key] { table.keys.remove(pointer, at: reference.key) }
    }
  }

  /// Drops all rows, because the store has others now.
  package func invalidateAll() {
    lock.lock()
    tables = RowCache.emptyTables(layouts)
    lock.unlock()
  }

  /// Called by a row's deinit.
  fileprivate func remove(_ row: UnsafeMutableRawPointer, key: Int64, entity: Int) {
    lock.lock()
    table(ofEntity: entity).keys.remove(row, at: key)
    lock.unlock()
  }

  package func removeDying(_ row: RowSnapshot) {
    remove(Unmanaged.passUnretained(row).toOpaque(), key: row.key, entity: row.entity)
  }
}

extension RowSnapshot {
  /// Whether the values are equal; versions may differ. Texts and data may stand in another order in each row, and a
  /// value that was set to nil may have left bytes behind.
  final func hasSameValues(as other: RowSnapshot, _ layout: EntityLayout) -> Bool {
    if self === other || hasSameBytes(as: other) { return true }
    return entity == other.entity && layout.slots.allSatisfy { $0.word < 0 || isEqual($0, to: other) }
  }

  /// Whether the bytes are equal; versions may differ.
  private func hasSameBytes(as other: RowSnapshot) -> Bool {
    entity == other.entity && byteCount == other.byteCount && memcmp(words, other.words, byteCount) == 0
  }
}
