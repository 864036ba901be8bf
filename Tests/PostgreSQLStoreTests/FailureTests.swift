import CoreData
import Foundation
import PostgreSQLTestServer
import Synchronization
import Testing

@testable import PostgreSQLStore

@Suite("Servers that go away", hasServer, .serialized)
struct FailureTests {
  private func error(_ body: () throws -> Void) -> NSError? {
    do { try body() } catch { return error as NSError }
    return nil
  }

  private func increment(_ shelf: Shelf, _ counter: NSManagedObject) throws {
    counter.setValue((counter.value(forKey: "count") as! Int) + 1, forKey: "count")
    try shelf.context.save()
  }

  @Test("After a restart fetches and saves go on")
  func restart() throws {
    let server = try TestServer()
    defer { server.stop() }
    let shelf = try Shelf(libraryModel(), at: server.newStoreURL())
    try shelf.context.performAndWait {
      var counter = shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
      for mode in ["fast", "immediate"] {
        server.halt(mode)
        try server.start()
        try increment(shelf, counter)
        server.halt(mode)
        try server.start()
        shelf.context.reset()
        let counters = try shelf.context.all("Counter")
        #expect(counters.count == 1)
        counter = counters[0]
      }
    }
    let other = try shelf.elsewhere()
    let count = try other.context.performAndWait { try other.context.all("Counter")[0].value(forKey: "count") as? Int }
    #expect(count == 2)
  }

  @Test("While the server is away a fetch throws, and what was changed is still there to be saved")
  func away() throws {
    let server = try TestServer()
    defer { server.stop() }
    let shelf = try Shelf(libraryModel(), at: server.newStoreURL(), options: [NSPersistentStoreTimeoutOption: 1])
    try shelf.context.performAndWait {
      let counter = shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
      server.halt()
      let fetching = error { _ = try shelf.context.all("Author") }
      #expect(fetching?.code == NSPersistentStoreOperationError)
      #expect(fetching?.userInfo["SQLSTATE"] as? String == "08006")
      counter.setValue(3, forKey: "count")
      let saving = error { try shelf.context.save() }
      // Nothing was sent that could have been written.
      #expect(saving?.userInfo["SQLSTATE"] as? String == "08006")
      #expect(shelf.context.hasChanges)
      try server.start()
      try shelf.context.save()
      shelf.context.reset()
      let found = try shelf.context.all("Counter")[0].value(forKey: "count") as? Int
      #expect(found == 3)
    }
  }

  @Test(
    "A save whose request or answer is lost is in the database once, wherever the connection is cut",
    arguments: [Relay.Cut.beforeRequest, .beforeAnswer])
  func lost(_ cut: Relay.Cut) throws {
    let server = try #require(TestServer.shared)
    let relay = try Relay(to: server)
    let shelf = try Shelf(libraryModel(), at: relay.url(schema: "lost\(cut)"))
    try shelf.context.performAndWait {
      let counter = shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
      try increment(shelf, counter)
      // One statement.
      for _ in 0..<5 {
        relay.cutNext(cut)
        try increment(shelf, counter)
        #expect(relay.hasCut)
      }
      // Several: cut in each of them, the commit among them.
      for step in 0..<6 {
        let author = shelf.context.new("Author", ["name": "a\(step)"])
        counter.setValue((counter.value(forKey: "count") as! Int) + 1, forKey: "count")
        Thread.detachNewThread {
          usleep(UInt32(step) * 300)
          relay.cutNext(cut)
        }
        try shelf.context.save()
        author.setValue("b\(step)", forKey: "name")
        try shelf.context.save()
      }
    }
    let other = try Shelf(libraryModel(), at: server.url(schema: "lost\(cut)"))
    try other.context.performAndWait {
      let counters = try other.context.all("Counter")
      #expect(counters.map { $0.value(forKey: "count") as! Int } == [12])
      let names = try other.context.all("Author", sort: "name").map { $0.value(forKey: "name") as! String }
      #expect(names == (0..<6).map { "b\($0)" })
    }
  }

  /// An author and a book, whose rows no cache may answer for.
  private func saveAuthor(on shelf: Shelf) throws -> (author: NSManagedObject, book: NSManagedObject) {
    let author = shelf.context.new("Author", ["name": "Kafka"])
    let book = shelf.context.new("Book", ["title": "Amerika", "author": author])
    try shelf.context.save()
    shelf.context.stalenessInterval = 0
    return (author, book)
  }

