import CoreData

/// A writer that saves the blocks together that came while the last save was under way: that of chapter 5
/// (`CoreDataManager+GroupCommit.swift`), which has a model and a store of its own, so that it can't write books.
///
/// 1. No success is reported before its commit.
/// 2. A block that fails fails alone: those before and after it in the group are saved.
/// 3. Blocks take effect in the order in which they were enqueued.
final class GroupWriter: @unchecked Sendable {
  // Sendable: `waiting` and `savesDone` are touched under `lock`, everything else is set once.

  typealias Block = (NSManagedObjectContext) throws -> Void
  typealias Completion = (Result<Void, any Error>) -> Void

  private struct Job {
    let block: Block
    let completion: Completion
  }

  private let coordinator: NSPersistentStoreCoordinator
  private let groupLimit: Int
  private let lock = NSLock()
  private var waiting: [Job] = []
  private var savesDone = 0
  private let queue: OperationQueue = {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }()

  init(coordinator: NSPersistentStoreCoordinator, groupLimit: Int) {
    self.coordinator = coordinator
    self.groupLimit = groupLimit
  }

  var saveCount: Int { lock.withLock { savesDone } }

  func enqueue(_ block: @escaping Block, completion: @escaping Completion) {
    lock.withLock { waiting.append(Job(block: block, completion: completion)) }
    queue.addOperation { [self] in commitWaitingBlocks() }
  }

  private func commitWaitingBlocks() {
    let jobs = takeWaitingJobs()
    guard !jobs.isEmpty else { return }
    if jobs.count > 1, case .success = commit(jobs) {
      return jobs.forEach { $0.completion(.success(())) }
    }
    for job in jobs { job.completion(commit([job])) }
  }

  private func commit(_ jobs: [Job]) -> Result<Void, any Error> {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context.performAndWait {
      defer { context.reset() }
      return Result {
        for job in jobs { try job.block(context) }
        guard context.hasChanges else { return }
        try context.save()
        lock.withLock { savesDone += 1 }
      }
    }
  }

  private func takeWaitingJobs() -> [Job] {
    lock.withLock {
      let jobs = Array(waiting.prefix(groupLimit))
      waiting.removeFirst(jobs.count)
      return jobs
    }
  }
}
