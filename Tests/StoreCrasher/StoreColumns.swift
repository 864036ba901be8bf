import Foundation

@_implementationOnly import CSQLite

/// The columns of a store's tables, and statements that SQLite runs without Core Data.
enum StoreColumns {
  static func all(in url: URL) throws -> [(table: String, column: String)] {
    let database = try open(url)
    defer { sqlite3_close_v2(database) }
    var statement: OpaquePointer?
    let sql = """
      SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name LIKE 'Z%' ORDER BY 1, 2
      """
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { throw POSIXError(.EIO) }
    defer { sqlite3_finalize(statement) }
    var columns: [(table: String, column: String)] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      columns.append(
        (String(cString: sqlite3_column_text(statement, 0)), String(cString: sqlite3_column_text(statement, 1))))
    }
    return columns
  }

  /// Runs statements; one that SQLite refuses changes nothing.
  static func execute(_ statements: [String], in url: URL) throws {
    let database = try open(url)
    defer { sqlite3_close_v2(database) }
    for statement in statements { sqlite3_exec(database, statement, nil, nil, nil) }
  }

  private static func open(_ url: URL) throws -> OpaquePointer {
    var database: OpaquePointer?
    guard sqlite3_open_v2(url.path, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK, let database else {
      throw POSIXError(.EIO)
    }
    return database
  }
}
