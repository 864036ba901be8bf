import CoreData
import Foundation
import PostgreSQLTestServer
import Synchronization
import Testing

@testable import PostgreSQLStore

@Suite("Several writers of a PostgreSQL store", hasServer)
struct ConflictTests {
  /// A counter that two coordinators have read, and the first has changed to 1.
  private func withCounter(
    _ policy: NSMergePolicy, _ body: (Shelf, NSManagedObject, Shelf) throws -> Void
  ) throws {
    let one = try Shelf(libraryModel())
    let two = try one.elsewhere()
    try one.context.performAndWait {
      one.context.new("Counter", ["count": 0])
      try one.context.save()
    }
    try two.context.performAndWait {
      two.context.mergePolicy = policy
      let counter = try two.context.all("Counter")[0]
      counter.setValue(5, forKey: "count")
      try one.context.performAndWait {
        try one.context.all("Counter")[0].setValue(1, forKey: "count")
        try one.context.save()
      }
      try body(two, counter, one)
    }
  }

  private func stored(_ shelf: Shelf) throws -> [Int] {
    let other = try shelf.elsewhere()
    return try other.context.performAndWait {
      try other.context.all("Counter").map { $0.value(forKey: "count") as! Int }
    }
  }

  @Test("A constraint over a composite attribute is that of its elements")
  func compositeConstraint() throws {
    func attribute(_ name: String) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = .stringAttributeType
      attribute.isOptional = true
      return attribute
    }
    let place = NSCompositeAttributeDescription()
    place.name = "place"
    place.isOptional = true
    place.elements = [attribute("room"), attribute("shelf")]
    let copy = NSEntityDescription()
    copy.name = "Copy"
    copy.properties = [attribute("title"), place]
    copy.uniquenessConstraints = [["place"]]
    let model = NSManagedObjectModel()
    model.entities = [copy]
    let shelf = try Shelf(model)
    try shelf.context.performAndWait {
      let context = shelf.context
      func add(_ title: String) { context.new("Copy", ["title": title, "place": ["room": "A", "shelf": "1"]]) }
      add("Emma")
      try context.save()
      add("Mathilda")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      let titles = try context.all("Copy").map { $0.value(forKey: "title") as? String }
      #expect(titles == ["Mathilda"])
      let batch = NSBatchInsertRequest(
        entityName: "Copy", objects: [["title": "Persuasion", "place.room": "A", "place.shelf": "1"]])
      _ = try context.execute(batch)
      context.refreshAllObjects()
      let written = try context.all("Copy").map { $0.value(forKey: "title") as? String }
      #expect(written == ["Persuasion"])
    }
  }

  @Test("A constraint over an attribute named pkey is no primary key: a merge policy settles what breaks it")
  func constraintNamedAsKeys() throws {
    let model = libraryModel()
    let tag = try #require(model.entitiesByName["Tag"])
    tag.properties.append(attribute("pkey", .stringAttributeType))
    tag.uniquenessConstraints = [["pkey"], ["name", "pkey"]]
    let shelf = try Shelf(model)
    try shelf.context.performAndWait {
      shelf.context.new("Tag", ["name": "red", "pkey": "1"])
      try shelf.context.save()
      shelf.context.new("Tag", ["name": "blue", "pkey": "1"])
      let refused = #expect(throws: NSError.self) { try shelf.context.save() }
      #expect(refused?.code == NSManagedObjectConstraintMergeError)
      shelf.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try shelf.context.save()
      #expect(try shelf.context.all("Tag").map { $0.value(forKey: "name") as? String } == ["blue"])
    }
  }

  @Test("A save that changes other properties of each row locks the rows in the order of their keys")
  func lockOrder() throws {
    let server = try #require(TestServer.shared)
    for properties in [["pages", "copies"], ["copies", "pages"]] {
      let shelf = try Shelf(libraryModel())
      try shelf.context.performAndWait {
        var books: [(key: Int, book: NSManagedObject)] = []
        for _ in 0..<2 {
          let book = shelf.context.new("Book")
          try shelf.context.save()
          let key = try #require(Int(book.objectID.uriRepresentation().lastPathComponent.dropFirst()))
          books.append((key, book))
        }
        books.sort { $0.key < $1.key }
        for (place, property) in properties.enumerated() { books[place].book.setValue(7, forKey: property) }
        let (first, second) = (books[0].key, books[1].key)
        try shelf.store.pool.use { other in
          let process = try other.run(
            "BEGIN; UPDATE ZBOOK SET ZTITLE = ZTITLE WHERE Z_PK = \(first); SELECT pg_backend_pid()::text"
          ).text(0, 0)
          nonisolated(unsafe) let other = other
          let isDone = DispatchSemaphore(value: 0)
          let isFree = Mutex(false)
          Thread.detachNewThread {
            let waiting = "SELECT 1 FROM pg_stat_activity WHERE \(process ?? "") = ANY (pg_blocking_pids(pid))"
            let deadline = Date(timeIntervalSinceNow: 30)
            while (try? server.rows(waiting))?.isEmpty != false, Date() < deadline { usleep(10_000) }
            let rows = try? other.run("SELECT 1 FROM ZBOOK WHERE Z_PK = \(second) FOR UPDATE NOWAIT")
            isFree.withLock { $0 = rows != nil }
            _ = try? other.run("ROLLBACK")
            isDone.signal()
          }
          try shelf.context.save()
          isDone.wait()
          #expect(isFree.withLock { $0 }, "\(properties)")
        }
      }
    }
  }

  @Test("A key that another program has taken is the server's error, and no conflict of values")
  func takenKey() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let first = shelf.context.new("Tag", ["name": "red"])
      try shelf.context.save()
      let taken = first.objectID.uriRepresentation().lastPathComponent.dropFirst()
      let next = try #require(Int(taken)) + 1
      try shelf.store.pool.use {
        _ = try $0.run("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) SELECT \(next), Z_ENT, 1 FROM ZTAG")
      }
      shelf.context.new("Tag", ["name": "blue"])
      let refused = #expect(throws: NSError.self) { try shelf.context.save() }
      #expect(refused?.userInfo["SQLSTATE"] as? String == "23505")
    }
  }

  @Test("A change based on an older version is refused, with what the store has")
  func refused() throws {
    try withCounter(.error) { shelf, counter, _ in
      let error = #expect(throws: NSError.self) { try shelf.context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      let conflict = (error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first
      #expect(conflict?.persistedSnapshot?["count"] as? Int == 1)
      let found1 = try stored(shelf)
      #expect(found1 == [1])
    }
  }

  @Test(
    "Merge policies decide",
    arguments: [(0, [1]), (1, [5]), (2, [5]), (3, [1])])
  func policies(_ number: Int, _ expected: [Int]) throws {
    let policies: [NSMergePolicy] = [
      .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]
    try withCounter(policies[number]) { shelf, _, _ in
      try shelf.context.save()
      let found2 = try stored(shelf)
      #expect(found2 == expected)
    }
  }

  @Test("An object that another has deleted is a conflict, and nothing of the save is written")
  func deleted() throws {
    try withCounter(.error) { shelf, counter, other in
      try other.context.performAndWait {
        try other.context.all("Counter").forEach(other.context.delete)
        try other.context.save()
      }
      shelf.context.new("Author", ["name": "Ann"])
      let error = #expect(throws: NSError.self) { try shelf.context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      let found3 = try stored(shelf)
      #expect(found3 == [])
      let fresh = try shelf.elsewhere()
      let found4 = try fresh.context.performAndWait { try fresh.context.all("Author").count }
      #expect(found4 == 0)
    }
  }

  @Test("A value that another row has is a conflict of the constraint; the policy makes one row of the two")
  func constraint() throws {
    let one = try Shelf(libraryModel())
    let two = try one.elsewhere()
    try one.context.performAndWait {
      one.context.new("Tag", ["name": "red"])
      try one.context.save()
    }
    try two.context.performAndWait {
      let tag = two.context.new("Tag", ["name": "red"])
      tag.setValue(Set([two.context.new("Book", ["title": "b"])]), forKey: "books")
      let error = #expect(throws: NSError.self) { try two.context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      two.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try two.context.save()
      let found5 = try two.context.all("Tag").count
      #expect(found5 == 1)
    }
    let fresh = try one.elsewhere()
    try fresh.context.performAndWait {
      let tags = try fresh.context.all("Tag")
      #expect(tags.count == 1)
      #expect((tags[0].value(forKey: "books") as! Set<NSManagedObject>).count == 1)
    }
  }

  @Test("Rows that exchange the values of a constraint are saved")
  func exchange() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let tags = ["red", "blue"].map { shelf.context.new("Tag", ["name": $0]) }
      try shelf.context.save()
      tags[0].setValue("blue", forKey: "name")
      tags[1].setValue("red", forKey: "name")
      try shelf.context.save()
      let names = try shelf.elsewhere()
      try names.context.performAndWait {
        let names = try names.context.all("Tag").map { $0.value(forKey: "name") as! String }
        #expect(Set(names) == ["red", "blue"])
      }
    }
  }

  @Test("Eight writers that count one counter lose nothing")
  func counting() async throws {
    let first = try Shelf(libraryModel())
    try first.context.performAndWait {
      first.context.new("Counter", ["count": 0])
      try first.context.save()
    }
    let url = first.url
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let shelf = try Shelf(libraryModel(), at: url)
          try shelf.context.performAndWait {
            let counter = try shelf.context.all("Counter")[0]
            for _ in 0..<25 {
              while true {
                counter.setValue((counter.value(forKey: "count") as! Int) + 1, forKey: "count")
                do {
                  try shelf.context.save()
                  break
                } catch let error as NSError where error.code == NSManagedObjectMergeError {
                  shelf.context.refresh(counter, mergeChanges: false)
                }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let found6 = try stored(first)
    #expect(found6 == [200])
  }

  @Test("A save that the server takes back to end a deadlock is run again, and is there once")
  func deadlock() throws {
    let server = try #require(TestServer.shared)
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let author = shelf.context.new("Author", ["name": "a"])
      let counter = shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
      author.setValue("b", forKey: "name")
      counter.setValue(1, forKey: "count")
      try shelf.store.pool.use { other in
        // The save has the author and waits for the counter; this one has the counter and asks for the author.
        let process = try other.run("BEGIN; UPDATE ZCOUNTER SET ZCOUNT = ZCOUNT; SELECT pg_backend_pid()::text").text(
          0, 0)
        nonisolated(unsafe) let other = other
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          let waiting = "SELECT 1 FROM pg_stat_activity WHERE \(process ?? "") = ANY (pg_blocking_pids(pid))"
          let deadline = Date(timeIntervalSinceNow: 30)
          while (try? server.rows(waiting))?.isEmpty != false, Date() < deadline { usleep(10_000) }
          _ = try? other.run("UPDATE ZAUTHOR SET ZNAME = ZNAME; ROLLBACK")
          isDone.signal()
        }
        try shelf.context.save()
        isDone.wait()
      }
    }
    let saved = try shelf.elsewhere()
    try saved.context.performAndWait {
      let names = try saved.context.all("Author").map { $0.value(forKey: "name") as? String }
      let counts = try saved.context.all("Counter").map { $0.value(forKey: "count") as? Int }
      #expect(names == ["b"])
      #expect(counts == [1])
    }
  }

  @Test(
    "A save or batch that the server can't serialize, SQLSTATE 40001, is run again, and is there once",
    arguments: ["one statement", "a transaction", "a batch update"])
  func serialization(_ kind: String) throws {
    let server = try #require(TestServer.shared)
    let schema = "serial" + UUID().uuidString.prefix(8).lowercased()
    // Each of the store's transactions keeps to the state in which it began.
    let options = "&options=-c%20default_transaction_isolation%3Dserializable"
    let shelf = try Shelf(libraryModel(), at: server.url(schema: schema, more: options))
    func refusals() -> Int { server.log.components(separatedBy: "could not serialize access").count }
    try shelf.context.performAndWait {
      let context = shelf.context
      let author = context.new("Author", ["name": "a"])
      let counter = context.new("Counter", ["count": 0])
      try context.save()
      let before = refusals()
      try shelf.store.pool.use { other in
        // It has the row, and commits once the store waits for that. The row's version stays as it was.
        let process = try other.run("BEGIN; UPDATE ZCOUNTER SET ZCOUNT = ZCOUNT; SELECT pg_backend_pid()::text").text(
          0, 0)
        nonisolated(unsafe) let other = other
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          let waiting = "SELECT 1 FROM pg_stat_activity WHERE \(process ?? "") = ANY (pg_blocking_pids(pid))"
          let deadline = Date(timeIntervalSinceNow: 30)
          while (try? server.rows(waiting))?.isEmpty != false, Date() < deadline { usleep(10_000) }
          _ = try? other.run("COMMIT")
          isDone.signal()
        }
        if kind == "a batch update" {
          let update = NSBatchUpdateRequest(entityName: "Counter")
          update.propertiesToUpdate = ["count": NSExpression(format: "count + 1")]
          _ = try context.execute(update)
        } else {
          counter.setValue(1, forKey: "count")
          if kind == "a transaction" { author.setValue("b", forKey: "name") }
          try context.save()
        }
        isDone.wait()
      }
      #expect(refusals() > before)
    }
    let counts = try server.rows("SELECT zcount FROM \(schema).zcounter")
    #expect(counts == [["1"]])
  }

  @Test("Many who open a new store at a time find one store")
  func opening() async throws {
    let url = try #require(TestServer.shared).newStoreURL()
    let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<6 { group.addTask { try Shelf(libraryModel(), at: url).store.identifier } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(identifiers.count == 1)
  }
}