  @Test("What a URL says of keeping a connection alive counts, and not what the store says")
  func keepAlives() throws {
    // Over a network only, and before it is asked for a connection, libpq looks at these.
    for (more, word) in [("", "refused"), ("?keepalives_idle=soon", "soon"), ("?tcp_user_timeout=late", "late")] {
      let address = StoreAddress(try #require(URL(string: "postgresql://strata@127.0.0.1:1/postgres\(more)")))
      let failing = #expect(throws: ServerError.self) {
        _ = try Connection(address, preparesStatements: false, trace: nil)
      }
      #expect(failing?.message.contains(word) == true, "\(failing as Any)")
    }
  }

  @Test("A fault whose connection was cut is read over another one, and nobody is asked")
  func cutFault() throws {
    let relay = try Relay(to: #require(TestServer.shared))
    let shelf = try Shelf(libraryModel(), at: relay.url(schema: "cutfault"))
    let asked = Mutex(0)
    shelf.context.unreadableFaultHandler = { _, _ in
      asked.withLock { $0 += 1 }
      return .keepFault
    }
    try shelf.context.performAndWait {
      let (author, book) = try saveAuthor(on: shelf)
      for cut in [Relay.Cut.beforeRequest, .beforeAnswer] {
        shelf.context.refreshAllObjects()
        relay.cutNext(cut)
        #expect(book.value(forKey: "title") as? String == "Amerika" && relay.hasCut)
        relay.cutNext(cut)
        #expect((author.value(forKey: "books") as? NSOrderedSet)?.count == 1 && relay.hasCut)
      }
    }
    #expect(asked.withLock { $0 } == 0)
  }

  @Test("While the server is away the handler of unreadable faults decides, and saves that need them throw")
  func awayFault() throws {
    let server = try TestServer()
    defer { server.stop() }
    let shelf = try Shelf(libraryModel(), at: server.newStoreURL(), options: [NSPersistentStoreTimeoutOption: 1])
    let states = Mutex<[String]>([])
    shelf.context.unreadableFaultHandler = { _, error in
      states.withLock { $0.append((error as NSError).userInfo["SQLSTATE"] as? String ?? "none") }
      return .keepFault
    }
    try shelf.context.performAndWait {
      let (author, book) = try saveAuthor(on: shelf)
      shelf.context.refreshAllObjects()
      #expect(author.value(forKey: "name") as? String == "Kafka")
      server.halt()
      #expect(book.value(forKey: "title") == nil && book.isFault && !book.isDeleted)
      #expect(states.withLock { $0 } == ["08006"])
      shelf.context.delete(author)
      let saving = error { try shelf.context.save() }
      #expect(saving?.userInfo["SQLSTATE"] as? String == "08006")
      #expect(author.isDeleted)
      #expect(states.withLock { $0.count } == 1)
      try server.start()
      #expect(book.value(forKey: "title") as? String == "Amerika")
      try shelf.context.save()
      #expect(book.value(forKey: "author") == nil)
    }
  }

  @Test("A database that there is not is said to be missing, and not to be out of reach")
  func missingDatabase() throws {
    let server = try #require(TestServer.shared)
    let url = URL(string: "postgresql:///nowhere?host=\(server.folder)&user=strata")!
    let failing = error { _ = try Shelf(libraryModel(), at: url) }
    #expect(failing?.code == NSPersistentStoreOpenError)
    #expect(failing?.userInfo["SQLSTATE"] as? String == "3D000")
    #expect(failing?.localizedDescription.contains("nowhere") == true, "\(failing as Any)")
  }

  @Test("A password that is wrong or left out is told by the server's state, and not by words that a database may have")
  func wrongPassword() throws {
    let server = try #require(TestServer.shared)
    let urls = [
      server.url(schema: "s", user: "visitor", more: "&password=guess"), server.url(schema: "s", user: "visitor"),
      server.url(schema: "s", database: "password%20authentication"),
    ]
    let states = urls.map { url in error { _ = try Shelf(libraryModel(), at: url) }?.userInfo["SQLSTATE"] as? String }
    #expect(states == ["28P01", "28P01", "3D000"])
  }

  @Test("A password is in no error, description or log of a store")
  func secrets() throws {
    let server = try #require(TestServer.shared)
    let url = URL(string: "postgresql://mary:tops3cret@/nowhere?host=\(server.folder)&schema=s")!
    #expect(StoreAddress(url).shown.absoluteString.contains("tops3cret") == false)
    let failing = error { _ = try Shelf(libraryModel(), at: url) }
    #expect(failing?.code == NSPersistentStoreOpenError)
    #expect("\(failing!) \(failing!.userInfo)".contains("tops3cret") == false)
    let working = URL(string: server.url(schema: "secret").absoluteString + "&password=tops3cret")!
    let shelf = try Shelf(libraryModel(), at: working)
    #expect(shelf.store.url?.absoluteString.contains("tops3cret") == false)
    let description = NSPersistentStoreDescription(postgreSQL: working)
    #expect("\(description)".contains("schema=secret") && !"\(description)".contains("tops3cret"))
    let address = StoreAddress(try #require(URL(string: "postgresql://mary:top%2Fs3cret@db/library")))
    let words = #"unexpected character in URI: "postgresql://mary:top%2Fs3cret@db/library", or "top/s3cret""#
    #expect(address.redacted(words) == #"unexpected character in URI: "…", or "…""#)
  }

  @Test("The options of a store show the URL of a replica without its password")
  func secretOptions() throws {
    let server = try #require(TestServer.shared)
    let replica = URL(string: "postgresql://mary:tops3cret@/postgres?host=/nowhere&schema=secretoptions")!
    let values: [Any] = [replica, replica as NSURL, replica.absoluteString]
    for value in values {
      let shelf = try Shelf(
        libraryModel(), at: server.url(schema: "secretoptions"), options: [PostgreSQLReadReplicaOption: value])
      let shown = try #require(shelf.store.options?[PostgreSQLReadReplicaOption])
      #expect("\(shown)".contains("mary") && !"\(shown)".contains("tops3cret"))
    }
  }

  @Test("A store is found by its URL with and without the password, and is not added twice")
  func foundByURL() throws {
    let server = try #require(TestServer.shared)
    let open = server.url(schema: "found")
    let secret = try #require(URL(string: open.absoluteString + "&password=tops3cret"))
    let shelf = try Shelf(libraryModel(), at: secret)
    for url in [open, secret] {
      #expect(shelf.coordinator.persistentStore(for: url) === shelf.store)
      let twice = error {
        _ = try shelf.coordinator.addPersistentStore(ofType: NSPostgreSQLStoreType, configurationName: nil, at: url)
      }
      #expect(twice != nil)
    }
    #expect(shelf.coordinator.persistentStores.count == 1)
    #expect(shelf.coordinator.persistentStore(for: server.url(schema: "lost")) == nil)
  }

  @Test("A store is made by one process at a time, whether their URLs name the schema or the role's path leads there")
  func oneLock() throws {
    let server = try #require(TestServer.shared)
    let named = try Connection(StoreAddress(server.url(schema: "public")), preparesStatements: false, trace: nil)
    let url = URL(string: "postgresql:///postgres?host=\(server.folder)&user=strata")!
    let unnamed = try Connection(StoreAddress(url), preparesStatements: false, trace: nil)
    try named.run("BEGIN")
    try StoreOpening.takeLock("public", named)
    try unnamed.run("BEGIN; SET LOCAL lock_timeout = '200ms'")
    let refusal = #expect(throws: ServerError.self) { try StoreOpening.takeLock(nil, unnamed) }
    #expect(refusal?.state == "55P03")
  }

  @Test("A role makes its store in a schema that is there, without the right to make schemas")
  func schemaOfOthers() throws {
    let server = try #require(TestServer.shared)
    _ = try server.rows("CREATE ROLE guest LOGIN; CREATE SCHEMA given; GRANT ALL ON SCHEMA given TO guest")
    let shelf = try Shelf(libraryModel(), at: server.url(schema: "given", user: "guest"))
    try shelf.context.performAndWait {
      shelf.context.new("Book", ["title": "Emma"])
      try shelf.context.save()
    }
    let refused = error { _ = try Shelf(libraryModel(), at: server.url(schema: "taken", user: "guest")) }
    #expect(refused?.userInfo["SQLSTATE"] as? String == "42501", "\(refused as Any)")
  }

  @Test("A statement that libpq refuses to send is an error in its words, and no lost connection")
  func unsent() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      shelf.context.new("Book", ["sold": 7])
      try shelf.context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSCompoundPredicate(
        orPredicateWithSubpredicates: (0..<70_000).map { NSPredicate(format: "sold == %d", $0) })
      let refused = error { _ = try shelf.context.count(for: request) }
      #expect(refused?.userInfo["SQLSTATE"] as? String == "XX000")
      #expect(refused?.localizedDescription.contains("65535") == true)
      let trips = try shelf.trips { () throws in #expect(try shelf.context.all("Book", "sold == 7").count == 1) }
      #expect(trips <= 2)
    }
  }

  @Test("What the server does not support is an error that is not tried again, at every use of the statement")
  func unsupported() throws {
    let server = try #require(TestServer.shared)
    let pool = ConnectionPool(limit: 1, patience: 5) {
      try Connection(StoreAddress(server.url(schema: "public")), preparesStatements: true, trace: nil)
    }
    let sql = "SELECT 1 FROM generate_series(1, 2) a(x) FULL JOIN generate_series(1, 2) b(y) ON x < y"
    for _ in 1...2 {
      let refused = #expect(throws: ServerError.self) {
        try pool.use { connection in try connection.transaction { _ = try connection.execute(sql) } }
      }
      #expect(refused?.state == "0A000")
      #expect(refused?.isPassing == false)
    }
  }

