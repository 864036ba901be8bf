import CoreData
import Foundation
import PostgreSQLTestServer
import Testing

@testable import PostgreSQLStore

let tracked: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]

extension NSManagedObjectContext {
  func history(after token: NSPersistentHistoryToken?) throws -> [NSPersistentHistoryTransaction] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
    return (try execute(request) as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
  }
}

@Suite("The history of a PostgreSQL store", hasServer)
struct HistoryTests {
  private func model() -> NSManagedObjectModel {
    let model = libraryModel()
    for name in ["title", "pages", "price", "id", "added", "weight", "cover"] {
      model.entitiesByName["Book"]?.attributesByName[name]?.preservesValueInHistoryOnDeletion = true
    }
    return model
  }

  @Test("A table of texts that others have filled is named as what is wrong")
  func damagedTexts() throws {
    let shelf = try Shelf(model(), options: tracked)
    try shelf.store.pool.use {
      _ = try $0.run(
        "ALTER TABLE ATRANSACTIONSTRING DROP CONSTRAINT atransactionstring_zname_key; "
          + "INSERT INTO ATRANSACTIONSTRING (ZNAME) VALUES ('Ann'), ('Ann')")
    }
    shelf.context.performAndWait {
      shelf.context.transactionAuthor = "Ann"
      shelf.context.new("Tag", ["name": "red"])
      let error = #expect(throws: NSError.self) { try shelf.context.save() }
      #expect(error?.localizedDescription.contains("ATRANSACTIONSTRING") == true, "\(error as Any)")
    }
  }

  @Test("A store whose history has all its tables is opened while others write to them and read them for long")
  func opening() throws {
    let server = try #require(TestServer.shared)
    let url = server.url(schema: "busy history", more: "&options=-c%20lock_timeout%3D2000")
    let shelf = try Shelf(model(), at: url, options: tracked)
    try shelf.context.performAndWait {
      shelf.context.new("Tag", ["name": "red"])
      try shelf.context.save()
    }
    try shelf.store.pool.use { busy in
      try busy.run("BEGIN; SELECT * FROM ACHANGE; UPDATE ATRANSACTION SET ZAUTHORTS = ZAUTHORTS")
      let other = try Shelf(model(), at: url, options: tracked)
      try other.context.performAndWait { () throws in
        #expect(try other.context.history(after: nil).count == 1)
      }
      try busy.run("ROLLBACK")
    }
  }

  @Test("A save and a batch need one connection each, also the first ones of an author")
  func oneConnection() throws {
    let options: [AnyHashable: Any] = [
      NSPersistentHistoryTrackingKey: true, NSPersistentStoreConnectionPoolMaxSizeKey: 1,
      NSPersistentStoreTimeoutOption: 0.5,
    ]
    let shelf = try Shelf(model(), options: options)
    try shelf.context.performAndWait {
      shelf.context.transactionAuthor = "Ann"
      shelf.context.new("Tag", ["name": "red"])
      try shelf.context.save()
      shelf.context.transactionAuthor = "Ben"
      let update = NSBatchUpdateRequest(entityName: "Tag")
      update.propertiesToUpdate = ["name": "blue"]
      _ = try shelf.context.execute(update)
      #expect(try shelf.context.history(after: nil).map(\.author) == ["Ann", "Ben"])
    }
  }

  @Test("Keys that no row can have are refused, in the history and where ids are fetched", arguments: [0, -5, Int.min])
  func damagedKeys(_ key: Int) throws {
    let shelf = try Shelf(model(), options: tracked)
    try shelf.context.performAndWait {
      shelf.context.new("Tag", ["name": "red"])
      try shelf.context.save()
      _ = try shelf.store.pool.use {
        try $0.run("UPDATE ACHANGE SET ZENTITYPK = \(key); UPDATE ZTAG SET Z_PK = \(key)")
      }
      let error = #expect(throws: NSError.self) { try shelf.context.history(after: nil) }
      #expect(error?.code == NSPersistentStoreIncompatibleSchemaError, "\(error as Any)")
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Tag")
      request.resultType = .managedObjectIDResultType
      let other = #expect(throws: NSError.self) { try shelf.context.fetch(request) }
      #expect(other?.code == NSPersistentStoreIncompatibleSchemaError, "\(other as Any)")
    }
  }

