internal import CSQLite

/// What a connection knows about its file and about others that have it open.
extension Connection {
  /// Whether all open transactions, of all connections in all processes, began after this connection's last commit.
  /// Must be called outside a transaction. It never waits, so the answer may be false only because of a short-lived
  /// lock.
  ///
  /// 1. With a write-ahead log: a full checkpoint completes only if no reader stands at an earlier state. A reader at
  ///    an earlier frame keeps the checkpoint from going beyond that frame. A reader of the database alone, which uses
  ///    none of the log, keeps the checkpoint from writing to the database at all. See `SQLITE_CHECKPOINT_FULL` on
  ///    sqlite.org.
  /// 2. Without a log: readers lock the file, and an exclusive transaction begins only if there are none.
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

  /// Whether the file was removed or replaced since it was opened: no one would see what is written to it now.
  var hasLostFile: Bool { lostFileCheck.isLost(database) }
}
