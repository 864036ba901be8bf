import EnqueueWriterChapter
import Foundation
import StoreFileReader

/// The store's file, asked by a connection that has nothing to do with the stack.
struct WriterFile {
  let url: URL

  private func reader() throws -> StoreFileReader { try StoreFileReader(contentsOf: url) }

  func entries() throws -> Int { try reader().rowCount(of: "ZENTRY") }

  func tallies() throws -> Int { try reader().rowCount(of: "ZTALLY") }

  /// 0 if there is no tally of that name.
  func total(_ name: String) throws -> Int64 {
    try reader().integer("SELECT coalesce(sum(ZTOTAL), 0) FROM ZTALLY WHERE ZNAME = '\(name)'")
  }

  /// The version of the tally's row.
  func version(_ name: String) throws -> Int64 {
    try reader().integer("SELECT Z_OPT FROM ZTALLY WHERE ZNAME = '\(name)'")
  }

  /// Rows are numbered as they are saved: by their keys, each producer's sequence must only go up.
  func isInOrder(after rowsBefore: Int) throws -> Bool {
    let rows = try reader().rows(
      "SELECT ZPRODUCER, ZSEQUENCE FROM ZENTRY ORDER BY Z_PK LIMIT -1 OFFSET \(rowsBefore)")
    var last: [Int64: Int64] = [:]
    for row in rows {
      guard let producer = row[0].integer, let sequence = row[1].integer else { return false }
      if sequence != last[producer, default: 0] + 1 { return false }
      last[producer] = sequence
    }
    return true
  }
}
