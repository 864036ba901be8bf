import Foundation

@_implementationOnly import CSQLite

/// A database as SQLite sees it: a reader that knows nothing of stores. Waits for locks up to a minute.
final class PlainDatabase {
  private let database: OpaquePointer

  init(_ url: URL) throws {
    var database: OpaquePointer?
    guard sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let database else {
      sqlite3_close_v2(database)
      throw Complaint("SQLite can't open \(url.path)")
    }
    self.database = database
    sqlite3_busy_timeout(database, 60_000)
  }

  deinit { sqlite3_close_v2(database) }

  /// The first column of all rows, as text.
  func rows(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
      case SQLITE_DONE: return rows
      default: throw failure(sql)
      }
    }
  }

  func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    _ = try rows("BEGIN")
    defer { _ = try? rows("ROLLBACK") }
    return try body()
  }

  private func failure(_ sql: String) -> Complaint {
    Complaint(
      "SQLite error \(sqlite3_extended_errcode(database)), \(String(cString: sqlite3_errmsg(database))), at: \(sql)")
  }
}
