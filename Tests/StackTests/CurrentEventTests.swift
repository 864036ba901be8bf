import Testing

@testable import CoreData

@Suite("Current event")
struct CurrentEventTests {
  private func saved(_ context: NSManagedObjectContext) throws -> (NSManagedObject, NSManagedObject) {
    let author = context.new("Author", ["name": "Woolf"])
    let book = context.new("Book", ["title": "Orlando", "pages": 300, "author": author])
    try context.save()
    return (author, book)
  }

  @Test(
    "changedValuesForCurrentEvent tells the old values of what changed in the event",
    arguments: StoreKind.allCases)
  func oldValues(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (author, book) = try saved(context)
      #expect(book.changedValuesForCurrentEvent().isEmpty)
      book["title"] = "Flush"
      book["isbn"] = "1"
      book["author"] = nil
      let old = book.changedValuesForCurrentEvent()
      #expect(Set(old.keys) == ["title", "isbn", "author"])
      #expect(old["title"] as? String == "Orlando")
      #expect(old["isbn"] is NSNull)
      #expect(old["author"] as? NSManagedObject === author)
      #expect(author.changedValuesForCurrentEvent()["books"] as? NSSet == NSSet(object: book))
      context.processPendingChanges()
      #expect(book.changedValuesForCurrentEvent().isEmpty)
      book["title"] = "The Waves"
      let second = book.changedValuesForCurrentEvent()
      #expect(second.count == 1)
      #expect(second["title"] as? String == "Flush")
      #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "Orlando")
      context.processPendingChanges()
      context.new("Book", ["author": author])
      #expect(author.changedValuesForCurrentEvent()["books"] as? NSSet == NSSet())
    }
  }

  @Test(
    "For an observer of the changes the event that it is told of is the current one",
    arguments: StoreKind.allCases)
  func observers(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (_, book) = try saved(context)
      var seen: [[String: Any]] = []
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { note in
        for object in note.objects(NSUpdatedObjectsKey) where object === book {
          seen.append(object.changedValuesForCurrentEvent())
        }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      book["title"] = "Flush"
      context.processPendingChanges()
      book["title"] = "The Waves"
      book["pages"] = 1
      context.processPendingChanges()
      #expect(seen.count == 2)
      #expect(seen[0].count == 1)
      #expect(seen[0]["title"] as? String == "Orlando")
      #expect(seen[1]["title"] as? String == "Flush")
      #expect(seen[1]["pages"] as? Int == 300)
      try context.save()
      #expect(book.changedValuesForCurrentEvent().isEmpty)
    }
  }

  @Test("A new object's former values are its defaults", arguments: StoreKind.allCases)
  func newObjects(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["title": "Orlando", "isbn": "1"])
      let old = book.changedValuesForCurrentEvent()
      #expect(old["title"] as? String == "Untitled")
      #expect(old["isbn"] is NSNull)
      context.processPendingChanges()
      book["isbn"] = "2"
      #expect(book.changedValuesForCurrentEvent()["isbn"] as? String == "1")
    }
  }

  @Test("A refresh within the event does not change what the old values were", arguments: StoreKind.allCases)
  func refreshed(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (_, book) = try saved(context)
      book["title"] = "Flush"
      try stack.elsewhere { other in
        other.same(book)["title"] = "Between the Acts"
        try other.save()
      }
      context.refresh(book, mergeChanges: true)
      #expect(book.string("title") == "Flush")
      #expect(book.changedValuesForCurrentEvent()["title"] as? String == "Orlando")
    }
  }

  @Test("The order that an ordered relationship had is among the old values", arguments: StoreKind.allCases)
  func order(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (_, book) = try saved(context)
      let chapters = (0..<3).map { context.new("Chapter", ["title": "\($0)", "book": book]) }
      try context.save()
      context.forget()
      book.mutableOrderedSetValue(forKey: "chapters").exchangeObject(at: 0, withObjectAt: 2)
      let old = book.changedValuesForCurrentEvent()["chapters"] as? NSOrderedSet
      #expect(old?.array as? [NSManagedObject] == chapters)
    }
  }

  @Test("Nothing is kept beyond the event", arguments: StoreKind.allCases)
  func kept(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (_, book) = try saved(context)
      book["title"] = "a"
      #expect(context.ledger.snapshots.isEmpty)
      context.processPendingChanges()
      book["title"] = "b"
      #expect(context.ledger.snapshots.count == 1)
      context.processPendingChanges()
      #expect(context.ledger.snapshots.isEmpty)
      book["title"] = "c"
      context.rollback()
      #expect(context.ledger.snapshots.isEmpty)
    }
  }

  @Test(
    "A changed object that was refreshed to a fault is saved again when it changes after the next save",
    arguments: StoreKind.allCases)
  func listedAgain(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (author, book) = try saved(context)
      book["title"] = "a"
      context.refresh(book, mergeChanges: false)
      author["name"] = "Virginia"
      try context.save()
      book["title"] = "b"
      try context.save()
      #expect(try stack.elsewhere { try $0.only("Book").string("title") } == "b")
    }
  }
}
