internal import CoreData
import Foundation

/// The rows of a batch insert, in portions, and their keys. Keys come from the store's unused ones first, then from new
/// blocks of the sequence, which need not be adjacent.
final class BatchInsertSource {
  /// The size of a portion: it ends at this many rows, or at this many bytes.
  private static let portion = (rows: 5000, bytes: 8 << 20)

  private let store: PostgreSQLStore
  private let batch: BatchInsert
  private var free: [Range<Int64>] = []
  private var blocks: Int64 = 1
  private var isOver = false
  /// Whether the program was asked for a row.
  private(set) var hasBegun = false

  init(_ store: PostgreSQLStore, _ batch: BatchInsert) {
    self.store = store
    self.batch = batch
  }

  /// Returns the next portion of rows; empty after the last row.
  func next(_ connection: Connection) throws -> [BatchRow] {
    var rows: [BatchRow] = []
    var bytes = 0
    while !isOver, rows.count < BatchInsertSource.portion.rows, bytes < BatchInsertSource.portion.bytes {
      let key = try nextKey(connection)
      hasBegun = true
      guard let row = try batch.next(key) else {
        isOver = true
        break
      }
      free[0] = (key + 1)..<free[0].upperBound
      rows.append(row)
      bytes += row.row.byteCount
    }
    return rows
  }

  private func nextKey(_ connection: Connection) throws -> Int64 {
    let root = batch.layout.rootIndex
    if free.first?.isEmpty == true { free.removeFirst() }
    if free.isEmpty, !hasBegun, let rest = store.keys.takeRest(of: root), !rest.isEmpty { free = [rest] }
    if free.isEmpty {
      var parameters = Parameters()
      parameters.add(blocks)
      let name = KeyBlocks.name(store.schema.entity(at: root))
      let rows = try connection.execute("SELECT nextval('\(name)') FROM generate_series(1, $1)", parameters)
      free = (0..<rows.count).map { rows.int($0, 0)..<(rows.int($0, 0) + KeyBlocks.size) }
      blocks = min(blocks * 2, 5)
    }
    return free[0].lowerBound
  }

  /// Gives the unused keys back to the store.
  func giveBackKeys() { for range in free { store.keys.put(range, of: batch.layout.rootIndex) } }
}
