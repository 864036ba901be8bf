import ChapterSupport
import Foundation
import InsideTheFileChapter
import StoreFileReader

/// The store's file, asked by a connection that has nothing to do with the stack.
struct MuseumFile {
  let url: URL

  func reader() throws -> StoreFileReader { try StoreFileReader(contentsOf: url) }

  /// Columns, then rows.
  func show(_ table: String, columns: [String]? = nil, orderedBy order: String = "rowid") throws {
    let reader = try reader()
    let names = try columns ?? self.columns(of: table).map(\.name)
    let list = names.map(StoreFileReader.quoted).joined(separator: ", ")
    let rows = try reader.rows(
      "SELECT \(list) FROM \(StoreFileReader.quoted(table)) ORDER BY \(order)")
    Output.table([names] + rows.map { $0.map(Self.words) })
  }

  func columns(of table: String) throws -> [(name: String, type: String)] {
    try reader().rows("SELECT name, type FROM pragma_table_info('\(table)')")
      .map { ($0[0].description, $0[1].description) }
  }

  /// A table on its side: a line for each column with its declared type, and the rows beside each other.
  func showOnItsSide(_ table: String) throws {
    let columns = try columns(of: table)
    let list = columns.map { StoreFileReader.quoted($0.name) }.joined(separator: ", ")
    let rows = try reader().rows("SELECT \(list) FROM \(StoreFileReader.quoted(table)) ORDER BY Z_PK")
    Output.table(
      columns.enumerated().map { place, column in
        [column.name, column.type] + rows.map { Self.words($0[place]) }
      })
  }

  /// The value as the file has it; of many bytes the first.
  static func words(_ value: StoreFileValue) -> String {
    guard case .blob(let data) = value else { return value.description }
    if data.count <= 8 { return "x'\(data.hex)'" }
    return "x'\(data.prefix(1).hex)…', \(data.count) bytes"
  }
}