  @Test("Values that no message to the server has room for are refused before they are sent")
  func tooLong() throws {
    #expect(throws: Never.self) { try Parameters.check(1 << 29, "INSERT") }
    for count in [1 << 30, 1 << 32] {
      let refused = #expect(throws: ServerError.self) { try Parameters.check(count, "INSERT") }
      #expect(refused?.state == "54000")
    }
  }

  @Test("A text that is too long for an index is refused with its attribute, its length and the index")
  func longIndexedTexts() throws {
    let model = libraryModel()
    let title = try #require(model.entitiesByName["Book"]?.propertiesByName["title"])
    model.entitiesByName["Book"]?.indexes = [
      NSFetchIndexDescription(
        name: "byTitle", elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
    ]
    let shelf = try Shelf(model)
    // Of which little can be compressed.
    let text = (0..<1000).map { _ in UUID().uuidString }.joined()
    try shelf.context.performAndWait {
      for (entity, name, index) in [("Tag", "name", "Z_Tag_UNIQUE_name"), ("Novel", "title", "Z_Book_byTitle")] {
        let object = shelf.context.new(entity, [name: text])
        let batch = NSBatchInsertRequest(entityName: entity, objects: [[name: text]])
        let refusals = [error { try shelf.context.save() }, error { _ = try shelf.context.execute(batch) }]
        for refused in refusals {
          #expect(refused?.userInfo["SQLSTATE"] as? String == "54000")
          for word in ["\(entity).\(name)", "36000", index] {
            #expect(refused?.localizedDescription.contains(word) == true, "\(word): \(refused as Any)")
          }
        }
        object.setValue("short", forKey: name)
        try shelf.context.save()
      }
      shelf.context.new("Author", ["name": text])
      try shelf.context.save()
    }
  }

  @Test("Tables that others have changed are refused with the table and what is wrong with it")
  func changedTables() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.store.pool.use { _ = try $0.run("ALTER TABLE ZBOOK ALTER COLUMN ZPAGES TYPE integer") }
    let misfit = error { _ = try shelf.elsewhere() }
    #expect(misfit?.localizedDescription.contains("ZPAGES") == true, "\(misfit as Any)")
    try shelf.store.pool.use { _ = try $0.run("ALTER TABLE ZBOOK DROP COLUMN ZPAGES") }
    let missing = error { _ = try shelf.elsewhere() }
    #expect(missing?.localizedDescription.contains("ZPAGES") == true, "\(missing as Any)")
  }

