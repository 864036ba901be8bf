import Synchronization

/// The keys that this process has named for rows that its saves are about to insert.
///
/// To take a key, a process raises `Z_MAX` in the file. A separate transaction for that would cost a small save half
/// its time. So a save first names its keys, without the file. It raises `Z_MAX` in the transaction that inserts the
/// rows, and only if the file still has the value that this process knows. If not, another process was faster, and the
/// save names other keys.
///
/// Raising `Z_MAX` writes a page, and that is a third of all that a save of one object writes. So after some saves of
/// few objects one raises it by more than it needs. The rest is this process's *stock*: the next saves take their keys
/// from it, and closing the store gives back what is left. A process that ends without that leaves a gap in the keys.
///
/// Any thread. Only the thread that has the writing connection calls `raiseMaximum`, `didTake` and `didRaise`, which
/// report what the file says.
final class KeyNumbers: Sendable {
  /// What this process knows of one table.
  private struct Table {
    /// The `Z_MAX` that this process has last read or written; nil if it must be read again.
    var maximum: Int64?
    /// The last value of `maximum`, kept even while that is nil.
    var read: Int64?
    /// Keys below this one belong to other processes, or to rows that this process has written already.
    var firstOwn: Int64 = 1
    /// The last key that was named. It never falls below a key that a save of this process still holds.
    var last: Int64 = 0
    /// The last key that a row may have. The keys behind it, up to `maximum`, are the stock.
    var used: Int64 = 0
    /// How many saves of few objects have raised `Z_MAX`, since the last one of many.
    var smallSaves = 0

    /// How far a save raises `Z_MAX` that takes these keys.
    func goal(_ keys: ProposedKeys) -> Int64 {
      guard KeyNumbers.areFew(keys), smallSaves >= KeyNumbers.savesBeforeStock, keys.last < .max - KeyNumbers.stock
      else { return keys.last }
      return keys.last + KeyNumbers.stock
    }
  }

  /// How many keys a save takes beside those that it needs.
  private static let stock: Int64 = 63
  /// How many saves of few objects come before one that takes a stock. So a program that saves now and then leaves no
  /// gaps.
  private static let savesBeforeStock = 16

  private static func areFew(_ keys: ProposedKeys) -> Bool { keys.last - keys.first < stock }

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
      guard var known = tables[table], known.maximum != nil else { return nil }
      let last = max(known.used, known.last)
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

  /// Takes back keys that a save has not used, if they are the last named and no row can have them.
  func giveBack(_ keys: ProposedKeys, in table: Int) {
    tables.withLock { tables in
      guard let known = tables[table], known.last == keys.last, keys.first > known.used else { return }
      tables[table]?.last = keys.first - 1
    }
  }

  /// Remembers the `Z_MAX` that was read from the file.
  func raiseMaximum(_ maximum: Int64, in table: Int) {
    tables.withLock { tables in
      var known = tables[table] ?? Table()
      if known.read != maximum { known.firstOwn = maximum &+ 1 }
      (known.maximum, known.read, known.used) = (maximum, maximum, maximum)
      tables[table] = known
    }
  }

  func claim(_ keys: ProposedKeys, in table: Int) -> Claim {
    tables.withLock { tables in
      guard let known = tables[table], let maximum = known.maximum, keys.first >= known.firstOwn
      else { return .isStale }
      return keys.last <= maximum ? .isTaken : .raise(from: maximum, to: known.goal(keys))
    }
  }

  /// Remembers that a transaction has inserted rows with these keys, and raised `Z_MAX` if their claim said so.
  func didTake(_ keys: ProposedKeys, in table: Int) {
    tables.withLock { tables in
      guard var known = tables[table], let maximum = known.maximum else { return }
      if keys.last > maximum {
        let goal = known.goal(keys)
        (known.maximum, known.read) = (goal, goal)
        known.smallSaves = KeyNumbers.areFew(keys) ? known.smallSaves + 1 : 0
      }
      known.used = max(known.used, keys.last)
      tables[table] = known
    }
  }

  /// Remembers that a transaction has raised `Z_MAX` for keys that it took itself.
  func didRaise(from former: Int64, to maximum: Int64, in table: Int) {
    tables.withLock { tables in
      guard var known = tables[table], known.maximum == former else { return }
      (known.maximum, known.read, known.used) = (maximum, maximum, maximum)
      tables[table] = known
    }
  }

  /// Ends all stocks. Returns the tables that had one, the `Z_MAX` that each should have, and the one that it has if no
  /// other process has raised it.
  func endStocks() -> [(table: Int, used: Int64, maximum: Int64)] {
    tables.withLock { tables in
      tables.keys.sorted().compactMap { table in
        guard let known = tables[table], let maximum = known.maximum, known.used < maximum else { return nil }
        tables[table]?.maximum = nil
        return (table, known.used, maximum)
      }
    }
  }

  /// Forgets everything about the file.
  func forgetAll() { tables.withLock { $0.removeAll() } }

  /// Makes the next save read `Z_MAX` from the file again.
  func forgetTable(_ table: Int) { tables.withLock { $0[table]?.maximum = nil } }
}
