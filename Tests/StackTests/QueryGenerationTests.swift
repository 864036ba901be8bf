import Testing

@testable import CoreData

@Suite("Query generations")
struct QueryGenerationTests {
  /// A stack over SQLite with one author, two books of hers, a tag of both, and two chapters of the first.
  private func library(_ body: (Stack, NSManagedObjectContext) throws -> Void) throws {
    try withStack(.sqlite) { stack, context in
      let author = context.new("Author", ["name": "Woolf"])
      let books = ["Orlando", "The Waves"].map { context.new("Book", ["title": $0, "pages": 100, "author": author]) }
      let tag = context.new("Tag", ["name": "novel"])
      for book in books { book.mutableSetValue(forKey: "tags").add(tag) }
      for title in ["I", "II"] { context.new("Chapter", ["title": title, "book": books[0]]) }
      try context.save()
      context.reset()
      try body(stack, context)
    }
  }

  /// What another context makes of the library: nothing is as it was.
  private func changeEverything(_ stack: Stack) throws {
    try stack.elsewhere { other throws in
      let books = try other.all("Book").sorted { $0.string("title")! < $1.string("title")! }
      books[0]["title"] = "Between the Acts"
      books[0]["pages"] = 300
      books[0]["chapters"] = NSOrderedSet(array: books[0].list("chapters").reversed())
      try other.only("Author")["name"] = "V. Woolf"
      books[0].mutableSetValue(forKey: "tags").removeAllObjects()
      other.delete(books[1])
      other.new("Book", ["title": "Flush", "author": try other.only("Author")])
      try other.save()
    }
  }

  @Test("A pinned context sees one state in fetches, counts, sums, faults, relationships and batches")
  func oneState() throws {
    try library { stack, context in
      try context.setQueryGenerationFrom(.current)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      #expect(try context.count(for: request) == 2)
      try changeEverything(stack)

      #expect(try context.count(for: request) == 2)
      #expect(try context.strings("Book", "title") == ["Orlando", "The Waves"])
      context.forget()
      request.predicate = NSPredicate(format: "title == 'Orlando'")
      let orlando = try #require(try context.fetch(request).first)
      #expect(orlando.int("pages") == 100)
      #expect(orlando.list("chapters").map { $0.string("title") } == ["I", "II"])
      #expect(orlando.objects("tags").map { $0.string("name") } == ["novel"])
      #expect(orlando.object("author")?.string("name") == "Woolf")
      #expect(try context.only("Author").objects("books").count == 2)
      #expect(try context.only("Tag").objects("books").count == 2)

      let sum = NSFetchRequest<NSDictionary>(entityName: "Book")
      sum.resultType = .dictionaryResultType
      sum.propertiesToFetch = ["title", "pages"]
      sum.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      #expect(try context.fetch(sum).map { $0["pages"] as? Int } == [100, 100])
      context.reset(keepingGeneration: true)
      let batched = NSFetchRequest<NSManagedObject>(entityName: "Book")
      batched.fetchBatchSize = 1
      batched.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      #expect(try context.fetch(batched).map { $0.string("title") } == ["Orlando", "The Waves"])
      context.reset(keepingGeneration: true)
      batched.fetchBatchSize = 0
      batched.relationshipKeyPathsForPrefetching = ["author", "chapters", "tags"]
      let prefetched = try context.fetch(batched)
      #expect(prefetched.map { $0.object("author")?.string("name") } == ["Woolf", "Woolf"])
      #expect(prefetched[1].objects("tags").count == 1)

      // Unsaved changes lie over the pinned state.
      let mine = context.new("Book", ["title": "A Room of One's Own"])
      prefetched[0]["pages"] = 7
      let found = try context.all("Book")
      #expect(found.count == 3 && found.contains(mine))
      request.predicate = NSPredicate(format: "pages == 7 OR author.name == 'Woolf'")
      #expect(try context.fetch(request).count == 2)
      context.rollback()
      #expect(try context.strings("Book", "title") == ["Orlando", "The Waves"])
    }
  }

