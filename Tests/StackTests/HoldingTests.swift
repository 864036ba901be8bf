import CoreData
import Testing

/// What keeps objects alive: an object holds the objects that the program has read through it; a context holds its
/// objects if it is told to.
@Suite("Objects that are held")
struct HoldingTests {
  @Test(
    "A context that retains its objects holds whatever way they came: by id, by relationship, inserted, fetched",
    arguments: StoreKind.allCases, [false, true])
  func retaining(_ kind: StoreKind, _ isSetFirst: Bool) throws {
    let stack = try Stack(kind)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    if isSetFirst { context.retainsRegisteredObjects = true }
    context.persistentStoreCoordinator = stack.coordinator
    if !isSetFirst { context.retainsRegisteredObjects = true }
    try context.performAndWait {
      func ids() throws -> [NSManagedObjectID] {
        let author = context.new("Author", ["name": "A"])
        let book = context.new("Book", ["title": "T", "author": author])
        let tag = context.new("Tag")
        try context.save()
        return [author, book, tag].map(\.objectID)
      }
      let ids = try ids()
      #expect(context.registeredObjects.count == 3, "inserted")
      context.reset()
      #expect(context.registeredObjects.isEmpty)
      _ = context.object(with: ids[2])
      #expect(context.registeredObjects.count == 1, "object(with:)")
      _ = try context.existingObject(with: ids[1]).object("author")
      #expect(context.registeredObjects.count == 3, "existingObject(with:), and a relationship")
      context.delete(context.object(with: ids[2]))
      try context.save()
      #expect(context.registeredObjects.count == 2, "A deleted object is none of the context's.")
      context.new("Tag")
      context.rollback()
      #expect(context.registeredObjects.count == 2)
      context.retainsRegisteredObjects = false
      // What relationships have led to lately is held for a while.
      #expect(context.registeredObjects.allSatisfy { $0.entity.name == "Author" })
    }
  }

  @Test("A context that retains its objects goes, and they with it", arguments: StoreKind.allCases)
  func retainingGoes(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    weak var object: NSManagedObject?
    weak var dropped: NSManagedObjectContext?
    func use() throws {
      let context = stack.newContext()
      context.retainsRegisteredObjects = true
      dropped = context
      try context.performAndWait {
        object = context.new("Book", ["author": context.new("Author")])
        try context.save()
      }
      #expect(object != nil)
    }
    try use()
    #expect(object == nil && dropped == nil)
  }

  @Test(
    "Members that were put into a relationship, or read from it, live as long as its owner", keepsRows,
    arguments: StoreKind.allCases)
  func members(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author", ["name": "A"])
      weak var added: NSManagedObject?
      weak var later: NSManagedObject?
      func add() throws {
        let book = context.new("Book", ["title": "1"])
        author.mutableSetValue(forKey: "books").add(book)
        added = book
        try context.save()
      }
      try add()
      #expect(added != nil, "put in and saved")
      func addAnother() throws {
        #expect(author.objects("books").count == 1)
        let book = context.new("Book", ["title": "2", "author": author])
        later = book
        try context.save()
      }
      try addAnother()
      #expect(added != nil && later != nil, "The set was read before the last one came in.")
      context.refresh(author, mergeChanges: false)
      #expect(added == nil && later == nil, "A fault holds nothing.")
      func readAll() { added = author.objects("books").first { $0.string("title") == "1" } }
      readAll()
      #expect(added != nil, "read")
      author["name"] = "B"
      try context.save()
      #expect(added != nil, "after a save of something else")
    }
  }

  @Test(
    "Members that were put into a relationship and deleted since don't pile up, though nobody reads it",
    arguments: StoreKind.allCases)
  func deletedMembers(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author")
      try context.save()
      var books: [() -> NSManagedObject?] = []
      for _ in 0..<200 {
        func pass() throws {
          let book = context.new("Book")
          books.append { [weak book] in book }
          author.mutableSetValue(forKey: "books").add(book)
          try context.save()
          context.delete(book)
          try context.save()
        }
        try pass()
      }
      let living = books.filter { $0() != nil }.count
      #expect(living < 100)
    }
  }

  @Test("A set that nobody asked for holds nobody", arguments: StoreKind.allCases)
  func untouched(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author", ["name": "A"])
      try context.save()
      context.refresh(author, mergeChanges: false)
      weak var book: NSManagedObject?
      for number in 0..<20 {
        func add() throws {
          book = context.new("Book", ["title": "\(number)", "author": author])
          try context.save()
        }
        try add()
        #expect(book == nil)
      }
      #expect(author.objects("books").count == 20)
    }
  }

  @Test("The destination of a to-one is there after the save, with its transient values", keepsRows)
  func destination() throws {
    let (book, author) = (
      entity("Book", [attribute("title")]), entity("Author", [transient("mark", .stringAttributeType)])
    )
    relate(book, "author", .one, to: author)
    try withStack(.sqlite, model([book, author])) { _, context in
      let book = context.new("Book")
      func relate() throws {
        let author = context.new("Author", ["mark": "here"])
        book["author"] = author
        try context.save()
      }
      try relate()
      #expect(book.object("author")?.string("mark") == "here")
    }
  }
}
