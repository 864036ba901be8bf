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

  @OptionGroup var store: StoreOptions

  @Option(help: "How many threads write at once.")
  var producers = 8

  @Option(help: "How many blocks each of them enqueues.")
  var blocks = 50

  @Flag(name: .customLong("break"), help: "Let a write fail, and end with its error.")
  var breaksWrite = false

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    guard (1...64).contains(producers) else { throw ValidationError("--producers is a number from 1 to 64.") }
    guard (1...100_000).contains(blocks) else {
      throw ValidationError("--blocks is a number from 1 to 100000.")
    }
  }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "EnqueueWriter", stores: [CoreDataManager.storeName])
    let file = WriterFile(url: folder.appendingPathComponent(CoreDataManager.storeName))
    let manager = CoreDataManager(
      folder: folder,
      log: { text in
        for line in text.split(separator: "\n") { Output.line("log: \(line)") }
      })
    if let failure = manager.loadingFailure { throw failure }
    if breaksWrite { return try await showFailingWrite(manager, file) }

    try showProducers(manager, file)
    try showGroups(manager, file)
    try await showOneThatThrows(manager, file)
    try await showWhatLeavesABlock(manager, file)
    await showMisuse(manager)
    try showWithoutQueue(manager, file)
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
    Output.line("in the file: \(try file.entries() - entries) entries more")
    Output.line("in the file: the tally is \(try file.total("queued") - total) higher")
    Output.line(
      "in the file: each producer's entries lie in its order: \(try file.isInOrder(after: entries))")
  }

  //> gate
  /// Holds the writer with one block until `count` more wait, so that groups form the same way on every run.
  @MainActor private func enqueueTogether(
    _ count: Int, on manager: CoreDataManager, _ block: @escaping (Int, NSManagedObjectContext) throws -> Void
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
        { try block(index, $0) }, completion: { result in lock.withLock { results.append(result) } })
    }
    gate.signal()
    manager.waitUntilWritten()
    return lock.withLock { results }
  }
  //< gate

  @MainActor private func showGroups(_ manager: CoreDataManager, _ file: WriterFile) throws {
    Output.heading("Two hundred blocks wait: how many saves?")
    let (saves, entries) = (manager.saveCount, try file.entries())
    let results = enqueueTogether(200, on: manager) { index, context in
      let entry = Entry(context: context)
      entry.producer = -1
      entry.sequence = Int32(index)
    }
    Output.line(
      "\(results.count) blocks, \(manager.saveCount - saves) saves, at most \(manager.groupLimit) in one"
    )
    Output.line("in the file: \(try file.entries() - entries) entries more")
  }

  @MainActor private func showOneThatThrows(_ manager: CoreDataManager, _ file: WriterFile) async throws {
    Output.heading("Ten blocks wait, and the fourth throws")
    let (saves, entries) = (manager.saveCount, try file.entries())
    let results = enqueueTogether(10, on: manager) { index, context in
      let entry = Entry(context: context)
      entry.producer = -2
      entry.sequence = Int32(index)
      if index == 3 { throw ChapterFailure("The fourth block changed its mind.") }
    }
    for (index, result) in results.enumerated() {
      if case .failure(let error) = result {
        Output.line("block \(index + 1) got: \(ChapterFailure(error).sentence)")
      }
    }
    let good = results.filter { if case .success = $0 { true } else { false } }.count
    Output.line("\(good) blocks were saved, by \(manager.saveCount - saves) saves: each on its own")
    Output.line("in the file: \(try file.entries() - entries) entries more")
  }

  @MainActor private func showWhatLeavesABlock(_ manager: CoreDataManager, _ file: WriterFile) async throws {
    Output.heading("What may leave a block")
    var escaped: Entry?
    let id = try await manager.enqueue { context in
      let entry = Entry(context: context)
      entry.producer = -3
      entry.sequence = 1
      try context.obtainPermanentIDs(for: [entry])
      escaped = entry
      return entry.objectID
    }
    Output.line("the object, afterwards, has a context: \(escaped?.managedObjectContext != nil)")
    let again = try manager.viewContext.existingObject(with: id) as? Entry
    Output.line(
      "its id finds it in the view context: producer \(again?.producer ?? 0), entry \(again?.sequence ?? 0)")
  }

  @MainActor private func showMisuse(_ manager: CoreDataManager) async {
    Output.heading("The view context off the main thread")
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let queue = OperationQueue()
      queue.name = "somewhere else"
      queue.addOperation {
        _ = manager.viewContext
        continuation.resume()
      }
    }
  }

  @MainActor private func showWithoutQueue(_ manager: CoreDataManager, _ file: WriterFile) throws {
    Output.heading("The same without the queue")
    try makeTally("unqueued", manager)
    let total = try file.total("unqueued")
    let outcome = UnqueuedWriters(manager).run(writers: 8, rounds: 10, adding: "unqueued")
    Output.line("8 writers, 10 rounds: \(outcome.saved) saved, \(outcome.conflicts) in conflict")
    if outcome.otherFailures > 0 { Output.line("and \(outcome.otherFailures) failed for other reasons") }
    Output.line("in the file: the tally is \(try file.total("unqueued") - total) higher, and not 80")
  }

  private func makeTally(_ name: String, _ manager: CoreDataManager) throws {
    manager.enqueue { _ = try Tally.named(name, in: $0) }
    manager.waitUntilWritten()
  }

  /// A tally without a name cannot be saved; the caller hears why, and the file is as it was.
  @MainActor private func showFailingWrite(_ manager: CoreDataManager, _ file: WriterFile) async throws {
    Output.heading("A block whose changes cannot be saved")
    let before = try file.tallies()
    do {
      try await manager.enqueue { context in
        Tally(context: context).total = 1
      }
    } catch {
      let details = error as NSError
      Output.line(
        "the caller got: \(details.domain) \(details.code), property "
          + "\(details.userInfo[NSValidationKeyErrorKey] ?? "not named")"
      )
      Output.line("in the file: \(try file.tallies() - before) tallies more")
      throw error
    }
    throw ChapterFailure("A tally without a name was saved to \(file.url.path).")
  }
}

/// The store's file, asked by a connection that has nothing to do with the stack.
private struct WriterFile {
  let url: URL

  private func reader() throws -> StoreFileReader { try StoreFileReader(contentsOf: url) }

  func entries() throws -> Int { try reader().rowCount(of: "ZENTRY") }

  func tallies() throws -> Int { try reader().rowCount(of: "ZTALLY") }

  func total(_ name: String) throws -> Int64 {
    try reader().integer("SELECT coalesce(sum(ZTOTAL), 0) FROM ZTALLY WHERE ZNAME = '\(name)'")
  }

  /// Rows are numbered as they are saved: by their keys, each producer's sequence must only go up.
  func isInOrder(after rowsBefore: Int) throws -> Bool {
    let rows = try reader().rows(
      "SELECT ZPRODUCER, ZSEQUENCE FROM ZENTRY ORDER BY Z_PK LIMIT -1 OFFSET \(rowsBefore)")
    var last: [Int64: Int64] = [:]
    for row in rows {
      guard let producer = row[0].integer, let sequence = row[1].integer else { return false }
      if sequence != last[producer, default: 0] + 1 { return false }
      last[producer] = sequence
    }
    return true
  }
}
