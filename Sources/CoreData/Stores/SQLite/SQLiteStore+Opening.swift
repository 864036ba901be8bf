import Synchronization

/// A store's file once it is open.
struct OpenFile {
  let schema: StoreSchema
  let pool: ConnectionPool
  /// The path of the database, or of the copy that a read-only store reads.
  let path: String
  let metadata: [String: Any]
  /// What a read-only store reads instead of the file; nil if it reads that in its place.
  var copy: DatabaseCopy?
}

/// Opening, case by case:
///
/// 1. `/dev/null`: a new database in memory.
/// 2. No file: made, unless the store is read-only (`storeFileMissing`) or its folder is missing.
/// 3. A file of zero bytes, or a database without a table: as no file.
/// 4. A file without SQLite's header: `notADatabase`. But zeros beside a journal count as no file.
/// 5. No metadata, or tables that don't fit the model though the hashes do: `incompatibleSchema`.
/// 6. Hashes that differ: `incompatibleModel`. Where migration is asked for, the coordinator has migrated the file
///    before it is opened.
///
/// `NSIgnorePersistentStoreVersioningOption` skips the sixth: the file opens if its tables fit, and has the model's
/// hashes from then on.
///
/// A failure leaves the file and its log as they were. So does a read-only store. One with a log is read in its place
/// only while others have it open, and otherwise from a copy: see ``QuietFile``.
extension SQLiteStore {
  func openFile() throws -> OpenFile {
    guard let url, url.isFileURL else { throw Failure.storeWithoutURL(type: NSSQLiteStoreType) }
    if url.isStoreInMemory { return try makeFile(url, path: ":memory:") }
    switch try StoreFileState(url) {
    case .missing, .empty:
      if storeOptions.isReadOnly { throw Failure.storeFileMissing(url: url) }
      return try makeFile(url, path: url.path)
    case .database(let isLogged):
      if storeOptions.isImmutable { return try openExisting(url, path: SQLiteStore.immutableAddress(of: url)) }
      return storeOptions.isReadOnly && isLogged ? try openQuietly(url) : try openExisting(url, path: url.path)
    }
  }

  /// Opens a file so that nothing new is ever made beside it, which SQLite would do.
  private func openQuietly(_ url: URL) throws -> OpenFile {
    let place = DatabasePlace(url)
    return try DatabaseFiles.sharing(place.path) {
      // Until the pool has a connection, this one keeps the log where it is. A migration reads one state of its source.
      if place.sharesLog, !storeOptions.isMigrationSource, let connection = try? Connection(inPlace: place),
        (try? connection.rows("SELECT 1 FROM sqlite_master LIMIT 1")) != nil
      {
        return try withExtendedLifetime(connection) { try openExisting(url, path: url.path) }
      }
      let copy: DatabaseCopy
      do { copy = try DatabaseCopy(of: place) } catch {
        throw Failure.storeCannotBeOpened(
          url: url, sqliteCode: nil, message: "its working copy could not be made: \(error)")
      }
      return try openExisting(url, path: copy.url.path, copy: copy)
    }
  }

  private func connectionOptions(mayCreate: Bool = false) -> Connection.Options {
    var options = Connection.Options()
    // A read-only store makes nothing but its tables in memory, which are empty from then on.
    options.isReadOnly = storeOptions.isReadOnly && !mayCreate
    options.isURI = storeOptions.isImmutable
    options.mayCreate = mayCreate
    options.busyTimeout = storeOptions.busyTimeout
    let files = externalFiles
    let keepsLog = storeOptions.isReadOnly
    options.configure = { connection in
      if keepsLog { connection.setKeepsLogOnClose(true) }
      try StoreFunctions.register(in: connection)
      try StoreFunctions.registerFiles(files, in: connection)
    }
    return options
  }

  /// Runs `body`, and turns SQLite's errors into the failure to open the store.
  private func opening<Result>(_ url: URL, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError {
      throw error.openingFailure(at: url)
    }
  }

  // A new file.

