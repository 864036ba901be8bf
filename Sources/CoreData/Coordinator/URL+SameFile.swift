extension URL {
  /// Whether both lead to one file, or to one place on a server.
  func isSameFile(as other: URL) -> Bool {
    // URLs that aren't file URLs are compared as a whole: two servers may have databases with the same path. A store on
    // a server does not tell the password.
    guard isFileURL || other.isFileURL else {
      return withoutPassword.absoluteString == other.withoutPassword.absoluteString
    }
    return !isStoreInMemory
      && (standardizedFileURL == other.standardizedFileURL
        || resolvingSymlinksInPath().path == other.resolvingSymlinksInPath().path)
  }
}
