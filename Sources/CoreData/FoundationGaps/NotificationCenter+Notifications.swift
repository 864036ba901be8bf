import Foundation

// Notifications as an asynchronous sequence, which Foundation on Linux lacks. Should it get them, those are
// used.

extension NotificationCenter {
  /// The notifications of a name, as they are posted.
  ///
  ///     for await _ in NotificationCenter.default.notifications(named: .NSPersistentStoreRemoteChange) {
  ///       try await importer.readHistory()
  ///     }
  ///
  /// The center is observed from the moment that iteration begins until it ends, because its task is cancelled or the
  /// iterator is gone. Notifications that are posted meanwhile wait for their turn.
  ///
  /// - Parameters:
  ///   - name: the name of the notifications.
  ///   - object: the sender; nil for all senders.
  @_disfavoredOverload
  public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
    Notifications(center: self, name: name, object: object)
  }

  /// The notifications of a name; see ``notifications(named:object:)``.
  public final class Notifications: AsyncSequence, @unchecked Sendable {
    // `@unchecked Sendable`: nothing changes after `init`.

    private let center: NotificationCenter
    private let name: Notification.Name
    private let object: AnyObject?

    fileprivate init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
      (self.center, self.name, self.object) = (center, name, object)
    }

    /// Observes the center from now on.
    public func makeAsyncIterator() -> Iterator {
      let (stream, continuation) = AsyncStream.makeStream(of: Posted.self)
      let observation = Observation(center)
      observation.observer = center.addObserver(forName: name, object: object, queue: nil) {
        continuation.yield(Posted(notification: $0))
      }
      continuation.onTermination = { _ in observation.end() }
      return Iterator(waiting: stream.makeAsyncIterator())
    }

    /// Waits for notifications.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate var waiting: AsyncStream<Posted>.Iterator

      /// The next notification; nil once the task is cancelled.
      public mutating func next() async -> Notification? { await waiting.next()?.notification }

      /// The next notification; nil once the task is cancelled.
      ///
      /// - Parameter actor: the actor that waits.
      public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
        await waiting.next(isolation: actor)?.notification
      }
    }

    /// A notification on its way to the task that waits, which is the only one that gets it.
    fileprivate struct Posted: @unchecked Sendable {
      // `@unchecked Sendable`: see above.
      let notification: Notification
    }

    /// What is observed until the sequence ends.
    private final class Observation: @unchecked Sendable {
      // `@unchecked Sendable`: `observer` is set before any other thread knows of it.
      private let center: NotificationCenter
      var observer: (any NSObjectProtocol)?

      init(_ center: NotificationCenter) { self.center = center }

      func end() { if let observer { center.removeObserver(observer) } }
    }
  }
}
