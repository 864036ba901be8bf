internal import CSQLite

/// One connection to one database file. One thread at a time uses it: see ``ConnectionPool``.
final class Connection {
  struct Options {
    var isReadOnly = false
    var mayCreate = false
    /// Whether the path is a `file:` URI with parameters of SQLite's.
    var isURI = false
    /// How long to wait for another connection's lock, in milliseconds.
    var busyTimeout: Int32 = 240_000
    /// The pragmas to set after opening, in this order.
    var pragmas: [(name: String, value: String)] = []
    /// Registers the functions and collations that the store's SQL calls.
    var configure: ((Connection) throws -> Void)?
  }

  let database: OpaquePointer
  /// In milliseconds.
  let busyTimeout: Int32
  private let file: DatabaseFiles.Identity?
  let lostFileCheck: LostFileCheck
  /// The log of the statements that run here; nil if none is wanted.
  @exclusivity(unchecked) var trace: StatementTrace?
  // Unchecked or inlined by force, as the count of `write1` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var kept: [Int: Statement] = [:]
  /// Statements of `kept` that were used last, each at the place that its number has modulo the length. A save runs the
  /// same handful again and again; they are found here without hashing.
  private let recent: UnsafeMutableBufferPointer<(number: Int, statement: Unmanaged<Statement>)?>
  private var keptByText: [String: StatementText] = [:]
  /// Prepared before the first transaction begins.
  private var rollbackStatement: Statement?
  @exclusivity(unchecked) private var rowFeed: RowFeed?
  /// Keeps the closures of registered functions.
  var functions: [AnyObject] = []
  /// What triggers have done to rows since the transaction began; nil if the functions that they call are not
  /// registered.
  @exclusivity(unchecked) var attachment: TriggerNotes?

  /// How many prepared statements a connection keeps.
  private static let keepLimit = 400

  // SQLite counts the memory that it has under one lock for all connections, and asks for memory with each text of
  // each row. Counting takes a twelfth of the instructions that firing a fault takes, a fifteenth of an update's. Its
  // makers recommend to leave it out; only `sqlite3_memory_used` and limits on SQLite's heap need it. A program that
  // wants them calls `sqlite3_initialize` first.
  private static let countsNoMemory: Void = { _ = csqlite_count_no_memory() }()

  init(path: String, options: Options) throws {
    _ = Connection.countsNoMemory
    _ = ColumnValues.setUp
    var database: OpaquePointer?
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    flags |= options.isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    if options.isURI { flags |= SQLITE_OPEN_URI }
    if options.mayCreate { flags |= SQLITE_OPEN_CREATE }
    if !options.isURI { try RollbackJournal.check(beside: path) }
    let (code, file) = DatabaseFiles.opening(options.isURI ? nil : path) {
      sqlite3_open_v2(path, &database, flags, nil)
    }
    guard code == SQLITE_OK, let database else {
      let message = database.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      DatabaseFiles.closing(file) { sqlite3_close_v2(database) }
      throw SQLiteError(extendedCode: code, message: message)
    }
    self.database = database
    self.file = file
    lostFileCheck = LostFileCheck(database)
    recent = .allocate(capacity: 64)
    recent.initialize(repeating: nil)
    busyTimeout = options.busyTimeout
    sqlite3_busy_timeout(database, options.busyTimeout)
    _ = csqlite_distrust_schema(database)
    try options.configure?(self)
    for pragma in options.pragmas { try set(pragma: pragma.name, to: pragma.value) }
  }

  deinit {
    kept.removeAll()
    recent.deallocate()
    rollbackStatement = nil
    DatabaseFiles.closing(file) { sqlite3_close_v2(database) }
  }

  /// Whether closing leaves the write-ahead log as it is.
  func setKeepsLogOnClose(_ keeps: Bool) { _ = csqlite_keep_wal_on_close(database, keeps ? 1 : 0) }

  /// Runs `body`, in which another connection's lock is an error at once.
  func withoutWaiting<Result>(_ body: () throws -> Result) throws -> Result {
    sqlite3_busy_timeout(database, 0)
    defer { sqlite3_busy_timeout(database, busyTimeout) }
    return try body()
  }

  // Statements.

  /// The prepared statement of a text; prepared at the first call, then kept.
  @inline(__always)
  func statement(_ text: StatementText) throws -> Statement {
    let place = text.number & (recent.count - 1)
    if let known = recent[place], known.number == text.number { return known.statement.takeUnretainedValue() }
    let statement = try kept[text.number] ?? prepare(text)
    recent[place] = (text.number, .passUnretained(statement))
    return statement
  }

  private func prepare(_ text: StatementText) throws -> Statement {
    if kept.count >= Connection.keepLimit {
      kept = kept.filter { sqlite3_stmt_busy($0.value.handle) != 0 }
      keptByText.removeAll()
      recent.update(repeating: nil)
    }
    let statement = try Statement(text.sql, in: database, isKept: true)
    trace?.didPrepare(text.sql)
    kept[text.number] = statement
    return statement
  }

