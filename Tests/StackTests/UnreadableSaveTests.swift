import Foundation
import Testing

@testable import CoreData

/// Saves that need what can't be read, while a handler keeps the faults: here another program has put tables out of the
/// way.
@Suite("Saves that need what can't be read")
struct UnreadableSaveTests {
  /// A library with a rule for what the deletion of a book does to its tags, and with the fewest chapters of a book.
  private static func model(_ rule: NSDeleteRule = .nullifyDeleteRule, min: Int = 0) -> NSManagedObjectModel {
    let model = library()
    let book = model.entitiesByName["Book"]!
    book.relationshipsByName["tags"]!.deleteRule = rule
    book.relationshipsByName["chapters"]!.minCount = min
    return model
  }

  /// A book of which nothing but its row is in memory, with an author, a tag and two chapters.
  private func withBook(
    _ model: @autoclosure () -> NSManagedObjectModel = library(),
    _ body: (Stack, NSManagedObjectContext, NSManagedObject) throws -> Void
  ) throws {
    let folder = StoreFolder()
    let url = folder.file("Shelf")
    let id = try Stack(.sqlite, model(), at: folder.file("Made")).elsewhere { other in
      let book = other.new("Book", ["title": "Amerika"])
      book["author"] = other.new("Author", ["name": "Kafka"])
      book["tags"] = NSSet(object: other.new("Tag", ["name": "Novel"]))
      book["chapters"] = NSOrderedSet(array: ["A", "B"].map { other.new("Chapter", ["title": $0]) })
      try other.save()
      try other.persistentStoreCoordinator!.replacePersistentStore(
        at: url, withPersistentStoreFrom: folder.file("Made"), type: .sqlite)
      return book.objectID.uriRepresentation()
    }
    let stack = try Stack(.sqlite, model(), at: url)
    try stack.context.performAndWait {
      let id = try #require(stack.coordinator.managedObjectID(forURIRepresentation: id))
      stack.context.stalenessInterval = 0
      stack.context.unreadableFaultHandler = { _, _ in .keepFault }
      let book = stack.context.object(with: id)
      #expect(book.string("title") == "Amerika")
      try body(stack, stack.context, book)
    }
  }

  /// Runs a body while a table is out of the way.
  private func without(_ table: String, _ stack: Stack, _ body: () throws -> Void) throws {
    func rename(_ name: String, to other: String) throws {
      _ = try Connection(path: stack.url.path, options: Connection.Options()).rows(
        "ALTER TABLE \(name) RENAME TO \(other)")
    }
    try rename(table, to: "AWAY")
    // A save ends the transactions of those who have read: what comes after it sees what others have done.
    try stack.elsewhere { other in
      other.new("Passport")
      try other.save()
    }
    try body()
    try rename("AWAY", to: table)
    try stack.elsewhere { other in
      other.new("Passport")
      try other.save()
    }
  }

  /// What a save says while a table is out of the way. Afterwards the same changes are saved.
  private func refusal(_ table: String, _ stack: Stack, _ context: NSManagedObjectContext) throws -> String {
    var words = ""
    try without(table, stack) {
      words = failure { try context.save() }?.localizedDescription ?? "no error"
      #expect(context.hasChanges)
    }
    try context.save()
    #expect(!context.hasChanges)
    return words
  }

  @Test("An order that can't be read fails the save, with the store's error")
  func order() throws {
    try withBook { stack, context, book in
      // Only the other side is set, so the order has not been read.
      let chapter = try #require(try context.all("Chapter").first { $0.string("title") == "A" })
      chapter["book"] = nil
      let words = try refusal("ZCHAPTER", stack, context)
      #expect(words.contains("ZCHAPTER"))
      let titles = (book["chapters"] as? NSOrderedSet)?.compactMap { ($0 as? NSManagedObject)?.string("title") }
      #expect(titles == ["B"])
    }
  }

  @Test(
    "Delete rules that can't be applied fail the save; they are applied when the store can be read",
    arguments: ["ZCHAPTER", "Z_2TAGS"], [false, true])
  func rules(_ table: String, _ hasUndoManager: Bool) throws {
    try withBook { stack, context, book in
      if hasUndoManager { context.undoManager = UndoManager() }
      try without(table, stack) {
        context.delete(book)
        context.processPendingChanges()
        #expect(context.deletedObjects == [book])
        #expect(failure { try context.save() }?.localizedDescription.contains(table) == true)
        #expect(book.isDeleted && context.hasChanges)
      }
      try context.save()
      #expect(try context.strings("Book", "title") + context.strings("Chapter", "title") == [])
      for entity in ["Author", "Tag"] {
        let owner = try context.only(entity)
        #expect((owner["books"] as? NSSet)?.count == 0)
      }
    }
  }

  @Test("A cascade to a fault that can't be read fails the save")
  func cascade() throws {
    try withBook { stack, context, book in
      let author = try #require(book.object("author"))
      #expect((author["books"] as? NSSet)?.count == 1)
      context.refresh(book, mergeChanges: false)
      // The members are known, and only the book's own row is missing.
      try without("ZBOOK", stack) {
        context.delete(author)
        #expect(failure { try context.save() }?.localizedDescription.contains("ZBOOK") == true)
        #expect(context.deletedObjects == [author])
      }
      try context.save()
      #expect(try context.strings("Book", "title") + context.strings("Author", "name") == [])
    }
  }

