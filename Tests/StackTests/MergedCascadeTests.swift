import Foundation
import Testing

@testable import CoreData

/// Box.parts, ordered, and Box.tags, to many from both ends, and Box.label, without an inverse, all delete along; a
/// Spring is a Part.
private func boxes() -> NSManagedObjectModel {
  let box = entity("Box", [attribute("name")])
  let part = entity("Part", [attribute("name")])
  let spring = entity("Spring", [attribute("force")])
  let label = entity("Label", [attribute("name")])
  let tag = entity("Tag", [attribute("name")])
  part.subentities = [spring]
  join(
    relate(box, "parts", .ordered, to: part, rule: .cascadeDeleteRule), relate(part, "box", .one, to: box))
  relate(box, "label", .one, to: label, rule: .cascadeDeleteRule)
  join(relate(box, "tags", .many, to: tag, rule: .cascadeDeleteRule), relate(tag, "boxes", .many, to: box))
  return model([box, part, spring, label, tag])
}

extension Stack {
  /// Deletes an object's row by its rules, unseen by all other contexts.
  fileprivate func deleteRow(_ id: NSManagedObjectID) throws {
    try elsewhere { other in
      other.delete(other.object(with: id))
      try other.save()
    }
  }
}

/// Tells contexts of one deleted row, as a batch request names only those that it was to delete.
private func tell(_ id: NSManagedObjectID, to contexts: NSManagedObjectContext...) {
  NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSDeletedObjectsKey: [id]], into: contexts)
}

@Suite("Merged deletions, and what the store deleted along")
struct MergedCascadeTests {
  @Test(
    "Objects that a cascade took along leave too, level by level; notifications name them, and lists lose them",
    arguments: StoreKind.withCustom, [false, true])
  func levels(_ kind: StoreKind, _ areFaults: Bool) throws {
    try withStack(kind) { stack, context in
      let (kafka, musil) = (context.new("Author", ["name": "Kafka"]), context.new("Author", ["name": "Musil"]))
      let books = ["A", "B"].map { context.new("Book", ["title": $0, "author": kafka]) }
      let chapters = books.map { context.new("Chapter", ["title": "1", "book": $0]) }
      let other = context.new("Book", ["title": "C", "author": musil])
      let first = context.new("Chapter", ["title": "2", "book": other])
      try context.save()
      if areFaults { context.forget() }
      let screen = try ListScreen(context)
      let log = NotificationLog(context)
      try stack.deleteRow(kafka.objectID)
      tell(kafka.objectID, to: context)
      let gone = [kafka] + books + chapters
      #expect(gone.allSatisfy { $0.isDeleted && $0.managedObjectContext == nil })
      #expect([musil, other, first].allSatisfy { !$0.isDeleted && $0.managedObjectContext === context })
      #expect(screen.text == "C" && screen.told.first == "will" && screen.told.last == "did")
      #expect(log.names == ["didChange", "didMergeIDs"])
      #expect(log["didChange"]?.objects(NSDeletedObjectsKey) == Set(gone))
      #expect(log["didMergeIDs"]?.ids(NSDeletedObjectIDsKey) == Set(gone.map(\.objectID)))
      #expect(!context.hasChanges)
      try context.save()
      #expect(gone.allSatisfy(\.isDeleted) && other.list("chapters") == [first])
      #expect(failure { _ = try context.existingObject(with: books[0].objectID) } != nil)
    }
  }

  @Test(
    "Ordered members, those of subentities, and those that only the store could tell leave; others' stay",
    arguments: StoreKind.allCases, [false, true])
  func shapes(_ kind: StoreKind, _ areFaults: Bool) throws {
    try withStack(kind, boxes()) { stack, context in
      func box() -> [NSManagedObject] {
        let members = ["Part", "Spring", "Tag", "Label"].map { context.new($0, ["name": $0]) }
        let box = context.new("Box", ["label": members[3], "tags": NSSet(object: members[2])])
        box["parts"] = NSOrderedSet(array: [members[1], members[0]])
        return [box] + members
      }
      let (gone, kept) = (box(), box())
      try context.save()
      if areFaults { context.forget() }
      try stack.deleteRow(gone[0].objectID)
      tell(gone[0].objectID, to: context)
      #expect(gone.allSatisfy { $0.isDeleted && $0.managedObjectContext == nil })
      #expect(kept.allSatisfy { !$0.isDeleted && $0.managedObjectContext === context })
      #expect(kept[0].list("parts") == [kept[2], kept[1]] && kept[0].object("label") === kept[4])
    }
  }

