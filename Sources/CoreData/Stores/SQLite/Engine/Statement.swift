internal import CSQLite

/// The text of a statement, numbered, so that a connection finds its prepared form without hashing the text.
///
/// Immutable; any thread.
final class StatementText: Sendable, CustomStringConvertible {
  let sql: String
  let number: Int

  init(_ sql: String) {
    self.sql = sql
    number = StatementNumbers.shared.next()
  }

  var description: String { sql }
}

/// Numbers for statement texts, dense and never used twice.
private final class StatementNumbers: @unchecked Sendable {
  // `@unchecked Sendable`: `last` is only touched under `lock`.
  static let shared = StatementNumbers()
  private let lock = NSLock()
  private var last = 0

  func next() -> Int {
    lock.lock()
    defer { lock.unlock() }
    last += 1
    return last
  }
}

/// One prepared statement of one connection, used by the thread that has the connection. Parameters count from 1,
/// columns from 0.
///
/// `bindStatic` does not copy texts and blobs: their bytes must stay where they are until the statement is reset.
final class Statement {
  let handle: OpaquePointer
  let sql: String
  // Unchecked or inlined by force, as the count of `fire` asks for; see CONTRIBUTING.md.
  /// How many rows the statement has found since this was last set to 0.
  @exclusivity(unchecked) var rowCount = 0
  /// Builds the row of a statement that finds one. It is kept for the next run, so that a single row costs no builder.
  @exclusivity(unchecked) var builder = RowBuilder()
  private let database: OpaquePointer
  /// The error code of a value that could not be bound, or read, for lack of memory. SQLite puts null in its place and
  /// does not report it again.
  @exclusivity(unchecked) private var refusal = SQLITE_OK