  @Test("Saves leave transactions with author, context, changed properties and what deletions preserve")
  func changes() throws {
    let shelf = try Shelf(model(), options: tracked)
    try shelf.context.performAndWait {
      shelf.context.transactionAuthor = "Ann"
      shelf.context.name = "editor"
      let id = UUID()
      let date = Date(timeIntervalSinceReferenceDate: 99.25)
      let values: [String: Any] = [
        "title": "b", "pages": 7, "price": NSDecimalNumber(string: "-1.25"), "id": id, "added": date, "weight": 2.5,
        "cover": Data([9, 8]),
      ]
      let book = shelf.context.new("Book", values)
      try shelf.context.save()
      book.setValue("c", forKey: "title")
      book.setValue(Set([shelf.context.new("Tag", ["name": "red"])]), forKey: "tags")
      try shelf.context.save()
      let objectID = book.objectID
      shelf.context.delete(book)
      try shelf.context.save()

      let history = try shelf.context.history(after: nil)
      #expect(history.map(\.transactionNumber) == [1, 2, 3])
      #expect(history.map(\.author) == ["Ann", "Ann", "Ann"])
      #expect(history[0].contextName == "editor")
      #expect(history[0].changes?.map(\.changeType) == [.insert])
      let update = history[1].changes?.first { $0.changeType == .update && $0.changedObjectID == objectID }
      #expect(Set(update?.updatedProperties?.map(\.name) ?? []) == ["title", "tags"])
      let tombstone = history[2].changes?.first { $0.changeType == .delete }?.tombstone
      #expect(tombstone?["title"] as? String == "c")
      #expect(tombstone?["pages"] as? Int == 7)
      #expect(tombstone?["price"] as? NSDecimalNumber == NSDecimalNumber(string: "-1.25"))
      #expect(tombstone?["id"] as? UUID == id)
      #expect(tombstone?["added"] as? Date == date)
      #expect(tombstone?["weight"] as? Double == 2.5)
      #expect(tombstone?["cover"] as? Data == Data([9, 8]))
    }
  }

