import CoreData
import Testing

@Suite("Notifications")
struct NotificationTests {
  @Test("A save posts in order: the changes, willSave, didSave, the ids", arguments: StoreKind.allCases)
  func order(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (kept, gone) = (context.new("Tag", ["name": "kept"]), context.new("Tag", ["name": "gone"]))
      try context.save()
      let log = NotificationLog(context)
      kept["name"] = "changed"
      context.delete(gone)
      let new = context.new("Tag", ["name": "new"])
      #expect(log.names.isEmpty)
      let goneID = gone.objectID
      try context.save()
      #expect(log.names == ["didChange", "willSave", "didSave", "didSaveIDs"])
      let change = try #require(log["didChange"])
      #expect(change.keys == [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey])
      #expect(change.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [new])
      #expect(change.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [kept])
      #expect((change.userInfo?[NSDeletedObjectsKey] as? NSSet)?.contains(gone) == true)
      #expect(log["willSave"]?.userInfo == nil)
      let save = try #require(log["didSave"])
      #expect(save.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> == [new])
      #expect(save.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [kept])
      #expect(save.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> == [gone])
      #expect(save.object as? NSManagedObjectContext === context)
      let ids = try #require(log["didSaveIDs"])
      #expect(ids.userInfo?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [new.objectID])
      #expect(ids.userInfo?[NSUpdatedObjectIDsKey] as? Set<NSManagedObjectID> == [kept.objectID])
      #expect(ids.userInfo?[NSDeletedObjectIDsKey] as? Set<NSManagedObjectID> == [goneID])
      #expect(!new.objectID.isTemporaryID)
    }
  }

  @Test("Who observes from the second save on, or whatever is posted, hears all of it; who has left hears nothing")
  func lateObservers() throws {
    try withStack(.inMemory) { _, context in
      _ = context.new("Tag")
      try context.save()
      var heard: [Notification.Name] = []
      func observe(_ name: Notification.Name?) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { heard.append($0.name) }
      }
      let all: [Notification.Name] = [
        .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
        .NSManagedObjectContextDidSaveObjectIDs,
      ]
      for name in [nil] + all.map(Optional.some) {
        let token = observe(name)
        heard = []
        _ = context.new("Tag")
        try context.save()
        #expect(heard == (name.map { [$0] } ?? all))
        NotificationCenter.default.removeObserver(token)
        heard = []
        _ = context.new("Tag")
        try context.save()
        #expect(heard.isEmpty)
      }
    }
  }

  @Test("Observers of didSave see permanent ids and clean objects", arguments: StoreKind.allCases)
  func duringDidSave(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let tag = context.new("Tag")
      var seen: [Bool] = []
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: context, queue: nil
      ) { _ in seen = [tag.objectID.isTemporaryID, tag.hasChanges, context.hasChanges] }
      defer { NotificationCenter.default.removeObserver(token) }
      try context.save()
      #expect(seen == [false, false, false])
    }
  }

  @Test(
    "An event is told once; what is inserted and deleted in it cancels out", arguments: StoreKind.allCases)
  func events(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let log = NotificationLog(context)
      let tag = context.new("Tag")
      tag["name"] = "a"
      tag["name"] = "b"
      context.delete(context.new("Tag"))
      context.processPendingChanges()
      #expect(log.names == ["didChange"])
      #expect(log["didChange"]?.keys == [NSInsertedObjectsKey])
      #expect(log["didChange"]?.objects(NSInsertedObjectsKey) == [tag])
      context.processPendingChanges()
      #expect(log.names.count == 1)
      tag["name"] = "c"
      context.processPendingChanges()
      #expect(log["didChange"]?.keys == [NSUpdatedObjectsKey])
      context.delete(tag)
      context.processPendingChanges()
      #expect(log["didChange"]?.keys == [NSDeletedObjectsKey])
      #expect(log["didChange"]?.objects(NSDeletedObjectsKey) == [tag])
    }
  }

  @Test("A changed relationship tells of both ends", arguments: StoreKind.allCases)
  func bothEnds(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (author, book) = (context.new("Author"), context.new("Book"))
      try context.save()
      let log = NotificationLog(context)
      book["author"] = author
      try context.save()
      #expect(log["didChange"]?.objects(NSUpdatedObjectsKey) == [author, book])
      #expect(log["didSave"]?.objects(NSUpdatedObjectsKey) == [author, book])
    }
  }

  @Test("A refresh is told as such", arguments: StoreKind.allCases)
  func refreshed(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let tag = context.new("Tag")
      try context.save()
      let log = NotificationLog(context)
      context.refresh(tag, mergeChanges: false)
      context.processPendingChanges()
      #expect(log["didChange"]?.keys == [NSRefreshedObjectsKey])
      #expect(log["didChange"]?.objects(NSRefreshedObjectsKey) == [tag])
    }
  }

  @Test(
    "What an observer changes in didChange or didSave belongs to the next event",
    arguments: StoreKind.allCases)
  func changingObserver(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let tag = context.new("Tag", ["name": "a"])
      var count = 0
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: context, queue: nil
      ) { _ in
        count += 1
        if count == 1 { tag["name"] = "b" }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      try context.save()
      #expect(tag.isUpdated)
      try context.save()
      #expect(count == 2)
      #expect(!tag.hasChanges)
    }
  }

  @Test("The coordinator tells of stores that come and go")
  func stores() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    var log: [String] = []
    let token = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreCoordinatorStoresDidChange, object: coordinator, queue: nil
    ) { log += ($0.userInfo ?? [:]).keys.map { "\($0)" } }
    defer { NotificationCenter.default.removeObserver(token) }
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil)
    try coordinator.remove(store)
    #expect(log == [NSAddedPersistentStoresKey, NSRemovedPersistentStoresKey])
    #expect(store.persistentStoreCoordinator == nil)
  }
}
