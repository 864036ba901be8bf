internal import CSQLite

/// What a connection knows of its file and of the others that have it open.
extension Connection {
  /// Whether no transaction is open, on any connection of any process, that began before this connection's last commit.
  /// In no transaction; it never waits, so the answer may be no for a passing reason.
  ///
  /// 1. With a write-ahead log: a full checkpoint ends well only if no reader stands at an earlier state. One that
  ///    stands at an earlier frame keeps the checkpoint from going beyond that; one that reads the database alone, and
  ///    so none of the log, keeps it from writing to the database at all. See `SQLITE_CHECKPOINT_FULL` on sqlite.org.
  /// 2. Without a log: readers lock the file, and an exclusive transaction begins only if nobody does.
  func hasNoOlderReader() -> Bool {
    sqlite3_busy_timeout(database, 0)
    defer { sqlite3_busy_timeout(database, busyTimeout) }
    var (frames, moved): (Int32, Int32) = (-1, -1)
    guard
      sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_FULL, &frames, &moved) == SQLITE_OK
    else { return false }
    if frames >= 0 { return moved == frames }
    guard sqlite3_exec(database, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK else { return false }
    return sqlite3_exec(database, "ROLLBACK", nil, nil, nil) == SQLITE_OK
  }

  /// Whether the file has been removed since it was opened, or another one is in its place: what is written then
  /// reaches nobody. One system call.
  var hasLostFile: Bool {
    var moved: Int32 = 0
    // A database in memory does not know the question.
    return sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0
  }
}
