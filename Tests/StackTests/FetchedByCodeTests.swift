import CoreData
import Testing

/// Fetches in which the program's own code decides: blocks and comparators.
@Suite("Fetches with code in them")
struct FetchedByCodeTests {
  /// The stores that have their rows in memory, one of the program's among them.
  private static let kinds: [StoreKind] = [.inMemory, .xml, .binary, .csv]

  private func request(_ block: @escaping (NSManagedObject) -> Bool) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate { object, _ in block(object as! NSManagedObject) }
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return request
  }

  private func withBooks(
    _ kind: StoreKind, _ body: (Stack, NSManagedObjectContext) throws -> Void
  ) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author", ["name": "A"])
      for (title, pages) in [("a", 1), ("bbb", 2), ("cc", 3), ("d", 4)] {
        context.new("Book", ["title": title, "pages": pages, "author": author])
      }
      try context.save()
      context.forget()
      try body(stack, context)
    }
  }

  private func titles(_ objects: [NSManagedObject]) -> String {
    objects.compactMap { $0.string("title") }.joined(separator: " ")
  }

  @Test("A block decides, and is handed objects of the context that fetches", arguments: kinds)
  func blocks(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context throws in
      let even = request { book in
        #expect(book.managedObjectContext === context)
        return book.int("pages")! % 2 == 0
      }
      #expect(titles(try context.fetch(even)) == "bbb d")
      #expect(try context.count(for: even) == 2)
      even.fetchOffset = 1
      even.fetchLimit = 1
      #expect(titles(try context.fetch(even)) == "d")
      #expect(try context.count(for: even) == 1)
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
      ids.resultType = .managedObjectIDResultType
      ids.predicate = even.predicate
      #expect(Set(try context.fetch(ids).map { context.object(with: $0).string("title") }) == ["bbb", "d"])
    }
  }

  @Test("A block among other conditions, in their order, over relationships", arguments: kinds)
  func compounds(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context throws in
      let fetch = request { ($0.object("author")?.string("name")) == "A" && $0.string("title")!.count < 3 }
      fetch.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
        NSPredicate(format: "pages > 1"), fetch.predicate!,
        NSCompoundPredicate(
          notPredicateWithSubpredicate: NSPredicate { object, _ in
            (object as! NSManagedObject).string("title") == "d"
          }),
      ])
      fetch.fetchBatchSize = 1
      #expect(titles(try context.fetch(fetch)) == "cc")
    }
  }

  @Test("Unsaved changes take part, unless the request leaves them out", arguments: kinds)
  func pendingChanges(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context throws in
      let books = try context.all("Book")
      books.first { $0.string("title") == "a" }!["pages"] = 100
      context.delete(books.first { $0.string("title") == "d" }!)
      context.new("Book", ["title": "new", "pages": 100])
      let long = request { $0.int("pages")! > 3 }
      #expect(titles(try context.fetch(long)) == "a new")
      #expect(try context.count(for: long) == 2)
      long.includesPendingChanges = false
      #expect(titles(try context.fetch(long)) == "d")
      #expect(try context.count(for: long) == 1)
    }
  }

  @Test("A comparator orders by values, NSNull for nil, or, without a key, by the objects", arguments: kinds)
  func comparators(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context throws in
      context.new("Book", ["title": "none", "isbn": NSNull()])
      try context.save()
      let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
      fetch.sortDescriptors = [
        NSSortDescriptor(key: "title", ascending: false) { a, b in
          let (a, b) = ((a as! String).count, (b as! String).count)
          return a < b ? .orderedAscending : a > b ? .orderedDescending : .orderedSame
        },
        NSSortDescriptor(key: "pages", ascending: true),
      ]
      #expect(titles(try context.fetch(fetch)) == "none bbb cc a d")
      fetch.fetchLimit = 2
      #expect(titles(try context.fetch(fetch)) == "none bbb")
      fetch.fetchLimit = 0
      fetch.sortDescriptors = [
        NSSortDescriptor(key: nil, ascending: true) { a, b in
          let (a, b) = (a as! NSManagedObject, b as! NSManagedObject)
          #expect(a.managedObjectContext === context)
          return a.int("pages")! < b.int("pages")! ? .orderedDescending : .orderedAscending
        }
      ]
      #expect(titles(try context.fetch(fetch)).hasPrefix("d cc bbb a"))
      fetch.sortDescriptors = [
        NSSortDescriptor(key: "isbn", ascending: true) { a, b in
          #expect(a is NSNull && b is NSNull)
          return .orderedSame
        }
      ]
      #expect(try context.fetch(fetch).count == 5)
    }
  }

  @Test(
    "In a child context the code is handed the child's objects, with what the parent has not saved", arguments: kinds)
  func children(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context throws in
      context.new("Book", ["title": "new", "pages": 6])
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait { () throws in
        let even = request { book in
          #expect(book.managedObjectContext === child)
          return book.int("pages")! % 2 == 0
        }
        #expect(titles(try child.fetch(even)) == "bbb d new")
        child.new("Book", ["title": "own", "pages": 8])
        #expect(try child.count(for: even) == 4)
      }
    }
  }

  @Test("Dictionaries of what a block accepts; their order can't be a comparator's", arguments: kinds)
  func dictionaries(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context throws in
      let fetch = NSFetchRequest<NSDictionary>(entityName: "Book")
      fetch.resultType = .dictionaryResultType
      fetch.propertiesToFetch = ["title"]
      fetch.predicate = NSPredicate { object, _ in (object as! NSManagedObject).int("pages")! % 2 == 0 }
      fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
      #expect(try context.fetch(fetch).map { $0["title"] as? String } == ["d", "bbb"])
      fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true) { _, _ in .orderedSame }]
      #expect(
        failure { _ = try context.fetch(fetch) }?.localizedDescription.contains("comparator blocks are not supported")
          == true)
    }
  }

  @Test("A list by a block and a comparator follows changes", arguments: kinds)
  func lists(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context throws in
      let screen = try ListScreen(
        context,
        predicate: NSPredicate { object, _ in
          (object as! NSManagedObject).int("pages")! % 2 == 0
        }
      ) { request in
        request.sortDescriptors = [
          NSSortDescriptor(key: "pages", ascending: true) { a, b in
            (b as! NSNumber).compare(a as! NSNumber)
          }
        ]
      }
      #expect(screen.text == "d bbb")
      context.new("Book", ["title": "e", "pages": 3])
      let book = context.new("Book", ["title": "f", "pages": 3])
      context.processPendingChanges()
      book["pages"] = 10
      context.processPendingChanges()
      #expect(screen.text == "f d bbb")
    }
  }

  @Test("A fetch that reads on another thread runs the code on the context's queue", arguments: kinds)
  func asynchronous(_ kind: StoreKind) async throws {
    let stack = try Stack(kind)
    let context = stack.context
    try context.performAndWait {
      for (title, pages) in [("a", 1), ("b", 2)] { context.new("Book", ["title": title, "pages": pages]) }
      try context.save()
    }
    let found: [String] = try await withCheckedThrowingContinuation { continuation in
      let even = request { book in
        #expect(book.managedObjectContext === context)
        return book.int("pages")! % 2 == 0
      }
      let fetch = NSAsynchronousFetchRequest(fetchRequest: even) { result in
        continuation.resume(returning: result.finalResult?.compactMap { $0.string("title") } ?? [])
      }
      context.performAndWait { _ = try? context.execute(fetch) }
    }
    #expect(found == ["b"])
  }

  @Test("SQLite refuses them and says what to do; so does a fetch from it and from a store in memory together")
  func refusals() throws {
    try withStack(.sqlite) { stack, context throws in
      let block = failure { _ = try context.fetch(request { _ in true }) }
      #expect(block?.localizedDescription.contains("filter the array with it") == true)
      _ = try stack.coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: StoreKind.inMemory.newURL(), options: nil)
      #expect(failure { _ = try context.fetch(request { _ in true }) } != nil)
    }
  }
}
