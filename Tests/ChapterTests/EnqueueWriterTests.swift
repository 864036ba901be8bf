import CoreData
import Foundation
import StoreFileReader
import TestFiles
import Testing

@testable import EnqueueWriterChapter

@Suite("Chapter 7: one queue for all writers", .serialized)
@MainActor
struct EnqueueWriterTests {
  let folder: TemporaryFolder
  let url: URL
  let log = Log()

  /// What the manager logged, collected from any thread.
  final class Log: @unchecked Sendable {
    // Sendable: `kept` is touched under `lock` only.
    private let lock = NSLock()
    private var kept: [String] = []
    func add(_ text: String) { lock.withLock { kept.append(text) } }
    var lines: [String] { lock.withLock { kept } }
  }

  struct Refusal: Error, Equatable { let reason: String }

  init() throws {
    folder = TemporaryFolder()
    url = folder.url.appendingPathComponent(CoreDataManager.storeName)
  }

  private func makeManager(groupLimit: Int = 64) throws -> CoreDataManager {
    let manager = CoreDataManager(folder: folder.url, groupLimit: groupLimit, log: { [log] in log.add($0) })
    if let failure = manager.loadingFailure { throw failure }
    return manager
  }

  private func reader() throws -> StoreFileReader { try StoreFileReader(contentsOf: url) }

  /// Results of blocks that were all waiting when the writer came to the first of them.
  private func together(
    _ manager: CoreDataManager, _ count: Int, _ block: @escaping (Int, NSManagedObjectContext) throws -> Void
  ) -> [(index: Int, result: Result<Void, any Error>)] {
    let started = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let lock = NSLock()
    var results: [(index: Int, result: Result<Void, any Error>)] = []
    manager.enqueue { _ in
      started.signal()
      gate.wait()
    }
    started.wait()
    for index in 0..<count {
      manager.enqueue(
        { try block(index, $0) }, completion: { result in lock.withLock { results.append((index, result)) } })
    }
    gate.signal()
    manager.waitUntilWritten()
    return lock.withLock { results }
  }

  private static func addEntry(_ sequence: Int, _ context: NSManagedObjectContext) {
    let entry = Entry(context: context)
    entry.producer = 1
    entry.sequence = Int32(sequence)
  }

  @Test("Many producers at once: no conflict, nothing lost, each one's order kept")
  func producers() throws {
    let manager = try makeManager()
    let outcome = Producers(count: 8, blocksEach: 40).run(on: manager, adding: "all")
    #expect(outcome == Producers.Outcome(committed: 320, failed: 0, inOrder: true))
    #expect(log.lines.isEmpty)
    #expect(try reader().rowCount(of: "ZENTRY") == 320)
    #expect(try reader().integer("SELECT ZTOTAL FROM ZTALLY") == 320)
    for producer in 0..<8 {
      let rows = try reader().rows("SELECT ZSEQUENCE FROM ZENTRY WHERE ZPRODUCER = \(producer) ORDER BY Z_PK")
      #expect(rows.map { $0[0].integer } == (1...40).map { Int64($0) })
    }
    try manager.close()
  }

  @Test("Without the queue, of eight that read the same row one saves and seven are in conflict")
  func conflicts() throws {
    let manager = try makeManager()
    manager.enqueue { _ = try Tally.named("all", in: $0) }
    manager.waitUntilWritten()
    let outcome = UnqueuedWriters(manager).run(writers: 8, rounds: 5, adding: "all")
    #expect(outcome == UnqueuedWriters.Outcome(saved: 5, conflicts: 35, otherFailures: 0))
    #expect(try reader().integer("SELECT ZTOTAL FROM ZTALLY") == 5)
    try manager.close()
  }

  @Test("With a merge policy all saves go through, and the increments are lost without a word")
  func lostUpdates() throws {
    let manager = try makeManager()
    manager.enqueue { _ = try Tally.named("all", in: $0) }
    manager.waitUntilWritten()
    let outcome = UnqueuedWriters(manager)
      .run(writers: 8, rounds: 5, adding: "all", mergePolicy: .mergeByPropertyObjectTrump)
    #expect(outcome == UnqueuedWriters.Outcome(saved: 40, conflicts: 0, otherFailures: 0))
    #expect(try reader().integer("SELECT ZTOTAL FROM ZTALLY") == 5)
    try manager.close()
  }