  private func makeFile(_ url: URL, path: String) throws -> OpenFile {
    let plan = try SchemaPlanner.plan(layouts, configuration: configuration, existing: nil)
    let statements = try plan.createStatements() + DerivedTriggers.createStatements(plan.schema)
    let metadata = StoreMetadata.make(
      for: layouts.model, configuration: configuration, uuid: UUID().uuidString)
    return try opening(url) {
      let writer = try Connection(path: path, options: connectionOptions(mayCreate: true))
      writer.trace = trace
      trace?.annotate("Connecting to sqlite database file at \"\(path)\"")
      // These two have an effect only before the first table is made, and before the journal's mode is set.
      try writer.set(pragma: "page_size", to: storeOptions.pragma("page_size") ?? "4096")
      try writer.set(pragma: "auto_vacuum", to: storeOptions.pragma("auto_vacuum") ?? "2")
      try applyPragmas(to: writer)
      let isMade = try writer.transaction(.exclusive) {
        // Another process may have been faster.
        guard try SQLiteStore.isEmpty(writer) else { return false }
        for statement in statements { try writer.execute(statement) }
        try SQLiteStore.insertPrimaryKeys(plan, writer)
        try StoreMetadata.write(metadata, to: writer)
        try ModelCache.write(layouts.model, to: writer)
        return true
      }
      if !isMade { return try openExisting(url, path: path) }
      plan.warnOfIndexesLeftOut()
      return OpenFile(
        schema: plan.schema, pool: try makePool(writer, path: path), path: path, metadata: metadata)
    }
  }

  private static func insertPrimaryKeys(_ plan: SchemaPlan, _ connection: Connection) throws {
    let sql = "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(?, ?, ?, 0)"
    let statement = try Statement(sql, in: connection.database, isKept: false)
    for row in plan.primaryKeyRows {
      connection.trace?.willRun(sql)
      statement.bind(Int64(row.number), at: 1)
      statement.bind(text: row.name, at: 2)
      statement.bind(Int64(row.parent), at: 3)
      try statement.run()
    }
  }

  // An existing file.

  private func openExisting(_ url: URL, path: String, copy: DatabaseCopy? = nil) throws -> OpenFile {
    var log = stat()
    let hasLog = stat(DatabasePlace(path).log, &log) == 0 && log.st_size > 0
    return try opening(url) {
      let writer = try Connection(path: path, options: connectionOptions())
      writer.trace = trace
      trace?.annotate("Connecting to sqlite database file at \"\(path)\"")
      // Until the file is known to fit, even its log must stay as it is. If there is none, SQLite makes one and removes
      // it again.
      writer.setKeepsLogOnClose(hasLog || storeOptions.isReadOnly)
      guard var metadata = try StoreMetadata.readIfPresent(at: url, from: writer) else {
        if !storeOptions.isReadOnly, try SQLiteStore.isEmpty(writer) {
          return try makeFile(url, path: path)
        }
        throw Failure.incompatibleSchema(url: url, table: "Z_METADATA", what: "there is no such table")
      }
      let fits = try fits(metadata, url)
      let existing = try ExistingSchema(url: url, connection: writer, metadata: metadata)
      let plan = try SchemaPlanner.plan(layouts, configuration: configuration, existing: existing)
      if !storeOptions.isReadOnly {
        guard !writer.isReadOnly else {
          throw SQLiteError(extendedCode: 8, message: "attempt to write a readonly database")
        }
        writer.setKeepsLogOnClose(false)
        try applyPragmas(to: writer)
        if !fits {
          // The tables fit this model, so replace the old hashes: the next comparison must not fail.
          metadata.merge(ModelMetadata.entries(for: layouts.model, configuration: configuration)) { $1 }
          try writer.transaction(.exclusive) {
            try StoreMetadata.write(metadata, to: writer)
            try ModelCache.replace(by: layouts.model, in: writer)
          }
        }
        if storeOptions.analyzes { try writer.execute("ANALYZE") }
        if storeOptions.vacuums { try writer.execute("VACUUM") }
        let calls = try TriggerFunctions.register(for: plan.schema, in: writer)
        if !calls.isEmpty { warn(.unknownTriggerFunctions(calls, store: url)) }
      }
      return OpenFile(
        schema: plan.schema, pool: try makePool(writer, path: path, copy: copy), path: path, metadata: metadata,
        copy: copy)
    }
  }

  /// Whether a database is empty. One without tables but with more than one page is damaged, not empty.
  static func isEmpty(_ connection: Connection) throws -> Bool {
    guard try connection.rows("SELECT name FROM sqlite_master LIMIT 1").isEmpty else { return false }
    return try connection.pragma("page_count").flatMap { Int($0) } ?? 0 <= 1
  }

  /// Checks the metadata of a file, as `ModelMetadata` does.
  private func fits(_ metadata: [String: Any], _ url: URL) throws -> Bool {
    let uuid = metadata[NSStoreUUIDKey] as? String ?? ""
    guard StoreIdentity.canBeUUID(uuid) else {
      throw Failure.incompatibleSchema(
        url: url, table: "Z_METADATA", what: "its Z_UUID is \(Failure.words(for: uuid))")
    }
    return try ModelMetadata.fits(
      metadata, type: NSSQLiteStoreType, url: url, model: layouts.model, configuration: configuration,
      options: options)
  }

  // Connections.