  @Test(
    "A column that becomes another type while the store is open is named, and rows are read when it is as before",
    arguments: [true, false])
  func changedType(preparesStatements: Bool) throws {
    let shelf = try Shelf(libraryModel(), options: [PostgreSQLPreparedStatementsOption: preparesStatements])
    try shelf.context.performAndWait {
      let author = shelf.context.new("Author", ["name": "Jane"])
      shelf.context.new("Book", ["title": "Emma", "pages": 7, "author": author])
      try shelf.context.save()
      shelf.context.stalenessInterval = 0
      func alter(_ column: String, _ type: String) throws {
        try shelf.store.pool.use { _ = try $0.run("ALTER TABLE ZBOOK ALTER COLUMN \(column) TYPE \(type)") }
      }
      /// Asks for rows, for references, and for members.
      func asking() -> [NSError?] {
        shelf.context.reset()
        let ids = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        let rows = NSFetchRequest<NSManagedObject>(entityName: "Book")
        rows.returnsObjectsAsFaults = false
        let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
        authors.relationshipKeyPathsForPrefetching = ["books"]
        return [
          error { _ = try shelf.context.fetch(rows) }, error { _ = try shelf.context.fetch(ids) },
          error { _ = try shelf.context.fetch(authors) },
        ]
      }
      #expect(asking().allSatisfy { $0 == nil })
      for (column, which) in [("ZPAGES", [0, 2]), ("Z_PK", [0, 1, 2])] {
        try alter(column, "integer")
        let refused = asking()
        for place in which {
          #expect(refused[place]?.code == NSPersistentStoreIncompatibleSchemaError, "\(column) \(place)")
          #expect(refused[place]?.localizedDescription.contains(column.lowercased()) == true, "\(refused)")
        }
        try alter(column, "bigint")
        #expect(asking().allSatisfy { $0 == nil })
      }
      #expect(try shelf.context.all("Book").map { $0.value(forKey: "pages") as? Int } == [7])
    }
  }

