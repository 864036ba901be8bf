import ArgumentParser
import ChapterSupport
import CoreData
import EnqueueWriterChapter
import Foundation
import StoreFileReader

@main
struct EnqueueWriterProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "EnqueueWriter",
    abstract: "One queue for all writers: order, no conflicts, one save for many, and the same without it.")

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case conflicts, producers, groups, failures, reading
  }

  @OptionGroup var store: StoreOptions

  @Option(help: "How many threads write at once.")
  var producers = 8

  @Option(help: "How many blocks each of them enqueues.")
  var blocks = 50

  @Option(help: "How many blocks wait for the writer in the part about groups.")
  var waiting = 200

  @Option(help: "The most blocks that go into one save.")
  var groupLimit = 64

  @Option(help: "Run one part only.")
  var only: Part?

  @Flag(name: .customLong("break"), help: "Let two writers write without the queue, and end with the error.")
  var breaksQueue = false

  @Option(name: .customLong("steps"), help: "Print the frames of the book's stepper: lost.")
  var recording: Recording?

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether(["--only": only != nil, "--break": breaksQueue, "--steps": recording != nil])
    guard (1...64).contains(producers) else { throw ValidationError("--producers is a number from 1 to 64.") }
    guard (1...100_000).contains(blocks) else {
      throw ValidationError("--blocks is a number from 1 to 100000.")
    }
    guard (1...100_000).contains(waiting) else {
      throw ValidationError("--waiting is a number from 1 to 100000.")
    }
    guard groupLimit >= 1 else { throw ValidationError("--group-limit must be at least 1.") }
  }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "EnqueueWriter", stores: [CoreDataManager.storeName])
    let file = WriterFile(url: folder.appendingPathComponent(CoreDataManager.storeName))
    let manager = CoreDataManager(
      folder: folder, groupLimit: groupLimit,
      log: { text in
        for line in text.split(separator: "\n") { Output.line("log: \(line)") }
      })
    if let failure = manager.loadingFailure { throw failure }
    if recording != nil { return try recordLostUpdate(manager, file) }
    if breaksQueue { return try showCollision(manager, file) }

    for part in only.map({ [$0] }) ?? Part.allCases {
      switch part {
      case .conflicts: try showWithoutQueue(manager, file)
      case .producers: try showProducers(manager, file)
      case .groups: try showGroups(manager, file)
      case .failures:
        try showOneThatThrows(manager, file)
        try await showOneThatIsNotValid(manager, file)
      case .reading:
        try await showReading(manager, file)
        try await showWhatLeavesABlock(manager)
        await showMisuse(manager)
      }
    }
    try manager.close()
    Output.line("the closed file holds \(Output.count(try file.entries(), "entry", "entries"))")
  }

  @MainActor private func showProducers(_ manager: CoreDataManager, _ file: WriterFile) throws {
    Output.heading("Producers at once, one writer")
    let entries = try file.entries()
    let total = try file.total("queued")
    let outcome = Producers(count: producers, blocksEach: blocks).run(on: manager, adding: "queued")
    Output.line("\(producers) producers enqueued \(producers * blocks) blocks")
    Output.line("committed \(outcome.committed), failed \(outcome.failed), in order: \(outcome.inOrder)")
    Output.line("in the file: \(try file.entries() - entries) more entries")
    Output.line("in the file: the tally is \(try file.total("queued") - total) higher")
    Output.line(
      "in the file: each producer's entries are in its own order: \(try file.isInOrder(after: entries))")
  }

  @MainActor private func showGroups(_ manager: CoreDataManager, _ file: WriterFile) throws {
    Output.heading("\(Output.count(waiting, "block")) wait: how many saves?")
    let (saves, entries) = (manager.saveCount, try file.entries())
    let results = enqueueTogether(waiting, on: manager) { index, context in
      let entry = Entry(context: context)
      entry.producer = -1
      entry.sequence = Int32(index)
    }
    let blocks = Output.count(results.count, "block")
    let done = Output.count(manager.saveCount - saves, "save")
    Output.line("\(blocks), \(done), at most \(manager.groupLimit) in one")
    Output.line("in the file: \(try file.entries() - entries) more entries")
  }

  /// Holds the writer with one block until `count` more wait, so that groups form the same way on every run.
  @MainActor func enqueueTogether(
    _ count: Int, on manager: CoreDataManager,
    _ block: @escaping (Int, NSManagedObjectContext) throws -> Void
  ) -> [Result<Void, any Error>] {
    let started = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let lock = NSLock()
    var results: [Result<Void, any Error>] = []
    manager.enqueue { _ in
      started.signal()
      gate.wait()
    }
    started.wait()
    for index in 0..<count {
      manager.enqueue(
        { try block(index, $0) },
        completion: { result in lock.withLock { results.append(result) } })
    }
    gate.signal()
    manager.waitUntilWritten()
    return lock.withLock { results }
  }
}
