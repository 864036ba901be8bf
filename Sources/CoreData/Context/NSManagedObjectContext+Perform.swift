/// Getting onto the context's queue. These are the only entries that may be called on any thread.
extension NSManagedObjectContext {
  /// ``perform(_:)``.
  func enqueue(_ block: @escaping () -> Void) {
    queue.async { self.runAsEvent(block) }
  }

  /// Runs a block on the context's queue and waits for it. May be nested, in blocks of this context and of others.
  /// What the block changes is processed by the next event, fetch or save: this does not end an event.
  ///
  /// Waiting for the main queue from a block that the main queue waits for is a deadlock, as always.
  public func performAndWait<T, Problem: Error>(_ block: () throws(Problem) -> T) throws(Problem) -> T {
    if type(of: self) == NSManagedObjectContext.self { return try runAndWait(block) }
    return try waitThroughOverride(
      of: self, { () throws(Problem) in try runAndWait(block) }, block)
  }

  /// ``performAndWait(_:)``, of either kind.
  func runAndWait<T, Problem: Error>(_ block: () throws(Problem) -> T) throws(Problem) -> T {
    if isOnQueue { return try block() }
    let outcome: Result<T, Problem> = queue.sync {
      QueueOwnership.with(self) {
        do throws(Problem) { return .success(try block()) } catch { return .failure(error) }
      }
    }
    return try outcome.get()
  }

  /// Whether the calling thread may use the context; asked also before there is a coordinator.
  private var isOnQueue: Bool {
    QueueOwnership.isOwned(self) || concurrencyType == .mainQueueConcurrencyType && QueueOwnership.isMainQueue
  }

  private func runAsEvent<T>(_ block: () throws -> T) rethrows -> T {
    try QueueOwnership.with(self) {
      defer {
        processPendingChanges()
        undoManager?.endEvent()
      }
      return try block()
    }
  }

  /// When `perform(schedule:_:)` runs its block.
  public enum ScheduledTaskType: Sendable {
    /// At once, when the caller is on the context's queue already.
    case immediate
    /// After all that is waiting.
    case enqueued
  }

  /// Runs a block on the context's queue and returns, or throws, what it does; then processes pending changes.
  ///
  /// It starts on the caller's executor: that of the main actor is the queue of a main-queue context, so from there
  /// an immediate block runs at once.
  @preconcurrency
  nonisolated(nonsending) public func perform<T>(
    schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws -> T
  ) async rethrows -> T {
    let outcome: Carrier<Result<T, any Error>> = await withCheckedContinuation { continuation in
      let run: @Sendable () -> Void = {
        let outcome = Result { try self.runAsEvent(block) }
        continuation.resume(returning: Carrier(value: outcome))
      }
      if schedule == .immediate, isOnQueue { run() } else { queue.async(execute: run) }
    }
    return try outcome.value.get(as: block)
  }
}

/// From before contexts had queues.
extension NSManagedObjectContext {
  /// Does nothing: a context is bound to its queue.
  @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:)")
  public func lock() {}

  /// Does nothing: a context is bound to its queue.
  @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:)")
  public func unlock() {}

  /// Does nothing, and is always true: a context is bound to its queue.
  @available(*, deprecated, message: "Use perform(_:) or performAndWait(_:)")
  public func tryLock() -> Bool { true }
}

/// The queue of a private-queue context. Dispatch takes a queue's label at its making only, so it is made for the
/// context's first block: until then the context's name, which is the label, may be set.
final class PrivateQueue: @unchecked Sendable {
  // `@unchecked Sendable`: `made` is only touched under `lock`.
  private let lock = NSLock()
  private var made: DispatchQueue?

  func queue(label: @autoclosure () -> String?) -> DispatchQueue {
    lock.lock()
    defer { lock.unlock() }
    if let made { return made }
    let queue = DispatchQueue(label: label() ?? "NSManagedObjectContext")
    made = queue
    return queue
  }
}
