import Foundation
import Testing

@testable import CoreData

/// What beside fetches and saves reaches an incremental store whose author asks for it.
@Suite("Requests that reach incremental stores", .serialized)
struct AuthorRequestTests {
  private static let registration: Void = {
    NSPersistentStoreCoordinator.registerStoreClass(RecordingStore.self, forStoreType: "Recording")
  }()

  private func withStore(
    _ options: [AnyHashable: Any] = [:],
    _ body: (RecordingStore, NSManagedObjectContext, NSPersistentStoreCoordinator) throws -> Void
  ) throws {
    _ = Self.registration
    _ = Stack.invariantChecks
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let store = try coordinator.addPersistentStore(
      ofType: "Recording", configurationName: nil, at: url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { try body(try #require(store as? RecordingStore), context, coordinator) }
  }

  @Test("Batch requests are executed by the store, and answered as their result types say")
  func batches() throws {
    try withStore { store, context, coordinator in
      let insert = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"], ["name": "b"]])
      insert.resultType = .objectIDs
      let inserted = (try context.execute(insert) as? NSBatchInsertResult)?.result as? [NSManagedObjectID]
      #expect(inserted?.count == 2)
      let tag = try context.existingObject(with: try #require(inserted?.first))
      #expect(tag.string("name") == "a")
      let update = NSBatchUpdateRequest(entityName: "Tag")
      update.propertiesToUpdate = ["name": "c"]
      update.resultType = .updatedObjectsCountResultType
      #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 2)
      #expect(tag.string("name") == "a")
      context.refresh(tag, mergeChanges: false)
      #expect(tag.string("name") == "c")
      let delete = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Tag"))
      #expect((try context.execute(delete) as? NSBatchDeleteResult)?.result as? Bool == true)
      #expect(try context.all("Tag").isEmpty)
    }
  }

  @Test("A store whose author does not ask for them is not asked: the request is refused by name")
  func refused() throws {
    try withStack(.dictionary) { stack, context in
      let server = DictionaryServer.at(stack.url)
      _ = server.takeCalls()
      let request = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"]])
      let error = failure { _ = try context.execute(request) }
      #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
      #expect(error?.localizedDescription.contains("Dictionary") == true)
      #expect(failure { _ = try context.execute(NSPersistentHistoryChangeRequest()) } != nil)
      #expect(stack.coordinator.currentPersistentHistoryToken(fromStores: nil) == nil)
      #expect(server.takeCalls() == [])
    }
  }

  @Test("A history that the store keeps is read by token, searched by predicate, told of by saves, and deleted")
  func history() throws {
    try withStore { store, context, coordinator in
      var tokens: [NSPersistentHistoryToken?] = []
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: context, queue: nil
      ) { note in tokens.append(note.userInfo?["newChangeToken"] as? NSPersistentHistoryToken) }
      defer { NotificationCenter.default.removeObserver(observer) }
      let tag = context.new("Tag", ["name": "a"])
      context.transactionAuthor = "importer"
      try context.save()
      tag["name"] = "b"
      context.transactionAuthor = nil
      try context.save()
      #expect(tokens.count == 2 && tokens[0] != tokens[1])
      #expect(tokens[1] == coordinator.currentPersistentHistoryToken(fromStores: nil))
      func transactions(_ request: NSPersistentHistoryChangeRequest) throws -> [NSPersistentHistoryTransaction] {
        (try context.execute(request) as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
      }
      let all = try transactions(.fetchHistory(after: nil as NSPersistentHistoryToken?))
      #expect(all.map(\.transactionNumber) == [1, 2] && all.map(\.author) == ["importer", nil])
      #expect(all[0].changes?.map(\.changeType) == [.insert] && all[1].changes?.map(\.changeType) == [.update])
      #expect(all[1].changes?.first?.updatedProperties?.map(\.name) == ["name"])
      #expect(all[1].changes?.first?.changedObjectID == tag.objectID)
      #expect(try transactions(.fetchHistory(after: all[0].token)).map(\.transactionNumber) == [2])
      let search = try #require(NSPersistentHistoryTransaction.fetchRequest)
      search.predicate = NSPredicate(format: "author == 'importer'")
      #expect(try transactions(.fetchHistory(withFetch: search)).map(\.transactionNumber) == [1])
      let delete = NSPersistentHistoryChangeRequest.deleteHistory(before: all[1].token)
      delete.resultType = .count
      #expect((try context.execute(delete) as? NSPersistentHistoryResult)?.result as? Int == 1)
      #expect(try transactions(NSPersistentHistoryChangeRequest()).map(\.transactionNumber) == [2])
    }
  }

  @Test("What the store hears of others is told as a remote change, and the next fault reads it", keepsRows)
  func remoteChanges() async throws {
    let told = Told()
    try withStore([NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]) { store, context, coordinator in
      // Listens from the beginning: the save's own notification comes later, and is then the first.
      told.listen(to: coordinator)
      let tag = context.new("Tag", ["name": "a"])
      try context.save()
      tag.read()
      let server = DictionaryServer.at(store.url!)
      server.change("name", to: "theirs")
      let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      other.persistentStoreCoordinator = coordinator
      func read() throws -> String? {
        try other.performAndWait {
          other.reset()
          return try other.existingObject(with: tag.objectID).string("name")
        }
      }
      #expect(try read() == "a")
      store.recordsDidChange([tag.objectID])
      #expect(try read() == "theirs" && tag.string("name") == "a")
      server.change("name", to: "again")
      store.recordsDidChange(nil)
      #expect(try read() == "again")
    }
    #expect(await told.count(3) == 3)
    #expect(told.tokens == 3)
  }

  private final class Told: @unchecked Sendable {
    // `@unchecked Sendable`: the fields are touched under `lock`.
    private let lock = NSLock()
    private var found: [Bool] = []
    private var observer: (any NSObjectProtocol)?
    private var coordinator: NSPersistentStoreCoordinator?

    func listen(to coordinator: NSPersistentStoreCoordinator) {
      // Keeps the coordinator until the notification comes.
      self.coordinator = coordinator
      observer = NotificationCenter.default.addObserver(
        forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
      ) { [unowned self] note in
        let hasToken = note.userInfo?[NSPersistentHistoryTokenKey] is NSPersistentHistoryToken
        lock.withLock { found.append(hasToken) }
      }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }

    var tokens: Int { lock.withLock { found.filter { $0 }.count } }

    func count(_ wanted: Int) async -> Int {
      for _ in 0..<500 where lock.withLock({ found.count }) < wanted {
        try? await Task.sleep(nanoseconds: 10_000_000)
      }
      return lock.withLock { found.count }
    }
  }

  @Test("An object that a fetch finds is made once: the store is told once that it is there, once that it is gone")
  func madeOnce() throws {
    try withStore { store, context, coordinator in
      for name in ["a", "b"] { context.new("Tag", ["name": name]) }
      try context.save()
      context.reset()
      _ = store.takeNews()
      let other = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      other.persistentStoreCoordinator = coordinator
      try other.performAndWait {
        var found = try other.all("Tag")
        // A fetch of the store's own objects makes more, in a context that it lets go of.
        let mine = store.takeNews().filter { $0.hasPrefix("+") }
        #expect(found.count == 2 && Set(mine).count == 2)
        #expect(found.allSatisfy { $0.string("name") != nil })
        #expect(store.takeNews() == [])
        found = []
        other.reset()
      }
      #expect(store.takeNews().count == 2)
    }
  }

  @Test("A number is its own key and takes no room in the store; a text that reads like it is the same reference")
  func numbers() throws {
    try withStore { store, context, coordinator in
      let tag = try #require(coordinator.managedObjectModel.entitiesByName["Tag"])
      let author = try #require(coordinator.managedObjectModel.entitiesByName["Author"])
      let before = store.references.count
      for number in 1...10_000 {
        let id = store.newObjectID(for: tag, referenceObject: number)
        #expect(id.key == Int64(number) && store.referenceObject(for: id) as? Int == number)
      }
      #expect(store.references.count == before)
      let seven = store.newObjectID(for: tag, referenceObject: 7)
      #expect(coordinator.managedObjectID(forURIRepresentation: seven.uriRepresentation()) == seven)
      #expect(store.newObjectID(for: tag, referenceObject: NSNumber(value: 7.0)) == seven)
      #expect(store.newObjectID(for: author, referenceObject: 7) != seven)
      let text = store.newObjectID(for: author, referenceObject: "7")
      #expect(store.referenceObject(for: text) as? String == "7" && text.uriRepresentation().lastPathComponent == "p7")
      #expect((store.referenceObject(for: seven) as? NSNumber)?.intValue == 7)
      let others: [Any] = [0, -1, 7.5, Int64.max, Int64(1) << 62, "007", "+7", "", "1e3", NSNumber(value: UInt64.max)]
      let ids = others.map { store.newObjectID(for: tag, referenceObject: $0) }
      #expect(Set(ids).count == others.count && !ids.contains(seven))
      for (id, other) in zip(ids, others) { #expect("\(store.referenceObject(for: id))" == "\(other)") }
    }
  }

  @Test("URIs lead to the numbers of one hierarchy and to the texts of another")
  func numbersBesideTexts() throws {
    try withStore { store, context, coordinator in
      let tag = try #require(coordinator.managedObjectModel.entitiesByName["Tag"])
      let author = try #require(coordinator.managedObjectModel.entitiesByName["Author"])
      let number = store.newObjectID(for: tag, referenceObject: 7)
      let text = store.newObjectID(for: author, referenceObject: "kafka")
      let found = try #require(coordinator.managedObjectID(forURIRepresentation: number.uriRepresentation()))
      #expect(found == number && store.referenceObject(for: found) as? Int == 7)
      // One that nobody has named yet.
      let other = number.uriRepresentation().deletingLastPathComponent().appendingPathComponent("p8")
      let eight = try #require(coordinator.managedObjectID(forURIRepresentation: other))
      #expect(store.referenceObject(for: eight) as? Int == 8)
      let like = text.uriRepresentation().deletingLastPathComponent().appendingPathComponent("p8")
      let likeNumber = try #require(coordinator.managedObjectID(forURIRepresentation: like))
      #expect(store.referenceObject(for: likeNumber) as? String == "8")
    }
  }

  @Test("What a store has written is not kept once nobody holds the rows", keepsRows)
  func lettingGo() throws {
    try withStore { store, context, coordinator in
      for round in 0..<8 {
        for name in 0..<500 { context.new("Tag", ["name": "\(round) \(name)"]) }
        try context.save()
        context.reset()
      }
      #expect(store.ownVersions.count <= 1024 + 500)
      let tag = context.new("Tag", ["name": "last"])
      try context.save()
      tag["name"] = "changed"
      try context.save()
    }
  }

  /// A store that counts versions in its own way, and does not say which one a save has given.
  private final class StampedStore: DictionaryStore {
    override var type: String { "Stamped" }

    override func newValuesForObject(
      with objectID: NSManagedObjectID, with context: NSManagedObjectContext
    ) throws -> NSIncrementalStoreNode {
      let node = try super.newValuesForObject(with: objectID, with: context)
      node.update(withValues: [:], version: node.version * 1000)
      return node
    }
  }

  @Test("Over versions of the store's own an object is saved again and again, whatever has changed before", keepsRows)
  func versionsOfItsOwn() throws {
    NSPersistentStoreCoordinator.registerStoreClass(StampedStore.self, forStoreType: "Stamped")
    defer { NSPersistentStoreCoordinator.registerStoreClass(nil, forStoreType: "Stamped") }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try coordinator.addPersistentStore(ofType: "Stamped", configurationName: nil, at: url)
    let context = coordinator.newContext()
    try context.performAndWait {
      let book = context.new("Book", ["title": "first", "isbn": "1", "pages": 7])
      try context.save()
      for (key, value) in [("title", "second"), ("isbn", "22"), ("title", "third"), ("isbn", "333")] {
        book[key] = value
        #expect(failure { try context.save() } == nil, "\(key) = \(value)")
      }
      book["pages"] = nil
      try context.save()
      book["title"] = "last"
      #expect(failure { try context.save() } == nil)
      let other = coordinator.newContext()
      try other.performAndWait {
        let same = try other.only("Book")
        #expect(same.string("title") == "last" && same.string("isbn") == "333" && same["pages"] == nil)
        same["isbn"] = "4444"
        try other.save()
      }
      book["title"] = "too late"
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
    }
  }

  @Test("Optionals in values are what is in them, whatever their type", arguments: [false, true])
  func optionals(_ isNil: Bool) throws {
    try withStore { store, context, coordinator in
      let text: String? = isNil ? nil : "a"
      let twice: String?? = isNil ? .some(nil) : "a"
      let date: Date? = isNil ? nil : Date(timeIntervalSinceReferenceDate: 1)
      let author = context.new("Author")
      for value in [text as Any, twice as Any] {
        author.setValue("before", forKey: "name")
        author.setValue(value, forKey: "name")
        #expect(author.string("name") == text)
      }
      author.setValue(date as Any, forKey: "born")
      #expect(author["born"] as? Date == date)
      context.rollback()
    }
  }
}
