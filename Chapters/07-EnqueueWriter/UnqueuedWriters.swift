import CoreData

/// The same work without the queue: every writer has its own background context and saves when it likes.
///
/// In each round all writers read the tally before any of them saves. Without a queue this may happen at any
/// time. Here it happens every time, so the outcome is certain: one save goes through, and all others conflict.
public struct UnqueuedWriters {
  public struct Outcome: Equatable, Sendable {
    public var saved = 0
    public var conflicts = 0
    /// Failures of any other kind; expected to stay 0.
    public var otherFailures = 0
  }

  let container: NSPersistentContainer

  public init(_ manager: CoreDataManager) {
    container = manager.container
  }

  /// A context of its own for each of so many writers.
  public func contexts(_ count: Int) -> [NSManagedObjectContext] {
    (0..<count).map { _ in container.newBackgroundContext() }
  }

  /// As many threads as writers, each with a context of its own: all read, then all save.
  public func run(
    writers: Int, rounds: Int, adding name: String, mergePolicy: NSMergePolicy = .error
  ) -> Outcome {
    let lock = NSLock()
    var outcome = Outcome()
    //> unqueued
    for _ in 0..<rounds {
      let contexts = (0..<writers).map { _ in container.newBackgroundContext() }
      DispatchQueue.concurrentPerform(iterations: writers) { writer in
        contexts[writer].performAndWait {
          contexts[writer].mergePolicy = mergePolicy
          (try? Tally.named(name, in: contexts[writer]))?.total += 1
        }
      }
      DispatchQueue.concurrentPerform(iterations: writers) { writer in
        contexts[writer].performAndWait {
          let result = Result { try contexts[writer].saveIfNeeded() }
          lock.withLock { outcome.count(result) }
        }
      }
    }
    //< unqueued
    return outcome
  }

  //> collide
  /// Two writers, one after the other: both read, then both save.
  ///
  /// - Returns: The error of the second save, and what was in conflict.
  public func collide(
    adding name: String
  ) throws -> (error: NSError, conflicts: [TallyConflict])? {
    let first = container.newBackgroundContext()
    let second = container.newBackgroundContext()
    for context in [first, second] {
      try context.performAndWait { try Tally.named(name, in: context).total += 1 }
    }
    try first.performAndWait { try first.save() }
    return second.performAndWait {
      do {
        try second.save()
        return nil
      } catch {
        return (error as NSError, TallyConflict.all(in: error))
      }
    }
  }
  //< collide
}

extension UnqueuedWriters.Outcome {
  fileprivate mutating func count(_ result: Result<Bool, any Error>) {
    switch result {
    case .success(true):
      saved += 1
    case .failure(let error as NSError)
    where error.domain == NSCocoaErrorDomain && error.code == NSManagedObjectMergeError:
      conflicts += 1
    default:
      otherFailures += 1
    }
  }
}
