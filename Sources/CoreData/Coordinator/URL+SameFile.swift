extension URL {
  /// Whether both lead to one file.
  func isSameFile(as other: URL) -> Bool {
    // URLs that aren't file URLs are compared as a whole: two servers may have databases with the same path.
    guard isFileURL || other.isFileURL else { return absoluteString == other.absoluteString }
    return !isStoreInMemory
      && (standardizedFileURL == other.standardizedFileURL
        || resolvingSymlinksInPath().path == other.resolvingSymlinksInPath().path)
  }
}
