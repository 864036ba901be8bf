/// Operations on the files of stores, open or not. They wait for SQLite's locks, and a failure leaves the files as they
/// were.
extension SQLiteStore: FileOperating {
  /// Whether there is a store at a URL. `destroyStore` leaves a database without tables, which is not a store.
  static func isOccupied(_ url: URL) throws -> Bool {
    guard !url.isStoreInMemory, StoreFiles.isOccupied(url) else { return false }
    return (try? tableCount(url)) ?? 1 > 0
  }

  private static func tableCount(_ url: URL) throws -> Int {
    let connection = try Connection(path: url.path, options: Connection.Options())
    return try connection.rows("SELECT name FROM sqlite_master LIMIT 1").count
  }

  /// Runs `body`, and turns SQLite's errors into failures that name the file.
  static func translatingErrors<Result>(at url: URL, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as SQLiteError { throw error.openingFailure(at: url) }
  }

  private static func isForced(_ options: [AnyHashable: Any]?) -> Bool {
    options?.flag(NSPersistentStoreForceDestroyOption) == true
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

  /// Renames a finished database to a URL. Before that, the companions of the file that is there get other names, since
  /// SQLite would play the old log back into the new file. They go once that is in its place, or else are put back: the
  /// last commits may be in the log alone.
  private static func rename(_ database: URL, to url: URL) throws {
    let aside = StoreFiles.temporary(beside: url).path
    var moved: [String] = []
    do {
      for suffix in DatabasePlace.companionSuffixes {
        let companion = URL(fileURLWithPath: url.path + suffix)
        guard StoreFiles.isFile(companion.path) else { continue }
        try StoreFiles.rename(companion, to: URL(fileURLWithPath: aside + suffix))
        moved.append(suffix)
      }
      try StoreFiles.rename(database, to: url)
    } catch {
      for suffix in moved.reversed() { Foundation.rename(aside + suffix, url.path + suffix) }
      throw error
    }
    for suffix in moved { unlink(aside + suffix) }
  }

  // Destroying.

  static func destroyStore(at url: URL, _ options: [AnyHashable: Any]?) throws {
    if url.isStoreInMemory { return }
    let isForced = isForced(options)
    if try isDatabase(url), !isForced {
      do {
        let connection = try Connection(path: url.path, options: connectionOptions(options))
        let empty = try Connection(path: ":memory:", options: Connection.Options())
        try empty.backUp(into: connection)
        // Else the rows would stay on the disk, in the log.
        _ = try? connection.rows("PRAGMA wal_checkpoint(TRUNCATE)")
      } catch let error as SQLiteError {
        guard error.isNotADatabase || error.isDamage else { throw error.openingFailure(at: url) }
        try makeEmpty(url)
      }
    } else if FileManager.default.fileExists(atPath: url.path) {
      try makeEmpty(url)
    } else {
      try StoreFileState.checkFolder(of: url)
      DatabasePlace.removeCompanions(ofFileAt: url.path)
    }
    let files = ExternalFiles(store: url)
    // A power cut may bring the rows back as long as their end isn't on the disk; until then their files stay.
    if !files.sharesFolder, !files.exist || files.syncCommit() { files.removeAll() }
  }

  /// Replaces a file by an empty one, even if others have it open.
  private static func makeEmpty(_ url: URL) throws {
    let empty = StoreFiles.temporary(beside: url)
    try OwnFolder.makeFile(empty)
    do {
      try StoreFiles.rename(empty, to: url)
    } catch {
      unlink(empty.path)
      throw error
    }
    DatabasePlace.removeCompanions(ofFileAt: url.path)
  }

  // Replacing.

  static func replaceStore(
    at destination: URL, _ options: [AnyHashable: Any]?, from source: URL, _ sourceOptions: [AnyHashable: Any]?
  ) throws {
    if destination.isSameFile(as: source) { return }
    // A link to a database is followed. A link to anything else is what is replaced.
    let target = try isDatabase(destination) ? DatabasePlace(destination).url : destination
    try reading(source, options: sourceOptions) { connection in
      guard try StoreMetadata.hasTable("Z_METADATA", connection) else {
        throw Failure.incompatibleSchema(url: source, table: "Z_METADATA", what: "there is no such table")
      }
      try replaceFiles(at: target, options: options, from: connection, sourceFiles: ExternalFiles(store: source)) {
        try replaceDatabase(at: target, options, from: connection)
      }
    }
  }

  /// Copies the files of the source's long values, runs `body`, which copies the rows, and then removes the files that
  /// only the destination's old rows named. If the process ends in between, the names are in journals: one for the
  /// destination's old UUID, and one for its new UUID if that differs.
  private static func replaceFiles(
    at destination: URL, options: [AnyHashable: Any]?, from source: Connection, sourceFiles: ExternalFiles,
    body: () throws -> Void
  ) throws {
    let files = ExternalFiles(store: destination, followsLinks: false)
    let named = sourceFiles.exist ? try ExternalFiles.named(in: source) : []
    let (oldNamed, oldUUID) = try contents(destination, options)
    if files.folder == sourceFiles.folder, !named.isEmpty || !oldNamed.isEmpty {
      // Each store would remove files that the other one has.
      throw Failure.unsupportedFeature(
        "Replacing \(destination.path) by a store that keeps its binary values in the same folder")
    }
    if named.isEmpty && oldNamed.isEmpty { return try body() }
    let newUUID = try StoreMetadata.readIfPresent(at: sourceFiles.store, from: source)?[NSStoreUUIDKey] as? String
    let journals = try Set([oldUUID, newUUID].compactMap { $0 }).compactMap { uuid in
      try ExternalJournal.prefix(files, uuid: uuid).map { try ExternalJournal(files, prefix: $0) }
    }
    for journal in journals { try journal.add(named.union(oldNamed).sorted(), lasting: true) }
    let new: [String]
    do { new = try files.copy(named, from: sourceFiles) } catch {
      journals.forEach { $0.remove() }
      throw error
    }
    do { try body() } catch {
      // Files without a row do less harm than rows without their file. If it can't be told which of them the rows name,
      // all stay, and the journals too, for the next opening.
      if let kept = try? namedFiles(destination, options) {
        files.remove(new.filter { !kept.contains($0) })
        journals.forEach { $0.remove() }
      }
      throw error
    }
    let gone = oldNamed.subtracting(named).sorted()
    let isFree =
      gone.isEmpty
      || !files.sharesFolder && files.syncCommit()
        && (try? Connection(path: destination.path, options: connectionOptions(options)))?.hasNoOlderReader() == true
    // While a connection reads an older state, or a power cut would bring it back, its files stay. The next store that
    // opens the database checks them.
    if !isFree { return }
    files.remove(gone)
    journals.forEach { $0.remove() }
  }

  /// The UUID of a store that is about to be replaced, and the files that its rows name.
  private static func contents(
    _ url: URL, _ options: [AnyHashable: Any]?
  ) throws -> (named: Set<String>, uuid: String?) {
    guard try isDatabase(url), ExternalFiles(store: url).exist,
      let connection = try? Connection(path: url.path, options: connectionOptions(options))
    else { return ([], nil) }
    // A database that can't be read is replaced all the same, or refused below. Its files stay.
    return (
      (try? ExternalFiles.named(in: connection)) ?? [],
      (try? StoreMetadata.read(from: connection))?[NSStoreUUIDKey] as? String
    )
  }

  /// The files that a store's rows name; none if there is no store.
  private static func namedFiles(_ url: URL, _ options: [AnyHashable: Any]? = nil) throws -> Set<String> {
    guard try isDatabase(url) else { return [] }
    return try ExternalFiles.named(in: Connection(path: url.path, options: connectionOptions(options)))
  }

  private static func replaceDatabase(
    at url: URL, _ options: [AnyHashable: Any]?, from source: Connection
  ) throws {
    if !isForced(options), try isDatabase(url) {
      do {
        let connection = try Connection(path: url.path, options: connectionOptions(options))
        let former = metadataRow(connection)
        do { return try source.backUp(into: connection) } catch {
          // If the disk failed after the point of no return, the new version is in the file all the same.
          let now = (try? Connection(path: url.path, options: connectionOptions(options))).flatMap(metadataRow)
          if now != nil, now != former, now == metadataRow(source), ExternalFiles(store: url).syncCommit() { return }
          throw error
        }
      } catch let error as SQLiteError {
        guard error.isNotADatabase || error.isDamage else { throw error.openingFailure(at: url) }
      }
    }
    try StoreFileState.checkFolder(of: url)
    let copy = StoreFiles.temporary(beside: url)
    do {
      try translatingErrors(at: url) { try makeDatabase(copy, from: source) }
      try rename(copy, to: url)
    } catch {
      removeDatabase(copy)
      throw error
    }
  }

  /// The store's metadata as they are in the file, which tell its versions from each other; nil if they can't be read.
  private static func metadataRow(_ connection: Connection) -> [[String?]]? {
    let rows = try? connection.rows("SELECT Z_VERSION, Z_UUID, hex(Z_PLIST) FROM Z_METADATA")
    return rows.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func removeDatabase(_ url: URL) {
    DatabasePlace.removeCompanions(ofFileAt: url.path)
    unlink(url.path)
  }

  /// Makes a new file with everything that a connection sees, and runs `change` on it.
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

  /// Runs `body` with a connection that leaves the file as it is, in a transaction: `body` sees one state of the rows,
  /// and the files that these name stay until it ends. Uses a copy if SQLite can't read the file in its place, or must
  /// not write beside it.
  private static func reading(
    _ url: URL, options: [AnyHashable: Any]?, body: (Connection) throws -> Void
  ) throws {
    guard case .database = try StoreFileState(url) else { throw Failure.storeFileMissing(url: url) }
    if !StoreOptions(options).isReadOnly {
      do {
        let connection = try Connection(path: url.path, options: connectionOptions(options))
        connection.setKeepsLogOnClose(true)
        try connection.beginReading()
        _ = try connection.rows("SELECT 1 FROM sqlite_master LIMIT 1")
        return try body(connection)
      } catch let error as SQLiteError {
        // 14: SQLite can't open the file. 8: SQLite can't write beside it.
        guard error.code == 14 || error.code == 8 else { throw error.openingFailure(at: url) }
      }
    }
    try translatingErrors(at: url) {
      let place = DatabasePlace(url)
      try DatabaseFiles.sharing(place.path) {
        if let connection = beginReadingInPlace(place) { return try body(connection) }
        try readingCopy(of: place, body)
      }
    }
  }

  // Saving as.

  static func makeFile(at url: URL, copying source: any RowStore, _ copy: StoreCopy) throws -> Bool {
    if url.isStoreInMemory { return false }
    try StoreFileState.checkFolder(of: url)
    let new = StoreFiles.temporary(beside: url)
    let (newFiles, files) = (ExternalFiles(store: new), ExternalFiles(store: url, followsLinks: false))
    defer { newFiles.removeAll() }
    var copied: [String] = []
    do {
      try translatingErrors(at: url) {
        // Two stores with the same folder can't share files, so the second branch writes new ones.
        if let source = source as? SQLiteStore, source.externalFiles.folder != files.folder {
          try source.copyDatabase(to: new)
          if source.externalFiles.exist { copied = try files.copy(namedFiles(new), from: source.externalFiles) }
        } else {
          try fill(new, from: source, copy)
          if newFiles.exist { copied = try files.copy(namedFiles(new), from: newFiles) }
        }
      }
      try rename(new, to: url)
    } catch {
      removeDatabase(new)
      files.remove(copied)
      throw error
    }
    return true
  }

  /// Copies the tables and rows into a new file with a UUID of its own.
  private func copyDatabase(to url: URL) throws {
    try withConnection(isFresh: true) { connection in
      var metadata = self.metadata ?? [:]
      metadata[NSStoreUUIDKey] = UUID().uuidString
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
