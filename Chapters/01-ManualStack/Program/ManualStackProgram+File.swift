import ChapterSupport
import CoreData
import Foundation
import ManualStackChapter
import StoreFileReader

extension ManualStackProgram {
  /// Closes the store, lists its files before and after, and shows what is in the file.
  @MainActor func showFile(_ stack: CoreDataStack, _ file: StudentFile) throws {
    Output.heading("The file")
    Output.line("while the store is open: \(try file.parts().joined(separator: ", "))")
    try stack.close()
    Output.line("when it is closed:       \(try file.parts().joined(separator: ", "))")
    for table in ["ZSTUDENT", "Z_PRIMARYKEY"] {
      Output.line("\(table):")
      Output.table(try file.rows(of: table).map { ["  " + $0[0]] + $0.dropFirst() })
    }
  }
}

/// The store's file, read through a connection of its own that knows SQLite and nothing of Core Data.
struct StudentFile {
  let url: URL

  func reader() throws -> StoreFileReader { try StoreFileReader(contentsOf: url) }

  func age(of id: Int16) throws -> Int64 {
    try reader().integer("SELECT ZSTUDENTAGE FROM ZSTUDENT WHERE ZSTUDENTID = \(id)")
  }

  /// The file's name, and the names of the files that SQLite keeps beside it.
  func parts() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
      .filter { $0.hasPrefix(url.lastPathComponent) }.sorted()
  }

  /// The names of a table's columns, and below them its rows in the order of their keys.
  func rows(of table: String) throws -> [[String]] {
    let reader = try reader()
    let columns = try reader.rows("SELECT name FROM pragma_table_info('\(table)')").map { $0[0].description }
    let rows = try reader.rows("SELECT * FROM \(StoreFileReader.quoted(table)) ORDER BY 1")
    return [columns] + rows.map { $0.map(\.description) }
  }
}
