/// The rows of a store that has all of them in memory, perhaps besides a file. Used by all such stores.
///
/// Any thread: `rows` and `lastKeys` are touched under `lock`; a read takes a copy of `rows` and lets go of the lock.
package final class CommittedRows: @unchecked Sendable {
  // `@unchecked Sendable`: see above.
  let layouts: ModelLayouts
  let rowCache: RowCache

  private let lock = NSLock()
  private var rows: MemoryRows
  /// By root entity index: the last key given out.
  private var lastKeys: [Int64]

  init(_ layouts: ModelLayouts) {
    self.layouts = layouts
    rowCache = RowCache(layouts)
    rows = MemoryRows(layouts)
    lastKeys = layouts.layouts.map { _ in 0 }
  }

  /// The committed state as it is now.
  var current: MemoryRows { lock.withLock { rows } }

  /// By root entity index: the last key given out so far.
  var givenKeys: [Int64] { lock.withLock { lastKeys } }

  /// Takes over a state that was read from outside, and the keys that it has used.
  func replace(by new: MemoryRows, lastKeys keys: [Int64]) {
    lock.withLock {
      rows = new
      lastKeys = zip(lastKeys, keys).map(max)
    }
  }

  func removeAll() { lock.withLock { rows = MemoryRows(layouts) } }

  func reserveKeys(_ count: Int, in root: EntityLayout) -> Int64 {
    lock.withLock {
      let first = lastKeys[root.rootIndex] + 1
      lastKeys[root.rootIndex] += Int64(count)
      return first
    }
  }

  /// Applies a change set, unless there is a conflict.
  func commit(_ changes: ChangeSet) -> SaveOutcome {
    lock.withLock {
      if let refusal = rows.refusal(of: changes) { return refusal }
      rows.apply(changes)
      rowCache.publish(changes)
      return .saved(rewritten: [])
    }
  }

  /// Applies a change set to rows that are also kept in a file. `write` gets the new state before anyone else sees it;
  /// if it throws, nothing changes (invariant 6). Copies the tables, which costs no more than writing them.
  func commit(_ changes: ChangeSet, write: (MemoryRows) throws -> Void) throws -> SaveOutcome {
    try lock.withLock {
      if let refusal = rows.refusal(of: changes) { return refusal }
      var new = rows
      new.apply(changes)
      try write(new)
      rows = new
      rowCache.publish(changes)
      return .saved(rewritten: [])
    }
  }

  /// Applies a change set that a program's own code writes, which may call the store meanwhile. The caller makes sure
  /// that commits don't overlap. Reads go on, and find the former state.
  func commit(_ changes: ChangeSet, writtenByOthers write: () throws -> Void) throws -> SaveOutcome {
    var new = current
    if let refusal = new.refusal(of: changes) { return refusal }
    new.apply(changes)
    try write()
    lock.withLock {
      rows = new
      rowCache.publish(changes)
    }
    return .saved(rewritten: [])
  }
}
