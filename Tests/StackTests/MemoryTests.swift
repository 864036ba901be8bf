import Testing

@testable import CoreData

@Suite("Memory")
struct MemoryTests {
  /// Weak references to what a body made.
  private final class Watch {
    weak var context: NSManagedObjectContext?
    var objects: [() -> NSManagedObject?] = []
    var rows: [() -> RowSnapshot?] = []

    func watch(_ object: NSManagedObject) {
      objects.append { [weak object] in object }
      if let row = object.row { rows.append { [weak row] in row } }
    }

    var living: Int { objects.filter { $0() != nil }.count }
    var livingRows: Int { rows.filter { $0() != nil }.count }
  }

  /// An author with books, tags and chapters, related in circles.
  private func circles(_ context: NSManagedObjectContext) -> [NSManagedObject] {
    let author = context.new("Author")
    let tag = context.new("Tag")
    let books = (0..<5).map { context.new("Book", ["title": "\($0)", "author": author, "tags": Set([tag])]) }
    let chapters = books.map { context.new("Chapter", ["book": $0]) }
    let all = [author, tag] + books + chapters
    // Sets that were handed out refer to the objects too.
    for object in all { for property in object.layout.relationships { _ = object[property.name] } }
    return all
  }

  @Test(
    "A dropped context frees its objects and rows, circles included: unsaved, saved, fetched",
    arguments: StoreKind.allCases, 0..<4)
  func dropped(_ kind: StoreKind, _ mode: Int) throws {
    let stack = try Stack(kind)
    let watch = Watch()
    func use() throws {
      let context = stack.newContext()
      watch.context = context
      try context.performAndWait {
        circles(context).forEach(watch.watch)
        if mode == 0 { return }
        try context.save()
        if mode == 1 { return }
        if mode == 2 { context.reset() }
        if mode == 3 {
          for object in context.registeredObjects { context.refresh(object, mergeChanges: false) }
        }
        let books = try context.all("Book")
        for book in books {
          _ = (book["author"], book["tags"], book["chapters"])
          book["title"] = "changed"
          watch.watch(book)
        }
      }
    }
    try use()
    #expect(watch.context == nil)
    #expect(watch.living == 0)
    // The other kinds have all rows in memory.
    if kind == .sqlite { #expect(watch.livingRows == 0) }
  }

  @Test(
    "Unchanged objects live as long as somebody holds them; changed ones until the save",
    arguments: StoreKind.allCases)
  func weakness(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let watch = Watch()
      func make() { watch.watch(context.new("Tag", ["name": "a"])) }
      make()
      #expect(watch.living == 1)
      try context.save()
      context.processPendingChanges()
      #expect(watch.living == 0)
      #expect(context.registeredObjects.isEmpty)
      func change() throws {
        let tag = try context.only("Tag")
        watch.watch(tag)
        tag["name"] = "b"
      }
      try change()
      #expect(watch.living == 1)
      try context.save()
      #expect(watch.living == 0)
      #expect(try context.only("Tag").string("name") == "b")
    }
  }

  @Test(
    "New objects that are deleted before any save are freed, and changed ones whose changes were dropped",
    arguments: StoreKind.allCases)
  func dropouts(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      context.new("Tag", ["name": "a"])
      try context.save()
      let (new, changed) = (Watch(), Watch())
      func change() throws {
        let tag = try context.only("Tag")
        changed.watch(tag)
        tag["name"] = "b"
        context.refresh(tag, mergeChanges: false)
      }
      try change()
      try context.save()
      #expect(changed.living == 0, "There was nothing to write.")
      context.new("Author")
      for _ in 0..<100 {
        func pass() {
          let book = context.new("Book")
          new.watch(book)
          context.delete(book)
          context.processPendingChanges()
        }
        pass()
      }
      #expect(new.living < 10)
    }
  }

  @Test("retainsRegisteredObjects keeps them", arguments: StoreKind.allCases)
  func retaining(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      context.retainsRegisteredObjects = true
      context.new("Tag")
      try context.save()
      context.reset()
      func fetch() throws { _ = try context.all("Tag") }
      try fetch()
      #expect(context.registeredObjects.count == 1)
      context.retainsRegisteredObjects = false
      #expect(context.registeredObjects.isEmpty)
    }
  }

  @Test(
    "An object outlives its context: its id and entity can be asked for, and it has no context",
    arguments: StoreKind.allCases)
  func outlives(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    func make() throws -> NSManagedObject {
      let context = stack.newContext()
      return try context.performAndWait {
        let tag = context.new("Tag", ["name": "a"])
        try context.save()
        return tag
      }
    }
    let tag = try make()
    #expect(tag.managedObjectContext == nil)
    #expect(tag.entity.name == "Tag")
    #expect(!tag.objectID.isTemporaryID)
    #expect(tag.objectID.persistentStore === stack.store)
  }

  @Test(
    "A fault whose context is gone reads as empty, can be set, and tells so",
    arguments: ["attribute", "relation", "set"])
  func faultWithoutContext(_ use: String) async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [use] in
      let stack = try Stack(.inMemory)
      let id = try stack.context.performAndWait {
        let book = stack.context.new(
          "Book", ["title": "A", "author": stack.context.new("Author", ["name": "N"]), "pages": 3])
        try stack.context.save()
        return book.objectID
      }
      let book = stack.newContext().object(with: id)
      guard book.managedObjectContext == nil else { throw Unexpected("The context is there.") }
      switch use {
      case "attribute": if book["title"] != nil { throw Unexpected("There is a title.") }
      case "relation": if book.object("author") != nil { throw Unexpected("There is an author.") }
      default:
        book["title"] = "B"
        if book.string("title") != "B" { throw Unexpected("The title was not set.") }
      }
      guard book["isbn"] == nil, book.objects("tags").isEmpty, book.list("chapters").isEmpty else {
        throw Unexpected("Something is there.")
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.components(separatedBy: "CoreData could not fulfill a fault").count == 2, "\(words)")
    #expect(words.contains("Its context is gone."), "\(words)")
  }

  @Test("What objects of a context that is gone lead to reads as empty", arguments: StoreKind.withCustom)
  func destinationWithoutContext(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try stack.context.performAndWait {
      stack.context.new("Book", ["title": "A", "author": stack.context.new("Author", ["name": "N"])])
      try stack.context.save()
      stack.context.reset()
    }
    let book = try stack.elsewhere { other in
      let book = try other.only("Book")
      book.read()
      return book
    }
    #expect(book.managedObjectContext == nil && book.string("title") == "A")
    #expect(book.object("author")?.string("name") == nil && book.objects("tags").isEmpty)
  }

  @Test("A dropped coordinator frees its stores, contexts and the model", arguments: StoreKind.allCases)
  func coordinator(_ kind: StoreKind) throws {
    weak var coordinator: NSPersistentStoreCoordinator?
    weak var store: NSPersistentStore?
    weak var model: NSManagedObjectModel?
    weak var context: NSManagedObjectContext?
    func use() throws {
      let stack = try Stack(kind)
      (coordinator, store, model, context) = (stack.coordinator, stack.store, stack.model, stack.context)
      try stack.context.performAndWait {
        _ = circles(stack.context)
        try stack.context.save()
      }
    }
    try use()
    #expect(context == nil)
    #expect(coordinator == nil)
    #expect(store == nil)
    #expect(model == nil)
  }
}
