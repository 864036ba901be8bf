/// One transaction that writes rows, for a save or a batch request. It does what every such transaction needs besides
/// the rows, in the order in which it has to happen.
///
/// Files that rows name are written before the commit, and files that no row names are removed after it. So a process
/// that is killed leaves no row without its file.
struct WriteTransaction {
  let connection: Connection
  private let pool: ConnectionPool
  private let externals: ExternalStorage
  private let history: SQLiteHistory?
  /// Nil where nothing is recorded.
  let recorder: HistoryRecorder?
  /// What triggers do to rows in the transaction; nil if the connection lacks the functions that they call.
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

  /// Runs `body`, which writes the rows, and commits. Rolls back if `body` returns false or throws.
  ///
  /// - Parameters:
  ///   - body: returns whether to commit; false if it met a conflict, or its keys are taken.
  ///   - files: returns the files that `body` has written and abandoned. Called once, when `body` has ended.
  ///   - isOwn: makes the test for rows that `body` has recorded. Other rows that triggers have changed are recorded
  ///     here.
  ///   - isInFile: called if SQLite reports that the commit failed; returns whether the rows are in the file all the
  ///     same.
  /// - Returns: whether the transaction is committed.
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
        // The conflict may come from another process' commit, and no reader may answer from before it.
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
      // If the disk failed after the point of no return, the rows are in the file all the same. If we can't tell, keep
      // the files: files without a row do less harm than rows without their file.
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

  /// Records rows that only triggers changed, and ends the transaction's part of the history.
  private func finishRecording(_ isOwn: () -> (RowReference) -> Bool) throws {
    guard let recorder else { return }
    if let notes, !notes.rows.isEmpty { try recorder.updateDerived(notes.rows, but: isOwn()) }
    try recorder.finishTransaction()
  }

  /// Removes files that no row names, as soon as no reader of an older state needs them.
  private func didCommit(_ files: TaggedWriter.Files) {
    externals.didCommit(made: files.written, forgotten: files.abandoned, connection)
    // A context may be pinned to an older state, in which rows still name them.
    if !files.abandoned.isEmpty, externals.hasPending {
      pool.whenEarlierReadersHaveEnded { [weak externals] in externals?.removeLater() }
    }
  }
}
