/// The rows of a store that has all of them in memory, whatever it keeps outside: shared by such stores.
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

  /// Applies a change set if nothing speaks against it.
  func commit(_ changes: ChangeSet) -> SaveOutcome {
    lock.withLock {
      if let refusal = rows.refusal(of: changes) { return refusal }
      rows.apply(changes)
      publish(changes)
      return .saved(rewritten: [])
    }
  }

  /// The same for rows that are kept outside too. `write` gets the state as it will be, before anyone else sees it: if
  /// it throws, all is as it was (invariant 6). Costs a copy of the tables, which writing all of them costs anyway.
  func commit(_ changes: ChangeSet, write: (MemoryRows) throws -> Void) throws -> SaveOutcome {
    try lock.withLock {
      if let refusal = rows.refusal(of: changes) { return refusal }
      var new = rows
      new.apply(changes)
      try write(new)
      rows = new
      publish(changes)
      return .saved(rewritten: [])
    }
  }

  /// The same where a program's own code writes, which may come back with questions. That one commit comes after the
  /// other is the caller's business; reads go on, and find the state before.
  func commit(_ changes: ChangeSet, writtenByOthers write: () throws -> Void) throws -> SaveOutcome {
    var new = current
    if let refusal = new.refusal(of: changes) { return refusal }
    new.apply(changes)
    try write()
    lock.withLock {
      rows = new
      publish(changes)
    }
    return .saved(rewritten: [])
  }

  /// Invariant 8: only what is committed.
  private func publish(_ changes: ChangeSet) {
    rowCache.invalidate(changes.deleted.map(\.reference))
    var written = changes.inserted + changes.updated.map(\.row)
    rowCache.publish(&written, sharingEqual: false)
  }
}
