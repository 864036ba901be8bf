import Foundation

/// Waits until no other thread is between this call and ``objc_sync_exit(_:)`` for the same object. A thread may call
/// it several times over. Without Objective-C there is no such function on Linux.
///
/// - Returns: 0.
@discardableResult
public func objc_sync_enter(_ obj: Any) -> Int32 {
  ObjectMonitor.enter(ObjectIdentifier(obj as AnyObject))
  return 0
}

/// Ends what ``objc_sync_enter(_:)`` began.
///
/// - Returns: 0, or -1 if this thread has not called `objc_sync_enter` for the object.
@discardableResult
public func objc_sync_exit(_ obj: Any) -> Int32 { ObjectMonitor.exit(ObjectIdentifier(obj as AnyObject)) ? 0 : -1 }

/// The lock of an object, while some thread is inside or waits.
// @unchecked Sendable: its variables are only touched under `tableLock`.
private final class ObjectMonitor: @unchecked Sendable {
  private let lock = NSRecursiveLock()
  /// The thread that is inside, once for each of its calls.
  private var owners: [pthread_t] = []
  /// How many calls of `enter` have not been ended.
  private var users = 0

  private static let tableLock = NSLock()
  nonisolated(unsafe) private static var table: [ObjectIdentifier: ObjectMonitor] = [:]

  static func enter(_ object: ObjectIdentifier) {
    let monitor = tableLock.withLock {
      let monitor = table[object] ?? ObjectMonitor()
      monitor.users += 1
      table[object] = monitor
      return monitor
    }
    monitor.lock.lock()
    tableLock.withLock { monitor.owners.append(pthread_self()) }
  }

  static func exit(_ object: ObjectIdentifier) -> Bool {
    tableLock.withLock {
      guard let monitor = table[object], let owner = monitor.owners.last, pthread_equal(owner, pthread_self()) != 0
      else { return false }
      monitor.owners.removeLast()
      monitor.lock.unlock()
      monitor.users -= 1
      if monitor.users == 0 { table[object] = nil }
      return true
    }
  }
}
