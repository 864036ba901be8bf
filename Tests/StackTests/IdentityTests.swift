import CoreData
import Testing

@Suite("Ids and uniquing")
struct IdentityTests {
  @Test(
    "A new object has a temporary id; the save makes it permanent, and the former id still leads to it",
    arguments: StoreKind.allCases)
  func temporaryAndPermanent(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book")
      let former = book.objectID
      #expect(former.isTemporaryID)
      #expect(former.persistentStore == nil)
      #expect(former.uriRepresentation().absoluteString.hasPrefix("x-coredata:///Book/t"))
      #expect(context.object(with: former) === book)
      try context.save()
      let id = book.objectID
      #expect(!id.isTemporaryID)
      #expect(id.persistentStore === stack.store)
      // Apple's XML files begin at 102.
      let key = kind == .xml ? "p102" : "p1"
      #expect(id.uriRepresentation().absoluteString == "x-coredata://\(stack.store.identifier!)/Book/\(key)")
      #expect(former != id)
      #expect(former.isTemporaryID)
      #expect(context.object(with: former) === book)
      #expect(context.registeredObject(for: former) === book)
      #expect(try context.existingObject(with: former) === book)
    }
  }

  @Test(
    "A former id leads to the row when its object is gone, but registers nothing by itself",
    arguments: StoreKind.allCases)
  func formerOfGone(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      func make() throws -> NSManagedObjectID {
        let tag = context.new("Tag", ["name": "a"])
        defer { context.processPendingChanges() }
        let id = tag.objectID
        try context.save()
        return id
      }
      let former = try make()
      #expect(context.registeredObjects.isEmpty)
      #expect(context.registeredObject(for: former) == nil)
      #expect(try context.existingObject(with: former).string("name") == "a")
      #expect(context.object(with: former).string("name") == "a")
    }
  }

  @Test(
    "Keys are counted per hierarchy of entities, or per file, and an id names the actual entity",
    arguments: StoreKind.allCases)
  func keys(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author")
      let novel = context.new("Novel")
      let book = context.new("Book")
      try context.save()
      #expect(novel.objectID.entity.name == "Novel")
      let keys = Set([novel, book].map { $0.objectID.uriRepresentation().lastPathComponent })
      if [.xml, .binary].contains(kind) {
        // One sequence for all entities.
        #expect(keys.count == 2 && !keys.contains(author.objectID.uriRepresentation().lastPathComponent))
      } else {
        #expect(keys == ["p1", "p2"])
      }
      #expect(
        novel.objectID.uriRepresentation().pathComponents == [
          "/", "Novel", novel.objectID.uriRepresentation().lastPathComponent,
        ])
    }
  }

  @Test("An id that a program makes equals only itself, and no object has it", arguments: StoreKind.withCustom)
  func ownID(_ kind: StoreKind) throws {
    let (id, other) = (NSManagedObjectID(), NSManagedObjectID())
    #expect(id == id && id != other && Set([id, other, id]) == [other, id])
    #expect(id.isTemporaryID && id.persistentStore == nil && !"\(id)".isEmpty)
    try withStack(kind) { _, context in
      let book = context.new("Book")
      #expect(book.objectID != id)
      try context.save()
      #expect(book.objectID != id && context.registeredObject(for: id) == nil)
      #expect(
        failure { _ = try context.existingObject(with: id) }?.code == NSManagedObjectReferentialIntegrityError)
    }
  }

  @Test(
    "A temporary id that the context does not know gives one fault, which reads as empty and is nothing to save",
    arguments: StoreKind.withCustom, ["another context's", "forgotten", "gone"])
  func unknownTemporary(_ kind: StoreKind, _ whose: String) throws {
    try withStack(kind) { stack, context in
      let (other, book) = (stack.newContext(), context.new("Book", ["title": "mine"]))
      let theirs = other.performAndWait { other.new("Book", ["title": "theirs"]) }
      let id = whose == "another context's" ? theirs.objectID : book.objectID
      switch whose {
      case "forgotten": context.reset()
      case "gone":
        context.delete(book)
        context.processPendingChanges()
      default: context.rollback()
      }
      let found = context.object(with: id)
      #expect(found.isFault && found.objectID == id && found.entity.name == "Book" && !found.hasChanges)
      #expect(context.object(with: id) === found && context.registeredObject(for: id) === found)
      #expect(
        failure { _ = try context.existingObject(with: id) }?.code == NSManagedObjectReferentialIntegrityError)
      #expect(throws: (any Error).self) { try context.fulfil([found]) }
      try other.performAndWait { try other.save() }
      #expect(found.string("title") == nil && found.objects("tags").isEmpty && found.object("author") == nil)
      #expect(!found.isDeleted && !found.hasChanges && !context.hasChanges)
      context.refreshAllObjects()
      context.new("Book", ["title": "new"])
      try context.save()
      #expect(try context.strings("Book", "title") == ["new", "theirs"])
      context.delete(found)
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["new", "theirs"])
    }
  }

  @Test(
    "A save refuses a relationship, also one without an inverse, to an object that only another context knows",
    arguments: StoreKind.withCustom, ["first", "needed", "items", "ranking"])
  func unknownDestination(_ kind: StoreKind, _ key: String) throws {
    let (list, item) = (entity("List"), entity("Item", [attribute("name")]))
    relate(list, "first", .one, to: item)
    relate(list, "needed", .one, to: item, optional: false)
    relate(list, "items", .many, to: item)
    relate(list, "ranking", .ordered, to: item)
    try withStack(kind, model([list, item])) { stack, context in
      let other = stack.newContext()
      let theirs = other.performAndWait { other.new("Item").objectID }
      func lead(_ list: NSManagedObject, to item: NSManagedObject) {
        list[key] = key == "items" ? Set([item]) : key == "ranking" ? NSOrderedSet(object: item) : item
      }
      func refused() -> NSManagedObjectID? {
        let error = failure { try context.save() }
        guard error?.code == NSManagedObjectReferentialIntegrityError else { return nil }
        return error?.userInfo["objectID"] as? NSManagedObjectID
      }
      let (item, unknown) = (context.new("Item"), context.object(with: theirs))
      let list = context.new("List", ["needed": item])
      lead(list, to: unknown)
      #expect(refused() == theirs)
      #expect(try stack.elsewhere { try $0.all("List").isEmpty })
      lead(list, to: item)
      try context.save()
      lead(list, to: unknown)
      #expect(refused() == theirs)
      context.rollback()
      try stack.elsewhere { other throws in
        let stored = other.same(list).value(forKey: key)
        let members = (stored as? NSSet)?.allObjects ?? (stored as? NSOrderedSet)?.array ?? [stored as Any]
        #expect(members as? [NSManagedObject] == [other.same(item)])
      }
    }
  }

  @Test("An object that comes into the context displaces the fault for its temporary id", arguments: [false, true])
  func unknownTemporaryComes(isRead: Bool) throws {
    try withStack(.inMemory) { stack, context in
      let tag = NSManagedObject(entity: try #require(stack.model.entitiesByName["Tag"]), insertInto: nil)
      tag["name"] = "free"
      let found = context.object(with: tag.objectID)
      if isRead { #expect(found.string("name") == nil) }
      context.insert(tag)
      #expect(context.object(with: tag.objectID) === tag && found.managedObjectContext == nil)
      try context.save()
      #expect(try context.strings("Tag", "name") == ["free"])
    }
    try withUndo(.inMemory) { _, context, _ in
      let tag = context.step { context.new("Tag", ["name": "redone"]) }
      context.undo()
      let found = context.object(with: tag.objectID)
      if isRead { #expect(found.string("name") == nil) }
      context.redo()
      #expect(context.object(with: tag.objectID) === tag && found.managedObjectContext == nil)
      try context.save()
      #expect(try context.strings("Tag", "name") == ["redone"])
    }
  }

  @Test("The use of a temporary id that the context does not know is reported", arguments: [true, false])
  func unknownTemporaryReport(isDeleted: Bool) async throws {
    let result =
      isDeleted
      ? await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { try readUnknown(true) }
      : await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { try readUnknown(false) }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("CoreData could not fulfill a fault for <x-coredata:"), "\(words)")
    #expect(words.contains("Its id is temporary: it belongs to an object of another context"), "\(words)")
  }

  @Test(
    "obtainPermanentIDs gives ids ahead of the save, and the objects stay inserted",
    arguments: StoreKind.allCases)
  func obtain(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book")
      let former = book.objectID
      try context.obtainPermanentIDs(for: [book])
      let id = book.objectID
      #expect(!id.isTemporaryID)
      #expect(book.isInserted)
      #expect(context.insertedObjects == [book])
      #expect(context.object(with: former) === book)
      try stack.elsewhere { other throws in #expect(try other.all("Book").isEmpty) }
      try context.obtainPermanentIDs(for: [book])
      #expect(book.objectID == id)
      try context.save()
      #expect(book.objectID == id)
      try stack.elsewhere { other throws in #expect(try other.only("Book").objectID == id) }
    }
  }

  @Test("obtainPermanentIDs before anybody asked for the temporary id", arguments: StoreKind.allCases)
  func obtainUnseen(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let books = (0..<3).map { _ in context.new("Book") }
      try context.obtainPermanentIDs(for: books)
      #expect(Set(books.map(\.objectID)).count == 3)
      context.delete(books[1])
      try context.save()
      #expect(try context.all("Book").count == 2)
    }
  }

  @Test("A URI leads back to the id, in any coordinator that has the store", arguments: StoreKind.allCases)
  func uris(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "Amerika"])
      try context.save()
      let uri = book.objectID.uriRepresentation()
      #expect(stack.coordinator.managedObjectID(forURIRepresentation: uri) == book.objectID)
      for bad in [
        "x-coredata://\(UUID().uuidString)/Book/p1", "x-coredata://\(stack.store.identifier!)/Nothing/p1",
        "http://example.com/Book/p1", "x-coredata://\(stack.store.identifier!)/Book/pp",
        "x-coredata:///Book/t12",
      ] {
        #expect(stack.coordinator.managedObjectID(forURIRepresentation: URL(string: bad)!) == nil)
      }
      let missing = try #require(
        stack.coordinator.managedObjectID(
          forURIRepresentation: URL(string: "x-coredata://\(stack.store.identifier!)/Book/p99")!))
      let error = failure { _ = try context.existingObject(with: missing) }
      #expect(error?.code == NSManagedObjectReferentialIntegrityError)
      #expect(error?.userInfo["objectID"] as? NSManagedObjectID == missing)
    }
  }

  @Test("An id of another coordinator's store is no object here", arguments: StoreKind.allCases)
  func foreignID(_ kind: StoreKind) throws {
    let foreign = try Stack(kind)
    let id = try foreign.context.performAndWait {
      let book = foreign.context.new("Book")
      try foreign.context.save()
      return book.objectID
    }
    try withStack(kind) { _, context in
      #expect(
        failure { _ = try context.existingObject(with: id) }?.code == NSManagedObjectReferentialIntegrityError
      )
    }
  }

  @Test("An id from another coordinator that has the same file leads to the object here, read or unread")
  func idOfTheSameFile() throws {
    let first = try Stack(.sqlite)
    let ids = try first.context.performAndWait {
      let books = ["A", "B"].map { first.context.new("Book", ["title": $0]) }
      try first.context.save()
      return books.map(\.objectID)
    }
    let second = try Stack(.sqlite, library(), at: first.url)
    try second.context.performAndWait {
      let context = second.context
      let read = try context.existingObject(with: ids[0])
      #expect(read["title"] as? String == "A")
      let unread = context.object(with: ids[1])
      #expect(unread.isFault && unread["title"] as? String == "B")
      #expect(try context.existingObject(with: ids[1]) === unread)
      #expect(context.registeredObject(for: ids[1]) === unread)
      #expect(unread.objectID.persistentStore === second.store)
    }
    try first.context.performAndWait {
      first.context.delete(first.context.object(with: ids[0]))
      try first.context.save()
    }
    // A coordinator that hasn't read the row before: the second one still has it.
    let third = try Stack(.sqlite, library(), at: first.url)
    third.context.performAndWait {
      #expect(
        failure { _ = try third.context.existingObject(with: ids[0]) }?.code
          == NSManagedObjectReferentialIntegrityError)
    }
  }

  @Test(
    "One context has one object for a row, however it is found; two contexts have two",
    arguments: StoreKind.allCases)
  func uniquing(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author", ["name": "Kafka"])
      let book = context.new("Book", ["author": author])
      try context.save()
      #expect(try context.only("Author") === author)
      #expect(context.object(with: author.objectID) === author)
      #expect(try context.existingObject(with: author.objectID) === author)
      context.refresh(book, mergeChanges: false)
      #expect(book.object("author") === author)
      try stack.elsewhere { other throws in
        let twin = try other.only("Author")
        #expect(twin !== author)
        #expect(twin.objectID == author.objectID)
        #expect(twin.objectID.hash == author.objectID.hash)
        #expect(try other.only("Book").object("author") === twin)
        #expect(twin.objects("books").first === other.same(book))
      }
    }
  }

  @Test("An id that was asked for before its store was there leads to the object once the store is added")
  func askedTooEarly() throws {
    let first = try Stack(.sqlite)
    let id = try first.context.performAndWait {
      let book = first.context.new("Book", ["title": "A"])
      try first.context.save()
      return book.objectID
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let early = failure { _ = try context.existingObject(with: id) }
      #expect(early?.code == NSManagedObjectReferentialIntegrityError)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: first.url, options: nil)
      let book = try context.existingObject(with: id)
      #expect(book.objectID.persistentStore === store)
      #expect(try context.only("Book") === book)
      book.setValue("B", forKey: "title")
      try context.save()
      try coordinator.remove(store)
    }
    #expect(try first.elsewhere { try $0.strings("Book", "title") } == ["B"])
  }

  @Test("An id leads to no object in a store whose model no longer has its entity")
  func idOfDroppedEntity() throws {
    let first = try Stack(.sqlite, model([entity("Draft"), entity("Book")]))
    let id = try first.context.performAndWait {
      let draft = first.context.new("Draft")
      try first.context.save()
      return draft.objectID
    }
    try first.coordinator.remove(first.store)
    let second = try Stack(
      .sqlite, model([entity("Book")]), at: first.url,
      options: [
        NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
      ])
    second.context.performAndWait {
      let error = failure { _ = try second.context.existingObject(with: id) }
      #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    }
  }

  @Test("Two hundred new objects of three entities keep apart", arguments: StoreKind.allCases)
  func manyKeys(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      for index in 0..<200 {
        context.new(["Book", "Tag", "Novel"][index % 3], [index % 3 == 1 ? "name" : "title": "\(index)"])
      }
      try context.save()
      try stack.elsewhere { other throws in
        #expect(Set(try other.strings("Book", "title") + other.strings("Tag", "name")).count == 200)
      }
    }
  }

  @Test("An object of an abstract entity cannot be inserted")
  func abstract() async {
    await #expect(processExitsWith: .failure) {
      let shape = entity("Shape")
      shape.isAbstract = true
      let stack = try Stack(.inMemory, model([shape]))
      stack.context.performAndWait { _ = stack.context.new("Shape") }
    }
  }

  @Test("A request that names an object by its temporary id finds it after the save", arguments: StoreKind.allCases)
  func formerIDInRequest(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let context = stack.context
    try context.performAndWait {
      let author = context.new("Author", ["name": "A"])
      let book = context.new("Book", ["title": "a", "author": author])
      let requests = [
        NSPredicate(format: "author == %@", author.objectID), NSPredicate(format: "SELF IN %@", [book.objectID]),
      ].map { predicate in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = predicate
        return request
      }
      try context.save()
      for request in requests {
        #expect(try context.fetch(request) == [book])
        #expect(try context.count(for: request) == 1)
        book["pages"] = 3
        #expect(try context.fetch(request) == [book], "The change is not saved.")
        context.rollback()
      }
    }
  }
}

private func readUnknown(_ isDeleted: Bool) throws {
  try withStack(.inMemory) { stack, context in
    context.shouldDeleteInaccessibleFaults = isDeleted
    let other = stack.newContext()
    let theirs = other.performAndWait { other.new("Tag") }
    _ = context.object(with: theirs.objectID)["name"]
  }
}
