import CoreData
import Testing

@Suite("Undo in child contexts")
struct UndoParentTests {
  /// A parent and its child, each with an undo manager whose groups are made by hand.
  private func withFamily(
    _ kind: StoreKind, _ body: (NSManagedObjectContext, NSManagedObjectContext) throws -> Void
  ) throws {
    try withUndo(kind) { _, parent, _ throws in
      let child = NSManagedObjectContext(.privateQueueConcurrencyType)
      child.parent = parent
      let manager = UndoManager()
      manager.groupsByEvent = false
      child.undoManager = manager
      try child.performAndWait { try body(parent, child) }
    }
  }

  @Test("A child's save is one action of its parent", arguments: StoreKind.allCases)
  func oneGroup(_ kind: StoreKind) throws {
    try withFamily(kind) { parent, child throws in
      let author = child.step { child.new("Author", ["name": "a"]) }
      child.step { _ = child.new("Book", ["title": "b", "author": author]) }
      child.step { author["name"] = "c" }
      try parent.step { try child.save() }
      #expect(parent.undoManager?.undoCount == 1)
      #expect(try parent.only("Author").string("name") == "c")
      parent.undo()
      #expect(try parent.all("Author").isEmpty)
      #expect(try parent.all("Book").isEmpty)
      parent.redo()
      #expect(try parent.only("Author").objects("books").count == 1)
    }
  }

  @Test(
    "A child undoes over its own saves, and the next save takes it to the parent",
    arguments: StoreKind.allCases)
  func overSaves(_ kind: StoreKind) throws {
    try withFamily(kind) { parent, child throws in
      let author = child.step { child.new("Author", ["name": "a"]) }
      let book = child.step { child.new("Book", ["title": "b", "author": author]) }
      try parent.step { try child.save() }
      child.step { child.delete(book) }
      try parent.step { try child.save() }
      #expect(try parent.all("Book").isEmpty)
      child.undo()
      #expect(author.objects("books") == [book])
      try parent.step { try child.save() }
      #expect(try parent.only("Book").object("author")?.string("name") == "a")
      child.undo()
      child.undo()
      #expect(try child.all("Author").isEmpty)
      try parent.step { try child.save() }
      #expect(try parent.all("Book").isEmpty)
      #expect(try parent.all("Author").isEmpty)
    }
  }
}
