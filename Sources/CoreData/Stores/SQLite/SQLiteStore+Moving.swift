extension SQLiteStore {
  /// Moves the store to the file at another URL. After a failure the store still has its old file.
  func move(to url: URL) throws {
    guard case .database = try StoreFileState(url) else { throw Failure.storeFileMissing(url: url) }
    let other = SQLiteStore(
      layouts: layouts, configurationName: configuration, at: url, options: options, coordinator: nil)
    try other.loadMetadata()
    // Statements are prepared for these tables, and may be running.
    guard try existingSchema().isSame(as: other.existingSchema()) else {
      throw Failure.incompatibleSchema(
        url: url, table: "Z_PRIMARYKEY", what: "its tables and numbers are not those of the store that you move")
    }
    let file = other.nameOfSharedFile
    let copy = other.quietFile?.take()
    quietFile?.close()
    quietFile?.copy = copy
    giveBackStocks()
    path = other.path
    self.url = url
    // Connections look for long values where this says when they are opened.
    externalFiles = ExternalFileSource.files(at: url, of: self)
    pool.move(to: other.pool.surrenderWriter(), file: file, openReader: readerOpener(path: path, copy: copy)) {
      // The other file may have other rows, and another history.
      keyNumbers.forgetAll()
      soundMaxima.removeAll()
      history?.forgetLast()
    }
    storedMetadata.read(other.metadata)
    identity.uuid = other.identity.uuid
    openExternals()
    rowCache.invalidateAll()
  }

  func existingSchema() throws -> ExistingSchema {
    let url = url ?? .storeInMemory
    return try translatingErrors {
      try pool.write { try ExistingSchema(url: url, connection: $0, metadata: metadata) }
    }
  }
}
