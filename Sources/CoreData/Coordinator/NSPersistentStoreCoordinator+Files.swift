extension NSPersistentStoreCoordinator {
  /// Empties the store at a location. A SQLite store's files are removed, `-wal` and `-shm` included.
  public func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    if persistentStore(for: url) != nil {
      throw Failure.unsupportedFeature(
        "Destroying the store at \(url.path) while it is open: remove it from the coordinator first").nsError
    }
    guard storeType == NSSQLiteStoreType || storeType == NSInMemoryStoreType else {
      throw Failure.unsupportedFeature("Destroying a store of type \(storeType)").nsError
    }
    if url.path == "/dev/null" || storeType == NSInMemoryStoreType { return }
    for suffix in ["", "-wal", "-shm"] {
      let path = url.path + suffix
      if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
  }

  public func destroyPersistentStore(
    at url: URL, type: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, ofType: type.rawValue, options: options)
  }
}