  @Test("A save that reads a column of another type by now is undone, and the column is named")
  func changedTypeInSave() throws {
    let model = libraryModel()
    let derived = NSDerivedAttributeDescription()
    (derived.name, derived.attributeType, derived.isOptional) = ("plainName", .stringAttributeType, true)
    derived.derivationExpression = NSExpression(format: "canonical:(name)")
    model.entitiesByName["Author"]?.properties += [derived, attribute("motto", .stringAttributeType)]
    let shelf = try Shelf(model)
    try shelf.context.performAndWait {
      let author = shelf.context.new("Author", ["name": "Jane"])
      try shelf.context.save()
      author.setValue("Ann", forKey: "name")
      try shelf.context.save()
      func alter(_ type: String) throws {
        try shelf.store.pool.use { _ = try $0.run("ALTER TABLE ZAUTHOR ALTER COLUMN ZMOTTO TYPE \(type)") }
      }
      try alter("varchar")
      author.setValue("Emma", forKey: "name")
      let refused = error { try shelf.context.save() }
      #expect(refused?.code == NSPersistentStoreIncompatibleSchemaError, "\(refused as Any)")
      #expect(refused?.localizedDescription.contains("zmotto") == true, "\(refused as Any)")
      try alter("text")
      let other = try shelf.elsewhere()
      let anns = try other.context.performAndWait { try other.context.all("Author", "name == 'Ann'").count }
      #expect(anns == 1)
      try shelf.context.save()
      #expect(author.value(forKey: "plainName") as? String == "emma")
    }
  }

  @Test("Another version of the model is refused by its hashes")
  func otherModel() throws {
    let shelf = try Shelf(libraryModel())
    let model = libraryModel()
    model.entitiesByName["Tag"]!.properties += [attribute("colour", .stringAttributeType)]
    let refused = error { _ = try Shelf(model, at: shelf.url) }
    #expect(refused?.code == NSPersistentStoreIncompatibleVersionHashError)
  }

  @Test("Who waits too long for a connection is told how many there are")
  func pool() throws {
    let shelf = try Shelf(
      libraryModel(),
      options: [NSPersistentStoreConnectionPoolMaxSizeKey: 1, NSPersistentStoreTimeoutOption: 0.2])
    try shelf.store.pool.use { _ in
      let refused = #expect(throws: ServerError.self) { try shelf.store.pool.use { _ in } }
      #expect(refused?.message.contains("all 1") == true)
    }
    let works: Void? = try shelf.store.pool.use { _ in }
    #expect(works != nil)
  }

  @Test("Where the server gives no further connection, one that the store has is waited for")
  func fewConnections() throws {
    let server = try #require(TestServer.shared)
    _ = try server.rows("CREATE ROLE few LOGIN; GRANT CREATE ON DATABASE postgres TO few")
    let shelf = try Shelf(libraryModel(), at: server.url(schema: "few", user: "few"))
    _ = try server.rows("ALTER ROLE few CONNECTION LIMIT 1")
    let (store, hasOne) = (shelf.store, DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      _ = try? store.pool.use { _ in
        hasOne.signal()
        Thread.sleep(forTimeInterval: 0.3)
      }
    }
    hasOne.wait()
    try shelf.context.performAndWait { () throws in
      #expect(try shelf.context.all("Book").isEmpty)
    }
  }

