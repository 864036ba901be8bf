import CoreData
import Testing

/// Counts without asking any store, as a test's context does.
private final class CountingContext: NSManagedObjectContext, @unchecked Sendable {
  var asked: [String] = []
  var answer: Int?

  override func count(for request: NSFetchRequest<any NSFetchRequestResult>) throws -> Int {
    asked.append(request.entityName ?? "")
    return try answer ?? super.count(for: request)
  }
}

/// A conflict that knows which of its objects came first.
private final class OrderedConflict: NSConstraintConflict {
  var first: NSManagedObject?

  override init(
    constraint: [String], database databaseObject: NSManagedObject?, databaseSnapshot: [AnyHashable: Any]?,
    conflicting conflictingObjects: [NSManagedObject], conflictingSnapshots: [Any]
  ) {
    first = conflictingObjects.first
    super.init(
      constraint: constraint, database: databaseObject, databaseSnapshot: databaseSnapshot,
      conflicting: conflictingObjects, conflictingSnapshots: conflictingSnapshots)
  }
}

/// Reads one key in a way of its own, and notes what is set.
private final class Ledger: NSManagedObject {
  var noted: [String] = []

  override func value(forKey key: String) -> Any? { key == "total" ? 42 : super.value(forKey: key) }
  override func setValue(_ value: Any?, forKey key: String) {
    noted.append(key)
    super.setValue(value, forKey: key)
  }
}

