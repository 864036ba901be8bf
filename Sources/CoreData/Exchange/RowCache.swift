internal import CSwiftRuntime

/// The rows of one store that are in use, so that contexts share their bytes, and a fault that another context has
/// already read costs no SQL.
///
/// The cache does not keep rows alive: a row leaves it when its last user releases it. Any thread; everything is under
/// `lock`.
///
/// Invariant 8: the cache never holds a version newer than the store's last commit, since a commit's rows are
/// published only after it. Nor does it take what was read before rows changed: a commit may have overtaken that read,
/// and no object may hold the newer row.
package final class RowCache: @unchecked Sendable {
  // `@unchecked Sendable`: the tables are only touched under `lock`.

  /// Recursive, because releasing a row under the lock may free it, and its deinit removes it from the cache.
  private let lock = RecursiveLock()
  // Unchecked or inlined by force, as the count of `fire` asks for; see CONTRIBUTING.md.
  /// The tables by the index of the entity. Entities of one hierarchy have the same table.
  @exclusivity(unchecked) private var tables: [Table]
  private let layouts: ModelLayouts
  /// How often rows have changed. Written under `lock`.
  private let changeCount = AtomicWord()

  private final class Table {
    @exclusivity(unchecked) var keys = KeyTable<RowSnapshot>()
  }

  package init(_ layouts: ModelLayouts) {
    self.layouts = layouts
    tables = RowCache.emptyTables(layouts)
  }

  deinit {
    changeCount.free()
    lock.free()
  }

  /// A moment between two changes of rows.
  package struct Moment: Equatable {
    fileprivate let changeCount: UInt
  }

  /// The present moment. Ask before a read begins, and publish what it has found with it.
  package var moment: Moment { Moment(changeCount: changeCount.value) }

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
    guard let row = table.keys[key], swift_tryRetain(row.toOpaque()) != nil else { return nil }
    return row.takeRetainedValue()
  }

  /// Publishes rows that a store has just read or committed. If the cache already has the same values at the same
  /// version, the array's row is replaced by the cached one, so that there is one copy.
  ///
  /// - Parameter moment: from before the read. If rows have changed since, none of these is entered. Nil for what was
  ///   committed, or read by the only one who writes.
  package func publish(_ rows: inout [RowSnapshot], readAfter moment: Moment?, sharingEqual: Bool = true) {
    guard !rows.isEmpty, !Stress.isOn else { return }
    lock.lock()
    defer { lock.unlock() }
    let isOvertaken = moment.map { $0 != self.moment } ?? false
    if !isOvertaken { table(ofEntity: rows[0].entity).keys.reserve(rows.count) }
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
        if !isOvertaken, publishRow(row, table) { entered += 1 }
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
    changeCount.value += 1
    var entered = publishNew(changes.inserted)
    for update in changes.updated where publishRow(update.row, table(ofEntity: update.row.entity)) { entered += 1 }
    if entered > 0 { swift_retain_n(Unmanaged.passUnretained(self).toOpaque(), entered) }
  }

  /// Returns how many of the rows began to refer to the cache.
  private func publishNew(_ rows: [RowSnapshot]) -> UInt32 {
    var entered: UInt32 = 0
    var index = 0
    while index < rows.count {
      let entity = rows[index].entity
      let table = table(ofEntity: entity)
      table.keys.reserve(rows.lengthOfRun(from: index))
      index = rows.forEachHeld(from: index, while: { $0.entity == entity }) { row in
        if publishRow(row, table) { entered += 1 }
      }
    }
    return entered
  }

  /// Publishes one row that was read after a moment. Returns the cached one if it is equal.
  package func publish(_ row: RowSnapshot, readAfter moment: Moment) -> RowSnapshot {
    if Stress.isOn { return row }
    lock.lock()
    defer { lock.unlock() }
    let table = table(ofEntity: row.entity)
    if let cached = held(table, row.key) {
      if isSame(cached, row) { return cached }
      if cached.version > row.version { return row }
    }
    if moment == self.moment, publishRow(row, table) {
      swift_retain_n(Unmanaged.passUnretained(self).toOpaque(), 1)
    }
    return row
  }

  /// Returns whether the row began to refer to the cache. If so, the caller retains the cache for it.
  @inline(__always)
  private func publishRow(_ row: RowSnapshot, _ table: Table) -> Bool {
    table.keys.insert(.passUnretained(row))
    return row.withUnsafeMutablePointerToHeader { header in
      if header.pointee.cache != nil { return false }
      header.pointee.cache = Unmanaged.passUnretained(self)
      return true
    }
  }

  /// Whether version and values are equal. A value in a row and the same one in a file count as unequal: under the lock
  /// no file is opened, nor is a store asked where one is missing.
  private func isSame(_ cached: RowSnapshot, _ row: RowSnapshot) -> Bool {
    let layout = layouts[row.entity]
    return cached.version == row.version && cached.entity == row.entity && cached.refersAlike(row, layout)
      && cached.hasSameValues(as: row, layout)
  }

  /// Drops the rows of keys that are gone from the store, or known to be stale.
  package func invalidate(_ references: [RowReference]) {
    lock.lock()
    defer { lock.unlock() }
    changeCount.value += 1
    for reference in references {
      let table = table(ofEntity: Int(reference.entity))
      if let row = table.keys[reference.key] { table.keys.remove(row) }
    }
  }

  /// Drops all rows, because the store has others now.
  package func invalidateAll() {
    lock.lock()
    changeCount.value += 1
    tables = RowCache.emptyTables(layouts)
    lock.unlock()
  }

  /// Called by a row's deinit.
  func removeDying(_ row: RowSnapshot) {
    lock.lock()
    table(ofEntity: row.entity).keys.remove(.passUnretained(row))
    lock.unlock()
  }
}

extension [RowSnapshot] {
  /// How many rows from an index on are of one entity, if the array has the rows of each entity together; else it may
  /// be any number. Looks at few of the rows.
  fileprivate func lengthOfRun(from start: Int) -> Int {
    let entity = self[start].entity
    var (same, other) = (start, start + 1)
    while other < count, self[other].entity == entity { (same, other) = (other, other + 2 * (other - start)) }
    other = Swift.min(other, count)
    while other - same > 1 {
      let middle = (same + other) / 2
      if self[middle].entity == entity { same = middle } else { other = middle }
    }
    return other - start
  }
}

extension RowSnapshot {
  /// Whether each value that one of two rows of an entity has in a file is in a file for the other one too.
  fileprivate final func refersAlike(_ other: RowSnapshot, _ layout: EntityLayout) -> Bool {
    func refers(_ row: RowSnapshot, _ property: LayoutProperty) -> Bool {
      !row.isNull(slot: property.slot) && row.isReference(word: property.word)
    }
    return layout.external.allSatisfy { refers(self, $0) == refers(other, $0) }
  }

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
