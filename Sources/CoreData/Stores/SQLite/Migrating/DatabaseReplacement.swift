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

  func putInPlace(_ new: URL) throws { try SQLiteStore.replaceStore(at: url, options, from: new, nil) }
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
    for suffix in ["-wal", "-shm", "-journal"] { unlink(url.path + suffix) }
    try? StoreFiles.remove(url)
  }
}
