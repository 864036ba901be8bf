import Testing

@testable import CoreData

@Suite("What notifications carry")
struct NotificationPayloadTests {
  @Test("When observers hear of a save, its objects have their ids, which other threads may ask for")
  func madeIDs() throws {
    try withStack(.sqlite) { stack, context in
      let old = context.new("Book")
      try context.save()
      context.refresh(old, mergeChanges: false)
      nonisolated(unsafe) var known: [Bool] = []
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: context, queue: nil
      ) { notification in
        for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey] {
          let objects = notification.userInfo?[key] as? Set<NSManagedObject> ?? []
          known += objects.map { $0.cachedID != nil }
        }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try context.only("Book")["title"] = "changed"
      context.new("Book")
      try context.save()
      #expect(known == [true, true])
    }
  }

  @Test("Sets of objects and of ids can be cast as clients cast them", arguments: StoreKind.allCases)
  func casts(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let log = NotificationLog(context)
      let author = context.new("Author", ["name": "Kafka"])
      try context.save()
      for name in ["didChange", "didSave"] {
        let inserted = log[name]?.userInfo?[NSInsertedObjectsKey]
        #expect(inserted as? Set<NSManagedObject> == [author])
        #expect((inserted as? NSSet)?.count == 1)
      }
      let ids = log["didSaveIDs"]?.userInfo?[NSInsertedObjectIDsKey]
      #expect(ids as? Set<NSManagedObjectID> == [author.objectID])
    }
  }

  @Test("What another context inserted is named after a merge", arguments: StoreKind.allCases)
  func merge(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let log = NotificationLog(context)
      let other = stack.newContext()
      let saved = NotificationLog(other)
      try other.performAndWait {
        other.new("Author", ["name": "Kafka"])
        try other.save()
      }
      context.mergeChanges(fromContextDidSave: try #require(saved["didSave"]))
      let author = try context.only("Author")
      #expect(log["didChange"]?.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [author])
      let ids = log["didMergeIDs"]?.userInfo?[NSInsertedObjectIDsKey]
      #expect(ids as? Set<NSManagedObjectID> == [author.objectID])
    }
  }

  @Test("Keys without objects are absent, from changes, saves and their ids", arguments: StoreKind.allCases)
  func absentKeys(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let log = NotificationLog(context)
      func expect(_ keys: Set<String>, _ ids: Set<String>) throws {
        log.clear()
        try context.save()
        #expect(log.names == ["didChange", "willSave", "didSave", "didSaveIDs"])
        #expect(log["didChange"]?.keys == keys && log["didSave"]?.keys == keys)
        #expect(log["didSaveIDs"]?.keys == ids)
        #expect(log.all.allSatisfy { $0.object as? NSManagedObjectContext === context })
      }
      let tag = context.new("Tag")
      try expect([NSInsertedObjectsKey], [NSInsertedObjectIDsKey])
      tag["name"] = "a"
      try expect([NSUpdatedObjectsKey], [NSUpdatedObjectIDsKey])
      context.delete(tag)
      try expect([NSDeletedObjectsKey], [NSDeletedObjectIDsKey])
      let new = context.new("Tag")
      context.delete(context.new("Tag"))
      try expect([NSInsertedObjectsKey], [NSInsertedObjectIDsKey])
      #expect(log["didSave"]?.objects(NSInsertedObjectsKey) == [new])
    }
  }

  @Test(
    "Notifications come on the context's queue, before the call that posts them returns", arguments: StoreKind.allCases)
  func queue(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      var posted: [Bool] = []
      let names: [Notification.Name] = [
        .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
        .NSManagedObjectContextDidSaveObjectIDs, .NSManagedObjectContextDidMergeChangesObjectIDs,
      ]
      let tokens = names.map {
        NotificationCenter.default.addObserver(forName: $0, object: context, queue: nil) { _ in
          posted.append(context.owner.isOnQueue)
        }
      }
      defer { tokens.forEach(NotificationCenter.default.removeObserver) }
      let tag = context.new("Tag")
      context.processPendingChanges()
      #expect(posted.count == 1)
      try context.save()
      #expect(posted.count == 4)
      context.mergeChanges(
        fromContextDidSave: Notification(
          name: .NSManagedObjectContextDidSaveObjectIDs, userInfo: [NSUpdatedObjectIDsKey: [tag.objectID]]))
      #expect(posted.count == 6 && posted.allSatisfy { $0 })
    }
  }

  @Test("A save that fails posts willSave, and nothing after it", arguments: StoreKind.allCases)
  func failedSave(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      let log = NotificationLog(context)
      book["title"] = nil
      #expect(failure { try context.save() } != nil)
      #expect(log.names == ["didChange", "willSave"])
      book["title"] = "B"
      try stack.elsewhere { other in
        other.same(book)["title"] = "theirs"
        try other.save()
      }
      log.clear()
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
      #expect(log.names == ["didChange", "willSave"])
    }
  }

  @Test(
    "Steps of a save: changes, willSave told, objects asked, validated, told, observers told",
    arguments: StoreKind.allCases)
  func steps(_ kind: StoreKind) throws {
    let model = model([entity("Stepping", [attribute("name")], class: Stepping.self)])
    try withStack(kind, model) { _, context in
      nonisolated(unsafe) var steps: [String] = []
      let names: [(Notification.Name, String)] = [
        (.NSManagedObjectContextObjectsDidChange, "changes"), (.NSManagedObjectContextWillSave, "notify willSave"),
        (.NSManagedObjectContextDidSave, "notify didSave"), (.NSManagedObjectContextDidSaveObjectIDs, "notify ids"),
      ]
      let tokens = names.map { name, step in
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in steps.append(step) }
      }
      defer { tokens.forEach(NotificationCenter.default.removeObserver) }
      let object = context.new("Stepping") as! Stepping
      object.note = { steps.append($0) }
      try context.save()
      #expect(
        steps == [
          "changes", "notify willSave", "willSave, temporary", "validate", "didSave, permanent", "notify didSave",
          "notify ids",
        ])
      object.note = { _ in }
    }
  }

  @Test("What a refresh, a rollback and a reset tell", arguments: StoreKind.allCases)
  func goingBack(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let tags = (0..<3).map { context.new("Tag", ["name": "\($0)"]) }
      try context.save()
      let log = NotificationLog(context)
      tags[0]["name"] = "changed"
      context.processPendingChanges()
      log.clear()
      context.refresh(tags[0], mergeChanges: true)
      context.processPendingChanges()
      #expect(log.names == ["didChange"] && log["didChange"]?.objects(NSRefreshedObjectsKey) == [tags[0]])
      #expect(log["didChange"]?.keys == [NSRefreshedObjectsKey])
      context.delete(tags[1])
      let new = context.new("Tag")
      context.processPendingChanges()
      log.clear()
      context.rollback()
      #expect(log.names == ["didChange"])
      #expect(log["didChange"]?.keys == [NSRefreshedObjectsKey, NSDeletedObjectsKey])
      #expect(log["didChange"]?.objects(NSRefreshedObjectsKey) == [tags[0], tags[1]])
      #expect(log["didChange"]?.objects(NSDeletedObjectsKey) == [new])
      log.clear()
      let ids = Set(tags.map(\.objectID))
      context.reset()
      #expect(log.names == ["didChange"] && log["didChange"]?.keys == [NSInvalidatedAllObjectsKey])
      let told = try #require(log["didChange"]?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID])
      #expect(Set(told) == ids && told.count == 3)
    }
  }

  @Test("The keys and names of notifications are Apple's strings")
  func strings() {
    typealias Key = NSManagedObjectContext.NotificationKey
    let keys: [(Key, String)] = [
      (.insertedObjects, NSInsertedObjectsKey), (.updatedObjects, NSUpdatedObjectsKey),
      (.deletedObjects, NSDeletedObjectsKey), (.refreshedObjects, NSRefreshedObjectsKey),
      (.invalidatedObjects, NSInvalidatedObjectsKey), (.invalidatedAllObjects, NSInvalidatedAllObjectsKey),
      (.insertedObjectIDs, NSInsertedObjectIDsKey), (.updatedObjectIDs, NSUpdatedObjectIDsKey),
      (.deletedObjectIDs, NSDeletedObjectIDsKey), (.refreshedObjectIDs, NSRefreshedObjectIDsKey),
      (.invalidatedObjectIDs, NSInvalidatedObjectIDsKey), (.queryGeneration, NSManagedObjectContextQueryGenerationKey),
    ]
    for (key, string) in keys { #expect(key.rawValue == string) }
    #expect(
      keys.map(\.1) == [
        "inserted", "updated", "deleted", "refreshed", "invalidated", "invalidatedAll", "inserted_objectIDs",
        "updated_objectIDs", "deleted_objectIDs", "refreshed_objectIDs", "invalidated_objectIDs", "newQueryGeneration",
      ])
    #expect(Key.sourceContext.rawValue == "managedObjectContext")
    #expect(
      NSManagedObjectContext.didSaveObjectIDsNotification.rawValue
        == "NSManagedObjectContextDidSaveObjectIDsNotification")
  }
}

final class Stepping: NSManagedObject {
  var note: (String) -> Void = { _ in }
  private var id: String { objectID.isTemporaryID ? "temporary" : "permanent" }

  override func willSave() { note("willSave, \(id)") }
  override func didSave() { note("didSave, \(id)") }
  override func validateForInsert() throws {
    note("validate")
    try super.validateForInsert()
  }
}
