import Foundation

@_implementationOnly import CSQLite

/// Reads a store's file with a connection of its own, without Core Data.
///
/// The chapters print what *the file* holds, so the figures must not come from the contexts and
/// coordinators that wrote it. This reader knows SQLite and nothing of Core Data. It sees what is
/// committed, also while the stack has the file open, and writes nothing.
///
/// A reader belongs to one thread at a time.
public final class StoreFileReader {
  public let url: URL
  private let connection: OpaquePointer

  /// Opens `url` for reading.
  ///
  /// A file with no log beside it (`-wal`, `-journal`) is opened as immutable: SQLite then makes no `-shm`
  /// file next to it, so looking leaves no trace. A file in use has its log, and is read through it.
  ///
  /// - Parameter isImmutable: Promises that nobody writes to the file; it is then read without its log, and
  ///   nothing is made beside it.
  public init(contentsOf url: URL, isImmutable: Bool = false) throws {
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw StoreFileError(url: url, reason: "there is no such file")
    }
    let logged =
      !isImmutable && ["-wal", "-journal"].contains { FileManager.default.fileExists(atPath: url.path + $0) }
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "?#%")
    let path = url.path.addingPercentEncoding(withAllowedCharacters: allowed) ?? url.path
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(
      "file:\(path)?\(logged ? "mode=ro" : "immutable=1")", &handle,
      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX, nil)
    guard code == SQLITE_OK, let handle else {
      let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close(handle)
      throw StoreFileError(url: url, reason: reason)
    }
    sqlite3_busy_timeout(handle, 5_000)
    // The file may be of somebody else's making.
    _ = csqlite_distrust_schema(handle)
    self.url = url
    connection = handle
  }

  deinit { sqlite3_close(connection) }

  /// The names of the file's tables, sorted, SQLite's own left out.
  public func tables() throws -> [String] {
    try rows("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .compactMap { $0[0].text }
  }

  /// How many rows `table` has.
  public func rowCount(of table: String) throws -> Int {
    Int(try integer("SELECT count(*) FROM \(Self.quoted(table))"))
  }

  /// The single integer that `sql` selects, for counts and sums.
  public func integer(_ sql: String) throws -> Int64 {
    guard let first = try rows(sql).first, first.count == 1 else {
      throw StoreFileError(url: url, reason: "`\(sql)` does not select one value")
    }
    return first[0].integer ?? 0
  }

  /// All rows that `sql` selects, one array of values per row.
  public func rows(_ sql: String) throws -> [[StoreFileValue]] {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else { throw failure(sql) }
    defer { sqlite3_finalize(statement) }
    var result: [[StoreFileValue]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW:
        result.append((0..<sqlite3_column_count(statement)).map { Self.value(statement, $0) })
      case SQLITE_DONE:
        return result
      default:
        throw failure(sql)
      }
    }
  }

  private func failure(_ sql: String) -> StoreFileError {
    StoreFileError(url: url, reason: "\(String(cString: sqlite3_errmsg(connection))) (in `\(sql)`)")
  }

  /// The name of a table or column, quoted for SQL.
  public static func quoted(_ name: String) -> String {
    "\"" + name.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  private static func value(_ statement: OpaquePointer?, _ column: Int32) -> StoreFileValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT: return .text(String(cString: sqlite3_column_text(statement, column)))
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(statement, column))
      guard let bytes = sqlite3_column_blob(statement, column) else { return .blob(Data()) }
      return .blob(Data(bytes: bytes, count: count))
    default: return .null
    }
  }
}
