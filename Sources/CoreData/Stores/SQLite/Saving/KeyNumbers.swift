import Synchronization

/// The keys that this process has named for rows that its saves are about to insert.
///
/// To take a key, a process raises `Z_MAX` in the file. A separate transaction for that would cost a small save half
/// its time. So a save first names its keys, without the file. It raises `Z_MAX` in the transaction that inserts the
/// rows, and only if the file still has the value that this process knows. If not, another process was faster, and the
/// save names other keys.
///
/// Any thread. Only the thread that has the writing connection calls `raiseMaximum` and `didRaise`, which report what
/// the file says.
final class KeyNumbers: Sendable {
  /// What this process knows of one table.
  private struct Table {
    /// The `Z_MAX` that this process has last read or written; nil if it must be read again.
    var maximum: Int64?
    /// The same value, kept even while `maximum` is nil.
    var read: Int64?
    /// Keys below this one belong to other processes, or to rows that this process has written already.
    var firstOwn: Int64 = 1
    /// The last key that was named. It never falls below a key that a save of this process still holds.
    var last: Int64 = 0
  }

  /// The tables, by the Z_ENT of the root entity.
  private let tables = Mutex<[Int: Table]>([:])

  /// What a transaction has to do to take keys that were named before it.
  enum Claim {
    /// Nothing: `Z_MAX` covers them already. A save that named later keys has raised it.
    case isTaken
    case raise(from: Int64, to: Int64)
    /// The save must name other keys: another process has raised `Z_MAX` meanwhile, or it must be read again.
    case isStale
  }

  /// Names `count` consecutive keys and returns the first. nil if `Z_MAX` must be read first, or too few keys are left.
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

  /// Names keys for a transaction that raises `Z_MAX` itself. They come after `maximum`, and after every key named so
  /// far. Returns the first; nil if too few keys are left.
  func take(_ count: Int, after maximum: Int64, in table: Int) -> Int64? {
    tables.withLock { tables in
      let last = max(maximum, tables[table]?.last ?? 0)
      guard last <= Int64.max - Int64(count) else { return nil }
      tables[table, default: Table()].last = last + Int64(count)
      return last + 1
    }
  }

  /// Takes back keys that a save has not used, if they are the last named and above `Z_MAX`.
  func giveBack(_ keys: ProposedKeys, in table: Int) {
    tables.withLock { tables in
      guard let known = tables[table], known.last == keys.last, keys.first > known.maximum ?? 0 else { return }
      tables[table]?.last = keys.first - 1
    }
  }

  /// Remembers the `Z_MAX` that was read from the file.
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

  /// Remembers that a transaction has raised `Z_MAX`.
  func didRaise(from former: Int64, to maximum: Int64, in table: Int) {
    tables.withLock { tables in
      guard var known = tables[table], known.maximum == former else { return }
      (known.maximum, known.read) = (maximum, maximum)
      tables[table] = known
    }
  }

  /// Makes the next save read `Z_MAX` from the file again.
  func forgetTable(_ table: Int) { tables.withLock { $0[table]?.maximum = nil } }
}
