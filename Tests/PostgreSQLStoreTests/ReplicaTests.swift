import CoreData
import Foundation
import PostgreSQLTestServer
import Testing

@testable import PostgreSQLStore

/// A server and a streaming replica of it, which write all statements to their logs.
private final class ServerPair: Sendable {
  let primary: TestServer
  let replica: TestServer

  init() throws {
    primary = try TestServer(logsStatements: true)
    replica = try TestServer(replicaOf: primary, logsStatements: true)
  }

  deinit {
    replica.stop()
    primary.stop()
  }

  func shelf(_ schema: String, _ more: [AnyHashable: Any] = [:]) throws -> Shelf {
    let options: [AnyHashable: Any] = [PostgreSQLReadReplicaOption: replica.url(schema: schema) as NSURL]
    return try Shelf(libraryModel(), at: primary.url(schema: schema), options: options.merging(more) { $1 })
  }

  /// The statements that a server was given while `body` ran.
  func statements(of server: TestServer, _ body: () throws -> Void) rethrows -> String {
    let before = server.log.count
    try body()
    return String(server.log.dropFirst(before))
  }

  func pauseReplay() throws { _ = try replica.rows("SELECT pg_wal_replay_pause()") }
  func resumeReplay() throws { _ = try replica.rows("SELECT pg_wal_replay_resume()") }
}

/// Waits for what happens a moment later, and says whether it did.
private func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
  for _ in 0..<600 {
    if try condition() { return true }
    Thread.sleep(forTimeInterval: 0.05)
  }
  return false
}

@Suite("Reads of a PostgreSQL store on a streaming replica", hasServer, .serialized)
struct ReplicaTests {
  private static let shared = Result { try ServerPair() }

  /// The pair that tests share which leave it as it was.
  private func pair() throws -> ServerPair { try ReplicaTests.shared.get() }

  private func error(_ body: () throws -> Void) -> NSError? {
    do { try body() } catch { return error as NSError }
    return nil
  }

  /// An author with two books of ten pages each, saved, and nothing of it in memory.
  private func fill(_ shelf: Shelf) throws {
    try shelf.context.performAndWait {
      let author = shelf.context.new("Author", ["name": "Kafka"])
      for title in ["Amerika", "Der Bau"] {
        shelf.context.new("Book", ["title": title, "pages": 10, "author": author])
      }
      try shelf.context.save()
      shelf.context.reset()
    }
  }

  private func pages(_ shelf: Shelf) throws -> [Int] {
    try shelf.context.performAndWait {
      shelf.context.reset()
      return try shelf.context.all("Book", sort: "title").map { $0.value(forKey: "pages") as! Int }
    }
  }

  /// Whether the replica answers a fetch.
  private func replicaAnswers(_ shelf: Shelf) throws -> Bool {
    let before = shelf.store.replica!.trips
    _ = try pages(shelf)
    return shelf.store.replica!.trips > before && shelf.store.replica!.isFollowed
  }

  private func waitForReplica(_ shelf: Shelf) throws {
    let answers = try eventually { try replicaAnswers(shelf) }
    #expect(answers)
  }

  private func change(_ shelf: Shelf, pages: Int) throws {
    try shelf.context.performAndWait {
      for book in try shelf.context.all("Book") { book.setValue(pages, forKey: "pages") }
      try shelf.context.save()
    }
  }

