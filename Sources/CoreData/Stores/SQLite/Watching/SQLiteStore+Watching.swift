/// Watching what other processes write.
extension SQLiteStore {
  /// Calls `told` after other processes have written to the file. Does nothing for a store in memory: no other process
  /// writes that.
  func beginWatching(_ told: @escaping (Int64?) -> Void) {
    guard let path = pool.file else { return }
    // A quiet watch does not know which writing is a new transaction.
    let last = storeOptions.isReadOnly ? LastNumber(try? history?.lastNumber()) : nil
    let hasBegun = WatchedFile.begin(
      path, owner: ObjectIdentifier(self), isQuiet: storeOptions.isReadOnly
    ) { [weak self] number in
      guard let self else { return }
      // Open transactions still see the state before the change.
      pool.didCommit()
      guard let history else { return told(nil) }
      let number = number ?? (try? history.lastNumber())
      if let last, let number, !last.raise(to: number) { return }
      told(number)
    }
    if !hasBegun { warn(.unwatchedFile(path)) }
  }

  /// The number of the last transaction that was told of.
  private final class LastNumber: @unchecked Sendable {
    // `@unchecked Sendable`: `number` is only touched under `lock`.
    private let lock = NSLock()
    private var number: Int64

    init(_ number: Int64?) { self.number = number ?? 0 }

    /// Returns whether the number is new.
    func raise(to new: Int64) -> Bool {
      lock.withLock {
        defer { number = max(number, new) }
        return new > number
      }
    }
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