  /// The stored tag, of which only the id is in memory.
  private func unreadTag(_ context: NSManagedObjectContext) throws -> NSManagedObject {
    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Tag")
    request.resultType = .managedObjectIDResultType
    return context.object(with: try #require(try context.fetch(request).first))
  }

  @Test(
    "The deletion of a new object whose rules need a fault that can't be read waits for it, and fails the save",
    arguments: [NSDeleteRule.cascadeDeleteRule, .nullifyDeleteRule], [false, true])
  func newObject(_ rule: NSDeleteRule, _ hasUndoManager: Bool) throws {
    try withBook(Self.model(rule)) { stack, context, book in
      if hasUndoManager { context.undoManager = UndoManager() }
      let new = context.new("Book", ["title": "New", "tags": NSSet(object: try unreadTag(context))])
      context.processPendingChanges()
      try without("ZTAG", stack) {
        context.delete(new)
        context.processPendingChanges()
        // To be taken out of a set, a tag needs no values.
        #expect(new.isDeleted == (rule == .cascadeDeleteRule))
        let error = failure { try context.save() }
        if rule == .cascadeDeleteRule { #expect(error?.localizedDescription.contains("ZTAG") == true) }
      }
      try context.save()
      #expect(new.managedObjectContext == nil && !context.hasChanges)
      #expect(try context.strings("Book", "title") == ["Amerika"])
      #expect(try context.strings("Tag", "name") == (rule == .cascadeDeleteRule ? [] : ["Novel"]))
    }
  }

  @Test("Observers hear once of the deletion of a new object that had to wait, or never, if they did not know it")
  func observers() throws {
    try withBook(Self.model(.cascadeDeleteRule)) { stack, context, book in
      let tag = try unreadTag(context)
      let known = context.new("Book", ["title": "Known", "tags": NSSet(object: tag)])
      context.processPendingChanges()
      let unknown = context.new("Book", ["title": "Unknown", "tags": NSSet(object: tag)])
      nonisolated(unsafe) var told: [NSManagedObject] = []
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
      ) { note in
        for key in [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey] {
          let objects = note.userInfo?[key] as? Set<NSManagedObject> ?? []
          told += objects.filter { $0.entity.name == "Book" && $0 !== book }
        }
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      try without("ZTAG", stack) {
        context.delete(known)
        context.delete(unknown)
        for _ in 0..<2 { context.processPendingChanges() }
        #expect(told.isEmpty)
      }
      context.processPendingChanges()
      #expect(told == [known])
      #expect(tag.isDeleted && unknown.managedObjectContext == nil)
    }
  }

  @Test("A rollback takes back the deletion of a new object that waits for its rules")
  func rollback() throws {
    try withBook(Self.model(.cascadeDeleteRule)) { stack, context, book in
      let new = context.new("Book", ["title": "New", "tags": NSSet(object: try unreadTag(context))])
      context.processPendingChanges()
      try without("ZTAG", stack) {
        context.delete(new)
        context.rollback()
        #expect(!context.hasChanges && new.managedObjectContext == nil)
      }
      try context.save()
      #expect(try context.strings("Tag", "name") == ["Novel"])
    }
  }

  @Test("Whether a deletion is denied can't be told without the members: the save fails")
  func denied() throws {
    try withBook(Self.model(.denyDeleteRule)) { stack, context, book in
      try without("Z_2TAGS", stack) {
        context.delete(book)
        #expect(failure { try context.save() }?.localizedDescription.contains("Z_2TAGS") == true)
      }
      #expect(failure { try context.save() }?.code == NSValidationRelationshipDeniedDeleteError)
    }
  }

  @Test("How many members there are can't be told without them: the save fails")
  func count() throws {
    try withBook(Self.model(min: 2)) { stack, context, book in
      book["title"] = "Other"
      let words = try refusal("ZCHAPTER", stack, context)
      #expect(words.contains("ZCHAPTER"))
    }
  }

  @Test("A child's save that needs members that its parent can't read fails, and neither is changed by it")
  func child() throws {
    try withBook { stack, context, book in
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait {
        let mine = child.object(with: book.objectID)
        let new = child.new("Chapter", ["title": "C"])
        new["book"] = mine
        try without("ZCHAPTER", stack) {
          #expect(failure { try child.save() }?.localizedDescription.contains("ZCHAPTER") == true)
          #expect(child.hasChanges && !context.hasChanges)
        }
        try child.save()
      }
      try context.save()
      #expect((book["chapters"] as? NSOrderedSet)?.count == 3)
    }
  }

  @Test("An event of which an undo manager can't learn the former order ends all the same")
  func undo() throws {
    try withBook { stack, context, book in
      context.undoManager = UndoManager()
      let chapter = try #require(try context.all("Chapter").first { $0.string("title") == "A" })
      try without("ZCHAPTER", stack) {
        chapter["book"] = nil
        context.processPendingChanges()
      }
      context.undo()
      let titles = (book["chapters"] as? NSOrderedSet)?.compactMap { ($0 as? NSManagedObject)?.string("title") }
      #expect(Set(titles ?? []) == ["A", "B"])
    }
  }
}
