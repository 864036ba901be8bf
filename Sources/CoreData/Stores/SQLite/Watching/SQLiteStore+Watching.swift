/// Being told of what other processes write.
extension SQLiteStore {
  /// A store in memory, and the copy that a read-only store reads, are nobody else's.
  func beginWatching(_ told: @escaping (Int64?) -> Void) {
    guard let path = pool.file else { return }
    let hasBegun = try? WatchedFile.begin(path, ObjectIdentifier(self)) { [weak self] number in
      // Open transactions stand before the change.
      self?.pool.didCommit()
      told(self?.history == nil ? nil : number)
    }
    if hasBegun != true { warn(.unwatchedFile(path)) }
  }

  func endWatching() {
    guard let path = pool?.file else { return }
    WatchedFile.end(path, ObjectIdentifier(self))
  }
}

extension MisuseReport {
  fileprivate static func unwatchedFile(_ path: String) -> MisuseReport {
    MisuseReport(
      "The store \(path) is not watched: the program is told of its own writes only.",
      how: "The system gives each user so many inotify instances and watches, and they are used up.",
      remedy: "See fs.inotify.max_user_instances and fs.inotify.max_user_watches.")
  }
}
