import Foundation
import Testing

@testable import CoreData

/// A store over a server that many write at the same time: what incremental stores need beyond Apple's contract.
@Suite("Incremental stores over a server")
struct WireStoreTests {
  /// Author.books <->> Book.author; Novel is a kind of Book; the texts `isbn` are unique.
  private static func shop() -> NSManagedObjectModel {
    let author = entity("Author", [attribute("name"), attribute("born", .dateAttributeType)])
    let book = entity(
      "Book", [attribute("title"), attribute("pages", .integer64AttributeType, default: 0), attribute("isbn")])
    book.uniquenessConstraints = [["isbn"]]
    let novel = entity("Novel", [attribute("genre")])
    book.subentities = [novel]
    join(
      relate(author, "books", .many, to: book, rule: .cascadeDeleteRule), relate(book, "author", .one, to: author))
    return model([author, book, novel])
  }

  private static let registration: Void = {
    for type in [WireStore.self, LosingWireStore.self, ForgetfulWireStore.self] {
      NSPersistentStoreCoordinator.registerStoreClass(type, forStoreType: type.storeType)
    }
  }()

  private static func context(
    _ url: URL, _ type: WireStore.Type = WireStore.self, _ model: NSManagedObjectModel? = nil
  ) throws -> NSManagedObjectContext {
    _ = registration
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model ?? shop())
    try coordinator.addPersistentStore(ofType: type.storeType, configurationName: nil, at: url, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func withServer(
    _ type: WireStore.Type = WireStore.self, _ body: (WireServer, NSManagedObjectContext) throws -> Void
  ) throws {
    _ = Stack.invariantChecks
    let server = try WireServer()
    defer { server.stop() }
    let context = try Self.context(server.url, type)
    try context.performAndWait { try body(server, context) }
  }

  /// Another program with the same store, as far as the store can tell.
  private func elsewhere(_ server: WireServer, _ body: (NSManagedObjectContext) throws -> Void) throws {
    let other = try Self.context(server.url)
    try other.performAndWait { try body(other) }
  }

  // Requests.

  @Test("A fetch that is answered with nodes brings the values too, and nothing more is asked", keepsRows)
  func nodes() throws {
    try withServer { server, context in
      let author = context.new("Author", ["name": "Kafka", "born": Date(timeIntervalSinceReferenceDate: -3.5e9)])
      for pages in 1...20 { context.new("Book", ["title": "\(pages)", "pages": pages, "author": author]) }
      context.new("Novel", ["title": "21", "pages": 21, "genre": "parable"])
      try context.save()
      context.reset()
      _ = server.takeTrips()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "pages > 15 OR title IN %@", ["3", "4"])
      request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
      let found = try context.fetch(request)
      #expect(found.map { $0.int("pages") } == [21, 20, 19, 18, 17, 16, 4, 3])
      #expect(found[0].entity.name == "Novel" && found[0].string("genre") == "parable")
      #expect(Set(found.compactMap { $0.object("author") }).count == 1)
      #expect(server.takeTrips() == ["find"])
      request.fetchLimit = 2
      request.fetchOffset = 1
      #expect(try context.fetch(request).map { $0.string("title") } == ["20", "19"])
      #expect(try context.count(for: request) == 2)
      request.predicate = NSPredicate(format: "title BEGINSWITH 'a'")
      #expect(failure { _ = try context.fetch(request) }?.localizedDescription.contains("BEGINSWITH") == true)
    }
  }

  @Test("Many objects are one request: faults, batches, members of many owners, the check of a save", keepsRows)
  func bulk() throws {
    try withServer { server, context in
      for name in 0..<30 {
        let author = context.new("Author", ["name": "\(name)"])
        for pages in 0..<3 { context.new("Book", ["title": "\(name)", "pages": pages, "author": author]) }
      }
      try context.save()
      context.reset()
      _ = server.takeTrips()
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
      ids.resultType = .managedObjectIDResultType
      let authors = try context.fetch(ids).map { context.object(with: $0) }
      try context.fulfil(authors)
      #expect(server.takeTrips() == ["find", "read"])
      try context.fulfil(authors, relationshipKeyPaths: ["books"])
      #expect(server.takeTrips() == ["members", "read"])
      #expect(authors.reduce(0) { $0 + $1.objects("books").count } == 90)
      #expect(authors.flatMap { $0.objects("books") }.allSatisfy { $0.string("title") != nil })
      #expect(server.takeTrips() == [])
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.fetchBatchSize = 45
      let books = try context.fetch(request)
      for book in books { book["pages"] = 100 + (book.int("pages") ?? 0) }
      #expect(server.takeTrips() == ["find", "read", "read"])
      try context.save()
      #expect(server.takeTrips() == ["write"])
    }
  }

