/// Metadata of stores that are not open.
extension SQLiteStore {
  /// What is left of a destroyed store, a file without tables, has a type and a new UUID, but no version.
  static func readMetadata(at url: URL) throws -> [String: Any] {
    func ofNoStore() -> [String: Any] { [NSStoreTypeKey: NSSQLiteStoreType, NSStoreUUIDKey: UUID().uuidString] }
    return try publicErrors {
      if case .empty = try StoreFileState(url) { return ofNoStore() }
      return try translatingErrors(at: url) {
        try readingUntouched(url) { connection in
          try isEmpty(connection) ? ofNoStore() : StoreMetadata.read(at: url, from: connection)
        }
      }
    }
  }

  static func writeMetadata(_ metadata: [String: Any]?, at url: URL) throws {
    try publicErrors {
      do {
        guard case .database = try StoreFileState(url) else { throw Failure.storeFileMissing(url: url) }
        let connection = try Connection(path: url.path, options: Connection.Options())
        let old = try StoreMetadata.read(at: url, from: connection)
        let new = NSPersistentStore.metadata(
          metadata, keepingOwnOf: old, type: NSSQLiteStoreType, uuid: old[NSStoreUUIDKey] as? String)
        try connection.transaction(.exclusive) { try StoreMetadata.write(new, to: connection) }
      } catch let error as SQLiteError {
        throw error.failure(at: url)
      }
    }
  }

  /// Reads a file without writing a byte to it, or making anything beside it. Reads it in its place if others have it
  /// open, or if it is complete without a log or a journal; otherwise from a copy with those.
  ///
  /// - Parameter body: runs again if the file was written meanwhile.
  static func readingUntouched<Result>(_ url: URL, _ body: (Connection) throws -> Result) throws -> Result {
    guard case .database = try StoreFileState(url) else { throw Failure.storeFileMissing(url: url) }
    let place = DatabasePlace(url)
    return try DatabaseFiles.sharing(place.path) {
      if let connection = beginReadingInPlace(place) { return try body(connection) }
      var options = Connection.Options()
      options.isReadOnly = true
      options.isURI = true
      for _ in 0..<10 where !place.hasMoreBesideIt {
        let stamp = place.stamp
        let result = Swift.Result { try body(Connection(path: immutableAddress(of: url), options: options)) }
        if place.stamp == stamp { return try result.get() }
      }
      return try readingCopy(of: place, body)
    }
  }

  /// A connection in a transaction that reads a file in its place; nil unless others have the file and its log open.
  static func beginReadingInPlace(_ place: DatabasePlace) -> Connection? {
    guard place.sharesLog, let connection = try? Connection(inPlace: place) else { return nil }
    do {
      try connection.beginReading()
      _ = try connection.rows("SELECT 1 FROM sqlite_master LIMIT 1")
      return connection
    } catch {
      return nil
    }
  }

  static func readingCopy<Result>(of place: DatabasePlace, _ body: (Connection) throws -> Result) throws -> Result {
    let copy = try DatabaseCopy(of: place)
    return try withExtendedLifetime(copy) { try body(Connection(path: copy.url.path, options: Connection.Options())) }
  }
}
