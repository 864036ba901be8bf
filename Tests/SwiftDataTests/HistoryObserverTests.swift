import CoreData
import SwiftData
import Synchronization
import TestFiles
import Testing

@Suite("An observer of history")
struct HistoryObserverTests {
  private let folder = TemporaryFolder()

  private func container(_ url: URL? = nil, inMemory: Bool = false) throws -> ModelContainer {
    try ModelContainer(
      for: Book.self,
      configurations: inMemory
        ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: url ?? folder.file()))
  }

  private func save(_ container: ModelContainer, author: String? = nil, _ model: any PersistentModel) throws {
    let context = ModelContext(container)
    context.author = author
    context.insert(model)
    try context.save()
  }

  /// Waits until the counter has a value.
  private func wait(for count: Int, _ observer: HistoryObserver) async throws {
    for _ in 0..<500 where observer.eventCounter < count { try await Task.sleep(for: .milliseconds(10)) }
    #expect(observer.eventCounter == count)
  }

  @Test("It counts what any context of the file saves, and tells who observes it")
  func counting() async throws {
    let url = folder.file()
    let (mine, other) = (try container(url), try container(url))
    let observer = HistoryObserver(modelContainer: mine)
    #expect(observer.eventCounter == 0)
    let told = Atomic(0)
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      told.add(1, ordering: .relaxed)
    }
    try save(mine, Book(isbn: "1", title: "Emma"))
    try await wait(for: 1, observer)
    #expect(told.load(ordering: .relaxed) == 1)
    try save(other, Book(isbn: "2", title: "Persuasion"))
    try await wait(for: 2, observer)
  }

  @Test("Only transactions of the models and authors that are asked for count", arguments: [false, true])
  func chosen(inMemory: Bool) async throws {
    let container = try container(inMemory: inMemory)
    let observer = HistoryObserver(
      observedModels: [Book.self], authors: ["import"], modelContainer: container)
    let all = HistoryObserver(modelContainer: container)
    try save(container, author: "import", Author(name: "Jane"))
    try await wait(for: 1, all)
    try save(container, author: "somebody", Book(isbn: "1", title: "Emma"))
    try await wait(for: 2, all)
    try save(container, Book(isbn: "2", title: "Persuasion"))
    try await wait(for: 3, all)
    try save(container, author: "import", Book(isbn: "3", title: "Lady Susan"))
    try await wait(for: 1, observer)
  }

  @Test("What has come after a token is one event from the start")
  func tokens() throws {
    let container = try container()
    try save(container, Book(isbn: "1", title: "Emma"))
    let context = ModelContext(container)
    func last() throws -> DefaultHistoryToken {
      try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last).token
    }
    let before = try last()
    #expect(HistoryObserver(historyTokens: [before], modelContainer: container).eventCounter == 0)
    try save(container, Author(name: "Jane"))
    #expect(HistoryObserver(historyTokens: [before], modelContainer: container).eventCounter == 1)
    #expect(
      HistoryObserver(historyTokens: [before], observedModels: [Book.self], modelContainer: container).eventCounter
        == 0)
    #expect(try HistoryObserver(historyTokens: [last()], modelContainer: container).eventCounter == 0)
  }

  @Test("It counts on the actor that made it")
  @MainActor func onItsActor() async throws {
    let container = try container()
    let observer = HistoryObserver(modelContainer: container)
    let told = Atomic(0)
    withObservationTracking {
      _ = observer.eventCounter
    } onChange: {
      // Ends the program elsewhere.
      MainActor.preconditionIsolated()
      told.add(1, ordering: .relaxed)
    }
    try save(container, Book(isbn: "1", title: "Emma"))
    try await wait(for: 1, observer)
    #expect(told.load(ordering: .relaxed) == 1)
  }

  @Test("A token whose history was deleted counts as one event, and what comes later counts as usual")
  func expired() async throws {
    let container = try container()
    let context = ModelContext(container)
    for number in 0..<4 { try save(container, Book(isbn: "\(number)", title: "T")) }
    let tokens = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token)
    let (first, last) = (tokens[0], tokens[3])
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < last }))
    let observer = HistoryObserver(historyTokens: [first], modelContainer: container)
    #expect(observer.eventCounter == 1)
    try save(container, Book(isbn: "9", title: "T"))
    try await wait(for: 2, observer)
  }
  @Test("After its store was erased it counts what is saved from then on")
  func erased() async throws {
    let container = try container()
    let observer = HistoryObserver(modelContainer: container)
    try save(container, Book(isbn: "1", title: "Emma"))
    try await wait(for: 1, observer)
    try container.erase()
    try save(container, Book(isbn: "2", title: "Persuasion"))
    try await wait(for: 2, observer)
  }

  /// The containers that were told of changes of one file.
  private final class Told: @unchecked Sendable {
    // `@unchecked Sendable`: `coordinators` is used under `lock` only; `token` is set once.
    private let lock = NSLock()
    private var coordinators: Set<ObjectIdentifier> = []
    private var token: (any NSObjectProtocol)?

    init(_ url: URL) {
      token = NotificationCenter.default.addObserver(
        forName: .NSPersistentStoreRemoteChange, object: nil, queue: nil
      ) { [weak self] note in
        guard let self, note.userInfo?[NSPersistentStoreURLKey] as? URL == url, let sender = note.object else { return }
        _ = self.lock.withLock { self.coordinators.insert(ObjectIdentifier(sender as AnyObject)) }
      }
    }

    deinit { token.map(NotificationCenter.default.removeObserver) }

    /// Waits until there are so many.
    func count(_ wanted: Int) async throws -> Int {
      for _ in 0..<500 where lock.withLock({ coordinators.count }) < wanted {
        try await Task.sleep(for: .milliseconds(10))
      }
      return lock.withLock { coordinators.count }
    }
  }

  @Test("Every container of a file posts NSPersistentStoreRemoteChange for each save, without an observer of history")
  func remoteChange() async throws {
    let url = folder.file()
    let mine = try container(url)
    let alone = Told(url)
    try save(mine, Book(isbn: "1", title: "Emma"))
    #expect(try await alone.count(1) == 1)
    let other = try container(url)
    let both = Told(url)
    try save(other, Book(isbn: "2", title: "Persuasion"))
    #expect(try await both.count(2) == 2)
  }
  @Test("A container's file is closed with its last reference, whatever is being looked at then")
  func closing() async throws {
    for round in 0..<30 {
      do {
        let container = try container(folder.file("\(round).store"))
        try save(container, Book(isbn: "1", title: "Emma"))
        // The file is looked at 5 ms after its first event.
        try await Task.sleep(for: .milliseconds(2 + round % 6))
      }
      func companions() -> [String] { folder.names.filter { $0.hasPrefix("\(round).store-") } }
      for _ in 0..<500 where !companions().isEmpty { try await Task.sleep(for: .milliseconds(10)) }
      #expect(companions() == [])
    }
  }
}