  @Test("A to-one relationship that nodes do not name is asked for once, for all of them")
  func missingDestinations() throws {
    try withServer(ForgetfulWireStore.self) { server, context in
      let author = context.new("Author", ["name": "Kafka"])
      for pages in 0..<10 { context.new("Book", ["pages": pages, "author": pages < 5 ? author : NSNull()]) }
      try context.save()
      context.reset()
      let store = context.persistentStoreCoordinator?.persistentStores.first as? ForgetfulWireStore
      let books = try context.all("Book")
      #expect(books.filter { $0.object("author")?.string("name") == "Kafka" }.count == 5)
      #expect(Stress.isOn || store?.asked == [10])
    }
  }

  /// Its nodes have no authors.
  final class ForgetfulWireStore: WireStore {
    override class var storeType: String { "Forgetful" }
    private(set) nonisolated(unsafe) var asked: [Int] = []

    override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
      let result = try super.execute(request, with: context)
      guard request is NSFetchRequest<NSFetchRequestResult>, let nodes = result as? [NSIncrementalStoreNode] else {
        return result
      }
      return nodes.map { node in
        var values: [String: Any] = [:]
        for property in node.objectID.entity.properties where property.name != "author" {
          values[property.name] = node.value(for: property)
        }
        return NSIncrementalStoreNode(objectID: node.objectID, withValues: values, version: node.version)
      }
    }

