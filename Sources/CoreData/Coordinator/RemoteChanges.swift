/// The coordinators to notify when a store's file was written, by any coordinator or process.
///
/// Notifications are posted on a queue of their own, so that an observer may wait for any context. Any thread; the
/// list is only touched under `lock`.
///
/// Nothing here keeps a store or a coordinator alive, and not for a moment one that isn't concerned: its file would be
/// closed on another thread, after the program has let go of it.
enum RemoteChanges {
  private final class Listener {
    private let storeReference: LivingReference<NSPersistentStore>
    private let coordinatorReference: LivingReference<NSPersistentStoreCoordinator>
    /// No other store has this address: the reference keeps the store's memory.
    private let id: ObjectIdentifier
    /// The file that other stores may have open too; nil if others can't, or tell each other.
    let path: String?

    init(coordinator: NSPersistentStoreCoordinator, store: NSPersistentStore) {
      storeReference = LivingReference(store)
      coordinatorReference = LivingReference(coordinator)
      id = ObjectIdentifier(store)
      path = RemoteChanges.path(of: store)
    }

    var store: NSPersistentStore? { storeReference.object }
    var coordinator: NSPersistentStoreCoordinator? { coordinatorReference.object }

    func isOf(_ store: NSPersistentStore) -> Bool { id == ObjectIdentifier(store) }
  }

  private static let lock = NSLock()
  /// How many listeners there are. Most programs have none, and their saves take no lock.
  private static let count = AtomicWord()
  @exclusivity(unchecked) private nonisolated(unsafe) static var listeners: [Listener] = []
  private static let queue = DispatchQueue(label: "NSPersistentStoreRemoteChange")

  /// Called for every added store. Only those that were opened with the option are watched for writes by others.
  static func addListener(for store: NSPersistentStore, of coordinator: NSPersistentStoreCoordinator) {
    if store.options?.flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey) != true { return }
    let listener = Listener(coordinator: coordinator, store: store)
    lock.withLock {
      listeners.append(listener)
      count.value = UInt(listeners.count)
    }
    (store as? any WatchableStore)?.beginWatching { number in postChange(listener, number) }
  }

  static func removeListeners(of store: NSPersistentStore) {
    forget(store)
    (store as? any WatchableStore)?.endWatching()
  }

  /// Called also when a coordinator is freed.
  static func forget(_ store: NSPersistentStore) {
    lock.withLock {
      listeners.removeAll { $0.isOf(store) }
      count.value = UInt(listeners.count)
    }
  }

  /// Called after each commit.
  static func announce(_ written: [NSPersistentStore]) {
    if count.value == 0 { return }
    let known = lock.withLock { listeners }
    if !NotificationObservers.areThere(for: .NSPersistentStoreRemoteChange) { return }
    // Only where another store listens.
    lazy var paths = written.map(path(of:))
    for listener in known {
      var place = written.firstIndex(where: listener.isOf)
      if place == nil, let path = listener.path { place = paths.firstIndex(of: path) }
      guard let place else { continue }
      postChange(listener, written[place].identity.rowStore?.storeHistory?.placeAfterWriting)
    }
  }

  /// - Parameter number: of the last transaction in the store's history, if it keeps one.
  private static func postChange(_ listener: Listener, _ number: Int64?) {
    guard let store = listener.store, let url = store.url else { return }
    var info: [AnyHashable: Any] = [NSStoreUUIDKey: store.identity.uuid, NSPersistentStoreURLKey: url]
    if let number, store.identity.rowStore?.storeHistory != nil {
      info[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken([store.identity.uuid: number])
    }
    let post = QueueResult(value: (listener, info))
    queue.async {
      guard let coordinator = post.value.0.coordinator else { return }
      NotificationCenter.default.post(
        name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: post.value.1)
    }
  }

  /// Where a store's file is, without links; nil if no other store tells of it. A server tells each store of what the
  /// others have written.
  private static func path(of store: NSPersistentStore) -> String? {
    guard store is any WatchableStore, !(store is any ServerStore), let url = store.url, !url.isStoreInMemory else {
      return nil
    }
    return url.isFileURL ? url.resolvingSymlinksInPath().path : url.absoluteString
  }
}
