internal import CSwiftRuntime

/// Which contexts' queues the running thread owns: those whose `perform` blocks it is in, innermost first.
///
/// `performAndWait` runs on the calling thread, so a thread may own several at once; asking Dispatch for the
/// current queue would find the innermost only.
final class QueueOwnership {
  private unowned(unsafe) let owner: ContextOwner
  private let outer: UnsafeMutableRawPointer?

  private init(_ owner: ContextOwner, outer: UnsafeMutableRawPointer?) {
    self.owner = owner
    self.outer = outer
  }

  /// Runs `body` with the thread owning the context's queue.
  static func with<T, Problem: Error>(
    _ owner: ContextOwner, _ body: () throws(Problem) -> T
  ) throws(Problem) -> T {
    let outer = core_data_queue_ownership()
    let frame = QueueOwnership(owner, outer: outer)
    core_data_set_queue_ownership(Unmanaged.passUnretained(frame).toOpaque())
    defer {
      core_data_set_queue_ownership(outer)
      withExtendedLifetime(frame) {}
    }
    return try body()
  }

  /// The context of the innermost `perform` block on this thread.
  static var innermost: ContextOwner? {
    core_data_queue_ownership().map {
      Unmanaged<QueueOwnership>.fromOpaque($0).takeUnretainedValue().owner
    }
  }

  static func isOwned(_ owner: ContextOwner) -> Bool {
    var pointer = core_data_queue_ownership()
    while let current = pointer {
      let frame = Unmanaged<QueueOwnership>.fromOpaque(current).takeUnretainedValue()
      if frame.owner === owner { return true }
      pointer = frame.outer
    }
    return false
  }

  /// Under an async `main` blocks of the main queue may run on another thread than the main one, so the queue
  /// is asked first and the thread second.
  static var isMainQueue: Bool {
    _ = mainQueueMark
    return DispatchQueue.getSpecific(key: mainQueueKey) == true || Thread.isMainThread
  }

  private static let mainQueueKey = DispatchSpecificKey<Bool>()
  private static let mainQueueMark: Void = DispatchQueue.main.setSpecific(key: mainQueueKey, value: true)
}
