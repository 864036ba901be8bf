import Testing

@testable import CoreData

@Suite("Faults")
struct FaultTests {
  @Test(
    "object(with:) makes a fault; reading a value fires it, reading the id does not",
    arguments: StoreKind.allCases)
  func firing(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let id = try savedBook(stack)
      let book = context.object(with: id)
      #expect(book.isFault)
      #expect(book.faultingState != 0)
      _ = (
        book.objectID, book.entity, book.isInserted, book.isDeleted, book.isUpdated, book.hasChanges,
        book.description
      )
      #expect(book.isFault)
      #expect(book.string("title") == "Amerika")
      #expect(!book.isFault)
      #expect(book.faultingState == 0)
    }
  }

  @Test(
    "awakeFromFetch is called once for each firing; what it sets is no change", arguments: StoreKind.allCases)
  func awaking(_ kind: StoreKind) throws {
    let model = model([
      entity("Awaking", [attribute("name"), transient("shout", .stringAttributeType)], class: Awaking.self)
    ])
    try withStack(kind, model) { stack, context in
      let object = context.new("Awaking", ["name": "a"]) as! Awaking
      #expect(object.log == ["insert"])
      try context.save()
      context.refresh(object, mergeChanges: false)
      #expect(object.log == ["insert", "willTurnIntoFault", "didTurnIntoFault"])
      #expect(object.isFault)
      #expect(object.string("shout") == "A")
      #expect(object.log.last == "fetch")
      #expect(!object.hasChanges)
      #expect(!context.hasChanges)
      _ = object["name"]
      #expect(object.log.count == 4)
    }
  }

  @Test("What a to-one relationship led to goes with its context: nothing else holds it", arguments: StoreKind.allCases)
  func traversal(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.object(with: try savedBook(stack, withAuthor: true))
      weak var author = book["author"] as? NSManagedObject
      #expect(author?.string("name") == "Kafka")
      #expect(author?.isFault == false)
      context.reset()
      #expect(author == nil)
    }
  }

  @Test("What a to-one relationship led to is read once for all objects that lead there")
  func sharedDestination() throws {
    try withStack(.sqlite) { stack, context in
      let ids = try stack.elsewhere { other in
        let author = other.new("Author", ["name": "Kafka"])
        let books = (0..<5).map { other.new("Book", ["title": "\($0)", "author": author]) }
        try other.save()
        return books.map(\.objectID)
      }
      let trace = StatementTrace(level: 1, isRecording: true)
      (stack.store as! SQLiteStore).trace = trace
      for id in ids { #expect((context.object(with: id)["author"] as? NSManagedObject)?.string("name") == "Kafka") }
      #expect(trace.takeRecorded().count { $0.contains("ZAUTHOR t0") } == 1)
    }
  }

  @Test("A loop over many objects reads each destination once, as long as they are at most an eighth as many")
  func manyDestinations() throws {
    try withStack(.sqlite) { stack, context in
      let (authorCount, bookCount) = (1100, 8800)
      try stack.elsewhere { other in
        let authors = (0..<authorCount).map { other.new("Author", ["name": "\($0)"]) }
        for number in 0..<bookCount {
          _ = other.new("Book", ["title": "\(number)", "author": authors[number % authorCount]])
        }
        try other.save()
      }
      let trace = StatementTrace(level: 1, isRecording: true)
      (stack.store as! SQLiteStore).trace = trace
      let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      let names = Set(books.compactMap { ($0["author"] as? NSManagedObject)?.string("name") })
      #expect(books.count == bookCount && names.count == authorCount)
      #expect(trace.takeRecorded().count { $0.contains("ZAUTHOR t0") } == authorCount)
    }
  }

  @Test("After a save all its destinations are kept, though most of its objects lead to two of them", keepsRows)
  func destinationsOfASave() throws {
    try withStack(.sqlite) { stack, context in
      let authorCount = 900
      func newBooks() -> [NSManagedObject] {
        let authors = (0..<authorCount).map { context.new("Author", ["name": "\($0)"]) }
        return (0..<3000).map { number in
          let author = authors[number < authorCount ? number : number % 2]
          return context.new("Book", ["title": "\(number)", "author": author])
        }
      }
      let books = newBooks()
      try context.save()
      let trace = StatementTrace(level: 1, isRecording: true)
      (stack.store as! SQLiteStore).trace = trace
      let names = Set(books.compactMap { ($0["author"] as? NSManagedObject)?.string("name") })
      #expect(names.count == authorCount)
      #expect(trace.takeRecorded() == [])
    }
  }

  @Test("A firing fault takes the row that another context has read or saved", keepsRows, arguments: StoreKind.allCases)
  func rowCache(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let id = try savedBook(stack)
      let other = stack.newContext()
      try other.performAndWait {
        let book = other.object(with: id)
        book["title"] = "Changed"
        try other.save()
        let mine = context.object(with: id)
        #expect(mine.string("title") == "Changed")
        #expect(mine.row === book.row)
      }
    }
  }

  @Test("Rows that a batch request overtakes while they are read are not what other contexts get")
  func overtaken() throws {
    try withStack(.sqlite) { stack, context in
      for number in 0..<2000 { context.new("Book", ["title": "\(number)", "pages": 1]) }
      try context.save()
      context.reset()
      let store = stack.store as! SQLiteStore
      var fetch = try FetchDescription(NSFetchRequest<NSManagedObject>(entityName: "Book"), store.layouts)
      nonisolated(unsafe) var isUpdated = false
      fetch.watch = FetchWatch { _ in
        if isUpdated { return }
        let update = NSBatchUpdateRequest(entityName: "Book")
        update.propertiesToUpdate = ["pages": 2]
        isUpdated = (try? stack.elsewhere { try $0.execute(update) }) != nil
      }
      let rows = try store.rows(for: fetch)
      #expect(isUpdated)
      #expect(try stack.elsewhere { Set(try $0.all("Book").map { $0.int("pages") }) } == [2])
      withExtendedLifetime(rows) {}
    }
  }

  @Test(
    "A fetch does not change the values an object has; shouldRefreshRefetchedObjects does",
    arguments: StoreKind.allCases)
  func refetch(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.object(with: try savedBook(stack))
      #expect(book.string("title") == "Amerika")
      try stack.elsewhere { other throws in
        try other.only("Book")["title"] = "Changed"
        try other.save()
      }
      #expect(try context.only("Book").string("title") == "Amerika")
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.shouldRefreshRefetchedObjects = true
      book["pages"] = 7
      #expect(try context.fetch(request).first === book)
      #expect(book.string("title") == "Changed")
      #expect(book.int("pages") == 7)
      #expect(book.isUpdated)
    }
  }

  @Test("While a fetch refreshes an object, another thread may let go of the context's objects")
  func refreshWithoutLock() throws {
    let model = model([entity("Note", [attribute("text")], class: Refreshed.self)])
    try withStack(.sqlite, model) { stack, context in
      let note = context.new("Note", ["text": "a"]) as! Refreshed
      var other: NSManagedObject? = context.new("Note", ["text": "b"])
      try context.save()
      note.read()
      nonisolated(unsafe) let last = Unmanaged.passRetained(other!)
      other = nil
      try stack.elsewhere { elsewhere in
        elsewhere.same(note)["text"] = "c"
        try elsewhere.save()
      }
      nonisolated(unsafe) var isFreed = false
      note.action = {
        let freed = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          last.release()
          freed.signal()
        }
        isFreed = freed.wait(timeout: .now() + 10) == .success
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
      request.predicate = NSPredicate(format: "text == 'c'")
      request.shouldRefreshRefetchedObjects = true
      #expect(try context.fetch(request) == [note])
      #expect(isFreed && note.string("text") == "c")
    }
  }

  @Test("A fault whose row is gone reads as empty and is deleted", arguments: StoreKind.allCases)
  func inaccessible(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.object(with: try savedBook(stack))
      try stack.elsewhere { other throws in
        other.delete(try other.only("Book"))
        try other.save()
      }
      #expect(book.isFault)
      #expect(book["title"] == nil)
      #expect(book.int("pages") == nil)
      #expect(book.objects("tags").isEmpty)
      #expect(!book.isFault)
      #expect(book.isDeleted)
      #expect(
        failure { _ = try context.existingObject(with: book.objectID) }?.code
          == NSManagedObjectReferentialIntegrityError)
      try context.save()
      #expect(!context.hasChanges)
    }
  }

  @Test(
    "existingObject throws for a row that is gone, and does not delete anything",
    arguments: StoreKind.allCases)
  func existing(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let id = try savedBook(stack)
      let book = context.object(with: id)
      try stack.elsewhere { other throws in
        other.delete(try other.only("Book"))
        try other.save()
      }
      #expect(
        failure { _ = try context.existingObject(with: id) }?.code == NSManagedObjectReferentialIntegrityError
      )
      #expect(!context.hasChanges)
      #expect(book.isFault)
    }
  }

  @Test("Without shouldDeleteInaccessibleFaults a fault whose row is gone ends the program, by name")
  func inaccessibleTrap() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      let id = try savedBook(stack)
      try stack.context.performAndWait {
        stack.context.shouldDeleteInaccessibleFaults = false
        let book = stack.context.object(with: id)
        try stack.elsewhere { other throws in
          other.delete(try other.only("Book"))
          try other.save()
        }
        _ = book["title"]
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("CoreData could not fulfill a fault for <x-coredata://"))
  }

  @Test("hasFault(forRelationshipNamed:) never reads", arguments: StoreKind.allCases)
  func relationshipFaults(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author")
      context.new("Book", ["author": author])
      try context.save()
      context.refresh(author, mergeChanges: false)
      #expect(author.hasFault(forRelationshipNamed: "books"))
      #expect(author.isFault)
      _ = author["name"]
      #expect(author.hasFault(forRelationshipNamed: "books"))
      #expect(author.objects("books").count == 1)
      #expect(!author.hasFault(forRelationshipNamed: "books"))
      #expect(author.objectIDs(forRelationshipNamed: "books").count == 1)
    }
  }

  @Test("A to-one's destination is a fault of its own", arguments: StoreKind.allCases)
  func toOneFault(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      context.new("Book", ["author": context.new("Author", ["name": "Kafka"])])
      try context.save()
      try stack.elsewhere { other throws in
        let author = try #require(try other.only("Book").object("author"))
        #expect(author.isFault)
        #expect(author.string("name") == "Kafka")
      }
    }
  }

  @Test("returnsObjectsAsFaults = false brings objects that are none", arguments: StoreKind.allCases)
  func notAsFaults(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      _ = try savedBook(stack)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      #expect(try context.fetch(request).allSatisfy { $0.isFault })
      request.returnsObjectsAsFaults = false
      #expect(try context.fetch(request).allSatisfy { !$0.isFault })
    }
  }

  @Test("A batched fetch brings faults, and their rows portion by portion", arguments: StoreKind.allCases)
  func batches(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      try stack.elsewhere { other throws in
        for index in 0..<25 { other.new("Tag", ["name": "\(index)"]) }
        try other.save()
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.fetchBatchSize = 10
      let tags = try context.fetch(request)
      #expect(tags.count == 25)
      #expect(tags.allSatisfy { $0.row == nil })
      _ = tags[12]["name"]
      if kind == .sqlite { #expect(tags.filter { $0.row != nil }.count == 10) }
      #expect(Set(tags.compactMap { $0.string("name") }).count == 25)
    }
  }

  @Test("Prefetching reads the destinations' rows along", arguments: StoreKind.allCases)
  func prefetching(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      try stack.elsewhere { other throws in
        other.new("Book", ["author": other.new("Author", ["name": "Kafka"])])
        try other.save()
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.relationshipKeyPathsForPrefetching = ["author"]
      let author = try #require(try context.fetch(request)[0].object("author"))
      #expect(author.row != nil)
    }
  }
}

/// A book that no living context knows.
private func savedBook(_ stack: Stack, withAuthor: Bool = false) throws -> NSManagedObjectID {
  try stack.elsewhere { other in
    let book = other.new("Book", ["title": "Amerika", "pages": 3])
    if withAuthor { book["author"] = other.new("Author", ["name": "Kafka"]) }
    try other.save()
    return book.objectID
  }
}

func transient(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
  let transient = attribute(name, type)
  transient.isTransient = true
  return transient
}

final class Awaking: NSManagedObject {
  var log: [String] = []

  override func awakeFromInsert() { log.append("insert") }
  override func awakeFromFetch() {
    log.append("fetch")
    setValue((primitiveValue(forKey: "name") as? String)?.uppercased(), forKey: "shout")
  }
  override func willTurnIntoFault() { log.append("willTurnIntoFault") }
  override func didTurnIntoFault() { log.append("didTurnIntoFault") }
}

/// An object that does something when it is refreshed.
final class Refreshed: NSManagedObject {
  nonisolated(unsafe) var action: (() -> Void)?
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { action?() }
}
