internal import CSQLite

extension Connection {
  /// Copies the whole database over another one, in one transaction there. Waits for locks on both as long as
  /// the connections do.
  func backUp(into destination: Connection) throws {
    do {
      try copyPages(into: destination)
    } catch let error as SQLiteError where error.code == Int(SQLITE_READONLY) && !destination.isReadOnly {
      // The page size of the destination can't change while it has a write-ahead log.
      _ = try destination.rows("PRAGMA journal_mode = DELETE")
      try copyPages(into: destination)
    }
  }

  private func copyPages(into destination: Connection) throws {
    guard let backup = sqlite3_backup_init(destination.database, "main", database, "main") else {
      throw destination.failure()
    }
    let step = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    if step == SQLITE_DONE, end == SQLITE_OK { return }
    let code = step == SQLITE_DONE ? end : step
    throw SQLiteError(extendedCode: code, message: String(cString: sqlite3_errstr(code)))
  }
}
