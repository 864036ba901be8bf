/// How a read-only store reads its file without making another beside it. Any thread.
///
/// While others have a file with a write-ahead log open, SQLite reads the file in its place. Otherwise it would make
/// the log's index, or make it again, and leave it behind, so the store has a copy. It looks at the original before
/// each read:
///
///     copy ──the original is as it was──▶ copy
///     copy ──the original was written, and others have it open──▶ in its place
///     copy ──the original was written, and no one has it open──▶ another copy
///     in its place ──▶ in its place: the store's own connections keep the log there
///
/// Another file under the name is read as another copy if it is of the same store, and refused if not: its rows are
/// others under the same ids. Readers that are pinned stay at the copy that they read.
///
/// A store that reads in place and is closed last leaves the log, with commits in it. Only a writer can move them into
/// the file, and the next one does. A copy of the file without its log lacks them, as after SQLite's own connections
/// that only read; `replacePersistentStore` and `migratePersistentStore` copy both.
final class QuietFile: @unchecked Sendable {
  // `@unchecked Sendable`: `known` is only touched under `lock`.

  private let lock = NSLock()
  private var known: DatabaseCopy?

  /// What is read in the file's stead; nil if the file is read in its place.
  var copy: DatabaseCopy? {
    get { lock.withLock { known } }
    set { lock.withLock { known = newValue } }
  }

  /// The copy, which from now on is another store's.
  func take() -> DatabaseCopy? {
    lock.withLock {
      defer { known = nil }
      return known
    }
  }

  func close() { take()?.remove() }

  /// Calls `reopen` if the copy no longer has what the original has, and keeps what that returns.
  fileprivate func update(_ reopen: () throws -> DatabaseCopy?) throws {
    lock.lock()
    defer { lock.unlock() }
    // Of a file that was removed the copy is all there is.
    guard let old = known, old.original.stamp != old.stamp, old.original.exists else { return }
    known = try reopen()
  }
}

extension SQLiteStore {
  /// Lets the next read see what others have written to the file of a read-only store.
  func updateCopy() throws {
    if storeOptions.isMigrationSource { return }
    try quietFile?.update {
      let file = try openFile()
      let url = url ?? .storeInMemory
      let writer = file.pool.surrenderWriter()
      guard file.metadata[NSStoreUUIDKey] as? String == identity.uuid else {
        throw Failure.incompatibleSchema(
          url: url, table: "Z_METADATA", what: "its Z_UUID is not that of the store that was opened")
      }
      // Statements are prepared for these tables, and may be running.
      guard try existingSchema().isSame(as: ExistingSchema(url: url, connection: writer, metadata: file.metadata))
      else {
        throw Failure.incompatibleSchema(
          url: url, table: "Z_PRIMARYKEY", what: "its tables and numbers are not those of when the store was opened")
      }
      pool.move(
        to: writer, file: nameOfSharedFile, openReader: readerOpener(path: file.path, copy: file.copy),
        keepsPinned: true
      ) {
        path = file.path
      }
      storedMetadata.read(file.metadata)
      // The rows of a file that was put in the old one's place may be older.
      rowCache.invalidateAll()
      return file.copy
    }
  }
}
