/// One transaction that writes rows, a save's or a batch request's: what belongs to every such transaction
/// besides the rows, in the order in which it has to happen.
///
/// Files that rows name are there before the commit, and go after it: a process that is killed leaves no row
/// without its file.
struct WriteTransaction {
  let connection: Connection
  private let pool: ConnectionPool
  private let externals: ExternalStorage
  private let history: SQLiteHistory?
  /// Nil where nothing is recorded.
  let recorder: HistoryRecorder?
  /// What triggers do to rows in the transaction; nil where the schema has no such triggers.
  let notes: TriggerNotes?

  /// - Parameter origin: who makes the changes, for persistent history; nil if there are none to record.
  init(_ store: SQLiteStore, _ connection: Connection, by origin: ChangeOrigin?) throws {
    self.connection = connection
    pool = store.pool
    externals = store.externals
    history = store.history
    notes = connection.attachment
    notes?.rows.removeAll()
    try store.checkFile(connection)
    recorder = origin.flatMap { [history] in history?.recorder(connection, $0) }
  }

  /// Runs `body`, which writes the rows, and commits; or takes everything back where `body` says so, or
  /// throws.
  ///
  /// - Parameters:
  ///   - body: whether to commit; false where somebody else's commit was met.
  ///   - files: the files that `body` has made and left without use. Asked once, when it has ended.
  ///   - isOwn: makes the test for rows that `body` has recorded; others that triggers have changed are
  ///     recorded here.
  ///   - isInFile: asked when SQLite calls a commit failed: whether the rows are there all the same.
  /// - Returns: whether it is committed.
  func run(
    _ body: () throws -> Bool, files: () -> TaggedWriter.Files, isOwn: () -> (RowReference) -> Bool,
    isInFile: () -> Bool = { false }
  ) throws -> Bool {
    var isCommitting = false
    var made: TaggedWriter.Files?
    try connection.begin(.exclusive)
    do {
      guard try body() else {
        connection.rollback()
        externals.discard(files().written)
        // No reader is to answer with what was there before the other's commit.
        pool.didCommit()
        return false
      }
      try finishRecording(isOwn)
      let files = files()
      made = files
      try externals.willCommit(made: files.written, forgotten: files.abandoned)
      pool.willCommit()
      isCommitting = true
      try connection.commit()
    } catch {
      connection.rollback()
      // Where the disk failed behind the point of no return, the rows are there all the same. When that can't
      // be told, files without a row do less harm than rows without their file.
      guard isCommitting else {
        externals.discard((made ?? files()).written)
        throw error
      }
      if !isInFile() { throw error }
    }
    pool.didCommit()
    if let recorder { history?.didCommit(recorder.transaction) }
    if let made { didCommit(made) }
    return true
  }

  /// Records what triggers did to rows that the change was not about, too.
  private func finishRecording(_ isOwn: () -> (RowReference) -> Bool) throws {
    guard let recorder else { return }
    if let notes, !notes.rows.isEmpty { try recorder.updateDerived(notes.rows, but: isOwn()) }
    try recorder.finishTransaction()
  }

  /// Files that no row names go as soon as nobody needs them.
  private func didCommit(_ files: TaggedWriter.Files) {
    externals.didCommit(made: files.written, forgotten: files.abandoned, connection)
    // Contexts may be pinned to an older state.
    if !files.abandoned.isEmpty, externals.hasPending {
      pool.whenNoneIsPinned { [weak externals] in externals?.removeLater() }
    }
  }
}
