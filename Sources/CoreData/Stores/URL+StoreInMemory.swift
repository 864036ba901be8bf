extension URL {
  /// Where a SQLite store in memory says that it is. In messages it also stands for the file of a store that has none.
  static let storeInMemory = URL(fileURLWithPath: storeInMemoryPath)

  /// Whether a store at this place has no file.
  var isStoreInMemory: Bool { path == URL.storeInMemoryPath }

  private static let storeInMemoryPath = "/dev/null"
}
