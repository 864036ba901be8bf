import CoreData
import Testing

/// Observers, merging and merge policies as applications use them.
@Suite("Observers and merging as applications use them", .serialized)
struct NotificationSurfaceTests {
  @Test("An observer casts the sets of a notification to Swift's", arguments: Storage.allCases)
  func observers(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      let observer = ChangeObserver(observing: context, mergingInto: nil)
      try context.performAndWait {
        let note = Note(context: context)
        context.processPendingChanges()
        #expect(observer.inserted == [note])
        try context.save()
        #expect(observer.willSaves == 1)
        note.title = "changed"
        context.processPendingChanges()
        #expect(observer.updated == [note])
        let id = note.objectID
        context.delete(note)
        context.processPendingChanges()
        #expect(observer.deletedIDs == [id])
      }
    }
  }

  @Test("The typed face of a save's notification lists what was inserted and updated")
  func typedNotification() throws {
    try Storage.memory.stack { stack in
      let context = stack.viewContext
      nonisolated(unsafe) var heard: [ContextDidSaveNotification] = []
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: context, queue: nil
      ) { heard.append(ContextDidSaveNotification(note: $0)) }
      defer { NotificationCenter.default.removeObserver(token) }
      try context.performAndWait {
        let note = Note(context: context)
        try context.save()
        #expect(heard.count == 1)
        #expect(heard[0].managedObjectContext === context)
        #expect(Array(heard[0].insertedObjects) == [note])
        #expect(Array(heard[0].updatedObjects) == [])
        #expect(heard[0].insertedIDs == [note.objectID])
      }
    }
  }

  @Test("Notifications come as an asynchronous sequence, until its task is cancelled", arguments: Storage.allCases)
  func sequence(_ storage: Storage) async throws {
    try await storage.stack { stack in
      let context = stack.backgroundContext
      let saves = NotificationCenter.default.notifications(named: .NSManagedObjectContextDidSave, object: context)
      let counts = saves.map { ($0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0 }
      // It observes from here on.
      var iterator = counts.makeAsyncIterator()
      for count in 1...3 {
        try await context.perform {
          for _ in 0..<count { _ = Note(context: context) }
          try context.save()
        }
      }
      #expect(await [iterator.next(), iterator.next(), iterator.next()] == [1, 2, 3])
      let waiting = Task {
        for await _ in NotificationCenter.default.notifications(named: .NSManagedObjectContextDidSave, object: stack) {}
        return "ended"
      }
      waiting.cancel()
      #expect(await waiting.value == "ended")
    }
  }

  @Test("What one context saves is merged into another", arguments: Storage.allCases)
  func merging(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.backgroundContext
      let other = stack.newDerivedContext()
      other.automaticallyMergesChangesFromParent = false
      let observer = ChangeObserver(observing: context, mergingInto: other)
      let id = try context.performAndWait { () throws -> NSManagedObjectID in
        let note = Note(context: context)
        note.title = "one"
        try context.save()
        return note.objectID
      }
      let twin = try other.performAndWait { () throws -> Note in
        let twin = try #require(try other.existingObject(with: id) as? Note)
        #expect(twin.title == "one")
        return twin
      }
      try context.performAndWait {
        (context.object(with: id) as! Note).title = "two"
        try context.save()
      }
      other.performAndWait { #expect(twin.title == "two") }
      withExtendedLifetime(observer) {}
    }
  }

  @Test("Ids of rows changed elsewhere are merged into several contexts")
  func remoteChanges() throws {
    try Storage.sqlite.stack { stack in
      let context = stack.backgroundContext
      let other = stack.newDerivedContext()
      other.automaticallyMergesChangesFromParent = false
      try context.performAndWait {
        let note = Note(context: context)
        note.title = "one"
        try context.save()
        let twin = try other.performAndWait { try other.existingObject(with: note.objectID) as! Note }
        note.title = "two"
        try context.save()
        let changes: [AnyHashable: Any] = [NSUpdatedObjectsKey: [note.objectID]]
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [other])
        other.performAndWait { #expect(twin.title == "two") }
      }
    }
  }

  @Test("All spellings of merge policies name the same policies")
  func policies() {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    let pairs: [(Any, NSMergePolicy, NSMergePolicyType)] = [
      (NSErrorMergePolicy, .error, .errorMergePolicyType),
      (NSRollbackMergePolicy, .rollback, .rollbackMergePolicyType),
      (NSOverwriteMergePolicy, .overwrite, .overwriteMergePolicyType),
      (
        NSMergeByPropertyObjectTrumpMergePolicy, .mergeByPropertyObjectTrump,
        .mergeByPropertyObjectTrumpMergePolicyType
      ),
      (
        NSMergeByPropertyStoreTrumpMergePolicy, .mergeByPropertyStoreTrump,
        .mergeByPropertyStoreTrumpMergePolicyType
      ),
    ]
    #expect((context.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
    for (spelling, policy, type) in pairs {
      context.mergePolicy = spelling
      #expect(context.mergePolicy as AnyObject === policy)
      context.mergePolicy = NSMergePolicy(merge: type)
      #expect((context.mergePolicy as! NSMergePolicy).mergeType == policy.mergeType)
    }
  }

  @Test("A merge policy of one's own is asked about conflicts", arguments: Storage.allCases)
  func ownPolicy(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.newDerivedContext()
      context.automaticallyMergesChangesFromParent = false
      let policy = LongerTitlePolicy()
      context.mergePolicy = policy
      try context.performAndWait {
        let note = Note(context: context)
        note.title = "a"
        try context.save()
        #expect(note.title == "a")
        let other = stack.backgroundContext
        try other.performAndWait {
          (try other.existingObject(with: note.objectID) as! Note).title = "a longer title"
          try other.save()
        }
        note.title = "short"
        try context.save()
        #expect(policy.conflicts == 1)
        #expect(note.title == "a longer title")
      }
    }
  }

  @Test("A uniqueness constraint's conflict is told, or resolved by the policy", arguments: Storage.allCases)
  func constraints(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.newDerivedContext()
      try context.performAndWait {
        let first = Tag(context: context)
        first.name = "red"
        try context.save()
        let second = Tag(context: context)
        second.name = "red"
        do {
          try context.save()
          Issue.record("Two tags of one name were saved.")
        } catch let error as NSError {
          #expect(error.code == NSManagedObjectConstraintMergeError)
          #expect((error.userInfo["conflictList"] as? [NSConstraintConflict])?.first?.constraint == ["name"])
        }
        context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
        try context.save()
        #expect(try context.count(for: NSFetchRequest<Tag>(entityName: "Tag")) == 1)
      }
    }
  }
}

/// Keeps the longer of two titles.
final class LongerTitlePolicy: NSMergePolicy, @unchecked Sendable {
  var conflicts = 0

  init() { super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType) }

  override func resolve(mergeConflicts list: [Any]) throws {
    guard let list = list as? [NSMergeConflict] else { fatalError("Wrong object type") }
    conflicts += list.count
    let titles = list.map { ($0.persistedSnapshot ?? $0.cachedSnapshot)?["title"] as? String ?? "" }
    try super.resolve(optimisticLockingConflicts: list)
    for (conflict, title) in zip(list, titles) {
      guard let note = conflict.sourceObject as? Note else { continue }
      if title.count > (note.title ?? "").count { note.title = title }
    }
  }
}
