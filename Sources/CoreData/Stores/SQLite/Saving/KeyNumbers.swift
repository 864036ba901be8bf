import Synchronization

/// Which keys this process has named for rows that its saves are about to insert.
///
/// A key is taken by raising `Z_MAX` in the file, which many processes do. A transaction of its own for that would
/// cost a small save half its time, so a save names its keys first, and raises `Z_MAX` in the very transaction that
/// inserts the rows: from the value that this process knew, or not at all. If not, another process was there before,
/// and the save names others.
///
/// Any thread. What the file says (`raiseMaximum`, `didRaise`) is told by whoever may write.
final class KeyNumbers: Sendable {
  /// What is known of one table.
  private struct Table {
    /// `Z_MAX`, as this process has read or written it last; nil if it is to be read again.
    var maximum: Int64?
    /// The same, also while it is to be read again.
    var read: Int64?
    /// Keys below belong to others, or to rows of this process that are in the file.
    var firstOwn: Int64 = 1
    /// The last key that was named. It never falls below a key that a save of this process still holds.
    var last: Int64 = 0
  }

  /// By the root entity's Z_ENT.
  private let tables = Mutex<[Int: Table]>([:])

  /// What a transaction has to do about keys that were named before it.
  enum Claim {
    /// They are below `Z_MAX` already, raised by a save that named later ones.
    case isTaken
    case raise(from: Int64, to: Int64)
    /// Others have raised `Z_MAX` meanwhile.
    case isStale
  }

  /// Names keys that follow each other, and returns the first; nil if the file has to be asked before.
  func propose(_ count: Int, in table: Int) -> Int64? {
    tables.withLock { tables in
      guard var known = tables[table], let maximum = known.maximum else { return nil }
      let last = max(maximum, known.last)
      guard last <= Int64.max - Int64(count) else { return nil }
      known.last = last + Int64(count)
      tables[table] = known
      return last + 1
    }
  }

  /// The same in a transaction that raises `Z_MAX` for good: behind it, and behind all that was named.
  func take(_ count: Int, after maximum: Int64, in table: Int) -> Int64? {
    tables.withLock { tables in
      let last = max(maximum, tables[table]?.last ?? 0)
      guard last <= Int64.max - Int64(count) else { return nil }
      tables[table, default: Table()].last = last + Int64(count)
      return last + 1
    }
  }

  /// Takes back what a save has not used, if it was the last that was named.
  func giveBack(_ keys: ProposedKeys, in table: Int) {
    tables.withLock { tables in
      guard let known = tables[table], known.last == keys.last, keys.first > known.maximum ?? 0 else { return }
      tables[table]?.last = keys.first - 1
    }
  }

  /// What the file says.
  func raiseMaximum(_ maximum: Int64, in table: Int) {
    tables.withLock { tables in
      var known = tables[table] ?? Table()
      if known.read != maximum { known.firstOwn = maximum &+ 1 }
      (known.maximum, known.read) = (maximum, maximum)
      tables[table] = known
    }
  }

  func claim(_ keys: ProposedKeys, in table: Int) -> Claim {
    tables.withLock { tables in
      guard let known = tables[table], let maximum = known.maximum, keys.first >= known.firstOwn
      else { return .isStale }
      return keys.last <= maximum ? .isTaken : .raise(from: maximum, to: keys.last)
    }
  }

  /// That a transaction has raised `Z_MAX`.
  func didRaise(from former: Int64, to maximum: Int64, in table: Int) {
    tables.withLock { tables in
      guard var known = tables[table], known.maximum == former else { return }
      (known.maximum, known.read) = (maximum, maximum)
      tables[table] = known
    }
  }

  /// That the file has to be asked again.
  func forgetTable(_ table: Int) { tables.withLock { $0[table]?.maximum = nil } }
}
