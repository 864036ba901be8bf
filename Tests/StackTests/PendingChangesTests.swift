import Testing

@testable import CoreData

@Suite("Pending changes")
struct PendingChangesTests {
  @Test(
    "Changes are processed when asked, before a fetch, before a save, and at the end of perform",
    arguments: StoreKind.allCases)
  func moments(_ kind: StoreKind) async throws {
    let stack = try Stack(kind)
    let context = stack.context
    let log = NotificationLog(context)
    try context.performAndWait {
      let author = context.new("Author")
      let book = context.new("Book", ["author": author])
      #expect(log.names.isEmpty)
      context.processPendingChanges()
      #expect(log.names == ["didChange"])
      try context.save()
      log.clear()
      // A rule that has not been applied yet is applied before the fetch looks.
      context.delete(author)
      #expect(!book.isDeleted)
      #expect(try context.all("Book").isEmpty)
      #expect(book.isDeleted)
      #expect(log.names == ["didChange"])
      log.clear()
      let tag = context.new("Tag")
      try context.save()
      #expect(log.names.first == "didChange" && log.names.filter { $0 == "didChange" }.count == 1)
      #expect(log["didSave"]?.objects(NSInsertedObjectsKey) == [tag])
      log.clear()
    }
    await context.perform { context.new("Tag") }
    await context.perform { #expect(log.names == ["didChange"]) }
  }

  @Test(
    "On the main queue an event ends when the queue gets to its next block, also that of a context without a queue",
    arguments: StoreKind.allCases)
  @MainActor func mainQueue(_ kind: StoreKind) async throws {
    let types: [NSManagedObjectContextConcurrencyType] = [.mainQueue, .init(rawValue: 0)!]
    for type in types {
      let stack = try Stack(kind)
      let context = NSManagedObjectContext(concurrencyType: type)
      context.persistentStoreCoordinator = stack.coordinator
      let log = NotificationLog(context)
      context.new("Tag")
      context.new("Tag")
      #expect(log.names.isEmpty)
      await withCheckedContinuation { next in DispatchQueue.main.async { next.resume() } }
      #expect(log.names == ["didChange"])
      #expect(log["didChange"]?.objects(NSInsertedObjectsKey).count == 2)
    }
  }

  @Test(
    "An event is told once, each object under one key; an empty one is not told",
    arguments: StoreKind.allCases)
  func coalescing(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let books = (0..<3).map { context.new("Book", ["title": "\($0)"]) }
      try context.save()
      let log = NotificationLog(context)
      let new = context.new("Book")
      new["title"] = "new"
      for title in ["a", "b", "c"] { books[0]["title"] = title }
      books[1]["title"] = "d"
      context.delete(books[1])
      context.delete(books[2])
      context.processPendingChanges()
      #expect(log.names == ["didChange"])
      #expect(log["didChange"]?.objects(NSInsertedObjectsKey) == [new])
      #expect(log["didChange"]?.objects(NSUpdatedObjectsKey) == [books[0]])
      #expect(log["didChange"]?.objects(NSDeletedObjectsKey) == [books[1], books[2]])
      context.processPendingChanges()
      #expect(log.names == ["didChange"])
    }
  }