  @Test("The error of the second writer says what was read, what was to be saved, and what is there")
  func collision() throws {
    let manager = try makeManager()
    manager.enqueue { try Tally.named("all", in: $0).total = 5 }
    manager.waitUntilWritten()
    let (error, conflicts) = try #require(try UnqueuedWriters(manager).collide(adding: "all"))
    #expect(error.domain == NSCocoaErrorDomain && error.code == 133020)
    #expect(
      conflicts == [
        TallyConflict(readVersion: 1, storedVersion: 2, readTotal: 5, wantedTotal: 6, storedTotal: 6)
      ])
    #expect(try reader().rows("SELECT ZTOTAL, Z_OPT FROM ZTALLY") == [[.integer(6), .integer(2)]])
    try manager.close()
  }

  @Test("The view context takes a commit over when the main queue has its turn")
  func merging() async throws {
    let manager = try makeManager()
    _ = try await manager.enqueue { try Tally.named("all", in: $0).total = 1 }
    let seen = try Tally.named("all", in: manager.viewContext)
    manager.enqueue({ try Tally.named("all", in: $0).total = 2 }, completion: { _ in })
    manager.waitUntilWritten()
    #expect(seen.total == 1)
    await manager.viewContext.perform(schedule: .enqueued) {}
    #expect(seen.total == 2)
    try manager.close()
  }

  @Test("Blocks that wait go into as few saves as the limit allows", arguments: [(1, 20), (8, 3), (64, 1)])
  func groups(limit: Int, saves: Int) throws {
    let manager = try makeManager(groupLimit: limit)
    let results = together(manager, 20) { Self.addEntry($0, $1) }
    #expect(results.count == 20)
    #expect(manager.saveCount == saves)
    #expect(try reader().rowCount(of: "ZENTRY") == 20)
    try manager.close()
  }

  @Test("A success is reported only when the file has the rows")
  func successAfterCommit() throws {
    let manager = try makeManager()
    let url = url
    let lock = NSLock()
    var seen: [Int] = []
    let started = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    manager.enqueue { _ in
      started.signal()
      gate.wait()
    }
    started.wait()
    for index in 0..<5 {
      manager.enqueue({ Self.addEntry(index, $0) }) { _ in
        let rows = try? StoreFileReader(contentsOf: url).rowCount(of: "ZENTRY")
        lock.withLock { seen.append(rows ?? -1) }
      }
    }
    gate.signal()
    manager.waitUntilWritten()
    #expect(lock.withLock { seen } == [5, 5, 5, 5, 5])
    try manager.close()
  }

  @Test("A block that throws takes no other block of its group down", arguments: [0, 4, 9])
  func oneThrows(bad: Int) throws {
    let manager = try makeManager()
    let results = together(manager, 10) { index, context in
      Self.addEntry(index, context)
      if index == bad { throw Refusal(reason: "block \(index)") }
    }
    #expect(results.map(\.index) == Array(0..<10))
    for (index, result) in results {
      switch result {
      case .success: #expect(index != bad)
      case .failure(let error): #expect(error as? Refusal == Refusal(reason: "block \(bad)") && index == bad)
      }
    }
    let rows = try reader().rows("SELECT ZSEQUENCE FROM ZENTRY ORDER BY Z_PK").map { $0[0].integer }
    #expect(rows == (0..<10).filter { $0 != bad }.map { Int64($0) })
    #expect(log.lines.count == 1)
    try manager.close()
  }

  @Test("A block whose changes do not validate takes no other block of its group down")
  func oneInvalid() throws {
    let manager = try makeManager()
    let results = together(manager, 4) { index, context in
      if index == 2 { Tally(context: context).total = 1 } else { Self.addEntry(index, context) }
    }
    let failed = results.filter { if case .failure = $0.result { true } else { false } }.map(\.index)
    #expect(failed == [2])
    #expect(try reader().rowCount(of: "ZENTRY") == 3)
    #expect(try reader().rowCount(of: "ZTALLY") == 0)
    try manager.close()
  }

  @Test("A block that changes nothing succeeds without a save")
  func nothingToSave() async throws {
    let manager = try makeManager()
    let count = try await manager.enqueue { try $0.count(for: NSFetchRequest<Entry>(entityName: "Entry")) }
    #expect(count == 0)
    #expect(manager.saveCount == 0)
    try manager.close()
  }

  @Test("The caller gets the error, and so does the log")
  func errorHandedBack() async throws {
    let manager = try makeManager()
    await #expect(throws: Refusal(reason: "no")) {
      try await manager.enqueue { _ in throw Refusal(reason: "no") }
    }
    #expect(log.lines.count == 1)
    try manager.close()
  }

  @Test("An object that leaves its block has no context any more; its id finds it again")
  func escaped() async throws {
    let manager = try makeManager()
    var escaped: Entry?
    let id = try await manager.enqueue { context in
      let entry = Entry(context: context)
      entry.sequence = 5
      try context.obtainPermanentIDs(for: [entry])
      escaped = entry
      return entry.objectID
    }
    #expect(escaped != nil)
    #expect(escaped?.managedObjectContext == nil)
    let found = try await manager.enqueue { (try $0.existingObject(with: id) as? Entry)?.sequence }
    #expect(found == 5)
    try manager.close()
  }

  @Test("Asking for the view context off the main thread is logged with what to do instead")
  func misuse() async throws {
    let manager = try makeManager()
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      Thread.detachNewThread {
        _ = manager.viewContext
        continuation.resume()
      }
    }
    #expect(log.lines.count == 1)
    #expect(log.lines.first?.contains("enqueue") == true)
    try manager.close()
  }

  @Test("Blocks for a store that could not be opened fail with the reason")
  func noStore() async throws {
    try Data(String(repeating: "no store ", count: 80).utf8).write(to: url)
    let manager = CoreDataManager(folder: folder.url, log: { [log] in log.add($0) })
    #expect(manager.loadingFailure != nil)
    await #expect(throws: (any Error).self) { try await manager.enqueue { _ in } }
  }

  @Test("The program leaves the rows that it says it leaves")
  func program() throws {
    let outcome = try ProgramRunner.run(
      "EnqueueWriter", ["--producers", "4", "--blocks", "25"], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("committed 100, failed 0, in order: true"))
    #expect(outcome.output.contains("8 writers, 10 rounds: 10 saved, 70 in conflict"))
    #expect(try reader().rowCount(of: "ZENTRY") == outcome.number(after: "the closed file holds"))
    #expect(try reader().rowCount(of: "ZENTRY") == 100 + 200 + 9 + 1)
  }
}
