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
    removeWorkingCopy()
    (workingCopy, other.workingCopy) = (other.workingCopy, nil)
    path = other.path
    pool.move(to: other.pool.surrenderWriter(), openReader: readerOpener(path: path))
    self.url = url
    pool.file = nameOfSharedFile
    takeMetadata(other.metadata)
    identity.uuid = other.identity.uuid
    openExternals()
    rowCache.invalidateAll()
  }
  private func existingSchema() throws -> ExistingSchema {
    let url = url ?? URL(fileURLWithPath: "/dev/null")
    return try translatingErrors {
      try pool.write { try ExistingSchema(url: url, connection: $0, metadata: metadata) }
    }
  }
}
