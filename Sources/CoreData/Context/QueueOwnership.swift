internal import CSwiftRuntime

/// The contexts whose queues the running thread owns, because it is in their `perform` blocks. Innermost first.
///
/// `performAndWait` runs on the calling thread, so a thread may own several at once. Dispatch would only name the
/// innermost queue.
final class QueueOwnership {
  /// Kept alive by the call that runs the block.
  private unowned(unsafe) let context: NSManagedObjectContext
  private let outer: UnsafeMutableRawPointer?
  private let hasMainQueue: Bool

  private init(_ context: NSManagedObjectContext, outer: UnsafeMutableRawPointer?, hasMainQueue: Bool) {
    self.context = context
    self.outer = outer
    self.hasMainQueue = hasMainQueue
  }

  /// Runs `body` with the thread owning the context's queue.
  ///
  /// - Parameter hasMainQueue: whether the thread has the main queue besides, and Dispatch doesn't say so any more.
  static func with<T, Problem: Error>(
    _ context: NSManagedObjectContext, hasMainQueue: Bool = false, _ body: () throws(Problem) -> T
  ) throws(Problem) -> T {
    let outer = core_data_queue_ownership()
    let frame = QueueOwnership(context, outer: outer, hasMainQueue: hasMainQueue || hasMainQueueOutside)
    core_data_set_queue_ownership(Unmanaged.passUnretained(frame).toOpaque())
    defer {
      core_data_set_queue_ownership(outer)
      withExtendedLifetime((frame, context)) {}
    }
    return try body()
  }

  /// The innermost `perform` block on this thread.
  private static var frame: QueueOwnership? {
    core_data_queue_ownership().map { Unmanaged<QueueOwnership>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The context of the innermost `perform` block on this thread.
  static var innermost: NSManagedObjectContext? { frame?.context }

  /// All contexts whose `perform` blocks the thread is in, innermost first.
  static var contexts: [NSManagedObjectContext] {
    var contexts: [NSManagedObjectContext] = []
    _ = contains {
      contexts.append($0)
      return false
    }
    return contexts
  }

  static func isOwned(_ owner: ContextOwner) -> Bool { contains { $0.owner === owner } }

  /// Whether the thread owns the queue of a context, which may have no coordinator yet, and so no owner.
  static func isOwned(_ context: NSManagedObjectContext) -> Bool { contains { $0 === context } }

  private static func contains(where matches: (NSManagedObjectContext) -> Bool) -> Bool {
    var pointer = core_data_queue_ownership()
    while let current = pointer {
      let frame = Unmanaged<QueueOwnership>.fromOpaque(current).takeUnretainedValue()
      if matches(frame.context) { return true }
      pointer = frame.outer
    }
    return false
  }

  /// With an async `main`, blocks of the main queue may run on a thread other than the main one, so this asks for the
  /// queue first and for the thread second. Within a `performAndWait` of another queue Dispatch only knows that one.
  static var isMainQueue: Bool {
    _ = mainQueueMark
    if DispatchQueue.getSpecific(key: mainQueueKey) == true || Thread.isMainThread { return true }
    return hasMainQueueOutside
  }

  private static var hasMainQueueOutside: Bool { frame?.hasMainQueue == true }

  private static let mainQueueKey = DispatchSpecificKey<Bool>()
  private static let mainQueueMark: Void = DispatchQueue.main.setSpecific(key: mainQueueKey, value: true)
}

/// Whether the running code is the main queue's.
package func isOnMainQueue() -> Bool { QueueOwnership.isMainQueue }

extension NSManagedObjectContext {
  /// Has `follower` told of each relationship, by its name, that changes because its other end does. For a context that
  /// has a coordinator and no objects yet.
  package final func followInverses(_ follower: @escaping (NSManagedObject, String) -> Void) {
    owner.inverseFollower = { follower($0, $1.name) }
  }

  /// The context of the innermost `perform` block on this thread.
  static var current: NSManagedObjectContext? { QueueOwnership.innermost }
}