  @Test("Fetches, counts, dictionaries, faults, relationships and prefetching ask the replica, and not the primary")
  func reads() throws {
    let pair = try pair()
    let shelf = try pair.shelf("reads")
    try fill(shelf)
    try waitForReplica(shelf)
    func read() throws {
      let context = shelf.context
      try context.performAndWait {
        context.reset()
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 2)
        let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
        dictionaries.resultType = .dictionaryResultType
        dictionaries.propertiesToFetch = ["pages"]
        #expect(try context.fetch(dictionaries).count == 2)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
        ids.resultType = .managedObjectIDResultType
        let author = context.object(with: try context.fetch(ids)[0])
        #expect(author.value(forKey: "name") as? String == "Kafka")
        #expect((author.value(forKey: "books") as? NSOrderedSet)?.count == 2)
        context.reset()
        let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
        authors.relationshipKeyPathsForPrefetching = ["books"]
        #expect(try context.fetch(authors).count == 1)
      }
    }
    var asked = ""
    let primary = try pair.statements(of: pair.primary) { asked = try pair.statements(of: pair.replica) { try read() } }
    for table in ["ZBOOK", "ZAUTHOR"] {
      #expect(asked.contains(table))
      #expect(!primary.contains(table), "\(primary)")
    }
  }

  @Test("Saves, batch requests, history, keys and pinned contexts ask the primary alone")
  func writes() throws {
    let pair = try pair()
    let shelf = try pair.shelf("writes", tracked)
    try fill(shelf)
    try waitForReplica(shelf)
    let asked = try pair.statements(of: pair.replica) {
      let context = shelf.newContext()
      try context.performAndWait {
        try context.setQueryGenerationFrom(.current)
        let books = try context.all("Book", sort: "title")
        books[0].setValue(11, forKey: "pages")
        context.new("Tag", ["name": "red"])
        try context.save()
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["pages": 12]
        _ = try context.execute(update)
        #expect(try context.history(after: nil).count == 3)
      }
    }
    #expect(!asked.contains("ZBOOK") && !asked.contains("ATRANSACTION"), "\(asked)")
  }

  @Test("A context reads its own save at once while replay is paused, and from the replica once that has it")
  func ownSave() throws {
    let pair = try pair()
    let shelf = try pair.shelf("ownsave")
    try fill(shelf)
    try waitForReplica(shelf)
    try pair.pauseReplay()
    defer { try? pair.resumeReplay() }
    for pages in 20..<25 {
      try change(shelf, pages: pages)
      #expect(try self.pages(shelf) == [pages, pages])
      #expect(try pair.replica.rows("SELECT DISTINCT zpages FROM ownsave.zbook") == [["10"]])
    }
    try pair.resumeReplay()
    try waitForReplica(shelf)
    #expect(try pages(shelf) == [24, 24])
  }

  @Test("A count that is read and saved over and over is never read as it was before, while replay stops and goes on")
  func counting() throws {
    let pair = try pair()
    let shelf = try pair.shelf("counting")
    let counter = shelf.context.performAndWait { shelf.context.new("Counter", ["count": 0]) }
    try shelf.context.performAndWait { try shelf.context.save() }
    for round in 1...200 {
      if round % 20 == 0 { try pair.pauseReplay() }
      if round % 20 == 10 { try pair.resumeReplay() }
      // Long enough, now and then, for reads to go back to the replica.
      if round % 20 == 18 { Thread.sleep(forTimeInterval: 0.2) }
      try shelf.context.performAndWait {
        shelf.context.refreshAllObjects()
        #expect(counter.value(forKey: "count") as? Int == round - 1)
        counter.setValue(round, forKey: "count")
        try shelf.context.save()
      }
    }
    try pair.resumeReplay()
    #expect(shelf.store.replica!.trips > 0)
  }

  @Test("Who was told of a change by another process reads it at once while replay is paused")
  func remoteChange() throws {
    let pair = try pair()
    let shelf = try pair.shelf("told", [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true])
    try fill(shelf)
    try waitForReplica(shelf)
    let other = try shelf.elsewhere()
    let read = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var found: [Int] = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange, object: shelf.coordinator, queue: nil
    ) { _ in
      found = (try? self.pages(shelf)) ?? []
      if found == [30, 30] { read.signal() }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try pair.pauseReplay()
    defer { try? pair.resumeReplay() }
    try change(other, pages: 30)
    #expect(read.wait(timeout: .now() + 30) == .success, "\(found)")
  }

  @Test("After a merge conflict the newest row is read, though the replica does not have it, and the save succeeds")
  func conflict() throws {
    let pair = try pair()
    let shelf = try pair.shelf("conflict")
    try fill(shelf)
    try waitForReplica(shelf)
    try pair.pauseReplay()
    defer { try? pair.resumeReplay() }
    try change(shelf.elsewhere(), pages: 40)
    let conflict = error { try change(shelf, pages: 41) }
    #expect(conflict?.code == NSManagedObjectMergeError)
    #expect(try pages(shelf) == [40, 40])
    try change(shelf, pages: 41)
    #expect(try pages(shelf) == [41, 41])
  }

  @Test("A replica that stays behind is left: what another process saved is read though nobody told of it")
  func lag() throws {
    let pair = try pair()
    let shelf = try pair.shelf("lag")
    try fill(shelf)
    try waitForReplica(shelf)
    try pair.pauseReplay()
    defer { try? pair.resumeReplay() }
    try change(shelf.elsewhere(), pages: 50)
    let isRead = try eventually { try pages(shelf) == [50, 50] }
    #expect(isRead)
    #expect(try pair.replica.rows("SELECT DISTINCT zpages FROM lag.zbook") == [["10"]])
    try pair.resumeReplay()
    try waitForReplica(shelf)
  }

  @Test("A pinned context reads one state of one server, while its replica moves on")
  func pinned() throws {
    let pair = try pair()
    let shelf = try pair.shelf("pinned")
    try fill(shelf)
    try waitForReplica(shelf)
    let context = shelf.newContext()
    try context.performAndWait {
      try context.setQueryGenerationFrom(.current)
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 2)
    }
    for pages in 60..<63 {
      try change(shelf.elsewhere(), pages: pages)
      try context.performAndWait {
        context.refreshAllObjects()
        let books = try context.all("Book")
        #expect(books.map { $0.value(forKey: "pages") as? Int } == [10, 10])
      }
    }
    try context.performAndWait {
      try context.setQueryGenerationFrom(nil)
      context.refreshAllObjects()
      let books = try context.all("Book")
      #expect(books.map { $0.value(forKey: "pages") as? Int } == [62, 62])
    }
  }

  @Test("A replica that is killed is left without an error, and read again once it is back")
  func killed() throws {
    let pair = try ServerPair()
    let shelf = try pair.shelf("killed")
    try fill(shelf)
    try waitForReplica(shelf)
    pair.replica.halt()
    #expect(try pages(shelf) == [10, 10])
    try change(shelf, pages: 70)
    #expect(try pages(shelf) == [70, 70])
    // Another program opens the store meanwhile.
    let late = try pair.shelf("killed")
    #expect(try pages(late) == [70, 70])
    try pair.replica.start()
    try waitForReplica(shelf)
    try waitForReplica(late)
    #expect(try pages(shelf) == [70, 70])
    #expect(try pages(late) == [70, 70])
  }

  @Test("A replica that was promoted is left, and what is written there is not read")
  func promoted() throws {
    let pair = try ServerPair()
    let shelf = try pair.shelf("promoted")
    try fill(shelf)
    try waitForReplica(shelf)
    _ = try pair.replica.rows("SELECT pg_promote()")
    let isLeft = try eventually { try !replicaAnswers(shelf) }
    #expect(isLeft)
    _ = try pair.replica.rows("UPDATE promoted.zbook SET zpages = 99")
    for _ in 0..<40 {
      #expect(try pages(shelf) == [10, 10])
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  @Test(
    "A replica of another server, database or schema, and a value that is no such URL, are refused with what is wrong")
  func refused() throws {
    let pair = try pair()
    let shelf = try pair.shelf("refused")
    try fill(shelf)
    _ = try pair.primary.rows("CREATE DATABASE elsewhere")
    let other = try #require(TestServer.shared)
    let there = try Shelf(libraryModel(), at: other.url(schema: "refused"))
    try fill(there)
    let isCopied = try eventually {
      try !pair.replica.rows("SELECT 1 FROM pg_database WHERE datname = 'elsewhere'").isEmpty
    }
    #expect(isCopied)
    let cases: [(Any, String)] = [
      (other.url(schema: "refused", more: "&password=tops3cret"), "system identifier"),
      (pair.replica.url(schema: "refused", database: "elsewhere", more: "&password=tops3cret"), "database elsewhere"),
      (pair.replica.url(schema: "reads", more: "&password=tops3cret"), "schema"),
      (URL(fileURLWithPath: "/tmp/copy.sqlite"), "postgresql://"), (7, "PostgreSQLReadReplicaOption"),
    ]
    for (value, words) in cases {
      let refused = error {
        _ = try Shelf(libraryModel(), at: shelf.url, options: [PostgreSQLReadReplicaOption: value])
      }
      #expect(refused?.localizedDescription.contains(words) == true, "\(value): \(refused as Any)")
      #expect("\(refused as Any) \(refused?.userInfo ?? [:])".contains("tops3cret") == false)
    }
    #expect(try pages(shelf) == [10, 10])
  }
}