  @Test("The first read pins: a fetch, a count, a fault or a relationship; until then the token is the current one")
  func firstRead() throws {
    try library { stack, context in
      #expect(context.queryGenerationToken == nil)
      let ids = try context.all("Book").map(\.objectID)
      let reads: [(NSManagedObjectContext) throws -> Void] = [
        { _ = try $0.all("Book") },
        { _ = try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) },
        { _ = $0.object(with: ids[0]).string("title") },
        { _ = try $0.existingObject(with: ids[0]) },
      ]
      for read in reads {
        try stack.elsewhere { other throws in
          try other.setQueryGenerationFrom(.current)
          #expect(other.queryGenerationToken == .current)
          // Before the first read nothing is pinned, so this is seen.
          let pages = try stack.elsewhere { third throws in
            let book = third.object(with: ids[0])
            book["pages"] = book.int("pages")! + 1
            try third.save()
            return book.int("pages")
          }
          try read(other)
          let token = try #require(other.queryGenerationToken)
          #expect(token != .current)
          #expect(other.object(with: ids[0]).int("pages") == pages)
          #expect(other.queryGenerationToken == token)
        }
      }
      try stack.elsewhere { other throws in
        let author = try other.only("Author")
        _ = author.string("name")
        try other.setQueryGenerationFrom(.current)
        #expect(author.objects("books").count == 2)
        #expect(other.queryGenerationToken != .current)
      }
    }
  }

  @Test("Setting the current generation anew goes on, nil unpins; objects that were read keep their values")
  func unpinning() throws {
    try library { stack, context in
      try context.setQueryGenerationFrom(.current)
      let author = try context.only("Author")
      _ = author.string("name")
      let first = context.queryGenerationToken
      try changeEverything(stack)
      try context.setQueryGenerationFrom(.current)
      #expect(try context.strings("Book", "title") == ["Between the Acts", "Flush"])
      #expect(context.queryGenerationToken != first)
      #expect(author.string("name") == "Woolf")
      context.refreshAllObjects()
      #expect(author.string("name") == "V. Woolf")
      try stack.elsewhere { other throws in
        try other.only("Author")["name"] = "Virginia Woolf"
        try other.save()
      }
      context.refreshAllObjects()
      #expect(author.string("name") == "V. Woolf")
      try context.setQueryGenerationFrom(nil)
      #expect(context.queryGenerationToken == nil)
      context.refreshAllObjects()
      #expect(author.string("name") == "Virginia Woolf")
    }
  }

  @Test("Faults that hold rows of another generation read them anew once the context has moved on")
  func rowsOfFaults() throws {
    try library { stack, context in
      // The fetch leaves rows in its faults.
      let books = try context.all("Book").sorted { $0.objectID.key < $1.objectID.key }
      let areFaults = books.allSatisfy { $0.isFault }
      #expect(areFaults)
      try stack.elsewhere { other throws in
        for book in try other.all("Book") { book["pages"] = 200 }
        try other.save()
      }
      try context.setQueryGenerationFrom(.current)
      #expect(books[0].int("pages") == 200)
      try stack.elsewhere { other throws in
        for book in try other.all("Book") { book["pages"] = 300 }
        try other.save()
      }
      #expect(books[1].int("pages") == 200)
    }
  }

  @Test("A save moves the pin to what it wrote, and says so in didSave")
  func saving() throws {
    try library { stack, context in
      let log = NotificationLog(context)
      try context.setQueryGenerationFrom(.current)
      let author = try context.only("Author")
      author["born"] = Date(timeIntervalSinceReferenceDate: 0)
      let before = context.queryGenerationToken
      try stack.elsewhere { other throws in
        other.new("Tag", ["name": "essay"])
        try other.save()
      }
      #expect(try context.strings("Tag", "name") == ["novel"])
      try context.save()
      let token = try #require(context.queryGenerationToken)
      #expect(token != before)
      #expect(log["didSave"]?.userInfo?[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken == token)
      #expect(
        NSManagedObjectContext.NotificationKey.queryGeneration.rawValue == NSManagedObjectContextQueryGenerationKey)
      #expect(try context.strings("Tag", "name") == ["essay", "novel"])
      try changeEverything(stack)
      #expect(try context.strings("Book", "title") == ["Orlando", "The Waves"])

      try context.setQueryGenerationFrom(nil)
      author["born"] = nil
      context.mergePolicy = NSMergePolicy.overwrite
      try context.save()
      #expect(log["didSave"]?.keys.contains(NSManagedObjectContextQueryGenerationKey) == false)
    }
  }

  @Test("Saving over a newer row is a conflict, which the merge policy settles")
  func conflicts() throws {
    try library { stack, context in
      try context.setQueryGenerationFrom(.current)
      let author = try context.only("Author")
      _ = author.string("name")
      try changeEverything(stack)
      author["name"] = "Mine"
      let token = context.queryGenerationToken
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
      #expect(context.queryGenerationToken == token)
      #expect(try context.strings("Book", "title") == ["Orlando", "The Waves"])
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      #expect(try context.strings("Author", "name") == ["Mine"])
      #expect(try context.strings("Book", "title") == ["Between the Acts", "Flush"])
    }
  }

  @Test("Rollback keeps the pin; reset and merging a save move it")
  func moving() throws {
    try library { stack, context in
      func pinned(_ move: (Notification) -> Void) throws -> [String] {
        try context.setQueryGenerationFrom(.current)
        let tags = try context.all("Tag")
        try stack.elsewhere { other throws in
          let log = NotificationLog(other)
          try other.only("Tag")["name"] = try other.only("Tag").string("name")! + "+"
          try other.save()
          move(log["didSave"]!)
        }
        withExtendedLifetime(tags) {}
        return try context.strings("Tag", "name")
      }
      #expect(try pinned { _ in } == ["novel"])
      #expect(try pinned { _ in context.rollback() } == ["novel+"])
      #expect(try pinned { _ in context.reset() } == ["novel+++"])
      #expect(try pinned { context.mergeChanges(fromContextDidSave: $0) } == ["novel++++"])
      let pinnedAgain = try pinned {
        let data = [NSUpdatedObjectsKey: Array($0.objects(NSUpdatedObjectsKey).map(\.objectID))]
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: data, into: [context])
      }
      #expect(pinnedAgain == ["novel+++++"])
    }
  }

  @Test("automaticallyMergesChangesFromParent moves a pinned context on with each save")
  func automaticMerge() throws {
    let stack = try Stack(.sqlite)
    let context = stack.context
    try context.performAndWait { () throws in
      context.automaticallyMergesChangesFromParent = true
      try context.setQueryGenerationFrom(.current)
      #expect(try context.all("Tag").isEmpty)
    }
    try stack.elsewhere { other throws in
      other.new("Tag", ["name": "a"])
      try other.save()
    }
    // The merge waits in the queue before this.
    context.queue.sync {}
    try context.performAndWait { () throws in #expect(try context.strings("Tag", "name") == ["a"]) }
  }

  @Test("Another context's token pins to the same state, as long as a context is pinned to it")
  func sharing() throws {
    try library { stack, context in
      let (second, third) = (stack.newContext(), stack.newContext())
      try context.setQueryGenerationFrom(.current)
      try second.performAndWait { () throws in
        // A token of a context that has not read yet is the current one.
        try second.setQueryGenerationFrom(context.queryGenerationToken)
        #expect(second.queryGenerationToken == .current)
      }
      _ = try context.all("Book")
      let token = try #require(context.queryGenerationToken)
      try changeEverything(stack)
      try second.performAndWait { () throws in
        try second.setQueryGenerationFrom(token)
        #expect(second.queryGenerationToken == token)
        #expect(try second.strings("Book", "title") == ["Orlando", "The Waves"])
      }
      try context.setQueryGenerationFrom(nil)
      try third.performAndWait { () throws in
        try third.setQueryGenerationFrom(token)
        #expect(try third.strings("Book", "title") == ["Orlando", "The Waves"])
      }
      try second.performAndWait { try second.setQueryGenerationFrom(nil) }
      try third.performAndWait { try third.setQueryGenerationFrom(nil) }
      let error = failure { try context.setQueryGenerationFrom(token) }
      #expect(error?.code == NSPersistentStoreOperationError)
      #expect(
        error?.localizedDescription
          == "The query generation cannot be read: no context is pinned to it now.")
      #expect(context.queryGenerationToken == nil)
    }
  }

  @Test("A token of another coordinator is refused")
  func foreignToken() throws {
    try library { stack, context in
      try context.setQueryGenerationFrom(.current)
      _ = try context.all("Book")
      let other = try Stack(.sqlite)
      try other.context.performAndWait { () throws in
        let error = failure { try other.context.setQueryGenerationFrom(context.queryGenerationToken) }
        #expect(
          error?.localizedDescription
            == "The query generation cannot be read: it belongs to other stores than the context's.")
        _ = try other.context.all("Book")
      }
    }
  }

  @Test("Tokens are copied, archived and compared by what they stand for")
  func tokens() throws {
    try library { stack, context in
      try context.setQueryGenerationFrom(.current)
      _ = try context.all("Book")
      let token = try #require(context.queryGenerationToken)
      #expect(token.copy() as? NSQueryGenerationToken == token)
      #expect(token != .current && token != nil)
      for token in [token, .current] {
        let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
        let read = try #require(
          try NSKeyedUnarchiver.unarchivedObject(ofClass: NSQueryGenerationToken.self, from: data))
        #expect(read == token && read.hash == token.hash)
        try context.setQueryGenerationFrom(read)
        #expect(context.queryGenerationToken == token)
      }
    }
  }

  @Test("Neither takes rows from the cache that other contexts share, nor puts any there")
  func cache() throws {
    try library { stack, context in
      try context.setQueryGenerationFrom(.current)
      let id = try #require(try context.all("Author").first).objectID
      try stack.elsewhere { other throws in
        // Held, so that the shared cache holds its row.
        let author = other.object(with: id)
        author["name"] = "New"
        try other.save()
        context.reset(keepingGeneration: true)
        #expect(context.object(with: id).string("name") == "Woolf")
        let held = context.object(with: id)
        #expect(held.string("name") == "Woolf")
        // The old row that is held now does not stand in the way of others.
        try stack.elsewhere { third throws in
          #expect(third.object(with: id).string("name") == "New")
          third.stalenessInterval = 0
          third.refreshAllObjects()
          #expect(third.object(with: id).string("name") == "New")
        }
        context.stalenessInterval = 0
        context.refresh(held, mergeChanges: false)
        #expect(held.string("name") == "Woolf")
        other.refresh(author, mergeChanges: true)
        #expect(author.string("name") == "New")
      }
    }
  }

  @Test("A child context has no token, and reads its parent's generation")
  func child() throws {
    try library { stack, context in
      try context.setQueryGenerationFrom(.current)
      _ = try context.all("Tag")
      try changeEverything(stack)
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait { () throws in
        #expect(child.queryGenerationToken == nil)
        #expect(try child.strings("Book", "title") == ["Orlando", "The Waves"])
        #expect(try child.only("Author").objects("books").count == 2)
        let titles = NSFetchRequest<NSDictionary>(entityName: "Book")
        titles.resultType = .dictionaryResultType
        titles.propertiesToFetch = ["title"]
        #expect(Set(try child.fetch(titles).map { $0["title"] as? String }) == ["Orlando", "The Waves"])
        child.reset()
        #expect(child.queryGenerationToken == nil)
        #expect(try child.strings("Book", "title") == ["Orlando", "The Waves"])
      }
    }
  }

  @Test("A child's save does not move its parent's pin; the parent's does")
  func childSave() throws {
    try library { stack, context in
      try context.setQueryGenerationFrom(.current)
      _ = try context.all("Tag")
      let token = context.queryGenerationToken
      try changeEverything(stack)
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait {
        child.new("Tag", ["name": "essay"])
        try child.save()
      }
      #expect(context.queryGenerationToken == token)
      #expect(try context.strings("Tag", "name") == ["essay", "novel"])
      #expect(try context.strings("Book", "title") == ["Orlando", "The Waves"])
      try context.save()
      #expect(context.queryGenerationToken != token)
      try child.performAndWait { () throws in
        #expect(try child.strings("Book", "title") == ["Between the Acts", "Flush"])
      }
    }
  }

  @Test("A merge into a pinned context keeps its own changes, and puts the newest rows under them")
  func mergingUnderChanges() throws {
    try library { stack, context in
      try context.setQueryGenerationFrom(.current)
      let author = try context.only("Author")
      author["born"] = Date(timeIntervalSinceReferenceDate: 0)
      try stack.elsewhere { other throws in
        let log = NotificationLog(other)
        try other.only("Author")["name"] = "V. Woolf"
        try other.save()
        context.mergeChanges(fromContextDidSave: log["didSave"]!)
      }
      #expect(author.string("name") == "V. Woolf" && author.hasChanges)
      try context.save()
      try stack.elsewhere { other throws in #expect(try other.only("Author")["born"] != nil) }
    }
  }

  @Test("Setting a child context's generation is a misuse")
  func childMisuse() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.sqlite)
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = stack.context
      child.name = "editor"
      try child.performAndWait { try child.setQueryGenerationFrom(.current) }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("The query generation of the child context \"editor\" was set.\n"))
    #expect(
      words.contains(
        """
        A child context reads what its parent reads, so it has no generation of its own. Set the
        generation of the parent context.
        """))
  }

  @Test("What was deleted since is still there")
  func deleted() throws {
    try library { stack, context in
      try context.setQueryGenerationFrom(.current)
      let books = try context.all("Book")
      context.forget()
      try stack.elsewhere { other throws in
        for book in try other.all("Book") { other.delete(book) }
        try other.save()
      }
      #expect(Set(books.map { $0.string("title") }) == ["Orlando", "The Waves"])
      #expect(try context.existingObject(with: books[0].objectID) === books[0])
      try context.setQueryGenerationFrom(.current)
      context.forget()
      let error = failure { _ = try context.existingObject(with: books[0].objectID) }
      #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    }
  }
}

extension NSManagedObjectContext {
  /// `reset()` without moving the pin, so that everything is read again in the same generation.
  fileprivate func reset(keepingGeneration: Bool) {
    let kept = generation
    reset()
    generation = kept
  }
}
