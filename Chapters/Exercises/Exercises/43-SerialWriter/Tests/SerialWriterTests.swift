import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

/// What the writer's completions have said, in their order. Any thread.
private final class Answers: @unchecked Sendable {
  private let lock = NSLock()
  private let told = DispatchSemaphore(value: 0)
  private var results: [Result<Void, any Error>] = []

  func add(_ result: Result<Void, any Error>) {
    lock.withLock { results.append(result) }
    told.signal()
  }

  /// The next `count` answers; an error if they don't come within five seconds.
  func wait(for count: Int) throws -> [Result<Void, any Error>] {
    for number in 1...count where told.wait(timeout: .now() + 5) == .timedOut {
      throw NoAnswer(description: "answer \(number) of \(count) did not come within 5 seconds")
    }
    return lock.withLock { results }
  }
}

private struct NoAnswer: Error, CustomStringConvertible { let description: String }

private struct BlockFailed: Error {}

private final class CountsSeen: @unchecked Sendable { var counts: [Int] = [] }

private final class ContextsSeen: @unchecked Sendable { var contexts: [NSManagedObjectContext] = [] }

@Suite("43 A serial writer", .serialized)
struct SerialWriterTests {
  let bench: Bench
  let writer: SerialWriter

  init() throws {
    bench = try Bench()
    writer = SerialWriter(coordinator: try bench.makeCoordinator())
  }

  @Test("Each block finds what all blocks before it have saved")
  func inOrder() throws {
    let (seen, answers) = (CountsSeen(), Answers())
    for _ in 0..<10 {
      writer.enqueue(
        { context in
          seen.counts.append(try context.count(for: NSFetchRequest<Book>(entityName: "Book")))
          Book(context: context).title = "Emma"
        }, completion: answers.add)
    }
    for result in try answers.wait(for: 10) { try result.get() }
    #expect(seen.counts == Array(0..<10))
    let found = try bench.savedCount(of: "Book")
    #expect(found == 10)
  }

  @Test("Each block gets a context of its own")
  func ownContext() throws {
    let (seen, answers) = (ContextsSeen(), Answers())
    for _ in 0..<2 { writer.enqueue({ seen.contexts.append($0) }, completion: answers.add) }
    for result in try answers.wait(for: 2) { try result.get() }
    #expect(seen.contexts.count == 2, "blocks that were run")
    #expect(seen.contexts.first !== seen.contexts.last, "the second block got the context of the first")
  }

  @Test("The error of a block reaches the caller, and the next block is saved without the failed one's changes")
  func blockFails() throws {
    let answers = Answers()
    writer.enqueue(
      { context in
        Book(context: context).title = "Half done"
        throw BlockFailed()
      }, completion: answers.add)
    writer.enqueue({ Book(context: $0).title = "Emma" }, completion: answers.add)
    let results = try answers.wait(for: 2)
    #expect(throws: BlockFailed.self) { try results[0].get() }
    #expect(throws: Never.self) { try results[1].get() }
    let found = try bench.savedCount(of: "Book")
    #expect(found == 1)
  }

  @Test("The error of a save reaches the caller")
  func saveFails() throws {
    let answers = Answers()
    writer.enqueue({ Book(context: $0).title = nil }, completion: answers.add)
    let result = try answers.wait(for: 1)[0]
    #expect(throws: (any Error).self, "a book without a title can't be saved") { try result.get() }
    if case .failure(let error) = result {
      #expect((error as NSError).code == NSValidationMissingMandatoryPropertyError)
    }
  }
}