  @Test("Settings in the URL are the session's: a statement that takes too long is an error, and the store goes on")
  func settings() throws {
    let server = try #require(TestServer.shared)
    let url = server.url(schema: "slow schema", more: "&options=-c%20statement_timeout%3D3000")
    let shelf = try Shelf(libraryModel(), at: url)
    try shelf.context.performAndWait {
      let counter = shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
      counter.setValue(1, forKey: "count")
      // Another one has the row, and takes its time.
      try shelf.store.pool.use { other in
        try other.run("BEGIN; SET LOCAL statement_timeout = 0; UPDATE ZCOUNTER SET ZCOUNT = 7")
        let slow = error { try shelf.context.save() }
        #expect(slow?.code == NSPersistentStoreTimeoutError)
        #expect(slow?.userInfo["SQLSTATE"] as? String == "57014", "\(slow as Any)")
        other.rollback()
      }
      try shelf.context.save()
    }
    let rows = try server.rows(#"SELECT zcount FROM "slow schema".zcounter"#)
    #expect(rows == [["1"]])
  }

  @Test("A column whose name the server would cut is refused by name, and the longest that it keeps is found again")
  func longNames() throws {
    func model(_ count: Int) -> NSManagedObjectModel {
      let model = libraryModel()
      model.entitiesByName["Book"]?.properties.append(
        attribute(String(repeating: "x", count: count), .stringAttributeType))
      return model
    }
    let url = try #require(TestServer.shared).newStoreURL()
    let refused = error { _ = try Shelf(model(63), at: url) }
    #expect(refused?.localizedDescription.contains("ZXXX") == true, "\(refused as Any)")
    let shelf = try Shelf(model(62), at: url)
    _ = try shelf.elsewhere()
  }

  @Test("Indexes and constraints whose names begin with the same 63 bytes are all made, and kept by a migration")
  func longIndexNames() throws {
    let long = String(repeating: "x", count: 56)
    func model(_ more: [NSAttributeDescription] = []) throws -> NSManagedObjectModel {
      let model = libraryModel()
      let tag = try #require(model.entitiesByName["Tag"])
      for end in ["a", "b"] { tag.properties.append(attribute(long + end, .stringAttributeType)) }
      for another in more { tag.properties.append(another) }
      tag.uniquenessConstraints = [[long + "a"], [long + "b"]]
      let name = try #require(tag.propertiesByName["name"])
      tag.indexes = ["a", "b"].map { end in
        NSFetchIndexDescription(
          name: String(repeating: "y", count: 60) + end,
          elements: [NSFetchIndexElementDescription(property: name, collationType: .binary)])
      }
      return model
    }
    func collides(_ shelf: Shelf, _ values: [String: String]) throws -> Bool {
      try shelf.context.performAndWait {
        let tag = shelf.context.new("Tag", values)
        let refused = error { try shelf.context.save() }
        shelf.context.delete(tag)
        try shelf.context.save()
        return refused?.code == NSManagedObjectConstraintMergeError
      }
    }
    let url = try #require(TestServer.shared).newStoreURL()
    func check(_ shelf: Shelf) throws {
      #expect(try collides(shelf, [long + "a": "2", long + "b": "1"]))
      #expect(try collides(shelf, [long + "a": "1", long + "b": "2"]))
      #expect(try !collides(shelf, [long + "a": "2", long + "b": "2"]))
    }
    do {
      let shelf = try Shelf(model(), at: url)
      try shelf.context.performAndWait {
        shelf.context.new("Tag", [long + "a": "1", long + "b": "1"])
        try shelf.context.save()
      }
      try check(shelf)
      try check(shelf.elsewhere())
    }
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]
    try check(Shelf(model([attribute("color", .stringAttributeType)]), at: url, options: options))
  }

  @Test("A derivation over two relationships is refused by name")
  func refusals() throws {
    let model = libraryModel()
    let derived = NSDerivedAttributeDescription()
    (derived.name, derived.attributeType, derived.isOptional) = ("idol", .stringAttributeType, true)
    derived.derivationExpression = NSExpression(format: "author.favourite.title")
    model.entitiesByName["Book"]?.properties.append(derived)
    let refused = error { _ = try Shelf(model) }
    #expect(refused?.localizedDescription.contains("idol") == true, "\(refused as Any)")
  }
}
