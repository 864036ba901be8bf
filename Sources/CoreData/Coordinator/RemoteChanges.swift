/// Who is to be told that a store's file was written, whichever coordinator of this process wrote it.
///
/// Notifications are posted on a queue of their own, so that an observer may wait for any context. Any thread; the
/// list is only touched under `lock`.
enum RemoteChanges {
  private struct Listener {
    weak var coordinator: NSPersistentStoreCoordinator?
    weak var store: NSPersistentStore?
  }

  private static let lock = NSLock()
  private nonisolated(unsafe) static var listeners: [Listener] = []
  private static let queue = DispatchQueue(label: "NSPersistentStoreRemoteChange")

  /// Called for every store that is added; only those that were opened with the option are told.
  static func note(_ store: NSPersistentStore, of coordinator: NSPersistentStoreCoordinator) {
    let asked = store.options?[NSPersistentStoreRemoteChangeNotificationPostOptionKey]
    guard asked as? Bool ?? (asked as? NSNumber)?.boolValue ?? false else { return }
    lock.withLock {
      listeners.removeAll { $0.store == nil || $0.coordinator == nil }
      listeners.append(Listener(coordinator: coordinator, store: store))
    }
  }

  static func forget(_ store: NSPersistentStore) {
    lock.withLock { listeners.removeAll { $0.store == nil || $0.store === store } }
  }

  /// Called after each commit.
  static func announce(_ written: [NSPersistentStore]) {
    let told = lock.withLock {
      listeners.filter { listener in
        guard let store = listener.store else { return false }
        return written.contains { $0 === store || isSameFile($0, store) }
      }
    }
    for listener in told {
      guard let store = listener.store, let url = store.url else { continue }
      let info: [AnyHashable: Any] = [NSStoreUUIDKey: store.identity.uuid, NSPersistentStoreURLKey: url]
      let post = Carrier(value: (listener.coordinator, info))
      queue.async {
        guard let coordinator = post.value.0 else { return }
        NotificationCenter.default.post(
          name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: post.value.1)
      }
    }
  }

  private static func isSameFile(_ one: NSPersistentStore, _ other: NSPersistentStore) -> Bool {
    guard one.type == NSSQLiteStoreType, other.type == NSSQLiteStoreType, let url = one.url, url.path != "/dev/null"
    else { return false }
    return url.standardizedFileURL == other.url?.standardizedFileURL
  }
}
