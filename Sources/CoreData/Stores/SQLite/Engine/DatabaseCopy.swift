/// A copy of a database in a folder of its own, which is removed with it. It has one state of the database, even
/// if others write to that meanwhile.
package final class DatabaseCopy: Sendable {
  let original: DatabasePlace
  /// The copy's file.
  let url: URL
  /// The original's, from before it was copied; nil if the next write may leave it as it is.
  let stamp: DatabaseStamp?
  private let folder: URL

  init(of original: DatabasePlace) throws {
    self.original = original
    folder = try OwnFolder.makeTemporary()
    url = folder.appendingPathComponent(original.url.lastPathComponent)
    do { stamp = try DatabaseCopy.make(of: original, at: url) } catch {
      OwnFolder.remove(folder)
      throw error
    }
  }

  deinit { remove() }

  /// Removes the folder. Connections that have the copy open can still read it.
  func remove() { OwnFolder.remove(folder) }

  /// Copies a database to a new file. A log or journal is copied with it, if SQLite can't read them where they are.
  package static func copy(_ original: DatabasePlace, to url: URL) throws { _ = try make(of: original, at: url) }

  private static func make(of original: DatabasePlace, at url: URL) throws -> DatabaseStamp? {
    try DatabaseFiles.sharing(original.path) {
      let stamp = original.stamp
      if original.sharesLog, (try? copyPages(of: original, to: url)) != nil { return stamp.isSettled ? stamp : nil }
      return try copyFiles(of: original, to: url)
    }
  }

  /// Copies what a connection reads in one transaction.
  private static func copyPages(of original: DatabasePlace, to url: URL) throws {
    do {
      let source = try Connection(inPlace: original)
      var options = Connection.Options()
      options.mayCreate = true
      try source.transaction(.deferred) {
        _ = try source.rows("SELECT 1 FROM sqlite_master LIMIT 1")
        try source.backUp(into: Connection(path: url.path, options: options))
      }
    } catch {
      removeFiles(url)
      throw error
    }
  }

  private static func removeFiles(_ url: URL) {
    unlink(url.path)
    DatabasePlace.removeCompanions(ofFileAt: url.path)
  }

  /// How often to start over while others write to the files, and how long to wait for them to be settled.
  private static let tries = 50

  /// Copies the bytes of the file, its log and its journal, but not the log's index, which SQLite makes again. Returns
  /// the stamp that they had before and after.
  private static func copyFiles(of original: DatabasePlace, to url: URL) throws -> DatabaseStamp {
    for round in 1...tries {
      let stamp = original.stamp
      if round < tries, !stamp.isSettled {
        usleep(2_000)
        continue
      }
      for (path, suffix) in [(original.path, ""), (original.log, "-wal"), (original.journal, "-journal")] {
        do { try DatabaseFiles.copy(path, to: url.path + suffix) } catch let error as NSError {
          // The file itself can't have been removed.
          if suffix.isEmpty || error.code != Int(ENOENT) {
            removeFiles(url)
            throw error
          }
        }
      }
      if original.stamp == stamp { return stamp }
      removeFiles(url)
    }
    throw SQLiteError(extendedCode: 5, message: "others write to it all the time")
  }
}

extension Connection {
  /// A connection that reads a database without changing the file or its log, and leaves the log when it is closed.
  convenience init(inPlace place: DatabasePlace) throws {
    var options = Options()
    options.isReadOnly = true
    try self.init(path: place.path, options: options)
    setKeepsLogOnClose(true)
  }
}
