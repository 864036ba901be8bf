import CoreData
import Foundation
import Testing

@testable import PostgreSQLStore

@Suite("Query generations of a PostgreSQL store", hasServer)
struct GenerationTests {
  private func titles(_ context: NSManagedObjectContext) throws -> [String] {
    try context.all("Book", sort: "title").map { $0.value(forKey: "title") as! String }
  }

  /// Two books of an author, and a context that is pinned to them.
  private func pinned() throws -> Shelf {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let author = shelf.context.new("Author", ["name": "Ann"])
      for title in ["a", "b"] { shelf.context.new("Book", ["title": title, "pages": 1, "author": author]) }
      try shelf.context.save()
      shelf.context.reset()
      try shelf.context.setQueryGenerationFrom(.current)
      let found = try titles(shelf.context)
      #expect(found == ["a", "b"])
    }
    return shelf
  }

  /// Another process deletes a book, changes one and adds one.
  private func change(_ shelf: Shelf) throws {
    let other = try shelf.elsewhere()
    try other.context.performAndWait {
      let books = try other.context.all("Book", sort: "title")
      other.context.delete(books[0])
      books[1].setValue(2, forKey: "pages")
      other.context.new("Book", ["title": "c", "pages": 3, "author": books[1].value(forKey: "author")!])
      try other.context.save()
    }
  }

  @Test("A pinned context sees one state in fetches, counts, sums, faults and relationships, and moves on when told to")
  func oneState() throws {
    let shelf = try pinned()
    try change(shelf)
    try shelf.context.performAndWait {
      let context = shelf.context
      context.refreshAllObjects()
      let found = try titles(context)
      #expect(found == ["a", "b"])
      let count = try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
      #expect(count == 2)
      let author = try context.all("Author")[0]
      let books = (author.value(forKey: "books") as! NSOrderedSet).array as! [NSManagedObject]
      #expect(books.map { $0.value(forKey: "pages") as! Int } == [1, 1])
      let sums = NSFetchRequest<NSDictionary>(entityName: "Book")
      sums.resultType = .dictionaryResultType
      let sum = NSExpressionDescription()
      (sum.name, sum.expressionResultType) = ("sum", .integer64AttributeType)
      sum.expression = NSExpression(format: "sum:(pages)")
      sums.propertiesToFetch = [sum]
      let total = try context.fetch(sums)[0]["sum"] as? Int
      #expect(total == 2)
      #expect(context.queryGenerationToken != nil)
      try context.setQueryGenerationFrom(.current)
      let now = try titles(context)
      #expect(now == ["b", "c"])
      try context.setQueryGenerationFrom(nil)
    }
  }

  @Test("Contexts that are not pinned read the newest rows meanwhile, and the pinned one takes none of theirs")
  func others() throws {
    let shelf = try pinned()
    try change(shelf)
    let free = shelf.newContext()
    try free.performAndWait {
      let books = try free.all("Book", sort: "title")
      #expect(books.map { $0.value(forKey: "pages") as! Int } == [2, 3])
    }
    try shelf.context.performAndWait {
      let books = try shelf.context.all("Book", sort: "title")
      #expect(books.map { $0.value(forKey: "pages") as! Int } == [1, 1])
    }
  }

  @Test("A request that the server refuses leaves the context pinned to what it was")
  func refusal() throws {
    let shelf = try pinned()
    try change(shelf)
    try shelf.context.performAndWait {
      #expect(throws: NSError.self) { try shelf.context.all("Book", "title > 5") }
      let found = try titles(shelf.context)
      #expect(found == ["a", "b"])
    }
  }

  @Test("Saving over a newer row is a conflict, and a save moves the pin to what it wrote")
  func saving() throws {
    let shelf = try pinned()
    try change(shelf)
    try shelf.context.performAndWait {
      let context = shelf.context
      let book = try context.all("Book", "title == 'b'")[0]
      book.setValue(9, forKey: "pages")
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      let found = try titles(context)
      #expect(found == ["b", "c"])
    }
  }

  @Test("Unpinning, or the context's end, gives the server back the connection that held the state")
  func connections() throws {
    let shelf = try pinned()
    func held() throws -> Int64 {
      try shelf.store.pool.read {
        try $0.execute(
          "SELECT count(DISTINCT l.pid) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation "
            + "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '\(shelf.store.schemaName!)' "
            + "AND l.pid <> pg_backend_pid()"
        ).int(0, 0)
      }
    }
    let before = try held()
    #expect(before == 1)
    try shelf.context.performAndWait { try shelf.context.setQueryGenerationFrom(nil) }
    var now = try held()
    // The server notices the end of a connection a moment later.
    for _ in 0..<100 where now != 0 {
      Thread.sleep(forTimeInterval: 0.05)
      now = try held()
    }
    #expect(now == 0)
  }

  @Test("Once the store is removed a pinned context is told so")
  func removal() throws {
    let shelf = try pinned()
    try shelf.coordinator.remove(shelf.coordinator.persistentStores[0])
    shelf.context.performAndWait {
      #expect(throws: NSError.self) { _ = try shelf.context.all("Book").first?.value(forKey: "title") }
    }
  }
}
