import ChapterSupport
import CoreData
import EnqueueWriterChapter

extension EnqueueWriterProgram {
  @MainActor func showWithoutQueue(_ manager: CoreDataManager, _ file: WriterFile) throws {
    Output.heading("Writers without a queue")
    try setTally("unqueued", to: 0, manager)
    try showRounds("a conflict is an error", .error, manager, file)
    try showRounds("a merge policy settles it", .mergeByPropertyObjectTrump, manager, file)
  }

  @MainActor private func showRounds(
    _ title: String, _ policy: NSMergePolicy, _ manager: CoreDataManager, _ file: WriterFile
  ) throws {
    let total = try file.total("unqueued")
    let outcome = UnqueuedWriters(manager)
      .run(writers: 8, rounds: 10, adding: "unqueued", mergePolicy: policy)
    Output.line("\(title):")
    Output.line("  8 writers, 10 rounds: \(outcome.saved) saved, \(outcome.conflicts) in conflict")
    if outcome.otherFailures > 0 { Output.line("  and \(outcome.otherFailures) failed for other reasons") }
    let added = try file.total("unqueued") - total
    Output.line("  in the file: the tally is \(added) higher, not 80")
  }

  /// Two writers without the queue. The second one's error is read line by line, and ends the program.
  @MainActor func showCollision(_ manager: CoreDataManager, _ file: WriterFile) throws {
    Output.heading("Two writers that do not queue")
    try setTally("unqueued", to: 5, manager)
    Output.line("in the file: \(try file.total("unqueued")), version \(try file.version("unqueued"))")
    guard let (error, conflicts) = try UnqueuedWriters(manager).collide(adding: "unqueued") else {
      throw ChapterFailure("Both writers have saved to \(file.url.path).")
    }
    Output.line("the second save failed")
    Output.line("  domain and code: \(error.domain) \(error.code)")
    Output.line("  reason:          \(error.localizedFailureReason ?? "none")")
    Output.line("  userInfo has:    \(error.userInfo.keys.sorted().joined(separator: ", "))")
    for conflict in conflicts {
      Output.table(
        [
          ["", "read", "to be saved", "in the store"],
          ["total", text(conflict.readTotal), text(conflict.wantedTotal), text(conflict.storedTotal)],
          ["version", "\(conflict.readVersion)", "", "\(conflict.storedVersion)"],
        ])
    }
    Output.line("in the file: \(try file.total("unqueued")), version \(try file.version("unqueued"))")
    _ = enqueueTogether(2, on: manager) { _, context in
      try Tally.named("unqueued", in: context).total += 1
    }
    Output.line("two more, through the queue")
    Output.line("in the file: \(try file.total("unqueued")), version \(try file.version("unqueued"))")
    throw ChapterFailure(
      "The tally had changed since it was read; the second save has written nothing (\(error.code)).")
  }

  private func text(_ total: Int64?) -> String { total.map(String.init) ?? "none" }

  private func setTally(_ name: String, to total: Int64, _ manager: CoreDataManager) throws {
    var failure: (any Error)?
    manager.enqueue({ try Tally.named(name, in: $0).total = total }) { result in
      if case .failure(let error) = result { failure = error }
    }
    manager.waitUntilWritten()
    if let failure { throw failure }
  }
}