  private func applyPragmas(to connection: Connection) throws {
    if !storeOptions.isMigrationSource { try setJournalMode(of: connection) }
    for pragma in storeOptions.connectionPragmas { try connection.set(pragma: pragma.name, to: pragma.value) }
  }

  /// The paths of stores without a log, so that each is reported once.
  private static let pathsWithoutLog = Mutex<Set<String>>([])

  /// Sets the journal mode that the client asks for, or else a write-ahead log, where the file can have one. While two
  /// processes make the same file, SQLite refuses this at once, so that they don't wait for each other. This tries
  /// again until the timeout.
  private func setJournalMode(of connection: Connection) throws {
    let end = ContinuousClock.now + .milliseconds(Int(connection.busyTimeout))
    while true {
      do {
        if let mode = storeOptions.pragma("journal_mode") {
          return try connection.set(pragma: "journal_mode", to: mode)
        }
        let kept = try connection.rows("PRAGMA journal_mode = wal").first?.first ?? nil
        let path = url?.path ?? ""
        if let kept, kept != "wal", kept != "memory",
          SQLiteStore.pathsWithoutLog.withLock({ $0.insert(path).inserted })
        {
          warn(.noLog(path, mode: kept))
        }
        return
      } catch let error as SQLiteError where error.isBusy && ContinuousClock.now < end {
        usleep(2_000)
      }
    }
  }

  /// Makes the pool. It has readers only if the journal lets them read while the writer writes.
  private func makePool(_ writer: Connection, path: String, copy: DatabaseCopy? = nil) throws -> ConnectionPool {
    let isLogged = try writer.pragma("journal_mode")?.lowercased() == "wal"
    let isExclusive = try writer.pragma("locking_mode")?.lowercased() == "exclusive"
    let hasReaders = path != ":memory:" && isLogged && !isExclusive
    return ConnectionPool(
      writer: writer, maximumReaders: hasReaders ? storeOptions.maximumReaders : 0, file: nameOfSharedFile,
      openReader: readerOpener(path: path, copy: copy))
  }

  /// Returns a function that opens further connections to the file. It keeps the copy, if there is one.
  func readerOpener(path: String, copy: DatabaseCopy?) -> () throws -> Connection {
    var options = connectionOptions()
    options.pragmas = storeOptions.isReadOnly ? [] : storeOptions.connectionPragmas
    let reference = LivingReference(self)
    return {
      let reader = try withExtendedLifetime(copy) { try Connection(path: path, options: options) }
      reader.trace = reference.object?.trace
      return reader
    }
  }
}

/// What there is at a store's URL.
enum StoreFileState {
  case missing
  case empty
  /// - isLogged: whether SQLite would write beside the file, because of a write-ahead log or a journal left behind.
  case database(isLogged: Bool)

  init(_ url: URL) throws {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
      try StoreFileState.checkFolder(of: url)
      self = .missing
      return
    }
    guard !isDirectory.boolValue, let header = DatabaseFiles.beginning(of: url.path, count: 20) else {
      throw Failure.storeCannotBeOpened(url: url, sqliteCode: 14, message: "unable to open database file")
    }
    if header.isEmpty {
      self = .empty
      return
    }
    guard header.count == 20, header.prefix(16).elementsEqual(Array("SQLite format 3".utf8) + [0]) else {
      // A power cut in a file's first transaction leaves zeros beside a journal. With the journal, SQLite makes the
      // file empty again.
      guard header.allSatisfy({ $0 == 0 }), StoreFileState.hasJournal(url) else { throw Failure.notADatabase(url: url) }
      self = .database(isLogged: true)
      return
    }
    // Bytes 18 and 19 are the versions for writing and reading.
    let isLog = header[18] == 2 || header[19] == 2
    self = .database(isLogged: isLog || StoreFileState.hasJournal(url))
  }

  private static func hasJournal(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: DatabasePlace(url).journal)
  }

  /// Throws if the folder for a new file is missing.
  static func checkFolder(of url: URL) throws {
    var isDirectory: ObjCBool = false
    let folder = url.deletingLastPathComponent().path
    if !FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory) || !isDirectory.boolValue {
      throw Failure.storeDirectoryMissing(url: url)
    }
  }
}

extension MisuseReport {
  /// SQLite keeps a log's index in memory that processes share, and reports no error where there is none.
  fileprivate static func noLog(_ path: String, mode: String) -> MisuseReport {
    MisuseReport(
      "The store \(path) has no write-ahead log.", facts: [("Journal mode", mode)],
      how: "Its file system, or SQLite as it was built, lacks the shared memory for one. All works, but readers and a "
        + "save wait for each other.",
      remedy: "To be without this warning, ask for `\(mode)` by the pragma `journal_mode` in NSSQLitePragmasOption.")
  }
}
