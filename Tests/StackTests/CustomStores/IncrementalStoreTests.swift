import CoreData
import Foundation
import Testing

/// Which of an incremental store's methods are called when, and what becomes of their answers.
@Suite("Incremental stores of one's own", .serialized)
struct IncrementalStoreTests {
  private func withServer(
    _ model: NSManagedObjectModel = library(),
    _ body: (Stack, NSManagedObjectContext, DictionaryServer) throws -> Void
  ) throws {
    let stack = try Stack(.dictionary, model)
    try stack.context.performAndWait { try body(stack, stack.context, DictionaryServer.at(stack.url)) }
  }

  @Test("A save asks for ids, then hands over new, changed and deleted objects in one request")
  func saving() throws {
    try withServer { stack, context, server in
      #expect(server.takeCalls() == ["loadMetadata"])
      let author = context.new("Author", ["name": "Kafka"])
      let book = context.new("Book", ["title": "Amerika", "author": author])
      try context.save()
      let calls = server.takeCalls()
      #expect(calls.filter { $0.hasPrefix("obtain") } == ["obtainPermanentIDs 1", "obtainPermanentIDs 1"])
      #expect(calls.filter { $0.hasPrefix("save") } == ["save 2 0 0"])
      #expect(calls.count == 3 && calls.last == "save 2 0 0")
      #expect(!book.objectID.isTemporaryID)
      book["title"] = "Der Verschollene"
      context.delete(context.new("Tag"))
      try context.save()
      #expect(server.takeCalls().filter { $0.hasPrefix("save") } == ["save 0 1 0"])
      context.delete(book)
      try context.save()
      #expect(server.takeCalls().filter { $0.hasPrefix("save") } == ["save 0 1 1"])
      #expect(server.records.count == 1)
    }
  }

  @Test("Values are asked for when an object is used, members when the relationship is", keepsRows)
  func faulting() throws {
    try withServer { stack, context, server in
      let author = context.new("Author", ["name": "Kafka"])
      for title in ["a", "b", "c"] { context.new("Book", ["title": title, "author": author]) }
      try context.save()
      let reader = stack.newContext()
      try reader.performAndWait {
        context.reset()
        _ = server.takeCalls()
        let found = try reader.only("Author")
        #expect(server.takeCalls() == ["fetch Author"])
        #expect(found.isFault)
        #expect(found.string("name") == "Kafka")
        #expect(server.takeCalls() == ["values Author no. 1"])
        let books = found.objects("books")
        #expect(server.takeCalls() == ["members Author no. 1 books"])
        #expect(books.count == 3 && books.allSatisfy(\.isFault))
        #expect(books.compactMap { $0.string("title") }.sorted() == ["a", "b", "c"])
        #expect(server.takeCalls().count == 3)
        #expect(books.allSatisfy { $0.object("author") === found })
        #expect(server.takeCalls() == [])
      }
    }
  }

