internal import CSQLite

extension Connection {
  /// The current value of a pragma.
  func pragma(_ name: String) throws -> String? {
    try rows("PRAGMA \(name)").first?.first ?? nil
  }

  /// Sets a pragma, and refuses names and values that SQLite would silently ignore.
  ///
  /// - Throws: code 1 (`SQLITE_ERROR`) for a name or a value that SQLite does not have.
  func set(pragma name: String, to value: String) throws {
    let sql = "PRAGMA \(name) = \(value)"
    guard Connection.isWord(name), Connection.isWord(value) || Int64(value) != nil || Double(value) != nil else {
      throw SQLiteError(extendedCode: SQLITE_ERROR, message: "invalid pragma \(name) = \(value)", sql: sql)
    }
    if let allowed = Connection.allowedValues[name.lowercased()], !allowed.contains(value.lowercased()) {
      throw SQLiteError(
        extendedCode: SQLITE_ERROR,
        message: "invalid value \"\(value)\" of pragma \(name); it takes \(allowed.sorted().joined(separator: ", "))",
        sql: sql)
    }
    guard try knowsPragma(name) else {
      throw SQLiteError(
        extendedCode: SQLITE_ERROR, message: "SQLite has no pragma \"\(name)\"; see sqlite.org/pragma.html", sql: sql)
    }
    let answer = try rows(sql).first?.first ?? nil
    // If SQLite can't set a journal mode it keeps the old one and reports no error. A database in memory has none of
    // the modes on disk, and that is no failure.
    if name.lowercased() == "journal_mode", let answer, answer.lowercased() != value.lowercased(),
      answer != "memory"
    {
      throw SQLiteError(extendedCode: SQLITE_ERROR, message: "journal_mode stays \(answer)", sql: sql)
    }
  }

  /// Whether SQLite has the pragma: it ignores unknown ones silently. A library without the list counts as having all.
  private func knowsPragma(_ name: String) throws -> Bool {
    let known = try Connection.pragmaNames.withLock { names in
      if names.isEmpty {
        let statement = try Statement("SELECT name FROM pragma_pragma_list", in: database, isKept: false)
        while try statement.step() { names.insert(statement.text(0) ?? "") }
      }
      return names
    }
    return known.isEmpty || known.contains(name.lowercased())
  }

  /// The pragmas of this process' SQLite library, read when first needed.
  private static let pragmaNames = LockedNames()

  private final class LockedNames: @unchecked Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    private var names: Set<String> = []

    func withLock(_ body: (inout Set<String>) throws -> Set<String>) rethrows -> Set<String> {
      lock.lock()
      defer { lock.unlock() }
      return try body(&names)
    }
  }

  private static func isWord(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 == 95 || 48...57 ~= $0 || 65...90 ~= $0 || 97...122 ~= $0 }
  }

  private static let booleans: Set<String> = ["0", "1", "on", "off", "true", "false", "yes", "no"]

  /// Values of the pragmas that take words. SQLite reads any other word as some default.
  private static let allowedValues: [String: Set<String>] = [
    "journal_mode": ["delete", "truncate", "persist", "memory", "wal", "off"],
    "synchronous": ["0", "1", "2", "3", "off", "normal", "full", "extra"],
    "auto_vacuum": ["0", "1", "2", "none", "full", "incremental"],
    "temp_store": ["0", "1", "2", "default", "file", "memory"],
    "locking_mode": ["normal", "exclusive"],
    "secure_delete": booleans.union(["fast"]),
    "fullfsync": booleans, "checkpoint_fullfsync": booleans, "foreign_keys": booleans,
    "recursive_triggers": booleans, "case_sensitive_like": booleans, "cell_size_check": booleans,
    "automatic_index": booleans, "query_only": booleans, "read_uncommitted": booleans,
  ]
}
