import CoreData
import Testing

/// A stack whose context has an undo manager, with groups made by hand.
func withUndo(
  _ kind: StoreKind, _ model: NSManagedObjectModel = library(),
  _ body: (Stack, NSManagedObjectContext, UndoManager) throws -> Void
) throws {
  try withStack(kind, model) { stack, context in
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    try body(stack, context, manager)
  }
}

extension NSManagedObjectContext {
  /// Changes that are undone together.
  @discardableResult
  func step<Result>(_ body: () throws -> Result) rethrows -> Result {
    undoManager?.beginUndoGrouping()
    let result = try body()
    processPendingChanges()
    undoManager?.endUndoGrouping()
    return result
  }

  /// A save that nothing before can be undone of.
  func saveAsStart() throws {
    try step { try save() }
    undoManager?.removeAllActions()
  }
}

/// Logs the calls that it gets.
final class UndoWatched: NSManagedObject {
  nonisolated(unsafe) static var log: [String] = []
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
    super.awake(fromSnapshotEvents: flags)
    UndoWatched.log.append("\(value(forKey: "name") ?? "nil") \(flags.rawValue)")
  }
  override func awakeFromInsert() { UndoWatched.log.append("insert") }
  override func prepareForDeletion() { UndoWatched.log.append("prepare") }
}

/// Sets itself and what it leads to when it prepares for its deletion.
final class Blanking: NSManagedObject {
  override func prepareForDeletion() {
    object("other")?.setValue("alone", forKey: "name")
    setValue(nil, forKey: "name")
    setValue(nil, forKey: "other")
  }
}

