internal import CSQLite

/// The rows that are about to be written, as a table of their connection, so that one statement writes all of them:
///
///     INSERT OR FAIL INTO ZBOOK(Z_PK, Z_ENT, …) SELECT c0, c1, … FROM core_data_rows
///
/// A statement for each row is begun and ended for each row: cursors are opened and closed, and memory is taken for
/// them and for the row, and given back. That is more than a quarter of what SQLite does for a row.
///
/// The table is one of SQLite's virtual tables. It exists on the connection that writes, has no name in the file, and
/// is empty but while `insert` runs. The rows' values are read where they are. One thread at a time uses it, that which
/// has the connection.
final class RowFeed {
  /// One column of the table: where its value lies in a row, as plain values that are read without counting
  /// references.
  struct Column {
    enum Form {
      case integer, real, text, blob, uuid, decimal
      /// The same number in each row.
      case constant(Int64)
    }

    let form: Form
    /// The distance of the value's first word from the row's address, in bytes.
    let offset: Int
    /// The row's slot, whose bit says whether the value is null; negative for a value that never is.
    let slot: Int

    init(_ form: Form, offset: Int = 0, slot: Int = -1) {
      (self.form, self.offset, self.slot) = (form, offset, slot)
    }
  }

  /// What the table delivers now. SQLite's calls reach it by its address.
  fileprivate struct State {
    /// The rows' addresses; nil for pairs, which lie one behind the other.
    var rows: UnsafePointer<UnsafeRawPointer>?
    var pairs: UnsafeRawPointer?
    var count = 0
    var columns: UnsafePointer<Column>?
    var columnCount = 0
    /// How many rows were taken, or are just being taken, by the statement that runs.
    var taken = 0
  }

  /// How many rows are worth the table. One statement is prepared more for it, once for a connection and entity.
  static let leastRows = 8
  static let mostColumns = 100
  private static let name = "core_data_rows"

  private let state: UnsafeMutablePointer<State>
  private let database: OpaquePointer
  /// The tables that rows can be fed into, by name.
  private var isUsable: [String: Bool] = [:]

  init(_ connection: Connection) throws {
    database = connection.database
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    let code = sqlite3_create_module_v2(database, RowFeed.name, RowFeed.module, state, nil)
    if code != SQLITE_OK { throw connection.failure() }
  }

  // The connection has closed its database before.
  deinit { state.deallocate() }

  /// The text of a statement that inserts all rows of the feed, out of its text for one row up to the values.
  static func text(_ insert: String, columnCount: Int) -> StatementText? {
    if columnCount > mostColumns { return nil }
    return StatementText("\(insert) SELECT \(names(columnCount)) FROM \(name)")
  }

  private static func names(_ count: Int) -> String { (0..<count).map { "c\($0)" }.joined(separator: ", ") }

  /// Whether rows can be fed into a table. Where the table has triggers, SQLite copies all rows first, so that they are
  /// read twice; and a file may have a table of the feed's name, which then stands in its place.
  func takes(_ table: String) throws -> Bool {
    if let known = isUsable[table] { return known }
    let statement = try Statement(
      """
      SELECT EXISTS(SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE \
      OR name = '\(RowFeed.name)' COLLATE NOCASE)
      """, in: database, isKept: false)
    statement.bind(text: table, at: 1)
    let takesRows = try statement.step() && statement.int(0) == 0
    isUsable[table] = takesRows
    return takesRows
  }

  /// Runs a statement of `text` for rows, until one of them is refused.
  ///
  /// - Returns: nil if all were written; otherwise the error, and how many rows were written before.
  func insert(
    _ statement: Statement, _ rows: UnsafeBufferPointer<RowSnapshot>, columns: ContiguousArray<Column>
  ) throws -> (error: SQLiteError, written: Int)? {
    guard let start = rows.baseAddress else { return nil }
    // A reference is the address of its object.
    return try UnsafeRawPointer(start).withMemoryRebound(to: UnsafeRawPointer.self, capacity: rows.count) {
      try run(statement, State(rows: $0, count: rows.count), columns: columns)
    }
  }

  /// Runs a statement that inserts pairs of keys, each of which it keeps once, until one of them is refused.
  func insert(_ statement: Statement, _ pairs: [KeyPair]) throws -> (error: SQLiteError, written: Int)? {
    try pairs.withUnsafeBytes {
      try run(statement, State(pairs: $0.baseAddress, count: pairs.count), columns: RowFeed.pairColumns)
    }
  }

  private static let pairColumns: ContiguousArray<Column> = [
    Column(.integer, offset: MemoryLayout<KeyPair>.offset(of: \.first)!),
    Column(.integer, offset: MemoryLayout<KeyPair>.offset(of: \.second)!),
  ]

  /// Another program has given the file a table of this name just now, or the table a trigger: which row was refused is
  /// not known, and what was written is to be rolled back. The next statement asks again whether it can be fed.
  private func changedFile() -> SQLiteError {
    isUsable.removeAll()
    return SQLiteError(extendedCode: SQLITE_SCHEMA, message: "the file's tables have changed")
  }

