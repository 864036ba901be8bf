import ChapterSupport
import Foundation
import StoreFileReader

/// The store's file, asked by a connection that has nothing to do with the stack.
struct LibraryFile {
  let url: URL

  /// Every column and row of a table, in the table's order.
  func show(_ table: String) throws {
    Output.line(table)
    Output.table(try rows(of: table))
  }

  /// The names of a table's columns.
  func columns(of table: String) throws -> [String] {
    try StoreFileReader(contentsOf: url).rows("SELECT name FROM pragma_table_info('\(table)')")
      .compactMap(\.first?.text)
  }

  /// A table's columns, then its rows.
  func rows(of table: String) throws -> [[String]] {
    let reader = try StoreFileReader(contentsOf: url)
    let columns = try columns(of: table)
    let list = columns.map(StoreFileReader.quoted).joined(separator: ", ")
    return [columns]
      + (try reader.rows("SELECT \(list) FROM \(StoreFileReader.quoted(table)) ORDER BY Z_PK"))
      .map { $0.map(\.description) }
  }

  func tables() throws -> String { try StoreFileReader(contentsOf: url).tables().joined(separator: ", ") }

  /// The file as it is, to compare it with what it is later.
  func bytes() throws -> Data { try Data(contentsOf: url) }
}
