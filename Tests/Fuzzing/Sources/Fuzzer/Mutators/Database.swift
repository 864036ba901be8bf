import FuzzerEngine

/// A database in memory, used without Core Data.
final class Database {
  private let handle: OpaquePointer

  /// nil for bytes that SQLite cannot open as a database.
  init?(_ bytes: [UInt8]) {
    var opened: OpaquePointer?
    guard sqlite3_open(":memory:", &opened) == SQLITE_OK, let opened else { return nil }
    handle = opened
    // A view in a table's place may have rows without end.
    sqlite3_progress_handler(handle, 1_000_000, { _ in 1 }, nil)
    guard !bytes.isEmpty, let copy = sqlite3_malloc64(UInt64(bytes.count)) else { return nil }
    copy.copyMemory(from: bytes, byteCount: bytes.count)
    let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
    let (memory, size) = (copy.assumingMemoryBound(to: UInt8.self), sqlite3_int64(bytes.count))
    guard sqlite3_deserialize(handle, "main", memory, size, size, flags) == SQLITE_OK else { return nil }
    // A file in its write-ahead mode can't be opened in memory.
    guard sqlite3_exec(handle, "SELECT COUNT(*) FROM sqlite_master", nil, nil, nil) == SQLITE_OK else { return nil }
  }

  deinit { sqlite3_close_v2(handle) }

  /// Runs a statement. One that SQLite refuses changes nothing.
  func execute(_ sql: String) { sqlite3_exec(handle, sql, nil, nil, nil) }

  /// The database's file; nil if it is longer than `limit`.
  func bytes(limit: Int) -> [UInt8]? {
    var size: sqlite3_int64 = 0
    guard let start = sqlite3_serialize(handle, "main", &size, 0) else { return nil }
    defer { sqlite3_free(start) }
    return size > limit ? nil : Array(UnsafeBufferPointer(start: start, count: Int(size)))
  }

  var columns: [(table: String, column: String)] {
    let sql = """
      SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
      WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' ORDER BY 1, 2
      """
    return rows(sql, []) { statement in
      func quoted(_ column: Int32) -> String {
        let name = sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
      }
      return (quoted(0), quoted(1))
    }
  }

  /// The first value of the statement's first column, as bytes.
  func blob(_ sql: String) -> [UInt8]? {
    rows(sql, []) { statement in
      sqlite3_column_blob(statement, 0).map { start in
        Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, 0))))
      } ?? []
    }.first
  }

  func run(_ sql: String, blob: [UInt8]) { _ = rows(sql, blob) { _ in 0 } }

  private func rows<Row>(_ sql: String, _ blob: [UInt8], _ read: (OpaquePointer) -> Row) -> [Row] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { return [] }
    defer { sqlite3_finalize(statement) }
    return blob.withUnsafeBytes { bytes in
      // SQLite does not copy the bytes: they live until the statement is finalized.
      sqlite3_bind_blob(statement, 1, bytes.baseAddress, Int32(bytes.count), nil)
      var rows: [Row] = []
      while rows.count < 1000, sqlite3_step(statement) == SQLITE_ROW { rows.append(read(statement)) }
      return rows
    }
  }
}
