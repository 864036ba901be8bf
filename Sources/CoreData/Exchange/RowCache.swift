internal import CSwiftRuntime

/// The rows of one store that somebody holds, so that contexts share their bytes and a fault that another
/// context has already read costs no SQL.
///
/// The cache does not keep rows alive: a row leaves it when its last holder lets go.
/// Any thread; everything is under `lock`.
///
/// Invariant 8: the cache never holds a version newer than the store's last commit, since a commit's rows are
/// published only after it.
final class RowCache: @unchecked Sendable {
  // `@unchecked Sendable`: the tables are only touched under `lock`.

  /// Recursive: letting go of a row under the lock may be what ends it, and a dying row takes itself out.
  private let lock = NSRecursiveLock()
  /// By root entity index.
  @exclusivity(unchecked) private var tables: [Table]
  private let layouts: ModelLayouts

  private final class Table {
    @exclusivity(unchecked) var keys = KeyTable()
  }

  init(_ layouts: ModelLayouts) {
    self.layouts = layouts
    tables = layouts.layouts.map { _ in Table() }
  }

  private func table(ofEntity entity: Int) -> Table { tables[layouts.layouts[entity].rootIndex] }

  /// The cached row of a key, if somebody holds it.
  func row(_ reference: RowReference) -> RowSnapshot? {
    if Stress.isOn { return nil }
    lock.lock()
    defer { lock.unlock() }
    return held(table(ofEntity: Int(reference.entity)), reference.key)
  }

  private func held(_ table: Table, _ key: Int64) -> RowSnapshot? {
    guard let pointer = table.keys[key], swift_tryRetain(pointer) != nil else { return nil }
    return Unmanaged<RowSnapshot>.fromOpaque(pointer).takeRetainedValue()
  }

  /// Publishes rows that a store has just read or committed. Where the cache already has the same bytes at
  /// the same version, the array's row is replaced by the cached one, so that there is one copy.
  func publish(_ rows: inout [RowSnapshot], sharingEqual: Bool = true) {
    guard !rows.isEmpty, !Stress.isOn else { return }
    lock.lock()
    defer { lock.unlock() }
    tables[layouts.layouts[rows[0].entity].rootIndex].keys.reserve(rows.count)
    for index in rows.indices {
      let table = tables[layouts.layouts[rows[index].entity].rootIndex]
      if sharingEqual, let cached = held(table, rows[index].key) {
        if cached.isSame(as: rows[index]) {
          rows[index] = cached
          continue
        }
        // A commit has overtaken this read: the cache keeps what is newer.
        if cached.version > rows[index].version { continue }
      }
      enter(rows[index], table)
    }
  }

  /// Publishes one row; returns the cached one where it is the same.
  func publish(_ row: RowSnapshot) -> RowSnapshot {
    if Stress.isOn { return row }
    lock.lock()
    defer { lock.unlock() }
    let table = table(ofEntity: row.entity)
    if let cached = held(table, row.key) {
      if cached.isSame(as: row) { return cached }
      if cached.version > row.version { return row }
    }
    enter(row, table)
    return row
  }

  private func enter(_ row: RowSnapshot, _ table: Table) {
    row.withUnsafeMutablePointerToHeader { header in
      if header.pointee.cache == nil { header.pointee.cache = Unmanaged.passRetained(self) }
    }
    table.keys.insert(Unmanaged.passUnretained(row).toOpaque(), at: row.key)
  }

  /// Drops keys whose rows are gone from the store, or known to be stale.
  func invalidate(_ references: [RowReference]) {
    lock.lock()
    defer { lock.unlock() }
    for reference in references {
      let table = table(ofEntity: Int(reference.entity))
      if let pointer = table.keys[reference.key] { table.keys.remove(pointer, at: reference.key) }
    }
  }

  /// Drops everything: the store has other rows now.
  func invalidateAll() {
    lock.lock()
    tables = layouts.layouts.map { _ in Table() }
    lock.unlock()
  }

  /// Called by a dying row.
  fileprivate func remove(_ row: UnsafeMutableRawPointer, key: Int64, entity: Int) {
    lock.lock()
    table(ofEntity: entity).keys.remove(row, at: key)
    lock.unlock()
  }

  func forget(_ row: RowSnapshot) {
    remove(Unmanaged.passUnretained(row).toOpaque(), key: row.key, entity: row.entity)
  }
}

extension RowSnapshot {
  /// Same version, same bytes.
  fileprivate func isSame(as other: RowSnapshot) -> Bool {
    self === other
      || version == other.version && entity == other.entity && byteCount == other.byteCount
        && memcmp(words, other.words, byteCount) == 0
  }
}