  private func run(
    _ statement: Statement, _ rows: State, columns: ContiguousArray<Column>
  ) throws -> (error: SQLiteError, written: Int)? {
    try columns.withUnsafeBufferPointer { columns in
      state.pointee = rows
      state.pointee.columns = columns.baseAddress
      state.pointee.columnCount = columns.count
      defer { state.pointee = State() }
      let code = sqlite3_step(statement.handle)
      if code == SQLITE_DONE {
        sqlite3_reset(statement.handle)
        if state.pointee.taken != rows.count { throw changedFile() }
        return nil
      }
      let error = statement.failed()
      let written = Int(sqlite3_changes(database))
      // SQLite asks for one row at a time, so the one taken last was refused.
      if error.isNotUnique || error.isKeyTaken, state.pointee.taken != written + 1 { throw changedFile() }
      return (error, written)
    }
  }
}

// The virtual table. SQLite calls these functions on the thread that uses the connection.
extension RowFeed {
  private struct Table {
    var base = sqlite3_vtab()
    let state: UnsafeMutablePointer<State>
  }

  private struct Cursor {
    var base = sqlite3_vtab_cursor()
    let state: UnsafeMutablePointer<State>
    /// The current row's address.
    var row: UnsafeRawPointer?

    mutating func move(to index: Int) {
      guard index < state.pointee.count else {
        row = nil
        return
      }
      row = state.pointee.rows?[index] ?? state.pointee.pairs?.advanced(by: index * MemoryLayout<KeyPair>.stride)
      state.pointee.taken = index + 1
    }
  }

  fileprivate nonisolated(unsafe) static let module: UnsafePointer<sqlite3_module> = {
    var module = sqlite3_module()
    module.xConnect = { database, state, _, _, table, _ in
      let columns = RowFeed.names(RowFeed.mostColumns)
      let code = sqlite3_declare_vtab(database, "CREATE TABLE rows(\(columns))")
      if code != SQLITE_OK { return code }
      _ = csqlite_keep_out_of_schema(database)
      let new = UnsafeMutablePointer<Table>.allocate(capacity: 1)
      new.initialize(to: Table(state: state!.assumingMemoryBound(to: State.self)))
      table!.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab.self)
      return SQLITE_OK
    }
    module.xDisconnect = { table in
      UnsafeMutableRawPointer(table!).assumingMemoryBound(to: Table.self).deallocate()
      return SQLITE_OK
    }
    module.xBestIndex = { _, plan in
      plan!.pointee.estimatedCost = 1
      return SQLITE_OK
    }
    module.xOpen = { table, cursor in
      let table = UnsafeMutableRawPointer(table!).assumingMemoryBound(to: Table.self)
      let new = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
      new.initialize(to: Cursor(state: table.pointee.state))
      cursor!.pointee = UnsafeMutableRawPointer(new).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
      return SQLITE_OK
    }
    module.xClose = { cursor in
      RowFeed.cursor(cursor).deallocate()
      return SQLITE_OK
    }
    module.xFilter = { cursor, _, _, _, _ in
      RowFeed.cursor(cursor).pointee.move(to: 0)
      return SQLITE_OK
    }
    module.xNext = { cursor in
      let cursor = RowFeed.cursor(cursor)
      cursor.pointee.move(to: cursor.pointee.state.pointee.taken)
      return SQLITE_OK
    }
    module.xEof = { RowFeed.cursor($0).pointee.row == nil ? 1 : 0 }
    module.xColumn = { cursor, context, index in
      RowFeed.report(RowFeed.cursor(cursor), column: Int(index), to: context!)
      return SQLITE_OK
    }
    module.xRowid = { cursor, id in
      id!.pointee = Int64(RowFeed.cursor(cursor).pointee.state.pointee.taken)
      return SQLITE_OK
    }
    let kept = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    kept.initialize(to: module)
    return UnsafePointer(kept)
  }()

  @inline(__always)
  private static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> UnsafeMutablePointer<Cursor> {
    UnsafeMutableRawPointer(cursor!).assumingMemoryBound(to: Cursor.self)
  }

  /// Hands over a value. SQLite copies texts and blobs before it asks for the next row.
  @inline(__always)
  private static func report(_ cursor: UnsafeMutablePointer<Cursor>, column index: Int, to context: OpaquePointer) {
    let state = cursor.pointee.state
    guard index < state.pointee.columnCount, let row = cursor.pointee.row, let columns = state.pointee.columns else {
      return sqlite3_result_null(context)
    }
    let column = columns[index]
    let words = row + RowSnapshot.wordsOffset
    if column.slot >= 0 {
      let nulls = words.load(fromByteOffset: (column.slot >> 6) * 8, as: UInt64.self)
      if nulls & (1 << UInt64(column.slot & 63)) != 0 { return sqlite3_result_null(context) }
    }
    switch column.form {
    case .integer: sqlite3_result_int64(context, row.load(fromByteOffset: column.offset, as: Int64.self))
    case .constant(let number): sqlite3_result_int64(context, number)
    case .real: sqlite3_result_double(context, row.load(fromByteOffset: column.offset, as: Double.self))
    case .text, .blob:
      let word = (column.offset - RowSnapshot.wordsOffset) / MemoryLayout<UInt64>.stride
      let bytes = RowSnapshot.tail(words.assumingMemoryBound(to: UInt64.self), word: word)
      let (start, count) = (bytes.baseAddress!, Int32(clamping: bytes.count))
      if case .text = column.form {
        sqlite3_result_text(context, start.assumingMemoryBound(to: CChar.self), count, nil)
      } else {
        sqlite3_result_blob(context, start, count, nil)
      }
    case .uuid: sqlite3_result_blob(context, row + column.offset, 16, nil)
    case .decimal:
      let text = RowWritePlan.text((row + column.offset).loadUnaligned(as: Decimal.self))
      sqlite3_result_text(context, text, -1, Statement.transient)
    }
  }
}
