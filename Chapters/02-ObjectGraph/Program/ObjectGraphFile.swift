import ChapterSupport
import CoreData
import Foundation
import ObjectGraphChapter
import StoreFileReader

/// The store's file, read with a second connection, without Core Data.
struct ObjectGraphFile {
  let url: URL

  init(folder: URL) {
    url = folder.appendingPathComponent(ObjectGraphStack.storeName)
  }

  func reader() throws -> StoreFileReader { try StoreFileReader(contentsOf: url) }

  func rows(_ table: String) throws -> String {
    Output.count(try reader().rowCount(of: table), "row")
  }

  /// Prints these columns of a table, in the order of the first of them.
  func show(_ table: String, _ columns: String...) throws {
    let rows = try reader().rows(
      "SELECT \(columns.joined(separator: ", ")) FROM \(table) ORDER BY \(columns[0]), \(columns[1])")
    Output.line("\(table):\(rows.isEmpty ? " no rows" : "")")
    if !rows.isEmpty { Output.table([columns.indented] + rows.map { $0.map(\.description).indented }) }
  }
}

extension [String] {
  /// The first cell stands two blanks further in.
  fileprivate var indented: [String] { ["  " + self[0]] + dropFirst() }
}
