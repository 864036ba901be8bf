/// Metadata of stores that are not open.
extension SQLiteStore {
  static func readMetadata(at url: URL) throws -> [String: Any] {
    do {
      return try readingUntouched(url) { connection in
        try StoreMetadata.read(at: url, from: connection)
      }
    } catch let failure as Failure {
      throw failure.nsError
    } catch let error as SQLiteError {
      throw error.openingFailure(at: url).nsError
    }
  }

  static func writeMetadata(_ metadata: [String: Any]?, at url: URL) throws {
    do {
      guard case .database = try StoreFileState(url) else { throw Failure.storeFileMissing(url: url) }
      let connection = try Connection(path: url.path, options: Connection.Options())
      let old = try StoreMetadata.read(at: url, from: connection)
      let new = NSPersistentStore.metadata(
        metadata, keepingOwnOf: old, type: NSSQLiteStoreType, uuid: old[NSStoreUUIDKey] as? String)
      try connection.transaction(.exclusive) { try StoreMetadata.write(new, to: connection) }
    } catch let failure as Failure {
      throw failure.nsError
    } catch let error as SQLiteError {
      throw error.failure(at: url).nsError
    }
  }

  /// Reads a file without writing a byte to it or beside it. Reads it in its place if it is complete without a log or a
  /// journal, otherwise from a copy with those.
  static func readingUntouched<Result>(_ url: URL, _ body: (Connection) throws -> Result) throws -> Result {
    guard case .database = try StoreFileState(url) else { throw Failure.storeFileMissing(url: url) }
    var options = Connection.Options()
    options.isReadOnly = true
    func size(_ suffix: String) -> Int {
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
      return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
    if size("-wal") == 0, size("-journal") == 0 {
      options.isURI = true
      return try body(Connection(path: immutableAddress(of: url), options: options))
    }
    let folder = try OwnFolder.makeTemporary()
    defer { OwnFolder.remove(folder) }
    let copy = try copyDatabase(at: url, into: folder)
    return try body(Connection(path: copy.path, options: Connection.Options()))
  }
}
