import Foundation

/// Replaces a SQLite file with its new version in one transaction.
struct DatabaseReplacement: FileReplacement {
  private let url: URL
  private let options: [AnyHashable: Any]?
  /// Stays open, so that its `data_version` shows the commits of others.
  private let connection: Connection
  private let version: String?

  init(_ url: URL, _ options: [AnyHashable: Any]?) throws {
    self.url = url
    self.options = options
    var given = Connection.Options()
    given.busyTimeout = StoreOptions(options).busyTimeout
    do {
      connection = try Connection(path: url.path, options: given)
      version = try connection.pragma("data_version")
    } catch let error as SQLiteError {
      throw error.openingFailure(at: url)
    }
  }

  /// True for a file with a write-ahead log.
  var readsOldAsOwn: Bool {
    guard case .database(let isLogged)? = try? StoreFileState(url) else { return false }
    return isLogged
  }

  var readsNewAsOwn: Bool { true }

  func damage(of new: URL) throws -> String? {
    do {
      let found = try Connection(path: new.path, options: Connection.Options()).rows("PRAGMA integrity_check")
      return found.first?[0] == "ok" ? nil : found.compactMap { $0[0] }.prefix(3).joined(separator: ", ")
    } catch let error as SQLiteError {
      throw Failure.migrationFailed(
        url: url, reason: "its new version can't be checked", underlying: error.failure(at: new).nsError)
    }
  }

  func check() throws {
    let now: String?
    do { now = try connection.pragma("data_version") } catch let error as SQLiteError {
      throw error.openingFailure(at: url)
    }
    if now != version { throw Failure.fileChangedElsewhere(url: url) }
  }

  func putInPlace(_ new: URL) throws {
    do { try endHistory(in: new) } catch let error as SQLiteError {
      throw Failure.migrationFailed(
        url: url, reason: "its history can't be ended", underlying: error.failure(at: new).nsError)
    }
    try SQLiteStore.replaceStore(at: url, options, from: new, nil)
  }

  /// A version that was written as a new file has no history, but the old one's UUID. Its transactions are counted on
  /// from the old ones, with one left out, so that older tokens have expired; see `HistoryTables`.
  private func endHistory(in new: URL) throws {
    let written = try Connection(path: new.path, options: Connection.Options())
    let tables = try HistoryTables(connection)
    guard tables.areThere, try !HistoryTables(written).areThere else { return }
    for table in HistoryTables.Table.allCases {
      func number(_ sql: String) throws -> Int64? { try connection.rows(sql).first?[0].flatMap { Int64($0) } }
      var found = try number("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(table.rawValue)")
      if found == nil, tables.has(table) { found = try number("SELECT MAX(Z_PK) FROM \(table.name)") }
      guard let last = found else { continue }
      let next = table == .transaction && last < .max ? last + 1 : last
      try written.execute("INSERT \(table.keyRow(last: "\(next)"))")
    }
  }
}

extension SQLiteStore: InPlaceMigrating {
  static func replacement(of url: URL, _ options: [AnyHashable: Any]?) throws -> any FileReplacement {
    try DatabaseReplacement(url, options)
  }

  package static func keptModel(at url: URL) -> NSManagedObjectModel? {
    let model = try? NSManagedObjectModel(storedIn: url)
    return model?.storeOrigin == .cached ? model : nil
  }

  /// Empties the database, for connections that have it open, and then removes the files.
  static func removeStore(at url: URL) {
    try? destroyStore(at: url, nil)
    DatabasePlace.removeCompanions(ofFileAt: url.path)
    try? StoreFiles.removeFile(url)
  }
}
