package import CoreData
import Foundation

/// The keys that the store has reserved but not used yet. Safe on any thread.
///
/// Each table has a sequence that counts in blocks. `nextval` returns the first of a thousand keys, which belong to the
/// caller alone even if its transaction is rolled back, and it never waits. A program that inserts rows with SQL gets
/// its keys the same way. Keys left over when the store is closed are never used.
final class KeyBlocks: @unchecked Sendable {
  // `@unchecked Sendable`: `left` is only touched under `lock`.

  static let size: Int64 = 1000
  private let lock = NSLock()
  /// The unused keys, by the root entity's index.
  private var left: [Int: Range<Int64>] = [:]

  static func name(_ root: EntitySchema) -> String { "Z_KEYS_\(root.number)" }

  /// Returns the statement that creates a root entity's sequence.
  ///
  /// - Parameter last: the last key already in use.
  static func create(_ root: EntitySchema, after last: Int64 = 0) -> String {
    "CREATE SEQUENCE \(name(root)) INCREMENT BY \(size) START WITH \(last + 1) OWNED BY \(root.table).Z_PK"
  }

  /// Returns the last key that a root entity's sequence has given out, or the largest one that a row has.
  static func last(_ root: EntitySchema, _ connection: Connection) throws -> Int64 {
    try connection.execute(
      "SELECT GREATEST((SELECT COALESCE(MAX(Z_PK), 0) FROM \(root.table)), "
        + "(SELECT CASE WHEN is_called THEN last_value + \(size - 1) ELSE 0 END FROM \(name(root))))"
    ).int(0, 0)
  }

  /// Takes `count` of the unused keys and returns the first; nil if too few are left.
  func take(_ count: Int64, of root: Int) -> Int64? {
    lock.withLock {
      guard let range = left[root], Int64(range.count) >= count else { return nil }
      left[root] = (range.lowerBound + count)..<range.upperBound
      return range.lowerBound
    }
  }

  /// Takes all unused keys; nil if there are none.
  func takeRest(of root: Int) -> Range<Int64>? { lock.withLock { left.removeValue(forKey: root) } }

  /// Gives back unused keys. Keeps only the longer range if others are left too.
  func put(_ range: Range<Int64>, of root: Int) {
    lock.withLock { if range.count > (left[root]?.count ?? 0) { left[root] = range } }
  }
}

extension PostgreSQLStore {
  package func reserveKeys(_ count: Int, in root: EntityLayout) throws -> Int64 {
    let wanted = Int64(count)
    if let first = keys.take(wanted, of: root.index) { return first }
    let blocks = (wanted + KeyBlocks.size - 1) / KeyBlocks.size
    let name = KeyBlocks.name(try schema.entity(root))
    let first = try translatingErrors { try pool.read { try consecutiveBlocks(blocks, name, $0) } }
    keys.put((first + wanted)..<(first + blocks * KeyBlocks.size), of: root.index)
    return first
  }

  /// Reserves `count` adjacent blocks and returns the first key. If another process takes a block in between, the store
  /// drops these blocks and tries again: keys are plentiful.
  private func consecutiveBlocks(_ count: Int64, _ name: String, _ connection: Connection) throws -> Int64 {
    var parameters = Parameters()
    parameters.add(count)
    for _ in 0..<100 {
      let rows = try connection.execute(
        "SELECT min(k), max(k) FROM (SELECT nextval('\(name)') AS k FROM generate_series(1, $1)) AS s", parameters)
      let (first, last) = (rows.int(0, 0), rows.int(0, 1))
      if last - first == (count - 1) * KeyBlocks.size { return first }
    }
    throw ServerError(
      state: "55P03",
      message: "other processes took keys of \(name) in between each time that \(count) blocks were asked for")
  }
}
