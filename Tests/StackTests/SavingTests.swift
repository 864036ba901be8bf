import CoreData
import Testing

@Suite("Saving and reading back")
struct SavingTests {
  @Test("A saved object is read back by another context", arguments: StoreKind.withCustom)
  func readBack(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try stack.context.performAndWait {
      stack.context.new("Author", ["name": "Kafka"])
      try stack.context.save()
    }
    try stack.elsewhere { other throws in
      let author = try other.only("Author")
      #expect(author.string("name") == "Kafka")
      #expect(author["born"] == nil)
      #expect(!author.hasChanges)
    }
  }

  @Test("A changed object is written and read back", arguments: StoreKind.withCustom)
  func update(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "Amerika", "pages": 100])
      try context.save()
      book["title"] = "The Man Who Disappeared"
      #expect(book.isUpdated)
      try context.save()
      #expect(!book.isUpdated)
      try stack.elsewhere { other throws in
        #expect(try other.only("Book").string("title") == "The Man Who Disappeared")
        #expect(try other.only("Book").int("pages") == 100)
      }
    }
  }

  @Test("Of many objects that one save deletes none stays, and those between them do", arguments: StoreKind.allCases)
  func manyDeleted(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author", ["name": "a"])
      let books = (0..<300).map { number in
        context.new(
          number % 3 == 0 ? "Novel" : "Book", ["title": "\(number)", "pages": number, "author": author])
      }
      let tags = (0..<100).map { context.new("Tag", ["name": "\($0)"]) }
      books[1]["tags"] = Set(tags)
      try context.save()
      for book in books where book.int("pages")! % 4 != 1 { context.delete(book) }
      for tag in tags.dropFirst() { context.delete(tag) }
      try context.save()
      let kept = Array(stride(from: 1, to: 300, by: 4))
      let keptNovels = kept.filter { $0 % 3 == 0 }
      try stack.elsewhere { other throws in
        let (found, tag) = (try other.all("Book"), try other.only("Tag"))
        let pages = found.compactMap { $0.int("pages") }.sorted()
        #expect(pages == kept)
        #expect(try other.only("Author").objects("books") == Set(found))
        #expect(try other.all("Novel").count == keptNovels.count)
        #expect(other.same(books[1]).objects("tags") == [tag])
        other.new("Tag", ["name": "last"])
        try other.save()
      }
      #expect(try context.all("Tag").count == 2)
    }
  }

  @Test(
    "The relationships of an object whose deletion was saved are empty, for observers of the save as well",
    arguments: StoreKind.withCustom)
  func relationshipsOfDeleted(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "T"])
      book["author"] = context.new("Author", ["name": "A"])
      book["tags"] = NSSet(object: context.new("Tag"))
      try context.save()
      nonisolated(unsafe) var seen: [Any?] = []
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: context, queue: nil
      ) { _ in seen = [book.value(forKey: "author"), book.value(forKeyPath: "author.name")] }
      defer { NotificationCenter.default.removeObserver(observer) }
      let other = stack.newContext()
      try other.performAndWait {
        let same = other.same(book)
        same.read()
        context.delete(book)
        let saved = NotificationLog(context)
        try context.save()
        #expect(seen.count == 2 && seen.allSatisfy { $0 == nil })
        #expect(book.value(forKey: "author") == nil && book.value(forKeyPath: "author.name") == nil)
        #expect(book.string("title") == nil && book.objects("tags").isEmpty)
        #expect(book.committedValues(forKeys: nil)["author"] is NSNull?)
        other.mergeChanges(fromContextDidSave: try #require(saved["didSave"]))
        #expect(same.value(forKey: "author") == nil && same.value(forKeyPath: "author.name") == nil)
      }
    }
  }

  @Test(
    "An object that is inserted again after its deletion was saved has its attributes, and no relationships",
    arguments: StoreKind.allCases)
  func insertedAgain(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author", ["name": "A"])
      let book = context.new("Book", ["title": "T", "pages": 3, "author": author])
      try context.save()
      // The rule of an author's books is to cascade.
      context.delete(author)
      try context.save()
      let asked = context.object(with: book.objectID)
      context.insert(book)
      #expect(asked !== book && context.object(with: book.objectID) === book)
      #expect(book.isInserted && book.string("title") == "T" && book.object("author") == nil)
      try context.save()
      try stack.elsewhere { other throws in
        let found = try other.only("Book")
        #expect(found.string("title") == "T" && found.int("pages") == 3 && found.object("author") == nil)
      }
    }
  }

  @Test("A deleted object is gone after the save, and has no context", arguments: StoreKind.withCustom)
  func delete(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let tag = context.new("Tag")
      try context.save()
      context.delete(tag)
      #expect(tag.isDeleted)
      #expect(context.deletedObjects == [tag])
      try context.save()
      #expect(!tag.isDeleted)
      #expect(tag.managedObjectContext == nil)
      #expect(try context.all("Tag").isEmpty)
      try stack.elsewhere { other throws in #expect(try other.all("Tag").isEmpty) }
    }
  }

  @Test("A new object that is deleted before the save is never written", arguments: StoreKind.withCustom)
  func insertAndDelete(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let tag = context.new("Tag")
      context.delete(tag)
      context.processPendingChanges()
      #expect(context.insertedObjects.isEmpty)
      #expect(context.deletedObjects.isEmpty)
      #expect(!context.hasChanges)
      try context.save()
      #expect(try context.all("Tag").isEmpty)
    }
  }

  @Test("A save without changes is told as well, without objects", arguments: StoreKind.withCustom)
  func nothingToSave(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      try context.save()
      let log = NotificationLog(context)
      try context.save()
      #expect(log.names == ["willSave", "didSave", "didSaveIDs"])
      #expect(log["didSave"]?.userInfo?.isEmpty == true)
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      let childLog = NotificationLog(child)
      try child.performAndWait { try child.save() }
      #expect(childLog.names == ["willSave", "didSave", "didSaveIDs"])
      #expect(log.names.count == 3 && !context.hasChanges)
    }
  }

  @Test(
    "What an observer of the coming save changes is saved, even if nothing else is", arguments: StoreKind.withCustom)
  func changedByObserver(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let tag = context.new("Tag", ["name": "old"])
      try context.save()
      let log = NotificationLog(context)
      let id = tag.objectID
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextWillSave, object: context, queue: nil
      ) { _ in
        let tag = context.object(with: id)
        if tag.string("name") == "old" { tag["name"] = "new" }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try context.save()
      #expect(!context.hasChanges)
      #expect(log["didSave"]?.objects(NSUpdatedObjectsKey) == [tag])
      #expect(try stack.elsewhere { try $0.strings("Tag", "name") } == ["new"])
    }
  }

  @Test("A failed save leaves everything as it was, and the next one succeeds", arguments: StoreKind.withCustom)
  func failedSave(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let old = context.new("Book", ["title": "Old"])
      let gone = context.new("Tag", ["name": "gone"])
      try context.save()
      old["title"] = nil
      context.delete(gone)
      let new = context.new("Book", ["title": "New"])
      #expect(failure { try context.save() }?.code == NSValidationMissingMandatoryPropertyError)
      #expect(context.insertedObjects == [new])
      #expect(context.updatedObjects == [old])
      #expect(context.deletedObjects == [gone])
      #expect(new.objectID.isTemporaryID)
      #expect(old["title"] == nil)
      try stack.elsewhere { other throws in
        #expect(try other.only("Book").string("title") == "Old")
        #expect(try other.all("Tag").count == 1)
      }
      old["title"] = "Mended"
      try context.save()
      #expect(!context.hasChanges)
      #expect(try context.strings("Book", "title") == ["Mended", "New"])
      #expect(try context.all("Tag").isEmpty)
    }
  }

  @Test("An object changed back to what was read is no longer written", arguments: StoreKind.withCustom)
  func changedBack(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      book["title"] = "B"
      book["title"] = "A"
      #expect(book.hasChanges)
      #expect(!book.hasPersistentChangedValues)
      try stack.elsewhere { other throws in
        try other.only("Book")["title"] = "C"
        try other.save()
      }
      // The row is of another version by now; that nothing is written shows in that there is no conflict.
      try context.save()
      #expect(!context.hasChanges)
    }
  }

  @Test(
    "Objects of a subentity are found through the parent entity, with their own class of properties",
    arguments: StoreKind.withCustom)
  func subentities(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      context.new("Book", ["title": "Essay"])
      context.new("Novel", ["title": "Amerika", "genre": "satire"])
      try context.save()
      context.reset()
      #expect(try context.all("Book").count == 2)
      #expect(try context.only("Novel").string("genre") == "satire")
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.includesSubentities = false
      #expect(try context.fetch(request).map { $0.string("title") } == ["Essay"])
    }
  }

  @Test(
    "willSave may change the object and others, until nothing changes any more", arguments: StoreKind.withCustom
  )
  func willSave(_ kind: StoreKind) throws {
    let model = model([
      entity("Counted", [attribute("rounds", .integer32AttributeType, default: 0)], class: Counted.self)
    ])
    try withStack(kind, model) { stack, context in
      let object = context.new("Counted")
      try context.save()
      #expect(object.int("rounds") == 3)
      try stack.elsewhere { other throws in #expect(try other.only("Counted").int("rounds") == 3) }
    }
  }

  @Test(
    "didSave comes after the objects have their permanent ids and no changes", arguments: StoreKind.withCustom)
  func didSave(_ kind: StoreKind) throws {
    let model = model([
      entity("Counted", [attribute("rounds", .integer32AttributeType, default: 0)], class: Counted.self)
    ])
    try withStack(kind, model) { _, context in
      let object = context.new("Counted") as! Counted
      try context.save()
      #expect(object.seenInDidSave == "permanent, unchanged")
    }
  }

  @Test(
    "Metadata of the store has its type, UUID and the model's version hashes", arguments: StoreKind.withCustom)
  func metadata(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let metadata = stack.coordinator.metadata(for: stack.store)
    #expect(metadata[NSStoreTypeKey] as? String == kind.type)
    #expect(metadata[NSStoreUUIDKey] as? String == stack.store.identifier)
    #expect(stack.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
  }
}

/// Sets itself in `willSave` until it has been asked three times.
final class Counted: NSManagedObject {
  var seenInDidSave = ""

  override func willSave() {
    let rounds = value(forKey: "rounds") as! Int
    if rounds < 3 { setValue(rounds + 1, forKey: "rounds") }
  }

  override func didSave() {
    seenInDidSave =
      "\(objectID.isTemporaryID ? "temporary" : "permanent"), \(hasChanges ? "changed" : "unchanged")"
  }
}
