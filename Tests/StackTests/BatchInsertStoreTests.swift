import Foundation
import Testing

@testable import CoreData

@Suite("Batch inserts in their store")
struct BatchInsertStoreTests {
  @Test("Keys follow the reserved ones, and saves go on behind them; a failed insert uses none")
  func keys() throws {
    try withBatchStack { stack, context throws in
      func maximum() throws -> String? {
        try Connection(path: stack.url.path, options: Connection.Options())
          .rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'").first?[0]
      }
      let first = context.new("Book")
      try context.save()
      let ids = try context.inserted("Novel", [[:], [:]])
      #expect(first.objectID.key == 1 && ids.map(\.key) == [2, 3])
      #expect(try maximum() == "3")
      #expect(failure { try context.inserted("Book", [[:], ["nope": 1]]) } != nil)
      #expect(try maximum() == "3")
      let last = context.new("Book")
      try context.save()
      #expect(last.objectID.key == 4)
      let other = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
      try other.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: stack.url)
      let stranger = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      stranger.persistentStoreCoordinator = other
      try stranger.performAndWait { () throws in
        #expect(try stranger.inserted("Book", [[:]]).map(\.key) == [5])
      }
      #expect(try context.inserted("Book", [[:]]).map(\.key) == [6])
    }
  }

  @Test("Rows of a subentity are its own, and fetches of the parent entity find them")
  func inheritance() throws {
    try withBatchStack { stack, context throws in
      try context.inserted("Novel", [["title": "N", "genre": "g"]])
      try context.inserted("Book", [["title": "B"]])
      #expect(try context.strings("Book", "title") == ["B", "N"])
      let novel = try context.only("Novel")
      #expect(novel.entity.name == "Novel" && novel.string("genre") == "g")
    }
  }

  @Test("Merging the ids lets a context see the rows, which are like saved ones from then on")
  func merging() throws {
    try withBatchStack { stack, context throws in
      let author = context.new("Author", ["name": "Kafka"])
      try context.save()
      nonisolated(unsafe) var told: Set<NSManagedObject>?
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { told = $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> }
      defer { NotificationCenter.default.removeObserver(token) }
      let ids = try context.inserted("Book", [["title": "A"], ["title": "B"]])
      #expect(context.registeredObjects.count <= 1)
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSInsertedObjectsKey: ids], into: [context])
      #expect(Set(told?.map(\.objectID) ?? []) == Set(ids))
      let book = context.object(with: ids[0])
      book["author"] = author
      book["title"] = "A!"
      try context.save()
      context.delete(context.object(with: ids[1]))
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["A!"])
    }
  }

  @Test("A child context's request goes to the stores, with the child's merge policy")
  func child() throws {
    let tag = entity("Tag", [attribute("name")])
    tag.uniquenessConstraints = [["name"]]
    try withBatchStack(model([tag])) { stack, context throws in
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait { () throws in
        #expect(try child.inserted("Tag", [["name": "a"]]).count == 1)
        let error = failure { try child.inserted("Tag", [["name": "a"]]) }
        let conflict = (error?.userInfo[NSConflictListErrorKey] as? [NSConstraintConflict])?.first
        #expect(conflict?.databaseObject?.string("name") == "a")
        child.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
        #expect(try child.inserted("Tag", [["name": "a"], ["name": "b"]]).count == 1)
        #expect(try child.strings("Tag", "name") == ["a", "b"])
      }
      #expect(!context.hasChanges)
    }
  }

  @Test("A pinned context goes on reading what was there")
  func pinned() throws {
    try withBatchStack { stack, context throws in
      context.new("Book", ["title": "A"])
      try context.save()
      let other = stack.newContext()
      try other.performAndWait {
        try other.setQueryGenerationFrom(.current)
        #expect(try other.strings("Book", "title") == ["A"])
        #expect(try other.inserted("Book", [["title": "B"]]).count == 1)
        #expect(try other.strings("Book", "title") == ["A"])
        try other.setQueryGenerationFrom(nil)
        #expect(try other.strings("Book", "title") == ["A", "B"])
      }
    }
  }

  @Test("Derived attributes are derived, in new rows and in overwritten ones")
  func derived() throws {
    let folded = NSDerivedAttributeDescription()
    folded.name = "folded"
    folded.attributeType = .stringAttributeType
    folded.isOptional = false
    folded.derivationExpression = FoundationExpression(format: "canonical:(name)")
    let thing = entity("Thing", [attribute("code"), attribute("name"), folded])
    thing.uniquenessConstraints = [["code"]]
    try withBatchStack(model([thing])) { stack, context throws in
      context.new("Thing", ["code": "1", "name": "Old", "folded": "old"])
      try context.save()
      let old = try context.only("Thing")
      old.read()
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.inserted("Thing", [["code": "1", "name": "NÉW"], ["code": "2", "name": "Ärger"]])
      #expect(old.string("folded") == "old")
      #expect(try stack.elsewhere { try $0.strings("Thing", "folded") } == ["arger", "new"])
    }
  }

  @Test("Default values of every kind reach the rows, and long values their files")
  func defaults() throws {
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    let uuid = UUID()
    let thing = entity(
      "Thing",
      [
        photo, attribute("names", .transformableAttributeType, default: ["x"] as NSArray),
        attribute("when", .dateAttributeType, default: Date(timeIntervalSinceReferenceDate: 7)),
        attribute("id", .UUIDAttributeType, default: uuid), attribute("rate", .doubleAttributeType, default: 0.5),
      ])
    try withBatchStack(model([thing])) { stack, context throws in
      let folder = ExternalFiles(store: stack.url).folder
      let ids = try context.inserted(
        "Thing", [["photo": Data(repeating: 1, count: 200_000)], ["names": ["y"] as NSArray, "rate": NSNull()]])
      let things = ids.map { context.object(with: $0) }
      #expect((things[0]["photo"] as? Data)?.count == 200_000)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
      #expect(things.map { ($0["names"] as? [String]) ?? [] } == [["x"], ["y"]])
      #expect(things.allSatisfy { ($0["when"] as? Date)?.timeIntervalSinceReferenceDate == 7 })
      #expect(things.allSatisfy { $0["id"] as? UUID == uuid })
      #expect(things.map { $0["rate"] as? Double } == [0.5, nil])
      // A failed insert leaves no files.
      let failed = failure { try context.inserted("Thing", [["photo": Data(count: 300_000)], ["nope": 1]]) }
      #expect(failed != nil)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    }
  }

  @Test("Many rows come from the handler one by one, and an error on the last leaves none")
  func many() throws {
    try withBatchStack { stack, context throws in
      var (number, fails) = (0, false)
      let request = NSBatchInsertRequest(entityName: "Tag") { (dictionary: NSMutableDictionary) in
        number += 1
        dictionary["name"] = fails && number == 20_000 ? 1 as Any : "n\(number)" as Any
        return number > 20_000
      }
      request.resultType = .count
      #expect((try context.execute(request) as? NSBatchInsertResult)?.result as? Int == 20_000)
      (number, fails) = (0, true)
      #expect(failure { _ = try context.execute(request) } != nil)
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 20_000)
    }
  }

  @Test("With several stores the rows go to the first affected one; who asked for it is told of the change")
  func severalStores() async throws {
    let (first, second) = (try Stack(.sqlite), try Stack(.sqlite))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: first.model)
    let options = [NSPersistentStoreRemoteChangeNotificationPostOptionKey: true as NSNumber]
    nonisolated(unsafe) let stores = try [first.url, second.url].map {
      try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: $0, options: options)
    }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let url = await withCheckedContinuation { (done: CheckedContinuation<URL?, Never>) in
      let token = QueueResult(value: NSMutableArray())
      token.value.add(
        NotificationCenter.default.addObserver(
          forName: .NSPersistentStoreRemoteChange, object: coordinator, queue: nil
        ) { notification in
          guard let observer = token.value.firstObject else { return }
          token.value.removeAllObjects()
          NotificationCenter.default.removeObserver(observer)
          done.resume(returning: notification.userInfo?[NSPersistentStoreURLKey] as? URL)
        })
      context.performAndWait {
        let request = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"]])
        request.affectedStores = [stores[1]]
        let ids = try? context.inserted(request)
        #expect(ids?.first?.persistentStore === stores[1])
      }
    }
    #expect(url?.lastPathComponent == second.url.lastPathComponent)
    try context.performAndWait { () throws in
      #expect(try context.inserted("Tag", [[:]]).first?.persistentStore === stores[0])
    }
  }
}
