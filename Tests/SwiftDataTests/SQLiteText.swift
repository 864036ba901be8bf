import CSQLite
import Foundation

/// The first column of a query's rows, read without the stack.
enum SQLiteText {
  static func rows(_ url: URL, _ query: String) throws -> [String] {
    var database: OpaquePointer?
    guard sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw CocoaError(.fileReadUnknown)
    }
    defer { sqlite3_close(database) }
    // Another connection may be about to end its transaction.
    sqlite3_busy_timeout(database, 5000)
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK else {
      throw CocoaError(.fileReadCorruptFile)
    }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    var result = sqlite3_step(statement)
    while result == SQLITE_ROW {
      rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
      result = sqlite3_step(statement)
    }
    guard result == SQLITE_DONE else { throw CocoaError(.fileReadUnknown) }
    return rows
  }
}
