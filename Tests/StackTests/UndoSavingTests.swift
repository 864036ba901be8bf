import CoreData
import Testing

@Suite("Undo and saves")
struct UndoSavingTests {
  @Test(
    "A save keeps what can be undone: an update is updated again, a new object is deleted",
    arguments: StoreKind.allCases)
  func afterSave(_ kind: StoreKind) throws {
    try withUndo(kind) { stack, context, manager throws in
      let book = context.step { context.new("Book", ["title": "a"]) }
      try context.save()
      context.step { book["title"] = "b" }
      try context.save()
      #expect(manager.undoCount == 2)
      context.undo()
      #expect(book.isUpdated)
      try context.save()
      #expect(try stack.elsewhere { try $0.only("Book").string("title") } == "a")
      context.undo()
      #expect(context.deletedObjects == [book])
      try context.save()
      #expect(try stack.elsewhere { try $0.all("Book").isEmpty })
      context.redo()
      context.redo()
      try context.save()
      #expect(try stack.elsewhere { try $0.only("Book").string("title") } == "b")
    }
  }

  @Test("A row that comes back by an undo is not taken for the one that was deleted", arguments: StoreKind.allCases)
  func versions(_ kind: StoreKind) throws {
    try withUndo(kind) { stack, context, manager throws in
      let book = context.new("Book", ["title": "a"])
      try context.saveAsStart()
      let other = stack.newContext()
      try other.performAndWait {
        let same = other.same(book)
        #expect(same.string("title") == "a")
        context.step { context.delete(book) }
        try context.save()
        context.undo()
        context.step { book["title"] = "b" }
        try context.save()
        same["pages"] = 9
        #expect(failure { try other.save() }?.code == NSManagedObjectMergeError)
      }
      #expect(try stack.elsewhere { try $0.only("Book").string("title") } == "b")
    }
  }

  @Test("A text that differs in its scalars only is a change, and undone as one", arguments: StoreKind.allCases)
  func scalars(_ kind: StoreKind) throws {
    let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
    try withUndo(kind) { stack, context, manager throws in
      let book = context.new("Book", ["title": composed])
      try context.saveAsStart()
      context.step {
        book["title"] = decomposed
        #expect(book.changedValuesForCurrentEvent()["title"] != nil)
      }
      #expect(book.hasPersistentChangedValues && manager.canUndo)
      context.undo()
      #expect(book.string("title").map { Array($0.utf8) } == Array(composed.utf8))
      #expect(!book.hasPersistentChangedValues)
      context.redo()
      try context.save()
      let stored = try stack.elsewhere { try $0.only("Book").string("title") }
      #expect(stored.map { Array($0.utf8) } == Array(decomposed.utf8))
    }
  }

  @Test(
    "A deleted and saved object comes back as a new row under the id that it had",
    arguments: StoreKind.allCases)
  func afterSavedDelete(_ kind: StoreKind) throws {
    try withUndo(kind) { stack, context, _ throws in
      let author = context.new("Author", ["name": "Woolf"])
      let book = context.new("Book", ["title": "Orlando", "author": author])
      let tag = context.new("Tag", ["books": Set([book])])
      try context.saveAsStart()
      let id = book.objectID
      context.step { context.delete(book) }
      try context.save()
      #expect(book.managedObjectContext == nil)
      // Somebody asks for the id in between.
      let stranger = context.object(with: id)
      context.undo()
      #expect(stranger.managedObjectContext == nil)
      #expect(book.managedObjectContext === context && book.isInserted && book.objectID == id)
      #expect(author.objects("books") == [book] && tag.objects("books") == [book])
      try context.save()
      try stack.elsewhere { other throws in
        let stored = try other.only("Book")
        #expect(stored.objectID == id && stored.string("title") == "Orlando")
        #expect(stored.object("author")?.string("name") == "Woolf" && stored.objects("tags").count == 1)
      }
      context.redo()
      try context.save()
      #expect(try stack.elsewhere { try $0.all("Book").isEmpty })
    }
  }

  @Test("What is a fault when its change is undone is read first", arguments: StoreKind.allCases)
  func faults(_ kind: StoreKind) throws {
    try withUndo(kind) { _, context, _ throws in
      let author = context.new("Author", ["name": "Woolf"])
      let book = context.new("Book", ["title": "a", "pages": 7, "author": author])
      try context.saveAsStart()
      context.step {
        book["title"] = "b"
        book["author"] = nil
      }
      try context.save()
      context.refreshAllObjects()
      #expect(book.isFault && author.isFault)
      context.undo()
      #expect(book.string("title") == "a" && book.int("pages") == 7)
      #expect(author.objects("books") == [book])
    }
  }

  @Test("Objects that another context deleted meanwhile are left out", arguments: StoreKind.allCases)
  func deletedElsewhere(_ kind: StoreKind) throws {
    try withUndo(kind) { stack, context, _ throws in
      let author = context.new("Author", ["name": "a"])
      let books = (0..<2).map { context.new("Book", ["title": "\($0)", "author": author]) }
      try context.saveAsStart()
      context.step {
        books.forEach {
          $0["title"] = "x"
          $0["author"] = nil
        }
      }
      try context.save()
      let other = stack.newContext()
      var notification: Notification?
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: other, queue: nil
      ) { notification = $0 }
      try other.performAndWait {
        other.delete(other.same(books[0]))
        try other.save()
      }
      NotificationCenter.default.removeObserver(token)
      context.mergeChanges(fromContextDidSave: notification!)
      context.undo()
      #expect(author.objects("books") == [books[1]])
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["1"])
    }
  }

  @Test(
    "A value that can't be read is still in the store when a change of it was undone", arguments: StoreKind.allCases,
    [nil, "blue"])
  func unreadable(_ kind: StoreKind, _ new: String?) throws {
    let transformer = Breaking()
    let name = NSValueTransformerName("breaking \(kind) \(new ?? "nothing")")
    ValueTransformer.setValueTransformer(transformer, forName: name)
    defer { ValueTransformer.setValueTransformer(nil, forName: name) }
    let colour = attribute("colour", .transformableAttributeType)
    colour.valueTransformerName = name.rawValue
    try withUndo(kind, model([entity("Thing", [attribute("name"), colour])])) { stack, context, manager throws in
      let thing = context.new("Thing", ["colour": "red"])
      try context.saveAsStart()
      context.refresh(thing, mergeChanges: false)
      transformer.isBroken = true
      #expect(thing["colour"] == nil)
      context.step { thing["colour"] = new }
      #expect(manager.canUndo)
      context.undo()
      #expect(thing["colour"] == nil && !thing.hasPersistentChangedValues)
      context.redo()
      #expect(thing["colour"] as? String == new && thing.hasPersistentChangedValues)
      context.undo()
      context.step { thing["name"] = "a" }
      try context.save()
      transformer.isBroken = false
      #expect(try stack.elsewhere { try $0.only("Thing")["colour"] as? String } == "red")
    }
  }
}

/// Makes nothing of data while it is broken.
final class Breaking: ValueTransformer, @unchecked Sendable {
  var isBroken = false

  override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    isBroken ? nil : (value as? Data).map { String(decoding: $0, as: UTF8.self) }
  }
}
