/// The coordinators to notify when a store's file was written, by any coordinator or process.
///
/// Notifications are posted on a queue of their own, so that an observer may wait for any context. Any thread; the
/// list is only touched under `lock`.
enum RemoteChanges {
  private final class Listener {
    private let storeReference: LivingReference<NSPersistentStore>
    private let coordinatorReference: LivingReference<NSPersistentStoreCoordinator>

    init(coordinator: NSPersistentStoreCoordinator, store: NSPersistentStore) {
      storeReference = LivingReference(store)
      coordinatorReference = LivingReference(coordinator)
    }

    var store: NSPersistentStore? { storeReference.object }
    var coordinator: NSPersistentStoreCoordinator? { coordinatorReference.object }
  }

  private static let lock = NSLock()
  private nonisolated(unsafe) static var listeners: [Listener] = []
  private static let queue = DispatchQueue(label: "NSPersistentStoreRemoteChange")

  /// Called for every added store. Only those that were opened with the option are watched for writes by others.
  static func addListener(for store: NSPersistentStore, of coordinator: NSPersistentStoreCoordinator) {
    if store.options?.flag(NSPersistentStoreRemoteChangeNotificationPostOptionKey) != true { return }
    let listener = Listener(coordinator: coordinator, store: store)
    // Reading the references may retain the last reference to an object, so they are released after the lock.
    let known = lock.withLock {
      let known = listeners.map { ($0.store, $0.coordinator) }
      listeners = zip(listeners, known).compactMap { $1.0 == nil || $1.1 == nil ? nil : $0 }
      listeners.append(listener)
      return known
    }
    withExtendedLifetime(known) {}
    (store as? any WatchableStore)?.beginWatching { number in postChange(listener, number) }
  }

  static func removeListeners(of store: NSPersistentStore) {
    let known = lock.withLock {
      let known = listeners.map(\.store)
      listeners = zip(listeners, known).compactMap { $1 == nil || $1 === store ? nil : $0 }
      return known
    }
    withExtendedLifetime(known) {}
    (store as? any WatchableStore)?.endWatching()
  }

  /// Called after each commit.
  static func announce(_ written: [NSPersistentStore]) {
    for listener in lock.withLock({ listeners }) {
      guard let store = listener.store, let writer = written.first(where: { $0 === store || isSameFile($0, store) })
      else { continue }
      postChange(listener, writer.identity.rowStore?.storeHistory?.placeAfterWriting)
    }
  }

  /// - Parameter number: of the last transaction in the store's history, if it keeps one.
  private static func postChange(_ listener: Listener, _ number: Int64?) {
    guard let store = listener.store, let url = store.url else { return }
    var info: [AnyHashable: Any] = [NSStoreUUIDKey: store.identity.uuid, NSPersistentStoreURLKey: url]
    if let number, store.identity.rowStore?.storeHistory != nil {
      info[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken([store.identity.uuid: number])
    }
    let post = QueueResult(value: (listener.coordinator, info))
    queue.async {
      guard let coordinator = post.value.0 else { return }
      NotificationCenter.default.post(
        name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: post.value.1)
    }
  }

  private static func isSameFile(_ one: NSPersistentStore, _ other: NSPersistentStore) -> Bool {
    // A server tells each store of what the others have written.
    guard one is any WatchableStore, other is any WatchableStore, !(one is any ServerStore), let url = one.url,
      let otherURL = other.url
    else {
      return false
    }
    return url.isSameFile(as: otherURL)
  }
}
