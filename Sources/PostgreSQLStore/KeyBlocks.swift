package import CoreData
import Foundation

/// Keys that are reserved and not given away yet. Any thread.
///
/// A table has a sequence whose step is a block: `nextval` gives the first of a thousand keys that are the caller's
/// alone, whatever becomes of its transaction, without waiting for anybody. Somebody who inserts rows by SQL takes a
/// key in the same way. What is left of a block when the store is closed is never used.
final class KeyBlocks: @unchecked Sendable {
  // `@unchecked Sendable`: `left` is only touched under `lock`.

  static let size: Int64 = 1000
  private let lock = NSLock()
  /// By root entity's index: keys that nobody has yet.
  private var left: [Int: Range<Int64>] = [:]

  static func name(_ root: EntitySchema) -> String { "Z_KEYS_\(root.number)" }

  /// - Parameter last: the last key that somebody has.
  static func create(_ root: EntitySchema, after last: Int64 = 0) -> String {
    "CREATE SEQUENCE \(name(root)) INCREMENT BY \(size) START WITH \(last + 1) OWNED BY \(root.table).Z_PK"
  }

  /// The first of `count` keys, from what is left; nil if that is too little.
  func take(_ count: Int64, of root: Int) -> Int64? {
    lock.withLock {
      guard let range = left[root], Int64(range.count) >= count else { return nil }
      left[root] = (range.lowerBound + count)..<range.upperBound
      return range.lowerBound
    }
  }

  /// All that is left.
  func takeRest(of root: Int) -> Range<Int64>? { lock.withLock { left.removeValue(forKey: root) } }

  /// Gives back what was taken; the longer of two is kept.
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

  /// Where another process takes one of the same sequence in between, the blocks don't follow each other, and are let
  /// go: there are more of them than anybody needs.
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