  @Test("History is fetched after a token and a date, with predicates, and deleted up to a token, which then expires")
  func fetching() throws {
    let shelf = try Shelf(model(), options: tracked)
    try shelf.context.performAndWait {
      for author in ["Ann", "Bob", "Ann"] {
        shelf.context.transactionAuthor = author
        shelf.context.new("Book", ["title": author])
        try shelf.context.save()
      }
      let all = try shelf.context.history(after: nil)
      #expect(try shelf.context.history(after: all[0].token).map(\.transactionNumber) == [2, 3])
      let byDate = NSPersistentHistoryChangeRequest.fetchHistory(after: all[1].timestamp)
      let later = (try shelf.context.execute(byDate) as? NSPersistentHistoryResult)?.result
      #expect((later as? [NSPersistentHistoryTransaction])?.map(\.transactionNumber) == [3])
      let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
      fetch.predicate = NSPredicate(format: "author == 'Ann'")
      let byAuthor = NSPersistentHistoryChangeRequest.fetchHistory(withFetch: fetch)
      let anns = (try shelf.context.execute(byAuthor) as? NSPersistentHistoryResult)?.result
      #expect((anns as? [NSPersistentHistoryTransaction])?.map(\.transactionNumber) == [1, 3])

      _ = try shelf.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: all[2].token))
      #expect(try shelf.context.history(after: nil).map(\.transactionNumber) == [3])
      let error = #expect(throws: NSError.self) { try shelf.context.history(after: all[0].token) }
      #expect(error?.code == NSPersistentHistoryTokenExpiredError)
      #expect(try shelf.context.history(after: all[1].token).map(\.transactionNumber) == [3])
      let chosen = NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture)
      chosen.resultType = .count
      for (author, count) in [("Bob", 0), ("Ann", 1)] {
        let fetch = try #require(NSPersistentHistoryTransaction.fetchRequest)
        fetch.predicate = NSPredicate(format: "author == %@", author)
        chosen.fetchRequest = fetch
        let result = try shelf.context.execute(chosen) as? NSPersistentHistoryResult
        #expect(result?.result as? Int == count)
      }
      #expect(try shelf.context.history(after: nil).isEmpty)
    }
  }

  @Test("Batch requests are in the history: runs of insertions, changed properties, deletions with what they preserve")
  func batches() throws {
    let shelf = try Shelf(model(), options: tracked)
    try shelf.context.performAndWait {
      let rows = (0..<2500).map { ["title": "b\($0)", "pages": $0] as [String: Any] }
      _ = try shelf.context.execute(NSBatchInsertRequest(entityName: "Book", objects: rows))
      let update = NSBatchUpdateRequest(entityName: "Book")
      update.predicate = NSPredicate(format: "pages < 3")
      update.propertiesToUpdate = ["title": "x"]
      _ = try shelf.context.execute(update)
      let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      fetch.predicate = NSPredicate(format: "pages == 1")
      _ = try shelf.context.execute(NSBatchDeleteRequest(fetchRequest: fetch))
      let history = try shelf.context.history(after: nil)
      #expect(history.map { $0.changes?.count } == [2500, 3, 1])
      #expect(Set(history[0].changes?.map(\.changedObjectID) ?? []).count == 2500)
      #expect(history[1].changes?[0].updatedProperties?.map(\.name) == ["title"])
      #expect(history[2].changes?[0].tombstone?["title"] as? String == "x")
    }
  }

  @Test("Deletions that preserve long values are written in portions, and told in one transaction, one after the other")
  func longTombstones() throws {
    let shelf = try Shelf(model(), options: tracked)
    func deletion(of covers: [Data]) throws -> (trips: Int, history: NSPersistentHistoryTransaction) {
      try shelf.context.performAndWait {
        let books = covers.map { shelf.context.new("Book", ["cover": $0]) }
        try shelf.context.save()
        for book in books { shelf.context.delete(book) }
        let trips = try shelf.trips { try shelf.context.save() }
        return (trips, try #require(try shelf.context.history(after: nil).last))
      }
    }
    let covers = (1...4).map { Data(repeating: UInt8($0), count: Parameters.limit / 2 + 1) }
    // The first of them prepares the statements.
    _ = try deletion(of: covers)
    let few = try deletion(of: [Data([1]), Data([2])])
    let many = try deletion(of: covers)
    #expect(many.trips == few.trips + 3)
    let found = many.history.changes?.compactMap { $0.tombstone?["cover"] as? Data } ?? []
    #expect(Set(found) == Set(covers))
    let numbers = many.history.changes?.map(\.changeID) ?? []
    #expect(numbers == Array((numbers.first ?? 0)..<((numbers.first ?? 0) + 4)))
    let next = try deletion(of: [Data([3])]).history.changes?.map(\.changeID)
    // Between them is the insertion.
    #expect(next == [(numbers.last ?? 0) + 2])
  }

  @Test("A reader that goes on from its last token misses nothing of eight writers that commit out of order")
  func order() async throws {
    let model = libraryModel()
    let first = try Shelf(model, options: tracked)
    let url = first.url
    let seen = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for writer in 0..<8 {
        group.addTask {
          let shelf = try Shelf(libraryModel(), at: url, options: tracked)
          try shelf.context.performAndWait {
            for number in 0..<25 {
              // Long ones among short ones.
              for _ in 0..<(number % 5 == 0 ? 300 : 1) { shelf.context.new("Author", ["name": "\(writer)"]) }
              try shelf.context.save()
            }
          }
          return []
        }
      }
      group.addTask {
        let shelf = try Shelf(libraryModel(), at: url, options: tracked)
        return try shelf.context.performAndWait {
          var (seen, token): ([Int64], NSPersistentHistoryToken?) = ([], nil)
          let deadline = Date(timeIntervalSinceNow: 120)
          while seen.count < 200, Date() < deadline {
            for transaction in try shelf.context.history(after: token) {
              seen.append(transaction.transactionNumber)
              token = transaction.token
            }
          }
          return seen
        }
      }
      return try await group.reduce([]) { $0 + $1 }
    }
    #expect(seen == Array(1...200))
  }

  @Test("A store with history that is opened without the option is read-only")
  func untracked() throws {
    let shelf = try Shelf(libraryModel(), options: tracked)
    try shelf.context.performAndWait {
      shelf.context.new("Book", ["title": "b"])
      try shelf.context.save()
    }
    let other = try shelf.elsewhere()
    #expect(other.store.isReadOnly)
  }

  @Test(
    "A store that is open without the option saves nothing once another has begun the history, until that is deleted"
  )
  func begun() throws {
    let untracked = try Shelf(libraryModel())
    func save(_ entity: String, of shelf: Shelf) throws {
      try shelf.context.performAndWait {
        defer { shelf.context.rollback() }
        shelf.context.new(entity, entity == "Counter" ? ["count": 1] : ["name": "a"])
        // Of several entities, a save is more than one statement.
        if entity == "Tag" { shelf.context.new("Author", ["name": "a"]) }
        try shelf.context.save()
      }
    }
    func refusal(_ entity: String) -> NSError? {
      do { try save(entity, of: untracked) } catch { return error as NSError }
      return nil
    }
    try save("Author", of: untracked)
    let tracking = try Shelf(libraryModel(), at: untracked.url, options: tracked)
    // The tables are there, but no transaction.
    try save("Author", of: untracked)
    try save("Counter", of: tracking)
    let batch = NSBatchInsertRequest(entityName: "Author", objects: [["name": "b"]])
    let errors = [
      refusal("Author"), refusal("Tag"),
      untracked.context.performAndWait { () -> NSError? in
        do { _ = try untracked.context.execute(batch) } catch { return error as NSError }
        return nil
      },
    ]
    for error in errors {
      #expect(error?.code == NSPersistentStoreSaveError, "\(error as Any)")
      #expect(error?.localizedDescription.contains("NSPersistentHistoryTrackingKey") == true, "\(error as Any)")
    }
    try tracking.context.performAndWait {
      #expect(try tracking.context.all("Author").count == 2)
      #expect(try tracking.context.all("Tag").isEmpty)
      #expect(try tracking.context.history(after: nil).count == 1)
      _ = try tracking.context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
    }
    #expect(refusal("Author") == nil)
  }

  @Test("A save that was lost before another process began a history is found afterwards")
  func lostBeforeBegun() throws {
    let shelf = try Shelf(libraryModel())
    let lost = try shelf.store.pool.ownConnection()
    let mark = try lost.nextMark(nil)
    try lost.run("\(mark.begin()); COMMIT")
    _ = try Shelf(libraryModel(), at: shelf.url, options: tracked)
    #expect(try lost.run(mark.begin()).affected == 0)
    try lost.run("ROLLBACK")
    #expect(try shelf.store.isCommitted(mark))
  }
}