  @Test(
    "A fetch request arrives with predicate, order, limit and offset, and asks for objects, ids, dictionaries or a count"
  )
  func requests() throws {
    try withServer { stack, context, server in
      let author = context.new("Author", ["name": "Kafka"])
      for pages in 1...6 {
        context.new("Book", ["title": "\(pages)", "pages": pages, "author": pages < 4 ? author : NSNull()])
      }
      context.new("Novel", ["title": "7", "pages": 7, "genre": "parable"])
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "pages > 2 AND pages < 7")
      request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
      request.fetchLimit = 2
      request.fetchOffset = 1
      #expect(try context.fetch(request).compactMap { $0.int("pages") } == [5, 4])
      #expect(try context.count(for: request) == 2)
      request.fetchLimit = 0
      request.fetchOffset = 0
      request.predicate = NSPredicate(format: "author.name == %@ OR author == %@", "nobody", author)
      #expect(try context.fetch(request).compactMap { $0.int("pages") } == [3, 2, 1])
      request.predicate = NSPredicate(format: "genre == 'parable'")
      request.entity = stack.model.entitiesByName["Novel"]
      #expect(try context.fetch(request).map(\.entity.name) == ["Novel"])
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
      ids.resultType = .managedObjectIDResultType
      ids.includesSubentities = false
      #expect(try context.fetch(ids).count == 6)
      let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
      rows.resultType = .dictionaryResultType
      rows.propertiesToFetch = ["title"]
      rows.predicate = NSPredicate(format: "pages == 2")
      #expect(try context.fetch(rows) == [["title": "2"] as NSDictionary])
    }
  }

  @Test("A predicate with the temporary id of an object that was saved since arrives with the permanent one")
  func formerIDs() throws {
    try withServer { stack, context, server in
      let author = context.new("Author", ["name": "Kafka"])
      context.new("Book", ["title": "a", "author": author])
      context.new("Book", ["title": "b"])
      let id = author.objectID
      #expect(id.isTemporaryID)
      try context.save()
      let child = NSManagedObjectContext.child(of: context)
      let predicates: [(String, Any)] = [
        ("author == %@", id), ("author IN %@", [id]), ("title == 'b' OR NOT author == %@", id),
      ]
      for (format, argument) in predicates {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format, argumentArray: [argument])
        let wanted = format.hasPrefix("title") ? ["b"] : ["a"]
        #expect(try context.fetch(request).compactMap { $0.string("title") } == wanted)
        #expect(try child.performAndWait { () throws in try child.count(for: request) } == 1)
      }
    }
  }

  @Test("Unsaved changes are over what the store finds, whatever its limit")
  func overlay() throws {
    try withServer { stack, context, server in
      for pages in 1...4 { context.new("Book", ["title": "\(pages)", "pages": pages]) }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "pages >= 2")
      request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
      request.fetchLimit = 2
      let found = try context.fetch(request)
      found[0]["pages"] = 9
      context.delete(found[1])
      context.new("Book", ["title": "new", "pages": 3])
      #expect(try context.fetch(request).compactMap { $0.string("title") } == ["new", "4"])
      request.fetchLimit = 0
      #expect(try context.count(for: request) == 3)
    }
  }

  @Test("An error of any method reaches the fetch or the save as it is, and the context is as it was")
  func errors() throws {
    try withServer { stack, context, server in
      let down = NSError(domain: "Server", code: 503, userInfo: [NSLocalizedDescriptionKey: "down"])
      let book = context.new("Book", ["title": "a"])
      let id = book.objectID
      for method in ["obtainPermanentIDs", "save"] {
        server.refuse(method, with: down)
        #expect(failure { try context.save() } === down, "\(method)")
        #expect(book.isInserted && book.objectID == id && book.objectID.isTemporaryID)
        #expect(context.insertedObjects == [book] && server.records.isEmpty)
      }
      try context.save()
      #expect(!book.objectID.isTemporaryID && context.object(with: id) === book)
      book["title"] = "b"
      server.refuse("values", with: down)
      #expect(failure { try context.save() } === down)
      #expect(book.isUpdated && server.records.values.first?.values["title"] as? String == "a")
      try context.save()
      #expect(server.records.values.first?.values["title"] as? String == "b")
      server.refuse("fetch", with: down)
      #expect(failure { _ = try context.all("Book") } === down)
      server.refuse("values", with: down)
      let other = stack.newContext()
      other.stalenessInterval = 0
      other.performAndWait {
        #expect(failure { _ = try other.existingObject(with: book.objectID) } === down)
      }
    }
  }

  @Test("A fault whose record is gone reads as empty and is deleted, and existingObject(with:) throws")
  func inaccessible() throws {
    try withServer { stack, context, server in
      let book = context.new("Book", ["title": "a"])
      let other = context.new("Book", ["title": "b"])
      try context.save()
      context.forget()
      server.write([:], deleting: Array(server.records.keys))
      #expect(book.string("title") == nil && book.isDeleted)
      let error = failure { _ = try context.existingObject(with: other.objectID) }
      #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    }
  }

  @Test("The nodes' versions tell a save that another coordinator has saved before it")
  func conflicts() throws {
    try withServer { stack, context, server in
      let book = context.new("Book", ["title": "a", "pages": 1])
      try context.save()
      book.read()
      let stranger = try Stack(.dictionary, stack.model, at: stack.url)
      try stranger.context.performAndWait {
        let same = try stranger.context.only("Book")
        #expect(same.objectID == book.objectID)
        same["title"] = "theirs"
        try stranger.context.save()
      }
      book["pages"] = 2
      let error = failure { try context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      let conflict = try #require(
        (error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first)
      #expect(conflict.sourceObject === book && conflict.oldVersionNumber == 1 && conflict.newVersionNumber == 2)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      let values = server.records.values.first?.values
      #expect(values?["title"] as? String == "theirs" && values?["pages"] as? Int == 2)
      book["pages"] = 3
      try context.save()
      #expect(server.records.values.first?.version == 4)
    }
  }

  @Test("Contexts tell the store which objects they have, once for each, and when they let go of them")
  func useCounts() throws {
    try withServer { stack, context, server in
      for title in ["a", "b"] { context.new("Book", ["title": title]) }
      #expect(server.uses == [:])
      try context.save()
      var held = try context.all("Book")
      #expect(held.count == 2 && server.uses.values.sorted() == [1, 1])
      try stack.elsewhere { other in
        let found = try other.all("Book")
        #expect(found.count == 2 && server.uses.values.sorted() == [2, 2])
      }
      #expect(server.uses.values.sorted() == [1, 1])
      context.delete(held.removeLast())
      try context.save()
      #expect(server.uses.values.sorted() == [1])
      held = []
      context.reset()
      #expect(server.uses == [:])
    }
  }

  @Test("A child's fetches and faults come to the store from its root, a child's save not at all")
  func children() throws {
    try withServer { stack, context, server in
      let book = context.new("Book", ["title": "a"])
      try context.save()
      _ = server.takeCalls()
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait {
        let found = try child.only("Book")
        found["title"] = "b"
        child.new("Book", ["title": "c"])
        try child.save()
        #expect(server.takeCalls().allSatisfy { !$0.hasPrefix("save") })
      }
      #expect(book.string("title") == "b")
      try context.save()
      #expect(server.takeCalls().filter { $0.hasPrefix("save") } == ["save 1 1 0"])
      #expect(try context.strings("Book", "title") == ["b", "c"])
    }
  }

  /// The error of a store whose server is away.
  private static func absence() -> NSError {
    NSError(domain: "Dictionary", code: 1, userInfo: [NSLocalizedDescriptionKey: "The server does not answer."])
  }

  /// Merges a book that another context has saved.
  private static func mergeBook(_ title: String, _ stack: Stack) throws {
    let id = try stack.elsewhere { other in
      let book = other.new("Book", ["title": title])
      try other.save()
      return book.objectID
    }
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSInsertedObjectIDsKey: [id]], into: [stack.context])
  }

  @Test("A list leaves out what can't be read, and takes it at the next refresh or save once the store answers")
  func listWhileAway() throws {
    try withServer { stack, context, server in
      context.new("Book", ["title": "a"])
      try context.save()
      let screen = try ListScreen(context)
      server.goAway(Self.absence())
      try Self.mergeBook("b", stack)
      try context.save()
      #expect(screen.controller.fetchedObjects?.count == 1 && screen.told.isEmpty)
      server.goAway(nil)
      context.refreshAllObjects()
      context.processPendingChanges()
      #expect(screen.text == "a b")
      server.goAway(Self.absence())
      try Self.mergeBook("c", stack)
      #expect(screen.controller.fetchedObjects?.count == 2)
      server.goAway(nil)
      try context.save()
      #expect(screen.text == "a b c")
    }
  }

  @Test("While listed objects can't be read, no other finds its place among them, but deleted ones leave")
  func placesWhileAway() throws {
    try withServer { stack, context, server in
      let books = ["a", "b", "c"].map { context.new("Book", ["title": $0]) }
      try context.save()
      let screen = try ListScreen(context)
      server.goAway(Self.absence())
      context.refreshAllObjects()
      context.processPendingChanges()
      context.new("Book", ["title": "aa"])
      context.processPendingChanges()
      #expect(screen.controller.fetchedObjects == books && screen.told.isEmpty)
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectIDsKey: [books[0].objectID]], into: [context])
      #expect(screen.controller.fetchedObjects == [books[1], books[2]])
      server.goAway(nil)
      try context.save()
      #expect(screen.text == "aa b c")
    }
  }

  @Test("A list whose predicate fetches stays as it is until the store can be asked")
  func fetchingListWhileAway() throws {
    try withServer { stack, context, server in
      for pages in [1, 2] { context.new("Book", ["title": "\(pages)", "pages": pages]) }
      try context.save()
      let screen = try ListScreen(context, predicate: NSPredicate(format: "pages == max(pages)"))
      #expect(screen.text == "2")
      server.goAway(Self.absence())
      context.new("Book", ["title": "3", "pages": 3])
      context.processPendingChanges()
      #expect(screen.controller.fetchedObjects?.count == 1 && screen.told.isEmpty)
      server.goAway(nil)
      try context.save()
      #expect(screen.text == "3")
    }
  }

  @Test("What a list can't read is told on standard error, with the entity and the error")
  func warningOfList() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let stack = try Stack(.dictionary)
      try stack.context.performAndWait {
        let screen = try ListScreen(stack.context)
        DictionaryServer.at(stack.url).goAway(IncrementalStoreTests.absence())
        try IncrementalStoreTests.mergeBook("b", stack)
        #expect(screen.told.isEmpty)
      }
    }
    let words = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(words.contains("could not read what changed") && words.contains("Book"))
    #expect(words.contains("The server does not answer."))
  }

  @Test("A composite attribute is a dictionary in a node, even where an element has its name; anything else is refused")
  func composites() throws {
    let (city, home) = (attribute("home"), NSCompositeAttributeDescription())
    (home.name, home.isOptional) = ("home", true)
    home.elements = [city, attribute("street")]
    let person = entity("Person", [attribute("name")])
    person.properties.append(home)
    try withServer(model([person])) { stack, context, server in
      context.new("Person", ["name": "Ada", "home": ["home": "London", "street": "Strand"]])
      context.new("Person", ["name": "Grace"])
      try context.save()
      let reader = stack.newContext()
      reader.stalenessInterval = 0
      try reader.performAndWait {
        let people = try reader.all("Person").sorted { $0.string("name")! < $1.string("name")! }
        #expect(people[0].value(forKeyPath: "home.home") as? String == "London")
        #expect(people[0]["home"] as? [String: String] == ["home": "London", "street": "Strand"])
        #expect(people[1]["home"] == nil)
        server.change("home", to: "London")
        reader.refreshAllObjects()
        let error = failure { _ = try reader.existingObject(with: people[0].objectID) }
        #expect(error?.localizedDescription.contains("Person.home can't be \"London\"") == true, "\(error as Any)")
      }
    }
  }
}
