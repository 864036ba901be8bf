internal import CSQLite

/// An error that SQLite reported.
struct SQLiteError: Error, CustomStringConvertible {
  /// The primary result code, such as 5 for `SQLITE_BUSY`.
  var code: Int
  /// The extended result code, such as 2067 for `SQLITE_CONSTRAINT_UNIQUE`.
  var extendedCode: Int
  var message: String
  var sql: String?

  init(extendedCode: Int32, message: String, sql: String? = nil) {
    code = Int(extendedCode & 0xFF)
    self.extendedCode = Int(extendedCode)
    self.message = message
    self.sql = sql
  }

  /// Whether another row already has the key.
  var isKeyTaken: Bool {
    // SQLITE_CONSTRAINT_PRIMARYKEY and _ROWID: macros that Swift does not see.
    extendedCode == Int(SQLITE_CONSTRAINT) | 6 << 8 || extendedCode == Int(SQLITE_CONSTRAINT) | 10 << 8
  }

  /// Whether a unique index already has the values: SQLITE_CONSTRAINT_UNIQUE.
  var isNotUnique: Bool { extendedCode == Int(SQLITE_CONSTRAINT) | 8 << 8 }

  var isConstraint: Bool { code == Int(SQLITE_CONSTRAINT) }
  var isBusy: Bool { code == Int(SQLITE_BUSY) || code == Int(SQLITE_LOCKED) }
  /// Whether `Connection.watching` stopped the statement.
  var isInterrupted: Bool { code == Int(SQLITE_INTERRUPT) }
  /// Whether the file is not a database, judging by its first bytes.
  var isNotADatabase: Bool { code == Int(SQLITE_NOTADB) }
  /// Whether the database has something in it that SQLite can't make sense of.
  var isDamage: Bool { code == Int(SQLITE_CORRUPT) }

  var description: String {
    "SQLite error \(extendedCode): \(message)" + (sql.map { ", at: \($0)" } ?? "")
  }
}
