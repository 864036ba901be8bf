import CoreData

// A commit costs the same whether it carries one change or sixty. So the blocks that came while the last
// save was under way are saved together:
//
//     waiting blocks ──> one context, each block in turn ──> one save ──> each block's success
//                              │ a block throws, or the save fails
//                              └──> all is dropped; each block again, alone ──> its own success or failure
//
// 1. No success is reported before its commit.
// 2. A block that fails fails alone: those before and after it in the group are saved.
// 3. Blocks take effect in the order in which they were enqueued, in a group or not.

extension CoreDataManager {
  //> group
  /// Each block adds an operation. The first one to run takes all blocks that wait, up to the
  /// limit, so the later ones find nothing to do.
  func commitWaitingBlocks() {
    let jobs = takeWaitingJobs()
    guard !jobs.isEmpty else { return }
    if let loadingFailure {
      return jobs.forEach { finish($0, .failure(loadingFailure)) }
    }
    if jobs.count > 1, case .success = commit(jobs) {
      return jobs.forEach { finish($0, .success(())) }
    }
    for job in jobs { finish(job, commit([job])) }
  }

  /// Runs the blocks in one fresh context, saves once, and empties the context in any case.
  private func commit(_ jobs: [Job]) -> Result<Void, any Error> {
    let context = container.newBackgroundContext()
    return context.performAndWait {
      defer { context.reset() }
      return Result {
        for job in jobs { try job.block(context) }
        if try context.saveIfNeeded() { lock.withLock { savesDone += 1 } }
      }
    }
  }
  //< group

  private func takeWaitingJobs() -> [Job] {
    lock.withLock {
      let jobs = Array(waiting.prefix(groupLimit))
      waiting.removeFirst(jobs.count)
      return jobs
    }
  }

  private func finish(_ job: Job, _ result: Result<Void, any Error>) {
    if case .failure(let error) = result { report(error) }
    job.completion(result)
  }
}