@Suite("Members in the spellings that applications write", .serialized)
struct MemberSurfaceTests {
  @Test("Properties of an object are read and set in brackets, by names", arguments: Storage.allCases)
  func brackets(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        let object: NSManagedObject = Note(context: context)
        object["title"] = "a"
        object["wordCount"] = 12
        let name = "title"
        #expect(object[name] as? String == "a" && object["wordCount"] as? Int == 12 && object["body"] == nil)
        try context.save()
        #expect(context.updatedObjects.isEmpty)
        object["title"] = "b"
        #expect(context.updatedObjects == [object])
        object["body"] = nil
        let tag = Tag(context: context)
        tag.name = "t"
        object["tags"] = [tag] as Set
        #expect(object["tags"] as? Set<Tag> == [tag] && (tag["notes"] as? Set<NSManagedObject>)?.first === object)
      }
    }
  }

  @Test("Brackets ask what a subclass says of its keys")
  func overriddenKeys() throws {
    let entity = NSEntityDescription()
    (entity.name, entity.managedObjectClassName) = ("Ledger", NSStringFromClass(Ledger.self))
    let title = NSAttributeDescription()
    (title.name, title.attributeType) = ("title", .stringAttributeType)
    entity.properties = [title]
    let ledger = Ledger(entity: entity, insertInto: nil)
    ledger["title"] = "a"
    #expect(ledger["total"] as? Int == 42 && ledger["title"] as? String == "a" && ledger.noted == ["title"])
  }

  @Test("A context's subclass counts in a way of its own, for requests of any type", arguments: Storage.allCases)
  func counting(_ storage: Storage) throws {
    try storage.stack { stack in
      let coordinator = try #require(stack.viewContext.persistentStoreCoordinator)
      let counting = CountingContext(concurrencyType: .privateQueueConcurrencyType)
      let context: NSManagedObjectContext = counting
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait {
        Note(context: context).title = "a"
        try context.save()
        Note(context: context).title = "b"
        let typed = NSFetchRequest<Note>(entityName: "Note")
        let untyped: NSFetchRequest<any NSFetchRequestResult> = Note.fetchRequest()
        #expect(try context.count(for: typed) == 2 && context.count(for: untyped) == 2)
        #expect(try context.count(for: Note.fetchRequest()) == 2)
        typed.fetchLimit = 1
        #expect(try context.count(for: typed) == 1)
        counting.answer = 7
        #expect(try context.count(for: typed) == 7 && context.count(for: untyped) == 7)
        #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag")) == 7)
        #expect(counting.asked == ["Note", "Note", "Note", "Note", "Note", "Note", "Tag"])
        counting.answer = nil
        #expect(try context.fetch(untyped).count == 2)
      }
    }
  }

  @Test("A conflict of constraints is made, and its initializer overridden, by its Swift labels")
  func conflicts() throws {
    try Storage.memory.stack { stack in
      let context = stack.viewContext
      context.performAndWait {
        let (old, new) = (Tag(context: context), Tag(context: context))
        (old.name, new.name) = ("t", "t")
        let snapshot: [AnyHashable: Any] = ["name": "t"]
        let conflict = OrderedConflict(
          constraint: ["name"], database: old, databaseSnapshot: snapshot, conflicting: [new],
          conflictingSnapshots: [snapshot])
        #expect(conflict.first === new && conflict.databaseObject === old && conflict.conflictingObjects == [new])
        #expect(conflict.databaseSnapshot?["name"] as? String == "t")
        #expect(conflict.conflictingSnapshots.first?["name"] as? String == "t")
        #expect(conflict.constraintValues["name"] as? String == "t")
      }
    }
  }

  @Test("A kind of file protection is an object where a description's option takes one")
  func protection() {
    let description = NSPersistentStoreDescription()
    description.setOption(FileProtectionType.complete as NSObject, forKey: NSPersistentStoreFileProtectionKey)
    let kept = description.options[NSPersistentStoreFileProtectionKey]
    #expect(kept as? String == FileProtectionType.complete.rawValue)
    #expect((kept as? FileProtectionType)?.rawValue == FileProtectionType.complete.rawValue)
    #expect(FileProtectionType.none as NSString == FileProtectionType.none.rawValue as NSString)
    let options: [AnyHashable: Any] = [NSPersistentStoreFileProtectionKey: FileProtectionType.complete]
    #expect(options[NSPersistentStoreFileProtectionKey] is FileProtectionType)
  }

  @Test("A container's folder is named with and without parentheses, by its subclasses too")
  func folders() {
    let folder: URL = NSPersistentContainer.defaultDirectoryURL
    #expect(folder == NSPersistentContainer.defaultDirectoryURL())
    #expect(JournalContainer.defaultDirectoryURL.lastPathComponent == "journal-surface")
    let file = JournalContainer.defaultDirectoryURL.appendingPathComponent("a.sqlite")
    #expect(file == JournalContainer.defaultDirectoryURL().appendingPathComponent("a.sqlite"))
    let function: () -> URL = JournalContainer.defaultDirectoryURL
    #expect(function().lastPathComponent == "journal-surface")
  }

  @Test("A coordinator finds an id by the text of its URI, and metadata name the model's checksum")
  func texts() throws {
    try Storage.sqlite.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        let note = Note(context: context)
        note.title = "a"
        try context.save()
        let coordinator = try #require(context.persistentStoreCoordinator)
        let text = note.objectID.uriRepresentation().absoluteString
        #expect(coordinator.managedObjectID(for: text) == note.objectID)
        #expect(coordinator.managedObjectID(for: "x-coredata://nowhere/Note/p1") == nil)
        #expect(coordinator.managedObjectID(for: "") == nil)
        let metadata = coordinator.metadata(for: coordinator.persistentStores[0])
        let checksum = metadata[NSPersistentStoreModelVersionChecksumKey] as? String
        #expect(checksum == coordinator.managedObjectModel.versionChecksum)
        #expect(metadata["NSPersistenceFrameworkVersion"] as? Int == Int(NSCoreDataVersionNumber))
        #expect(NSCoreDataVersionNumber >= NSCoreDataVersionNumber_iPhoneOS_9_3)
        #expect(NSCoreDataVersionNumber > NSCoreDataVersionNumber10_11_3)
      }
    }
  }

  @Test("An asynchronous request's block is kept without its type of objects, and may be another's")
  func blocks() async throws {
    try await Storage.sqlite.stack { stack in
      let context = stack.newDerivedContext()
      let titles: [String?] = try await withCheckedThrowingContinuation { continuation in
        context.perform {
          do {
            Note(context: context).title = "a"
            try context.save()
            let typed = NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<Note>(entityName: "Note")) { result in
              continuation.resume(returning: result.finalResult?.map(\.title) ?? [])
            }
            let block: NSPersistentStoreAsynchronousFetchResultCompletionBlock? = typed.completionBlock
            let untyped: NSFetchRequest<any NSFetchRequestResult> = Note.fetchRequest()
            try context.execute(NSAsynchronousFetchRequest(fetchRequest: untyped, completionBlock: block))
          } catch {
            continuation.resume(throwing: error)
          }
        }
      }
      #expect(titles == ["a"])
      let without = NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<Note>(entityName: "Note"))
      #expect(without.completionBlock == nil)
    }
  }

  @Test("A fetch expression has its type")
  func fetchExpression() {
    let request = NSFetchRequest<Note>(entityName: "Note")
    let predicate = NSPredicate(format: "FETCH(%@, %@, YES) > 0", request, "none") as? NSComparisonPredicate
    #expect(predicate?.leftExpression.expressionType == NSFetchRequestExpressionType)
  }

  // Each call stands alone here, which must not be a warning.
  @Test("Results that imported methods return may be left unused", arguments: Storage.allCases)
  func unused(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        let coordinator = try #require(context.persistentStoreCoordinator)
        NSEntityDescription.insertNewObject(forEntityName: "Note", into: context).setValue("a", forKey: "title")
        NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        context.insertedObjects.first { $0.entity.name == "Tag" }?.setValue("t", forKey: "name")
        try context.save()
        let note = try #require(try context.fetch(NSFetchRequest<Note>(entityName: "Note")).first)
        context.object(with: note.objectID)
        context.registeredObject(for: note.objectID)
        try context.existingObject(with: note.objectID)
        context.refresh(note, mergeChanges: false)
        note.value(forKey: "title")
        #expect(!note.isFault)
        note.value(forKeyPath: "notebook.name")
        note.primitiveValue(forKey: "title")
        if storage == .sqlite {
          let deletion = NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Tag"))
          try coordinator.execute(deletion, with: context)
          try context.execute(deletion)
          #expect(try context.count(for: NSFetchRequest<Tag>(entityName: "Tag")) == 0)
        }
        NSPersistentContainer.defaultDirectoryURL()
      }
    }
  }
}