@Suite("Remote changes of a PostgreSQL store", hasServer, .serialized)
struct RemoteChangeTests {
  /// Collects the notifications of one coordinator.
  private final class Collector: @unchecked Sendable {
    private let condition = NSCondition()
    private var found: [NSPersistentHistoryToken?] = []
    private var observer: (any NSObjectProtocol)?

    init(_ coordinator: NSPersistentStoreCoordinator) {
      observer = NotificationCenter.default.addObserver(
        forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
      ) { [weak self] note in
        self?.note(note.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken)
      }
    }

    private func note(_ token: NSPersistentHistoryToken?) {
      condition.withLock {
        found.append(token)
        condition.broadcast()
      }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }

    var count: Int { condition.withLock { found.count } }

    func wait(for wanted: Int, seconds: Double = 60) -> Bool {
      let deadline = Date(timeIntervalSinceNow: seconds)
      return condition.withLock {
        while found.count < wanted { if !condition.wait(until: deadline) { return false } }
        return true
      }
    }
  }

  private func save(_ shelf: Shelf) throws {
    try shelf.context.performAndWait {
      shelf.context.new("Author", ["name": "a"])
      try shelf.context.save()
    }
  }

  private var watched: [AnyHashable: Any] {
    [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true, NSPersistentHistoryTrackingKey: true]
  }

  @Test("What another process saves is announced, with a token that leads to it", arguments: [true, false])
  func announced(_ notifies: Bool) throws {
    var options = watched
    // Without notifications it is found by looking into the history.
    options[PostgreSQLNotificationsOption] = notifies
    let shelf = try Shelf(libraryModel(), options: options)
    let collector = Collector(shelf.coordinator)
    let other = try Shelf(libraryModel(), at: shelf.url, options: options)
    try save(other)
    #expect(collector.wait(for: 1))
    let found = try shelf.context.performAndWait { try shelf.context.history(after: nil).count }
    #expect(found == 1)
  }

  @Test("A store without history is told by notifications alone")
  func withoutHistory() throws {
    let options: [AnyHashable: Any] = [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]
    let shelf = try Shelf(libraryModel(), options: options)
    let collector = Collector(shelf.coordinator)
    let other = try shelf.elsewhere()
    // The thread may not listen yet.
    let deadline = Date(timeIntervalSinceNow: 60)
    while collector.count == 0, Date() < deadline {
      try save(other)
      _ = collector.wait(for: 1, seconds: 0.2)
    }
    #expect(collector.count > 0)
  }

  @Test("After the server was away, what was saved meanwhile is announced")
  func reconnection() throws {
    let server = try TestServer()
    defer { server.stop() }
    let shelf = try Shelf(libraryModel(), at: server.newStoreURL(), options: watched)
    let collector = Collector(shelf.coordinator)
    let other = try Shelf(libraryModel(), at: shelf.url, options: tracked)
    try save(other)
    #expect(collector.wait(for: 1))
    server.halt()
    try server.start()
    let before = collector.count
    try save(other)
    #expect(collector.wait(for: before + 1))
  }
}