  @Test("The three sets tell of changes before they are processed", arguments: StoreKind.allCases)
  func sets(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (changed, gone, both) = (context.new("Book"), context.new("Book"), context.new("Book"))
      try context.save()
      let new = context.new("Book")
      changed["title"] = "a"
      both["title"] = "b"
      context.delete(gone)
      context.delete(both)
      #expect(context.insertedObjects == [new])
      #expect(context.updatedObjects == [changed])
      #expect(context.deletedObjects == [gone, both])
      #expect(context.hasChanges && both.isDeleted && !both.isUpdated)
      context.processPendingChanges()
      #expect(context.insertedObjects == [new])
      #expect(context.updatedObjects == [changed])
      #expect(context.deletedObjects == [gone, both])
    }
  }

  @Test(
    "Inserted and deleted in one event is nothing; over two events it is told of, and never written",
    arguments: StoreKind.allCases)
  func insertedAndDeleted(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let log = NotificationLog(context)
      context.delete(context.new("Tag"))
      context.processPendingChanges()
      #expect(log.names.isEmpty)
      let tag = context.new("Tag")
      context.processPendingChanges()
      #expect(log["didChange"]?.objects(NSInsertedObjectsKey) == [tag])
      context.delete(tag)
      context.processPendingChanges()
      #expect(log["didChange"]?.keys == [NSDeletedObjectsKey])
      #expect(!context.hasChanges && tag.managedObjectContext == nil && !tag.isDeleted)
      log.clear()
      try context.save()
      #expect(log["didSave"]?.keys == [])
      #expect(try stack.elsewhere { try $0.all("Tag").isEmpty })
    }
  }

  @Test(
    "A new object that is inserted again in a later event is told of as inserted once more; a saved one is not",
    arguments: StoreKind.allCases)
  func insertedAgain(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let log = NotificationLog(context)
      let tag = context.new("Tag", ["name": "a"])
      context.insert(tag)
      context.processPendingChanges()
      #expect(log.names == ["didChange"])
      log.clear()
      context.insert(tag)
      context.insert(tag)
      #expect(tag.changedValuesForCurrentEvent().isEmpty)
      context.processPendingChanges()
      #expect(log.names == ["didChange"] && log["didChange"]?.keys == [NSInsertedObjectsKey])
      #expect(log["didChange"]?.objects(NSInsertedObjectsKey) == [tag] && context.insertedObjects == [tag])
      tag["name"] = "b"
      context.insert(tag)
      #expect(tag.changedValuesForCurrentEvent()["name"] as? String == "a")
      context.processPendingChanges()
      #expect(log["didChange"]?.keys == [NSInsertedObjectsKey])
      context.insert(tag)
      context.delete(tag)
      context.processPendingChanges()
      #expect(log["didChange"]?.keys == [NSDeletedObjectsKey] && !context.hasChanges)
      let saved = context.new("Tag")
      try context.save()
      log.clear()
      context.insert(saved)
      context.processPendingChanges()
      #expect(log.names.isEmpty && !context.hasChanges)
    }
  }

  @Test(
    "A new object that is deleted, brought back and deleted in a later event is told of as deleted",
    arguments: StoreKind.allCases)
  func deletedTwice(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let tag = context.new("Tag")
      context.processPendingChanges()
      let log = NotificationLog(context)
      context.delete(tag)
      context.insert(tag)
      context.delete(tag)
      context.processPendingChanges()
      #expect(log["didChange"]?.keys == [NSDeletedObjectsKey] && tag.managedObjectContext == nil)
    }
  }

  @Test(
    "Updated and deleted is deleted only, in sets, notification and store",
    arguments: StoreKind.allCases)
  func updatedAndDeleted(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "a"])
      try context.save()
      let log = NotificationLog(context)
      book["title"] = "b"
      context.processPendingChanges()
      context.delete(book)
      try context.save()
      #expect(log["didSave"]?.objects(NSUpdatedObjectsKey) == [])
      #expect(log["didSave"]?.objects(NSDeletedObjectsKey) == [book])
      #expect(try stack.elsewhere { try $0.all("Book").isEmpty })
    }
  }

  @Test(
    "A cascade goes through faults that were never read, over any number of levels",
    arguments: StoreKind.allCases)
  func deepCascade(_ kind: StoreKind) throws {
    let node = entity("Node", [attribute("name")])
    join(
      relate(node, "children", .many, to: node, rule: .cascadeDeleteRule),
      relate(node, "parent", .one, to: node))
    try withStack(kind, model([node])) { stack, context in
      var last = context.new("Node", ["name": "root"])
      let kept = context.new("Node", ["name": "kept"])
      for level in 0..<300 { last = context.new("Node", ["name": "\(level)", "parent": last]) }
      try context.save()
      context.reset()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Node")
      request.predicate = NSPredicate(format: "name == 'root'")
      let root = try #require(try context.fetch(request).first)
      context.delete(root)
      context.processPendingChanges()
      #expect(context.deletedObjects.count == 301)
      try context.save()
      try stack.elsewhere { other throws in #expect(try other.only("Node").string("name") == "kept")
      }
      _ = kept
    }
  }

  @Test(
    "A cascade over a to-one deletes the destination, whose own rules then run",
    arguments: StoreKind.allCases)
  func toOneCascade(_ kind: StoreKind) throws {
    let (note, author) = (
      entity("Note", [attribute("name")]), entity("Author", [attribute("name")])
    )
    let letter = entity("Letter", [attribute("name")])
    join(
      relate(note, "author", .one, to: author, rule: .cascadeDeleteRule),
      relate(author, "notes", .many, to: note))
    join(
      relate(author, "letters", .many, to: letter, rule: .cascadeDeleteRule),
      relate(letter, "author", .one, to: author))
    try withStack(kind, model([note, author, letter])) { stack, context in
      let author = context.new("Author")
      let notes = (0..<2).map { context.new("Note", ["name": "\($0)", "author": author]) }
      context.new("Letter", ["author": author])
      try context.save()
      context.reset()
      context.delete(context.same(notes[0]))
      try context.save()
      try stack.elsewhere { other throws in
        #expect(try other.all("Author").isEmpty && other.all("Letter").isEmpty)
        #expect(try other.only("Note").string("name") == "1")
        #expect(try other.only("Note").object("author") == nil)
      }
    }
  }

  /// One owner's rule cascades to the part, another one's denies.
  private func owners(_ kind: StoreKind, delete: [String]) throws -> (code: Int?, left: [String]) {
    let (cascades, denies) = (
      entity("Cascades", [attribute("name")]), entity("Denies", [attribute("name")])
    )
    let part = entity("Part", [attribute("name")])
    join(
      relate(cascades, "part", .one, to: part, rule: .cascadeDeleteRule),
      relate(part, "one", .one, to: cascades))
    join(
      relate(denies, "part", .one, to: part, rule: .denyDeleteRule),
      relate(part, "two", .one, to: denies))
    var outcome: (code: Int?, left: [String]) = (nil, [])
    try withStack(kind, model([cascades, denies, part])) { stack, context in
      let part = context.new("Part")
      for owner in ["Cascades", "Denies"] { context.new(owner, ["part": part]) }
      try context.save()
      for owner in delete { context.delete(try context.only(owner)) }
      outcome.code = failure { try context.save() }?.code
      outcome.left = try stack.elsewhere { other in
        try ["Cascades", "Denies", "Part"].filter { try !other.all($0).isEmpty }
      }
    }
    return outcome
  }

  @Test(
    "Deny looks only at whether its destinations go in the same save, whoever deletes them",
    arguments: StoreKind.allCases)
  func denyAndCascade(_ kind: StoreKind) throws {
    var outcome = try owners(kind, delete: ["Denies"])
    #expect(outcome.code == NSValidationRelationshipDeniedDeleteError)
    #expect(outcome.left == ["Cascades", "Denies", "Part"])
    for order in [["Denies", "Cascades"], ["Cascades", "Denies"]] {
      outcome = try owners(kind, delete: order)
      #expect(outcome.code == nil && outcome.left == [])
    }
    outcome = try owners(kind, delete: ["Cascades"])
    #expect(outcome.code == nil && outcome.left == ["Denies"])
  }

  @Test("No action leaves a key in the file that leads to no row")
  func danglingKey() throws {
    let (owner, part) = (entity("Owner", [attribute("name")]), entity("Part", [attribute("name")]))
    join(
      relate(owner, "parts", .many, to: part, rule: .noActionDeleteRule),
      relate(part, "owner", .one, to: owner))
    try withStack(.sqlite, model([owner, part])) { stack, context in
      let owner = context.new("Owner")
      context.new("Part", ["owner": owner])
      try context.save()
      context.delete(owner)
      try context.save()
      let connection = try Connection(path: stack.url.path, options: Connection.Options())
      #expect(try connection.rows("SELECT COUNT(*) FROM ZOWNER") == [["0"]])
      #expect(try connection.rows("SELECT ZOWNER, Z_OPT FROM ZPART") == [["1", "1"]])
      try stack.elsewhere { other throws in
        let lost = try #require(try other.only("Part").object("owner"))
        #expect(
          failure { _ = try other.existingObject(with: lost.objectID) }?.code
            == NSManagedObjectReferentialIntegrityError)
      }
    }
  }

  @Test(
    "Rules that wait for the save: a new object still takes its parts along when it is deleted",
    arguments: StoreKind.allCases)
  func waitingRules(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      context.propagatesDeletesAtEndOfEvent = false
      let saved = context.new("Author")
      let book = context.new("Book", ["author": saved])
      try context.save()
      let part = context.new("Book", ["author": context.new("Author")])
      context.delete(try #require(part.object("author")))
      context.delete(saved)
      context.processPendingChanges()
      #expect(part.managedObjectContext == nil && context.insertedObjects.isEmpty)
      #expect(!book.isDeleted && book.object("author") === saved)
      try context.save()
      #expect(try stack.elsewhere { try $0.all("Book").isEmpty })
    }
  }
}