@Suite("Undo")
struct UndoTests {
  @Test("There is no undo manager by default; undo and redo do nothing then", arguments: StoreKind.withCustom)
  func none(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      #expect(context.undoManager == nil)
      let tag = context.new("Tag", ["name": "a"])
      context.undo()
      context.redo()
      #expect(tag.isInserted)
    }
  }

  @Test(
    "Undo of an insertion deletes the object, redo inserts it again with its id and values",
    arguments: StoreKind.withCustom)
  func insertion(_ kind: StoreKind) throws {
    try withUndo(kind) { stack, context, _ throws in
      let book = context.step { context.new("Book", ["title": "Orlando", "pages": 3]) }
      let id = book.objectID
      context.undo()
      #expect(try context.all("Book").isEmpty)
      #expect(!context.hasChanges)
      context.redo()
      #expect(try context.only("Book") === book)
      #expect(book.isInserted && book.objectID == id)
      #expect(book.string("title") == "Orlando" && book.int("pages") == 3)
      try context.saveAsStart()
      #expect(try stack.elsewhere { try $0.only("Book").string("title") } == "Orlando")
    }
  }

  @Test(
    "Undo of a deletion takes back what prepareForDeletion has set", arguments: StoreKind.withCustom, [false, true])
  func prepared(_ kind: StoreKind, isChanged: Bool) throws {
    let note = entity("Note", [attribute("name")], class: Blanking.self)
    join(relate(note, "other", .one, to: note), relate(note, "back", .one, to: note))
    try withUndo(kind, model([note])) { stack, context, _ throws in
      let other = context.new("Note", ["name": "other"])
      let note = context.new("Note", ["name": "note", "other": other])
      try context.saveAsStart()
      if isChanged { context.step { note["name"] = "changed" } }
      for _ in 0..<2 {
        context.step { context.delete(note) }
        #expect(note.isDeleted && other.string("name") == "alone" && other.object("back") == nil)
        context.undo()
        #expect(!note.isDeleted && note.string("name") == (isChanged ? "changed" : "note"))
        #expect(note.object("other") === other && other.object("back") === note && other.string("name") == "other")
      }
      context.redo()
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Note", "name") } == ["alone"])
    }
  }

  @Test(
    "Undo of a deletion brings the object back with its id, values and relationships",
    arguments: StoreKind.withCustom)
  func deletion(_ kind: StoreKind) throws {
    try withUndo(kind) { stack, context, _ throws in
      let author = context.new("Author", ["name": "Woolf"])
      let tag = context.new("Tag", ["name": "novel"])
      let book = context.new("Book", ["title": "Orlando", "author": author, "tags": Set([tag])])
      try context.saveAsStart()
      let id = book.objectID
      context.step { context.delete(book) }
      #expect(author.objects("books").isEmpty && tag.objects("books").isEmpty)
      context.undo()
      #expect(book.objectID == id && !book.isDeleted && !book.isInserted)
      #expect(book.object("author") === author && book.objects("tags") == [tag])
      #expect(author.objects("books") == [book] && tag.objects("books") == [book])
      context.redo()
      #expect(book.isDeleted && author.objects("books").isEmpty && tag.objects("books").isEmpty)
      context.undo()
      try context.saveAsStart()
      try stack.elsewhere { other throws in
        #expect(try other.only("Book").object("author")?.string("name") == "Woolf")
        #expect(try other.only("Tag").objects("books").count == 1)
      }
    }
  }

  @Test("Undo of an update restores the values, redo sets them again", arguments: StoreKind.withCustom)
  func update(_ kind: StoreKind) throws {
    try withUndo(kind) { stack, context, _ throws in
      let book = context.new("Book", ["title": "a", "pages": 1])
      try context.saveAsStart()
      context.step {
        book["title"] = "b"
        book["isbn"] = "1"
      }
      context.step { book["title"] = "c" }
      context.undo()
      #expect(book.string("title") == "b" && book.string("isbn") == "1")
      context.undo()
      #expect(book.string("title") == "a" && book.string("isbn") == nil && book.int("pages") == 1)
      #expect(!book.hasPersistentChangedValues)
      context.redo()
      context.redo()
      #expect(book.string("title") == "c" && book.string("isbn") == "1")
      try context.saveAsStart()
      #expect(try stack.elsewhere { try $0.only("Book").string("title") } == "c")
    }
  }

  @Test("Observers are told of what undo and redo change", arguments: StoreKind.withCustom)
  func notifications(_ kind: StoreKind) throws {
    try withUndo(kind) { _, context, _ throws in
      let saved = context.new("Tag", ["name": "a"])
      let doomed = context.new("Tag", ["name": "b"])
      try context.saveAsStart()
      let new = context.step {
        saved["name"] = "c"
        context.delete(doomed)
        return context.new("Tag", ["name": "d"])
      }
      let log = NotificationLog(context)
      context.undo()
      #expect(log.names == ["didChange"])
      #expect(log["didChange"]?.objects(NSUpdatedObjectsKey) == [saved])
      #expect(log["didChange"]?.objects(NSInsertedObjectsKey) == [doomed])
      #expect(log["didChange"]?.objects(NSDeletedObjectsKey) == [new])
      log.clear()
      context.redo()
      #expect(log["didChange"]?.objects(NSUpdatedObjectsKey) == [saved])
      #expect(log["didChange"]?.objects(NSInsertedObjectsKey) == [new])
      #expect(log["didChange"]?.objects(NSDeletedObjectsKey) == [doomed])
    }
  }

  @Test("Undo of an event in which a new object was inserted again leaves the object", arguments: StoreKind.withCustom)
  func insertedAgain(_ kind: StoreKind) throws {
    try withUndo(kind) { _, context, manager throws in
      let tag = context.step { context.new("Tag", ["name": "a"]) }
      context.step {
        context.insert(tag)
        tag["name"] = "b"
      }
      context.undo()
      #expect(tag.isInserted && tag.string("name") == "a")
      context.undo()
      #expect(!context.hasChanges)
      context.redo()
      context.redo()
      #expect(tag.isInserted && tag.string("name") == "b")
      manager.removeAllActions()
      context.step { context.insert(tag) }
      context.undo()
      #expect(tag.isInserted && tag.string("name") == "b")
    }
  }

  @Test("Action names belong to the group, undone and redone", arguments: StoreKind.withCustom)
  func names(_ kind: StoreKind) throws {
    try withUndo(kind) { _, context, manager throws in
      context.step {
        context.new("Tag")
        manager.setActionName("Add Tag")
      }
      #expect(manager.undoMenuItemTitle == "Undo Add Tag")
      context.undo()
      #expect(manager.redoMenuItemTitle == "Redo Add Tag")
    }
  }

  @Test("Objects are told why they changed: undoInsertion, undoDeletion, undoUpdate")
  func awaking() throws {
    let model = model([entity("UndoWatched", [attribute("name")], class: UndoWatched.self)])
    try withUndo(.inMemory, model) { _, context, _ throws in
      let object = context.step { context.new("UndoWatched", ["name": "a"]) }
      context.step { object["name"] = "b" }
      UndoWatched.log = []
      context.undo()
      #expect(UndoWatched.log == ["a \(NSSnapshotEventType.undoUpdate.rawValue)"])
      context.undo()
      #expect(UndoWatched.log.dropFirst() == ["a \(NSSnapshotEventType.undoInsertion.rawValue)"])
      UndoWatched.log = []
      context.redo()
      #expect(UndoWatched.log == ["a \(NSSnapshotEventType.undoDeletion.rawValue)"])
    }
  }

  @Test(
    "Actions hold their objects, and neither they nor the manager hold the context",
    arguments: StoreKind.withCustom)
  func memory(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    weak var context: NSManagedObjectContext?
    weak var object: NSManagedObject?
    let manager = UndoManager()
    func use() throws {
      let used = stack.newContext()
      context = used
      used.undoManager = manager
      try used.performAndWait {
        func change() throws {
          let tag = used.new("Tag", ["name": "a"])
          object = tag
          try used.save()
          tag["name"] = "b"
          try used.save()
        }
        try change()
        #expect(object != nil)
        manager.removeAllActions()
        #expect(object == nil)
        try change()
        used.undo()
        #expect(object != nil)
      }
    }
    try use()
    #expect(context == nil && object == nil)
    #expect(!manager.canUndo && !manager.canRedo)
  }
}
