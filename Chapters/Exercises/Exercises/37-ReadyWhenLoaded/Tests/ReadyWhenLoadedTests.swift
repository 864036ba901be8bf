import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

private enum MainQueue {
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller is on the main queue.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread }
}

/// What a completion was called with, and where.
private final class Outcomes: @unchecked Sendable {
  // `@unchecked Sendable`: `calls` is only touched under `lock`.
  struct Call {
    let result: Result<NSPersistentContainer, any Error>
    let isOnMainQueue: Bool
  }

  private let lock = NSLock()
  private var calls: [Call] = []

  var all: [Call] { lock.withLock { calls } }

  func note(_ result: Result<NSPersistentContainer, any Error>) {
    let call = Call(result: result, isOnMainQueue: MainQueue.isCurrent)
    lock.withLock { calls.append(call) }
  }

  /// The first call; nil if there is none within five seconds.
  func first() async throws -> Call? {
    let end = Date(timeIntervalSinceNow: 5)
    while all.isEmpty, Date() < end { try await Task.sleep(nanoseconds: 5_000_000) }
    return all.first
  }
}

/// Notes for each opening of the store at a URL whether it was done on the main queue.
private final class Openings: @unchecked Sendable {
  // `@unchecked Sendable`: `seen` is only touched under `lock`.
  private let lock = NSLock()
  private var seen: [Bool] = []
  private var token: (any NSObjectProtocol)?

  init(at url: URL) {
    token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreCoordinatorStoresDidChange, object: nil, queue: nil
    ) { [weak self] note in
      let added = note.userInfo?[NSAddedPersistentStoresKey] as? [NSPersistentStore] ?? []
      guard added.contains(where: { $0.url == url }) else { return }
      let isOnMainQueue = MainQueue.isCurrent
      self?.lock.withLock { self?.seen.append(isOnMainQueue) }
    }
  }

  deinit { if let token { NotificationCenter.default.removeObserver(token) } }

  var onMainQueue: [Bool] { lock.withLock { seen } }
}

@Suite("37 Ready when loaded", .serialized)
@MainActor struct ReadyWhenLoadedTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  @Test("The completion comes on the main queue, with a container that has its store")
  func loaded() async throws {
    let outcomes = Outcomes()
    loadBookshop(model: Bench.model, at: bench.storeURL) { outcomes.note($0) }
    let call = try #require(try await outcomes.first(), "the completion was not called within five seconds")
    let container = try call.result.get()
    #expect(call.isOnMainQueue, "the completion was called on another queue")
    #expect(container.persistentStoreCoordinator.persistentStores.map(\.url) == [bench.storeURL])
  }

  @Test("The completion comes after the function has returned, and the caller doesn't wait for the store")
  func later() async throws {
    let (outcomes, openings) = (Outcomes(), Openings(at: bench.storeURL))
    loadBookshop(model: Bench.model, at: bench.storeURL) { outcomes.note($0) }
    // A block for the main queue has no turn before the first `await`.
    #expect(outcomes.all.isEmpty, "the completion was called before the function had returned")
    let call = try #require(try await outcomes.first(), "the completion was not called within five seconds")
    _ = try call.result.get()
    #expect(openings.onMainQueue == [false], "the store was opened on the main queue, while the caller waited")
  }

  @Test("For a file that is not a store, the failure arrives on the main queue too")
  func failed() async throws {
    try "This is no store.".write(to: bench.storeURL, atomically: true, encoding: .utf8)
    let outcomes = Outcomes()
    loadBookshop(model: Bench.model, at: bench.storeURL) { outcomes.note($0) }
    let call = try #require(try await outcomes.first(), "the completion was not called within five seconds")
    #expect(call.isOnMainQueue, "the completion was called on another queue")
    guard case .failure(let error) = call.result else {
      Issue.record("a text file was loaded as a store")
      return
    }
    if let unfinished = error as? Unfinished { throw unfinished }
    #expect((error as NSError).domain == NSCocoaErrorDomain)
  }

  @Test("The completion comes once")
  func once() async throws {
    let outcomes = Outcomes()
    loadBookshop(model: Bench.model, at: bench.storeURL) { outcomes.note($0) }
    let call = try #require(try await outcomes.first(), "the completion was not called within five seconds")
    // A second call would have been queued by now, or comes before what is queued here.
    let context = try call.result.get().viewContext
    await context.perform(schedule: .enqueued) {}
    #expect(outcomes.all.count == 1)
  }

  @Test("With await, the container comes back ready, and a failure is thrown")
  func async() async throws {
    let container = try await loadBookshop(model: Bench.model, at: bench.storeURL)
    Book(context: container.viewContext).title = "Emma"
    try container.viewContext.save()
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 1)

    let file = bench.folder.appendingPathComponent("Text.sqlite")
    try "This is no store.".write(to: file, atomically: true, encoding: .utf8)
    await #expect(throws: NSError.self, "a text file was loaded as a store") {
      _ = try await loadBookshop(model: Bench.model, at: file)
    }
  }
}
