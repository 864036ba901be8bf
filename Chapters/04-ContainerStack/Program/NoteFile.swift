import ChapterSupport
import Foundation
import StoreFileReader

/// The store's file, asked by a connection that has nothing to do with the stack.
struct NoteFile {
  let url: URL

  func rows() throws -> String {
    Output.count(try StoreFileReader(contentsOf: url).rowCount(of: "ZNOTE"), "row")
  }

  /// One column of the note at a position.
  func value(_ column: String, at position: Int32) throws -> String {
    try StoreFileReader(contentsOf: url)
      .rows("SELECT \(column) FROM ZNOTE WHERE ZPOSITION = \(position)").first?[0].description ?? "none"
  }

  /// All notes in the order of their keys, below the names of the columns.
  func table() throws -> [[String]] {
    let columns = ["Z_PK", "Z_OPT", "ZPOSITION", "ZTITLE", "ZBODY"]
    let rows = try StoreFileReader(contentsOf: url)
      .rows("SELECT \(columns.joined(separator: ", ")) FROM ZNOTE ORDER BY Z_PK")
    return [columns] + rows.map { $0.map(\.description) }
  }
}
