import CoreData

/// Many threads that all want to write, to test the writer with.
public struct Producers {
  /// What came back to the producers.
  public struct Outcome: Equatable, Sendable {
    public var committed = 0
    public var failed = 0
    /// Whether the successes of each producer came in the order in which it enqueued.
    public var inOrder = true
  }

  public let count: Int
  public let blocksEach: Int

  public init(count: Int, blocksEach: Int) {
    self.count = count
    self.blocksEach = blocksEach
  }

  //> producers
  /// Each producer has a thread of its own. With each entry it adds one to the tally.
  public func run(on manager: CoreDataManager, adding name: String) -> Outcome {
    let lock = NSLock()
    var outcome = Outcome()
    var last = [Int32](repeating: 0, count: count)
    DispatchQueue.concurrentPerform(iterations: count) { producer in
      for sequence in 1...Int32(blocksEach) {
        manager.enqueue { context in
          let entry = Entry(context: context)
          entry.producer = Int32(producer)
          entry.sequence = sequence
          try Tally.named(name, in: context).total += 1
        } completion: { result in
          lock.withLock {
            if case .failure = result {
              outcome.failed += 1
              return
            }
            outcome.committed += 1
            if last[producer] + 1 != sequence { outcome.inOrder = false }
            last[producer] = sequence
          }
        }
      }
    }
    manager.waitUntilWritten()
    return lock.withLock { outcome }
  }
  //< producers
}