  @Test(
    "An object whose row is still there stays, whatever this context has read or changed; new ones stay as well",
    arguments: StoreKind.withCustom)
  func rowsStay(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (kafka, musil) = (context.new("Author", ["name": "Kafka"]), context.new("Author", ["name": "Musil"]))
      let moved = context.new("Book", ["title": "moved", "author": kafka])
      let leaving = context.new("Book", ["title": "leaving", "author": kafka])
      let coming = context.new("Book", ["title": "coming"])
      try context.save()
      for book in [moved, leaving, coming] { book.read() }
      try stack.elsewhere { other in
        other.same(moved)["author"] = other.same(musil)
        try other.save()
      }
      try stack.deleteRow(kafka.objectID)
      leaving["author"] = musil
      coming["author"] = kafka
      let new = context.new("Book", ["title": "new", "author": kafka])
      tell(kafka.objectID, to: context)
      #expect(leaving.isDeleted && leaving.managedObjectContext == nil)
      #expect([moved, coming, new].allSatisfy { !$0.isDeleted && $0.managedObjectContext === context })
      #expect(coming.object("author") == nil && new.object("author") == nil && new.isInserted)
      context.refresh(moved, mergeChanges: false)
      #expect(moved.object("author") === musil && musil.objects("books") == [moved])
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["coming", "moved", "new"])
    }
  }

  @Test(
    "A child asks its parent, whether it is told itself or merges what its parent merges",
    arguments: StoreKind.allCases, [false, true])
  func child(_ kind: StoreKind, _ isAutomatic: Bool) throws {
    let stack = try Stack(kind)
    let (parent, child) = (stack.context, NSManagedObjectContext.child(of: stack.context))
    child.automaticallyMergesChangesFromParent = isAutomatic
    let ids = try parent.performAndWait {
      let author = parent.new("Author", ["name": "Kafka"])
      let book = parent.new("Book", ["title": "A", "author": author])
      let chapter = parent.new("Chapter", ["title": "1", "book": book])
      let other = parent.new("Book", ["title": "B"])
      try parent.save()
      return [author, book, chapter, other].map(\.objectID)
    }
    let objects = child.performAndWait { ids.map { child.object(with: $0) } }
    try stack.deleteRow(ids[0])
    if isAutomatic { tell(ids[0], to: parent) } else { tell(ids[0], to: parent, child) }
    child.performAndWait {
      #expect(objects.map(\.isDeleted) == [true, true, true, false])
      #expect(objects.map { $0.managedObjectContext === child } == [false, false, false, true])
      #expect(objects[3].string("title") == "B")
    }
  }

  @Test("A save that is merged automatically names all that its rules have deleted", arguments: StoreKind.allCases)
  func automatic(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let context = stack.context
    context.automaticallyMergesChangesFromParent = true
    let ids = try stack.elsewhere { other in
      let author = other.new("Author", ["name": "Kafka"])
      let book = other.new("Book", ["title": "A", "author": author])
      let chapter = other.new("Chapter", ["title": "1", "book": book])
      try other.save()
      return [author, book, chapter].map(\.objectID)
    }
    let objects = context.performAndWait { ids.map { context.object(with: $0) } }
    try stack.deleteRow(ids[0])
    context.performAndWait {
      #expect(objects.allSatisfy { $0.isDeleted && $0.managedObjectContext == nil })
    }
  }

  @Test(
    "After a batch delete the ids that it names are enough", arguments: StoreKind.allCases.filter(\.makesSQL))
  func batch(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author", ["name": "Kafka"])
      let books = ["A", "B"].map { context.new("Book", ["title": $0, "author": author]) }
      try context.save()
      let screen = try ListScreen(context)
      #expect(screen.text == "A B")
      let request = NSBatchDeleteRequest(objectIDs: [author.objectID])
      request.resultType = .resultTypeObjectIDs
      let result = try #require(try context.execute(request) as? NSBatchDeleteResult)
      #expect(result.result as? [NSManagedObjectID] == [author.objectID])
      tell(author.objectID, to: context)
      #expect(books.allSatisfy(\.isDeleted) && screen.text.isEmpty)
    }
  }

  @Test("Rows that another coordinator has deleted are looked for in the file, and forgotten by the cache", aboutFiles)
  func otherCoordinator() throws {
    try withStack(.sqlite) { stack, context in
      let author = context.new("Author", ["name": "Kafka"])
      let book = context.new("Book", ["title": "A", "author": author])
      try context.save()
      book.read()
      let far = try Stack(.sqlite, at: stack.url)
      try far.context.performAndWait {
        far.context.delete(try far.context.only("Author"))
        try far.context.save()
      }
      tell(author.objectID, to: context)
      #expect(book.isDeleted && book.string("title") == "A")
      #expect(failure { _ = try context.existingObject(with: book.objectID) } != nil)
      withExtendedLifetime(far) {}
    }
  }

  @Test("The store is asked once for each entity and level, and not at all where no rule cascades", aboutFiles)
  func questions() throws {
    try withStack(.sqlite) { stack, context in
      let trace = StatementTrace(level: 1, isRecording: true)
      (stack.store as! SQLiteStore).trace = trace
      let ids = try stack.elsewhere { other in
        let author = other.new("Author", ["name": "Kafka"])
        let books = (0..<3).map { other.new("Book", ["title": "\($0)", "author": author]) }
        let chapters = books.map { other.new("Chapter", ["title": "1", "book": $0]) }
        let tag = other.new("Tag", ["name": "t"])
        try other.save()
        return ([author] + books + chapters + [tag]).map(\.objectID)
      }
      let objects = ids.map { context.object(with: $0) }
      try stack.deleteRow(ids[7])
      try stack.deleteRow(ids[0])
      _ = trace.takeRecorded()
      tell(ids[7], to: context)
      #expect(!trace.takeRecorded().contains { $0.contains(" t0") })
      tell(ids[0], to: context)
      let asked = trace.takeRecorded()
      for table in ["ZBOOK", "ZCHAPTER"] { #expect(asked.filter { $0.contains("\(table) t0") }.count == 1) }
      #expect(objects.filter(\.isDeleted).count == objects.count)
    }
  }

  @Test("An object that left is inserted again as a new one, and is deleted no more", arguments: StoreKind.allCases)
  func insertedAgain(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author", ["name": "Kafka"])
      let book = context.new("Book", ["title": "A", "author": author])
      try context.save()
      book.read()
      try stack.deleteRow(author.objectID)
      tell(author.objectID, to: context)
      #expect(book.isDeleted)
      context.insert(book)
      #expect(book.isInserted && !book.isDeleted)
      try context.save()
      #expect(!book.isDeleted && !book.hasChanges)
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["A"])
    }
  }
}
