/// Stores as files, open or not: SQLite's locks are waited for, and what goes wrong leaves them as they were.
extension SQLiteStore: FileOperating {
  /// A database without a table is what `destroyStore` leaves.
  static func isOccupied(_ url: URL) throws -> Bool {
    guard url.path != "/dev/null", StoreFiles.isOccupied(url) else { return false }
    return (try? tableCount(url)) ?? 1 > 0
  }

  private static func tableCount(_ url: URL) throws -> Int {
    let connection = try Connection(path: url.path, options: Connection.Options())
    return try connection.rows("SELECT name FROM sqlite_master LIMIT 1").count
  }

  /// Runs `body`; what SQLite says becomes the failure to do something with the file.
  private static func translatingErrors<Result>(at url: URL, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError { throw error.openingFailure(at: url) }
  }

  private static func isForced(_ options: [AnyHashable: Any]?) -> Bool {
    StoreOptions.flag(options?[NSPersistentStoreForceDestroyOption])
  }

  private static func connectionOptions(_ options: [AnyHashable: Any]?) -> Connection.Options {
    var result = Connection.Options()
    result.busyTimeout = StoreOptions(options).busyTimeout
    return result
  }

  /// Whether SQLite can work on the file: it has the header of a database.
  private static func isDatabase(_ url: URL) throws -> Bool {
    do {
      guard case .database = try StoreFileState(url) else { return false }
      return true
    } catch Failure.notADatabase {
      return false
    } catch Failure.storeDirectoryMissing {
      return false
    }
  }

