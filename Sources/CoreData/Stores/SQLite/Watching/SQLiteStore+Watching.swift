/// Watching what other processes write.
extension SQLiteStore {
  /// Calls `told` after other processes have written to the file. Does nothing for a store in memory, or for the copy
  /// that a read-only store reads: no other process writes those.
  func beginWatching(_ told: @escaping (Int64?) -> Void) {
    guard let path = pool.file else { return }
    let hasBegun = try? WatchedFile.begin(path, owner: ObjectIdentifier(self)) { [weak self] number in
      // Open transactions still see the state before the change.
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
      "The store \(path) is not watched: the program does not notice what other programs write.",
      how: "The system allows each user a limited number of inotify instances and watches, and all are in use.",
      remedy: "Raise fs.inotify.max_user_instances or fs.inotify.max_user_watches.")
  }
}