  /// The prepared statement of a text without a number; prepared at the first call, then kept.
  func statement(_ sql: String) throws -> Statement {
    if let text = keptByText[sql] { return try statement(text) }
    let text = StatementText(sql)
    keptByText[sql] = text
    return try prepare(text)
  }

  /// What feeds rows into a table by one statement; nil where each row has its own: if they are few, if the table has
  /// triggers, if the file has something of the feed's name, and while statements are traced, so that the trace shows
  /// what is written.
  func rowFeed(for count: Int, into table: String) throws -> RowFeed? {
    guard count >= RowFeed.leastRows, trace == nil else { return nil }
    let feed = try rowFeed ?? RowFeed(self)
    rowFeed = feed
    return try feed.takes(table) ? feed : nil
  }

  /// Runs statements that return nothing and are not needed again.
  func execute(_ sql: String) throws {
    trace?.willRun(sql)
    // Where a table's form changes, SQLite looks through all views of the file, and refuses one over another if views
    // are not allowed. It asks none for rows.
    let changesForm = sql.hasPrefix("ALTER TABLE")
    if changesForm { _ = csqlite_allow_views(database, 1) }
    defer { if changesForm { _ = csqlite_allow_views(database, 0) } }
    let code = sqlite3_exec(database, sql, nil, nil, nil)
    if code != SQLITE_OK { throw failure(sql) }
  }

  /// All rows of a statement that is not needed again, each value as text.
  func rows(_ sql: String) throws -> [[String?]] {
    trace?.willRun(sql)
    let statement = try Statement(sql, in: database, isKept: false)
    var rows: [[String?]] = []
    while try statement.step() {
      rows.append((0..<statement.columnCount).map { statement.text($0) })
    }
    return rows
  }

  /// Runs a statement that is not needed again, and hands over its rows one by one.
  func forEachRow(_ sql: String, _ body: (Statement) throws -> Void) throws {
    trace?.willRun(sql)
    let statement = try Statement(sql, in: database, isKept: false)
    while try statement.step() { try body(statement) }
  }

  func failure(_ sql: String? = nil) -> SQLiteError {
    SQLiteError(
      extendedCode: sqlite3_extended_errcode(database), message: String(cString: sqlite3_errmsg(database)),
      sql: sql)
  }

  /// How many rows the last statement changed.
  var changes: Int { Int(sqlite3_changes(database)) }

  // Transactions.

  /// Whether a transaction is open.
  var isInTransaction: Bool { sqlite3_get_autocommit(database) == 0 }

  enum TransactionKind: String {
    case deferred = "BEGIN DEFERRED"
    case immediate = "BEGIN IMMEDIATE"
    case exclusive = "BEGIN EXCLUSIVE"

    fileprivate var text: StatementText {
      switch self {
      case .deferred: TransactionKind.deferredText
      case .immediate: TransactionKind.immediateText
      case .exclusive: TransactionKind.exclusiveText
      }
    }

    private static let deferredText = StatementText(TransactionKind.deferred.rawValue)
    private static let immediateText = StatementText(TransactionKind.immediate.rawValue)
    private static let exclusiveText = StatementText(TransactionKind.exclusive.rawValue)
  }

  func begin(_ kind: TransactionKind) throws {
    try prepareToRollBack()
    try simple(kind.text)
  }
  func commit() throws { try simple(Connection.commitText) }

  /// Begins a transaction that the reads of a short while share. The trace does not show it, because a timer ends it,
  /// not the program.
  func beginReading() throws {
    try prepareToRollBack()
    try statement(TransactionKind.deferred.text).run()
  }
  func endReading() throws { try statement(Connection.commitText).run() }

  private static let commitText = StatementText("COMMIT")
  private static let rollbackText = StatementText("ROLLBACK")

  /// Undoes and ends the transaction, unless SQLite has done so itself, for example because of a full disk.
  func rollback() {
    guard isInTransaction else { return }
    trace?.willRun(Connection.rollbackText.sql)
    try? rollbackStatement?.run()
  }

  /// Prepares the rollback before the transaction, because a transaction that runs out of memory could not prepare it.
  /// Also ends an earlier transaction that could not be rolled back in time.
  private func prepareToRollBack() throws {
    if rollbackStatement == nil {
      rollbackStatement = try Statement(Connection.rollbackText.sql, in: database, isKept: true)
    }
    rollback()
  }

  private func simple(_ text: StatementText) throws {
    trace?.willRun(text.sql)
    try statement(text).run()
  }

  /// Runs `body` in a transaction, which is rolled back if `body` throws.
  func transaction<Result>(_ kind: TransactionKind, _ body: () throws -> Result) throws -> Result {
    try begin(kind)
    do {
      let result = try body()
      try commit()
      return result
    } catch {
      rollback()
      throw error
    }
  }
}

extension Connection {
  /// Whether the file can't be written. SQLite opens such a file all the same.
  var isReadOnly: Bool { sqlite3_db_readonly(database, "main") == 1 }
}
