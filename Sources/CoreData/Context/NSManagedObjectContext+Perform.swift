/// Getting onto the context's queue. These are the only entries that may be called on any thread.
extension NSManagedObjectContext {
  /// ``perform(_:)``.
  func enqueue(_ block: @escaping () -> Void) {
    queue.async { self.runAsEvent(block) }
  }

  /// Runs a block on the context's queue and waits for it. May be nested, in blocks of this context and of others.
  ///
  /// Waiting for the main queue from a block that the main queue waits for is a deadlock, as always.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    guard let owner else { return try onQueue(block) }
    if owner.isOnQueue { return try block() }
    return try onQueue { try QueueOwnership.with(owner, block) }
  }

  private func onQueue<T>(_ block: () throws -> T) rethrows -> T {
    if concurrencyType == .mainQueueConcurrencyType, QueueOwnership.isMainQueue { return try block() }
    return try queue.sync(execute: block)
  }

  private func runAsEvent<T, Problem: Error>(_ block: () throws(Problem) -> T) throws(Problem) -> T {
    guard let owner else { return try block() }
    return try QueueOwnership.with(owner) { () throws(Problem) -> T in
      defer { processPendingChanges() }
      return try block()
    }
  }

  /// When `perform(schedule:_:)` runs its block.
  public enum ScheduledTaskType: Int, Sendable {
    /// At once, when the caller is on the context's queue already.
    case immediate
    /// After all that is waiting.
    case enqueued
  }

  /// Runs a block on the context's queue and returns, or throws, what it does.
  public func perform<T, Problem: Error>(
    schedule: ScheduledTaskType = .immediate, _ block: sending @escaping () throws(Problem) -> T
  ) async throws(Problem) -> T {
    let outcome: Carrier<Result<T, Problem>> = await withCheckedContinuation { continuation in
      let block = Carrier(value: block)
      let run: @Sendable () -> Void = {
        let outcome = Result { () throws(Problem) -> T in try self.runAsEvent(block.value) }
        continuation.resume(returning: Carrier(value: outcome))
      }
      if schedule == .immediate, owner?.isOnQueue == true { run() } else { queue.async(execute: run) }
    }
    return try outcome.value.get()
  }

  /// Carries a block to the queue, and its outcome back: each is used on one side only, once.
  private struct Carrier<Value>: @unchecked Sendable {
    let value: Value
  }
}
