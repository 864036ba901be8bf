internal import CoreData
import Foundation

/// Holds the listener of one store while its coordinator watches for remote changes. Safe on any thread.
final class Watching: @unchecked Sendable {
  // `@unchecked Sendable`: `listener` is only touched under `lock`.

  private let lock = NSLock()
  private var listener: ServerListener?

  deinit { end() }

  func begin(_ listener: ServerListener) {
    let old = lock.withLock {
      defer { self.listener = listener }
      return self.listener
    }
    old?.stop()
    listener.start()
  }

  func end() {
    let old = lock.withLock {
      defer { listener = nil }
      return listener
    }
    old?.stop()
  }
}

extension PostgreSQLStore: WatchableStore {
  package func beginWatching(_ told: @escaping (Int64?) -> Void) {
    watching.begin(
      ServerListener(self) { [replica] number in
        replica?.mark()
        told(number)
      })
  }

  package func endWatching() { watching.end() }
}
