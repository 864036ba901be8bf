import Testing

@testable import CoreData

/// Sections that are kept on disk.
@Suite("Caches of fetched results")
struct FetchedResultsCacheTests {
  /// A file with books of 1, 1, 2 pages that nobody has open, and a folder for caches, which both go.
  private func withFile(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appendingPathComponent("books.sqlite")
    // A write a moment ago counts as old enough here.
    try SectionCache.$place.withValue((folder.appendingPathComponent("caches"), 0)) {
      try open(url) { context throws in
        for (title, pages) in [("A", 1), ("B", 1), ("C", 2)] {
          context.new("Book", ["title": title, "pages": pages])
        }
        try context.save()
      }
      try body(url)
    }
  }

  /// Runs a body on a context of the file, and closes it.
  private func open(_ url: URL, _ body: (NSManagedObjectContext) throws -> Void) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { try body(context) }
    try coordinator.remove(store)
  }

  private func list(
    _ context: NSManagedObjectContext, by keys: [String] = ["pages", "title"], cache: String? = "books"
  ) -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
    request.fetchBatchSize = 10
    return NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: keys[0], cacheName: cache)
  }

  private func text(_ controller: NSFetchedResultsController<NSManagedObject>) throws -> String {
    try controller.performFetch()
    return controller.sections!.map { "\($0.name): \($0.numberOfObjects)" }.joined(separator: ", ")
  }

  /// The cache's file.
  private func cache(_ context: NSManagedObjectContext, _ name: String = "books") throws -> SectionCache {
    try #require(SectionCache(name, context.persistentStoreCoordinator!.persistentStores[0]))
  }

  /// Changes what is kept, so that its use shows.
  private func mark(_ context: NSManagedObjectContext) throws {
    let cache = try cache(context)
    var entry = try #require(cache.read())
    entry.sections = [("marked", 3)]
    cache.write(entry)
  }

  @Test(
    "A second controller, and a second launch, take the sections that the first one kept; no row is read for it"
  )
  func kept() throws {
    try withFile { url throws in
      try open(url) { context throws in
        let first = list(context)
        #expect(try text(first) == "1: 2, 2: 1")
        #expect(try cache(context).read()?.sections.map(\.name) == ["1", "2"])
        #expect(first.fetchedObjects!.allSatisfy { $0.row == nil })
        try mark(context)
        #expect(try text(list(context)) == "marked: 3")
        #expect(try text(list(context, cache: nil)) == "1: 2, 2: 1")
      }
      try open(url) { context throws in
        #expect(try text(list(context)) == "marked: 3")
      }
    }
  }

  @Test(
    "When the file was written to, unsaved changes are there, or the context is a child, sections are computed"
  )
  func changed() throws {
    try withFile { url throws in
      try open(url) { context throws in
        #expect(try text(list(context)) == "1: 2, 2: 1")
        try mark(context)
        let book = context.new("Book", ["title": "D", "pages": 3])
        #expect(try text(list(context)) == "1: 2, 2: 1, 3: 1")
        context.delete(book)
        context.rollback()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        try child.performAndWait { () throws in #expect(try text(list(child)) == "1: 2, 2: 1") }
        #expect(try text(list(context)) == "marked: 3")
      }
      try open(url) { context throws in
        try context.all("Book").forEach { $0["pages"] = 5 }
        try context.save()
        #expect(try text(list(context)) == "5: 3")
      }
      try open(url) { context throws in
        #expect(try text(list(context)) == "5: 3")
        try mark(context)
        #expect(try text(list(context)) == "marked: 3")
      }
    }
  }

  @Test("A cache that can't be read, or has other things in it, is as none")
  func broken() throws {
    try withFile { url throws in
      try open(url) { context throws in
        let file = try cache(context).file
        #expect(try text(list(context)) == "1: 2, 2: 1")
        let good = try Data(contentsOf: file)
        var bad = [Data(), Data("not a list".utf8), Data(good.prefix(good.count / 2))]
        bad.append(try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .xml, options: 0))
        for data in bad {
          try data.write(to: file)
          #expect(try text(list(context)) == "1: 2, 2: 1")
        }
        let cache = try cache(context)
        var entry = try #require(cache.read())
        entry.sections = [("1", 7)]
        cache.write(entry)
        #expect(try text(list(context)) == "1: 2, 2: 1", "Counts that don't fit.")
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(try text(list(context)) == "1: 2, 2: 1", "A folder in its place.")
      }
    }
  }

  @Test("deleteCache removes one cache, or all; any name makes a file of its own")
  func deleting() throws {
    try withFile { url throws in
      try open(url) { context throws in
        let names = ["books", "a/b", "../x", "A", "a", "%61", "ü"]
        for name in names { _ = try text(list(context, cache: name)) }
        #expect(Set(try names.map { try cache(context, $0).file.path }).count == names.count)
        #expect(try names.allSatisfy { try cache(context, $0).read() != nil })
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: "a/b")
        #expect(try names.filter { try cache(context, $0).read() == nil } == ["a/b"])
        NSFetchedResultsController<NSFetchRequestResult>.deleteCache(withName: nil)
        #expect(try names.allSatisfy { try cache(context, $0).read() == nil })
        #expect(SectionCache("", context.persistentStoreCoordinator!.persistentStores[0]) == nil)
        _ = try text(list(context, cache: ""))
        let request = list(context)
        _ = try text(request)
        request.fetchRequest.predicate = NSPredicate(format: "pages > 1")
        NSFetchedResultsController<NSManagedObject>.deleteCache(withName: "books")
        #expect(try text(request) == "2: 1")
      }
    }
  }

  @Test("A controller's changed request under the same name, without deleteCache, is a misuse that tells both")
  func mutated() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let tests = FetchedResultsCacheTests()
      try tests.withFile { url throws in
        try tests.open(url) { context throws in
          let controller = tests.list(context)
          try controller.performFetch()
          controller.fetchRequest.predicate = NSPredicate(format: "pages > 1")
          try controller.performFetch()
        }
      }
    }
    let words = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(
      words.contains("The cache \"books\"") && words.contains("pages > 1") && words.contains("deleteCache"))
  }

  @Test("A cache of another request, left by another controller of the name or by another version, is replaced")
  func replaced() throws {
    try withFile { url throws in
      try open(url) { context throws in
        let (all, long) = (list(context), list(context))
        long.fetchRequest.predicate = NSPredicate(format: "pages > 1")
        for _ in 0..<2 {
          #expect(try text(all) == "1: 2, 2: 1")
          #expect(try cache(context).read()?.sections.map(\.name) == ["1", "2"])
          #expect(try text(long) == "2: 1")
          #expect(try cache(context).read()?.sections.map(\.name) == ["2"])
        }
        // What is kept is not this one's any more, so it may change.
        all.fetchRequest.predicate = NSPredicate(format: "pages < 2")
        #expect(try text(all) == "1: 2")
      }
      try open(url) { context throws in
        #expect(try text(list(context, by: ["title", "pages"])) == "A: 1, B: 1, C: 1")
        #expect(try cache(context).read()?.sections.map(\.name) == ["A", "B", "C"])
        try mark(context)
        #expect(try text(list(context, by: ["title", "pages"])) == "marked: 3")
      }
    }
  }

  @Test("Sections that a store can't count, and stores in memory, keep nothing")
  func uncounted() throws {
    try withFile { url throws in
      try open(url) { context throws in
        let controller = list(context)
        controller.fetchRequest.fetchLimit = 2
        #expect(try text(controller) == "1: 2")
        #expect(try cache(context).read() == nil)
      }
      try withStack(.inMemory) { _, context throws in
        context.new("Book", ["pages": 4])
        try context.save()
        #expect(try text(list(context)) == "4: 1")
        #expect(try cache(context).read() == nil)
      }
    }
  }

  @Test(
    "Objects in memory that are older than the file, and so out of its order, are refused, and nothing is kept of them")
  func stale() throws {
    try withFile { url throws in
      try open(url) { context throws in
        let old = try context.all("Book")
        old.forEach { $0.read() }
        try open(url) { other throws in
          for book in try other.all("Book") where book.string("title") == "A" { book["pages"] = 9 }
          try other.save()
        }
        let error = failure { _ = try text(list(context)) }
        #expect(error?.code == 134060 && error?.localizedDescription.contains("is out of order") == true)
        #expect(try cache(context).read() == nil)
        context.refreshAllObjects()
        let kept = try text(list(context))
        #expect(kept == "1: 1, 2: 1, 9: 1")
        withExtendedLifetime(old) {}
      }
    }
  }

  @Test("A store that is opened through a link is told by the file that the link leads to")
  func link() throws {
    try withFile { url throws in
      let link = url.deletingLastPathComponent().appendingPathComponent("link.sqlite")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url)
      try open(link) { context throws in
        #expect(try text(list(context)) == "1: 2, 2: 1")
        try mark(context)
        try context.all("Book").forEach { $0["pages"] = 4 }
        try context.save()
        #expect(try text(list(context)) == "4: 3")
      }
    }
  }

  @Test("Names of related objects, flags and nil are counted as they would be computed")
  func names() throws {
    try withFile { url throws in
      try open(url) { context throws in
        let books = try context.all("Book").sorted { $0.string("title")! < $1.string("title")! }
        books[0]["author"] = context.new("Author", ["name": "Kafka"])
        books[1]["author"] = context.new("Author", ["name": ""])
        try context.save()
      }
      try open(url) { context throws in
        let computed = try text(list(context, by: ["author.name", "title"], cache: nil))
        #expect(computed == ": 2, Kafka: 1")
        #expect(try text(list(context, by: ["author.name", "title"])) == computed)
        #expect(try cache(context).read()?.sections.map(\.count) == [2, 1])
        #expect(try text(list(context, by: ["author.name", "title"])) == computed)
      }
    }
  }
}