  /// SQLite's companions of a file, which say nothing without it.
  private static func removeCompanions(of url: URL) {
    for suffix in ["-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
  }

  // Destroying.

  static func destroyStore(at url: URL, _ options: [AnyHashable: Any]?) throws {
    if url.path == "/dev/null" { return }
    let isForced = isForced(options)
    if try isDatabase(url), !isForced {
      do {
        let connection = try Connection(path: url.path, options: connectionOptions(options))
        let empty = try Connection(path: ":memory:", options: Connection.Options())
        try empty.backUp(into: connection)
        // Else the rows would stay on the disk, in the log.
        _ = try? connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
      } catch let error as SQLiteError {
        guard error.isNotADatabase else { throw error.openingFailure(at: url) }
        try makeEmpty(url)
      }
    } else if FileManager.default.fileExists(atPath: url.path) {
      try makeEmpty(url)
    } else {
      removeCompanions(of: url)
    }
    let files = ExternalFiles(store: url)
    if files.sharesFolder { return }
    try? FileManager.default.removeItem(at: files.folder)
    // Only if nothing else is in it.
    rmdir(files.folder.deletingLastPathComponent().path)
  }

  /// Puts an empty file in the place of one, whoever has that open.
  private static func makeEmpty(_ url: URL) throws {
    let empty = StoreFiles.temporary(beside: url)
    try Data().write(to: empty)
    try StoreFiles.rename(empty, to: url)
    removeCompanions(of: url)
  }

  // Replacing.

  static func replaceStore(
    at destination: URL, _ options: [AnyHashable: Any]?, from source: URL, _ sourceOptions: [AnyHashable: Any]?
  ) throws {
    if destination.isSameFile(as: source) { return }
    try reading(source, sourceOptions) { connection in
      guard try StoreMetadata.hasTable("Z_METADATA", connection) else {
        throw Failure.incompatibleSchema(url: source, table: "Z_METADATA", what: "there is no such table")
      }
      let (files, sourceFiles) = (ExternalFiles(store: destination), ExternalFiles(store: source))
      if files.folder == sourceFiles.folder, !files.names.isEmpty {
        // Each of them would remove files that the other has.
        throw Failure.unsupportedFeature(
          "Replacing \(destination.path) by a store that keeps its binary values in the same folder")
      }
      let new = try files.copy(from: sourceFiles)
      do {
        try replaceDatabase(at: destination, options, from: connection)
      } catch {
        files.remove(new)
        throw error
      }
      if !files.sharesFolder { files.remove(files.names.subtracting(sourceFiles.names).sorted()) }
    }
  }

  private static func replaceDatabase(
    at url: URL, _ options: [AnyHashable: Any]?, from source: Connection
  ) throws {
    if !isForced(options), try isDatabase(url) {
      do {
        let connection = try Connection(path: url.path, options: connectionOptions(options))
        return try source.backUp(into: connection)
      } catch let error as SQLiteError {
        guard error.isNotADatabase else { throw error.openingFailure(at: url) }
      }
    }
    try StoreFileState.checkFolder(of: url)
    let copy = StoreFiles.temporary(beside: url)
    do {
      try translatingErrors(at: url) { try makeDatabase(copy, from: source) }
      removeCompanions(of: url)
      try StoreFiles.rename(copy, to: url)
    } catch {
      removeDatabase(copy)
      throw error
    }
  }

  private static func removeDatabase(_ url: URL) {
    removeCompanions(of: url)
    try? FileManager.default.removeItem(at: url)
  }

  /// A new file of its own with everything that a connection sees.
  private static func makeDatabase(
    _ url: URL, from source: Connection, _ change: (Connection) throws -> Void = { _ in }
  ) throws {
    var options = Connection.Options()
    options.mayCreate = true
    let connection = try Connection(path: url.path, options: options)
    try source.backUp(into: connection)
    try change(connection)
    _ = try connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Runs `body` with a connection to a file that it leaves as it is; to a copy of it where SQLite can't read
  /// it in its place, or is not to write beside it.
  private static func reading(
    _ url: URL, _ options: [AnyHashable: Any]?, _ body: (Connection) throws -> Void
  ) throws {
    guard case .database = try StoreFileState(url) else { throw Failure.storeFileMissing(url: url) }
    if !StoreOptions(options).isReadOnly {
      do {
        let connection = try Connection(path: url.path, options: connectionOptions(options))
        connection.setKeepsLogOnClose(true)
        _ = try connection.rows("SELECT 1 FROM sqlite_master LIMIT 1")
        return try body(connection)
      } catch let error as SQLiteError {
        // Not to be opened, or not to be written beside.
        guard error.code == 14 || error.code == 8 else { throw error.openingFailure(at: url) }
      }
    }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("CoreData-" + UUID().uuidString, isDirectory: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try translatingErrors(at: url) {
      try body(Connection(path: copyDatabase(at: url, into: folder) {}.path, options: Connection.Options()))
    }
  }

  // Saving as.

  static func makeFile(at url: URL, copying source: any RowStore, _ copy: StoreCopy) throws -> Bool {
    if url.path == "/dev/null" { return false }
    try StoreFileState.checkFolder(of: url)
    let new = StoreFiles.temporary(beside: url)
    let (newFiles, files) = (ExternalFiles(store: new), ExternalFiles(store: url))
    defer { newFiles.removeFolder() }
    var copied: [String] = []
    do {
      try translatingErrors(at: url) {
        // In the same folder values need files of their own.
        if let source = source as? SQLiteStore, source.externalFiles.folder != files.folder {
          try source.copyDatabase(to: new)
          copied = try files.copy(from: source.externalFiles)
        } else {
          try fill(new, from: source, copy)
          copied = try files.copy(from: newFiles)
        }
      }
      removeCompanions(of: url)
      try StoreFiles.rename(new, to: url)
    } catch {
      removeDatabase(new)
      files.remove(copied)
      throw error
    }
    return true
  }

  /// The same tables and rows under a UUID of its own.
  private func copyDatabase(to url: URL) throws {
    var metadata = self.metadata ?? [:]
    metadata[NSStoreUUIDKey] = UUID().uuidString
    try pool.write { connection in
      try SQLiteStore.makeDatabase(url, from: connection) { copy in
        try copy.transaction(.exclusive) { try StoreMetadata.write(metadata, to: copy) }
      }
    }
  }

  private static func fill(_ url: URL, from source: any RowStore, _ copy: StoreCopy) throws {
    let new = SQLiteStore(
      layouts: copy.layouts, configurationName: source.configurationName, at: url, coordinator: nil)
    try new.loadMetadata()
    defer { new.willRemove(from: nil) }
    try copy.fill(new, from: source)
  }
}
