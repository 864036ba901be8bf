extension NSManagedObjectContext: _BlockPerforming {}

extension _BlockPerforming where Self: NSManagedObjectContext {
  /// Runs a block on the context's queue and waits for it. May be nested, in blocks of this context and of others.
  /// What the block changes is processed by the next event, fetch or save: this does not end an event.
  ///
  /// A block of `perform` that the main queue waits for must not wait for the main queue: that is a deadlock. One of
  /// `performAndWait` may, since it runs on the main queue's thread. A child may ask its parent while the parent's
  /// queue waits for the child's.
  public func performAndWait(_ block: () -> Void) {
    if type(of: self) == NSManagedObjectContext.self { return runAndWait(block) }
    waitThroughOverride(of: self, { runAndWait(block) }, block)
  }

  /// Runs a block on the context's queue, waits for it, and returns its value or throws its error. May be nested, like
  /// the form for a block that returns nothing, and does not end an event either.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    if type(of: self) == NSManagedObjectContext.self { return try runAndWait(block) }
    return try waitThroughOverride(of: self, { () throws in try runAndWait(block) }, block)
  }
}

/// Getting onto the context's queue. These are the only entries that may be called on any thread.
extension NSManagedObjectContext {
  /// ``perform(_:)``.
  func enqueue(_ block: @escaping () -> Void) {
    if concurrencyType.isConfined { misuse(.noQueue(self, "perform(_:)")) }
    contextQueue.async(label: name) { self.runAsEvent(block) }
  }

  /// Both kinds of ``performAndWait(_:)``.
  func runAndWait<T, Problem: Error>(_ block: () throws(Problem) -> T) throws(Problem) -> T {
    if concurrencyType.isConfined { misuse(.noQueue(self, "performAndWait(_:)")) }
    return try runInTurn(block)
  }

  /// Runs a block on the context's queue and waits for it. A context without a queue runs it on this thread.
  func runInTurn<T, Problem: Error>(_ block: () throws(Problem) -> T) throws(Problem) -> T {
    if isOnQueue {
      // `NSFetchRequest.execute()` asks for the innermost block's context.
      if QueueOwnership.innermost === self { return try block() }
      return try QueueOwnership.with(self, block)
    }
    // Only the caller knows the types. Each step that had one for a parameter would have to look it up, and so would a
    // variable for the error.
    var (value, problem): (T?, (any Error)?) = (nil, nil)
    waitForTurn {
      do throws(Problem) { value = try block() } catch { problem = error }
    }
    if let problem { throw problem as! Problem }
    return value!
  }

  private func waitForTurn(_ block: () -> Void) {
    let hasMainQueue = QueueOwnership.isMainQueue
    contextQueue.sync(label: name) { QueueOwnership.with(self, hasMainQueue: hasMainQueue, block) }
  }

  /// ``performAndWait(_:)`` for a child's questions; see `ContextQueue`.
  func runAnswering<T>(_ question: () throws -> T) rethrows -> T {
    if isOnQueue { return try question() }
    let outcome = contextQueue.ask(label: name, above: contextsAbove.map(\.contextQueue)) {
      QueueOwnership.with(self) { Result { try question() } }
    }
    return try outcome.get(as: question)
  }

  var contextsAbove: [NSManagedObjectContext] { parent.map { [$0] + $0.contextsAbove } ?? [] }

  /// Whether the calling thread may use the context; asked also before there is a coordinator.
  private var isOnQueue: Bool {
    QueueOwnership.isOwned(self) || concurrencyType.isConfined
      || concurrencyType == .mainQueueConcurrencyType && QueueOwnership.isMainQueue
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
    /// At once, if the caller is on the context's queue already; otherwise when its turn comes.
    case immediate
    /// After all blocks that are waiting.
    case enqueued
  }

  /// Runs a block on the context's queue and returns, or throws, what it does; then processes pending changes.
  ///
  /// This starts on the caller's executor. The main actor's is the queue of main-queue contexts, so an immediate block
  /// runs at once there.
  @preconcurrency
  nonisolated(nonsending) public func perform<T>(
    schedule: ScheduledTaskType = .immediate, _ block: @escaping @Sendable () throws -> T
  ) async rethrows -> T {
    if concurrencyType.isConfined { misuse(.noQueue(self, "perform(schedule:_:)")) }
    let outcome: QueueResult<Result<T, any Error>> = await withCheckedContinuation { continuation in
      let run: @Sendable () -> Void = {
        let outcome = Result { try self.runAsEvent(block) }
        continuation.resume(returning: QueueResult(value: outcome))
      }
      if schedule == .immediate, isOnQueue { run() } else { contextQueue.async(label: name, run) }
    }
    return try outcome.value.get(as: block)
  }
}

extension MisuseReport {
  fileprivate static func noQueue(_ context: NSManagedObjectContext, _ call: String) -> MisuseReport {
    MisuseReport(
      "Can only use \(call) on a context that was created with a queue.",
      facts: [("Context", context.label)],
      how: "The context was made by init(), or with confinementConcurrencyType: it is used on the thread that made it.",
      remedy: "Make it with privateQueueConcurrencyType or mainQueueConcurrencyType.")
  }
}

/// Calls from before contexts had queues.
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

extension NSManagedObjectContext: OverridableWaiting {}
