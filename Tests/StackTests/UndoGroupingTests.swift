import CoreData
import Testing

@Suite("Undo by event and by group")
struct UndoGroupingTests {
  @Test("Without groups made by hand, what one perform block changed is undone together")
  func performBlocks() async throws {
    let stack = try Stack(.inMemory)
    let context = stack.context
    context.undoManager = UndoManager()
    await context.perform {
      context.new("Tag", ["name": "a"])
      context.processPendingChanges()
      context.new("Tag", ["name": "b"])
    }
    await context.perform { _ = context.new("Tag", ["name": "c"]) }
    func undo() throws {
      context.undo()
      #expect(try context.strings("Tag", "name") == ["a", "b"])
      context.undo()
      #expect(try context.all("Tag").isEmpty)
      context.redo()
      #expect(try context.strings("Tag", "name") == ["a", "b"])
    }
    try context.performAndWait(undo)
  }

  @MainActor
  @Test("On the main queue each event is undone by itself")
  func mainQueue() async throws {
    let stack = try Stack(.inMemory)
    let context = NSManagedObjectContext(.mainQueueConcurrencyType)
    context.persistentStoreCoordinator = stack.coordinator
    context.undoManager = UndoManager()
    func nextEvent() async {
      await withCheckedContinuation { continuation in
        DispatchQueue.main.async { DispatchQueue.main.async { continuation.resume() } }
      }
    }
    let tag = context.new("Tag", ["name": "a"])
    await nextEvent()
    tag["name"] = "b"
    await nextEvent()
    tag["name"] = "c"
    context.undo()
    #expect(tag.string("name") == "b")
    context.undo()
    #expect(tag.string("name") == "a")
    context.undo()
    #expect(try context.all("Tag").isEmpty)
  }

  @Test("Pending changes are registered before a group opens inside of another, closes, or is undone")
  func pending() throws {
    try withUndo(.inMemory) { _, context, manager throws in
      manager.beginUndoGrouping()
      let tag = context.new("Tag", ["name": "a"])
      manager.beginUndoGrouping()
      tag["name"] = "b"
      manager.endUndoGrouping()
      manager.undoNestedGroup()
      #expect(tag.string("name") == "a")
      tag["name"] = "c"
      manager.endUndoGrouping()
      manager.undo()
      #expect(try context.all("Tag").isEmpty)
    }
  }

  @Test("Changes processed while registration is disabled are not undone", arguments: StoreKind.allCases)
  func disabled(_ kind: StoreKind) throws {
    try withUndo(kind) { _, context, manager throws in
      let book = context.step { context.new("Book", ["title": "a", "isbn": "1"]) }
      context.step { book["title"] = "b" }
      context.processPendingChanges()
      manager.disableUndoRegistration()
      book["isbn"] = "2"
      let author = context.new("Author", ["books": Set([book])])
      context.processPendingChanges()
      manager.enableUndoRegistration()
      context.undo()
      #expect(book.string("title") == "a" && book.string("isbn") == "2")
      #expect(book.object("author") === author)
      // What is left leads nowhere.
      context.undo()
      #expect(author.objects("books").isEmpty)
      #expect(try context.all("Book").isEmpty)
      #expect(try context.all("Author").count == 1)
    }
  }

  @Test("rollback and reset drop the context's actions, and nobody else's", arguments: StoreKind.allCases)
  func cleared(_ kind: StoreKind) throws {
    try withUndo(kind) { _, context, manager throws in
      for clear in [context.rollback, context.reset] {
        context.step { _ = context.new("Tag") }
        #expect(manager.canUndo)
        // There is a group for what is pending when the context is rolled back.
        manager.beginUndoGrouping()
        clear()
        manager.endUndoGrouping()
        manager.undo()
        #expect(!manager.canUndo)
        manager.removeAllActions()
      }
      context.step {
        context.new("Tag")
        manager.registerUndo(withTarget: manager) { _ in }
      }
      context.reset()
      #expect(manager.undoCount == 1)
    }
  }
}