  init(_ sql: String, in database: OpaquePointer, isKept: Bool) throws {
    var handle: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let code = sqlite3_prepare_v3(database, sql, -1, flags, &handle, nil)
    guard code == SQLITE_OK, let handle else {
      var error = SQLiteError(
        extendedCode: code == SQLITE_OK ? SQLITE_MISUSE : sqlite3_extended_errcode(database),
        message: code == SQLITE_OK ? "empty statement" : String(cString: sqlite3_errmsg(database)), sql: sql)
      if error.code == Int(SQLITE_ERROR), let view = Statement.view(in: sql, database) {
        error.message = "\(view) is a view, and has to be a table"
      }
      throw error
    }
    self.handle = handle
    self.sql = sql
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// The first view of the file that a text names. SQLite's own words are of what the view looks for.
  private static func view(in sql: String, _ database: OpaquePointer) -> String? {
    let words = Set(sql.uppercased().split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    var handle: OpaquePointer?
    sqlite3_prepare_v2(database, "SELECT name FROM sqlite_master WHERE type = 'view'", -1, &handle, nil)
    defer { sqlite3_finalize(handle) }
    while sqlite3_step(handle) == SQLITE_ROW {
      if let name = sqlite3_column_text(handle, 0).map(String.init(cString:)), words.contains(name.uppercased()) {
        return name
      }
    }
    return nil
  }

  // Binding. It fails only by misuse (no such parameter, a statement that was not reset) and, where SQLite takes a
  // copy, for lack of memory. The next step throws the latter.

  func bind(_ value: Int64, at index: Int32) { sqlite3_bind_int64(handle, index, value) }

  func bind(_ value: Double, at index: Int32) { sqlite3_bind_double(handle, index, value) }

  func bindNull(at index: Int32) { sqlite3_bind_null(handle, index) }

  /// SQLite takes a copy.
  func bind(text value: String, at index: Int32) {
    var value = value
    value.withUTF8 { bytes in
      note(
        sqlite3_bind_text(
          handle, index, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self) ?? Statement.empty,
          Int32(clamping: bytes.count), Statement.transient))
    }
  }

  /// The bytes must outlive the next `reset()`.
  func bindStatic(text bytes: UnsafeRawBufferPointer, at index: Int32) {
    let start = bytes.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) } ?? Statement.empty
    // A length that does not fit is above any limit of SQLite's as well.
    note(sqlite3_bind_text(handle, index, start, Int32(clamping: bytes.count), nil))
  }

  /// The bytes must outlive the next `reset()`.
  func bindStatic(blob bytes: UnsafeRawBufferPointer, at index: Int32) {
    if bytes.count == 0 {
      sqlite3_bind_zeroblob(handle, index, 0)
    } else {
      note(sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(clamping: bytes.count), nil))
    }
  }

  /// SQLite takes a copy.
  func bind(blob bytes: UnsafeRawBufferPointer, at index: Int32) {
    if bytes.count == 0 {
      sqlite3_bind_zeroblob(handle, index, 0)
    } else {
      note(sqlite3_bind_blob(handle, index, bytes.baseAddress, Int32(clamping: bytes.count), Statement.transient))
    }
  }

  private func note(_ code: Int32) { if code != SQLITE_OK { refusal = code } }

  // Stepping.

  /// Steps to the next row. Returns whether there is one.
  @inline(__always)
  func step() throws -> Bool {
    try checkMemory()
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW {
      rowCount &+= 1
      return true
    }
    if code == SQLITE_DONE { return false }
    throw failed()
  }

  /// Returns the error of a step that failed, and resets the statement. Without the reset it would take no new values,
  /// and run with those of the last time, whose bytes may be gone.
  @inline(never)
  func failed() -> SQLiteError {
    let error = failure()
    reset()
    return error
  }

  /// Runs a statement whose rows aren't needed, and resets it.
  func run() throws {
    try checkMemory()
    let code = sqlite3_step(handle)
    if code == SQLITE_DONE || code == SQLITE_ROW {
      sqlite3_reset(handle)
      return
    }
    throw failed()
  }

  func failure() -> SQLiteError {
    SQLiteError(
      extendedCode: sqlite3_extended_errcode(database), message: String(cString: sqlite3_errmsg(database)),
      sql: sql)
  }

  func reset() {
    sqlite3_reset(handle)
    refusal = SQLITE_OK
  }

  /// Throws if a value was lost for lack of memory when it was bound or read.
  func checkMemory() throws { if refusal != SQLITE_OK { throw refused() } }

  @inline(never)
  private func refused() -> SQLiteError {
    let error = SQLiteError(extendedCode: refusal, message: String(cString: sqlite3_errstr(refusal)), sql: sql)
    reset()
    return error
  }

  static func noMemory(_ sql: String) -> SQLiteError {
    SQLiteError(extendedCode: SQLITE_NOMEM, message: String(cString: sqlite3_errstr(SQLITE_NOMEM)), sql: sql)
  }

  /// Called for a text or a blob that is missing. It is null, or it was lost for lack of memory, which is noted.
  @inline(never)
  private func noteLoss() { if sqlite3_errcode(database) & 0xFF == SQLITE_NOMEM { refusal = SQLITE_NOMEM } }

  // Columns of the current row.

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func isInteger(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }

  func isNumber(_ column: Int32) -> Bool {
    let type = sqlite3_column_type(handle, column)
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT
  }

  func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func text(_ column: Int32) -> String? {
    guard let bytes = textBytes(column) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Valid until the next step.
  func textBytes(_ column: Int32) -> UnsafeRawBufferPointer? {
    guard let start = sqlite3_column_text(handle, column) else {
      noteLoss()
      return nil
    }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// Valid until the next step; empty for null.
  func blobBytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, column)
    if start == nil { noteLoss() }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
  }

  /// A UUID, as 16 bytes or as a text; nil if the column holds neither.
  func uuid(_ column: Int32) -> UUID? {
    let bytes = blobBytes(column)
    if bytes.count == 16 { return bytes.loadUnaligned(as: UUID.self) }
    return text(column).flatMap(UUID.init(uuidString:))
  }

  /// A decimal, which SQLite keeps as an integer or a float; nil if the column holds no number. A float's text has the
  /// digits that were meant.
  ///
  /// - Parameter type: SQLite's type of the value, if it is known.
  func decimal(_ column: Int32, type: Int32? = nil) -> Decimal? {
    let type = type ?? sqlite3_column_type(handle, column)
    if type == SQLITE_INTEGER { return Decimal(int(column)) }
    return text(column).flatMap { Decimal(string: $0, locale: Locale(identifier: "en_US_POSIX")) }
  }

  var columnCount: Int32 { sqlite3_column_count(handle) }

  static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  nonisolated(unsafe) private static let empty = UnsafePointer(strdup("")!)
}
