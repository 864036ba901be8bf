import ChapterSupport
import CoreData
import Foundation
import ManualStackChapter
import StoreFileReader

extension ManualStackProgram {
  /// Closes the store, and shows what lies in the folder before and after, and what the file holds.
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

/// The store's file, asked by a connection that has nothing to do with the stack.
struct StudentFile {
  let url: URL

  func reader() throws -> StoreFileReader { try StoreFileReader(contentsOf: url) }

  func age(of id: Int16) throws -> Int64 {
    try reader().integer("SELECT ZSTUDENTAGE FROM ZSTUDENT WHERE ZSTUDENTID = \(id)")
  }

  /// The names of the file and of those that SQLite keeps beside it.
  func parts() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
      .filter { $0.hasPrefix(url.lastPathComponent) }.sorted()
  }

  /// A table's rows in the order of their keys, below the names of its columns.
  func rows(of table: String) throws -> [[String]] {
    let reader = try reader()
    let columns = try reader.rows("SELECT name FROM pragma_table_info('\(table)')").map { $0[0].description }
    let rows = try reader.rows("SELECT * FROM \(StoreFileReader.quoted(table)) ORDER BY 1")
    return [columns] + rows.map { $0.map(\.description) }
  }
}