    override func newValues(
      forRelationship relationship: NSRelationshipDescription, forObjectsWith objectIDs: [NSManagedObjectID],
      with context: NSManagedObjectContext?
    ) throws -> [NSManagedObjectID: Any]? {
      if relationship.isToMany {
        return try super.newValues(forRelationship: relationship, forObjectsWith: objectIDs, with: context)
      }
      asked.append(objectIDs.count)
      let nodes = try newValuesForObjects(with: objectIDs, with: context!) ?? []
      return Dictionary(
        nodes.map { ($0.objectID, $0.value(for: relationship) ?? NSNull()) }, uniquingKeysWith: { $1 })
    }
  }

  // Conflicts.

  @Test("A store that compares versions is asked once per save, and may count them in its own way")
  func ownVersions() throws {
    try withServer { server, context in
      let book = context.new("Book", ["title": "a"])
      try context.save()
      _ = server.takeTrips()
      for title in ["b", "c", "d"] {
        book["title"] = title
        try context.save()
      }
      #expect(server.takeTrips().filter { $0 == "write" }.count == 3)
      #expect(Stress.isOn || server.takeTrips().isEmpty)
      context.delete(book)
      try context.save()
      #expect(server.count == 0)
    }
  }

  @Test(
    "What another process writes between the fetch and the write is a conflict for the merge policy",
    arguments: [
      (NSMergePolicyType.errorMergePolicyType, 2, "theirs"),
      (.mergeByPropertyStoreTrumpMergePolicyType, 2, "theirs"),
      (.mergeByPropertyObjectTrumpMergePolicyType, 3, "theirs"),
      (.overwriteMergePolicyType, 3, "original"), (.rollbackMergePolicyType, 2, "theirs"),
    ])
  func policies(_ type: NSMergePolicyType, _ pages: Int, _ title: String) throws {
    try withServer { server, context in
      let book = context.new("Book", ["title": "original", "pages": 1])
      try context.save()
      book.read()
      book["pages"] = 3
      // A framework that compared the versions itself would have done it before this.
      let store = try #require(context.persistentStoreCoordinator?.persistentStores.first as? WireStore)
      var isFirst = true
      store.willWrite = {
        guard isFirst else { return }
        isFirst = false
        try self.elsewhere(server) { other in
          let same = try other.only("Book")
          same["title"] = "theirs"
          same["pages"] = 2
          try other.save()
        }
      }
      context.mergePolicy = NSMergePolicy(merge: type)
      if type == .errorMergePolicyType {
        let error = failure { try context.save() }
        #expect(error?.code == NSManagedObjectMergeError)
        let conflict = (error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first
        #expect(conflict?.sourceObject === book)
        #expect((conflict?.newVersionNumber ?? 0) > (conflict?.oldVersionNumber ?? 0))
        #expect(book.int("pages") == 3 && book.isUpdated)
      } else {
        try context.save()
        #expect(book.int("pages") == pages && book.string("title") == title)
      }
      #expect(server.value("pages", of: "Book") as? Int == pages)
      #expect(server.value("title", of: "Book") as? String == title)
    }
  }

  @Test("The versions of deleted and locked objects reach the store as well")
  func deletedAndLocked() throws {
    for locks in [false, true] {
      try withServer { server, context in
        let book = context.new("Book", ["title": "a"])
        try context.save()
        book.read()
        try elsewhere(server) { other in
          try other.only("Book")["title"] = "theirs"
          try other.save()
        }
        if locks {
          context.detectConflicts(for: book)
          context.new("Author", ["name": "new"])
        } else {
          context.delete(book)
        }
        #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
        #expect(server.count == 1)
      }
    }
  }

  @Test("A conflict whose object can't be read again is no deletion: the save throws the server's error")
  func conflictWhileAway() throws {
    try withServer { server, context in
      let book = context.new("Book", ["title": "a"])
      try context.save()
      book.read()
      try elsewhere(server) { other in
        try other.only("Book")["title"] = "theirs"
        try other.save()
      }
      book["title"] = "mine"
      context.mergePolicy = TakesServerAway(server)
      #expect(failure { try context.save() }?.domain == NSPOSIXErrorDomain)
      #expect(!book.isDeleted && book.string("title") == "mine" && book.isUpdated)
      server.setAway(false)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      #expect(server.value("title", of: "Book") as? String == "mine")
    }
  }

  private final class TakesServerAway: NSMergePolicy {
    private let server: WireServer

    init(_ server: WireServer) {
      self.server = server
      super.init(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    }

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
      server.setAway(true)
      try super.resolve(optimisticLockingConflicts: list)
    }
  }

  @Test("Values that must be unique are a conflict which the store states, and the merge policy settles")
  func constraints() throws {
    for (policy, title) in [
      (NSMergePolicy.error, "first"), (.mergeByPropertyStoreTrump, "first"), (.mergeByPropertyObjectTrump, "second"),
      (.overwrite, "second"), (.rollback, "first"),
    ] {
      try withServer { server, context in
        try elsewhere(server) { other in
          other.new("Book", ["title": "first", "isbn": "1", "pages": 1])
          try other.save()
        }
        let book = context.new("Book", ["title": "second", "isbn": "1"])
        context.mergePolicy = policy
        if policy.mergeType == .errorMergePolicyType {
          let error = failure { try context.save() }
          #expect(error?.code == NSManagedObjectConstraintMergeError)
          let conflict = (error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict])?.first
          #expect(conflict?.constraint == ["isbn"] && conflict?.conflictingObjects == [book])
        } else {
          try context.save()
        }
        #expect(server.count == 1)
        #expect(server.value("title", of: "Book") as? String == title, "\(policy.mergeType)")
      }
    }
  }

  // An outage.

  @Test("While the server is away objects read as empty and are not deleted; they are there again with it")
  func away() throws {
    try withServer { server, context in
      let author = context.new("Author", ["name": "Kafka"])
      context.new("Book", ["title": "Amerika", "author": author])
      try context.save()
      context.reset()
      let mine = try context.only("Author")
      context.refresh(mine, mergeChanges: false)
      server.setAway(true)
      #expect(mine.string("name") == nil && mine.objects("books").isEmpty)
      #expect(mine.isFault && !mine.isDeleted && !context.hasChanges)
      #expect(failure { try context.fulfil([mine]) }?.domain == NSPOSIXErrorDomain)
      #expect(failure { _ = try context.all("Book") }?.domain == NSPOSIXErrorDomain)
      try context.save()
      server.setAway(false)
      #expect(mine.string("name") == "Kafka" && mine.objects("books").count == 1)
      #expect(server.count == 2)
    }
  }

  @Test("A handler is asked about rows and members, and may have them tried again")
  func handler() throws {
    try withServer { server, context in
      let author = context.new("Author", ["name": "Kafka"])
      context.new("Book", ["title": "Amerika", "author": author])
      try context.save()
      context.reset()
      let mine = try context.only("Author")
      context.refresh(mine, mergeChanges: false)
      context.unreadableFaultHandler = { _, _ in
        server.setAway(false)
        return .retry
      }
      server.setAway(true)
      #expect(mine.string("name") == "Kafka")
      server.setAway(true)
      #expect(mine.objects("books").count == 1)
    }
  }

  @Test("A deletion whose rules can't be applied while the server is away waits for the save, which throws")
  func deletionWhileAway() throws {
    try withServer { server, context in
      for name in 0..<10 {
        let author = context.new("Author", ["name": "\(name)"])
        for _ in 0..<2 { context.new("Book", ["title": "\(name)", "author": author]) }
      }
      try context.save()
      context.reset()
      let authors = try context.all("Author")
      server.setAway(true)
      for author in authors { context.delete(author) }
      context.processPendingChanges()
      #expect(authors.allSatisfy { $0.isDeleted })
      #expect(failure { try context.save() }?.domain == NSPOSIXErrorDomain)
      #expect(server.count == 30)
      server.setAway(false)
      _ = server.takeTrips()
      try context.save()
      #expect(server.count == 0)
      #expect(server.takeTrips() == ["members", "read", "write"])
    }
  }

  // Many processes.

  private struct GivenUp: Error {}

  private static func increment(_ count: Int, _ port: Int) throws {
    let context = try context(URL(string: "wire://127.0.0.1:\(port)")!)
    try context.performAndWait {
      let counter = try context.only("Book")
      for _ in 0..<count {
        var tries = 0
        while true {
          counter["pages"] = (counter.int("pages") ?? 0) + 1
          do {
            try context.save()
            break
          } catch let error as NSError where error.code == NSManagedObjectMergeError {
            tries += 1
            if tries > 100_000 { throw GivenUp() }
            context.refresh(counter, mergeChanges: false)
          }
        }
      }
    }
  }

  @Test("Eight processes that add to one number a hundred times each lose nothing")
  func processes() async throws {
    let server = try WireServer()
    defer { server.stop() }
    let context = try Self.context(server.url)
    try await context.perform {
      context.new("Book", ["title": "counter"])
      try context.save()
    }
    let port = Int(server.port)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          await #expect(processExitsWith: .success) { [port = port as Int] in
            try WireStoreTests.increment(100, port)
          }
        }
      }
    }
    #expect(server.value("pages", of: "Book") as? Int == 800)
  }

  @Test(
    "A check before the save comes too early, and loses what is written after it; a comparison in the store does not",
    arguments: [true, false])
  func lostUpdates(_ loses: Bool) throws {
    try withServer(loses ? LosingWireStore.self : WireStore.self) { server, context in
      let counter = context.new("Book", ["title": "counter", "pages": 10])
      try context.save()
      counter.read()
      let store = try #require(context.persistentStoreCoordinator?.persistentStores.first as? WireStore)
      store.willWrite = {
        store.willWrite = {}
        try self.elsewhere(server) { other in
          let same = try other.only("Book")
          same["pages"] = (same.int("pages") ?? 0) + 1
          try other.save()
        }
      }
      counter["pages"] = (counter.int("pages") ?? 0) + 1
      do { try context.save() } catch let error as NSError where error.code == NSManagedObjectMergeError {
        context.refresh(counter, mergeChanges: false)
        counter["pages"] = (counter.int("pages") ?? 0) + 1
        try context.save()
      }
      #expect(server.value("pages", of: "Book") as? Int == (loses ? 11 : 12))
    }
  }

  @Test("Over the contract as it was the store works as it did, with a request for each object", keepsRows)
  func oldContract() throws {
    try withServer(LosingWireStore.self) { server, context in
      let author = context.new("Author", ["name": "Kafka"])
      for pages in 0..<5 { context.new("Book", ["title": "\(pages)", "pages": pages, "author": author]) }
      try context.save()
      context.reset()
      _ = server.takeTrips()
      let books = try context.all("Book")
      for book in books { book["pages"] = 1 + (book.int("pages") ?? 0) }
      #expect(server.takeTrips() == ["find"] + Array(repeating: "read", count: 5))
      try context.save()
      #expect(server.takeTrips() == Array(repeating: "read", count: 5) + ["write"])
      books[0]["pages"] = 7
      try context.save()
      #expect(server.takeTrips() == ["read", "write"])
    }
  }
}
