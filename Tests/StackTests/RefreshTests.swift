import Testing

@testable import CoreData

@Suite("Rollback, refresh, reset")
struct RefreshTests {
  /// A saved author with two books, changed in every way.
  private func changed(_ context: NSManagedObjectContext) throws
    -> (author: NSManagedObject, books: [NSManagedObject], new: NSManagedObject)
  {
    let author = context.new("Author", ["name": "Kafka"])
    let books = (0..<2).map { context.new("Book", ["title": "\($0)", "author": author]) }
    try context.save()
    author["name"] = "Changed"
    books[0]["author"] = nil
    context.delete(books[1])
    let new = context.new("Book", ["title": "new", "author": author])
    return (author, books, new)
  }

  @Test(
    "Rollback: new objects go, deleted ones come back, changed ones and their relationships are as they were",
    arguments: StoreKind.withCustom)
  func rollback(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (author, books, new) = try changed(context)
      let log = NotificationLog(context)
      context.rollback()
      #expect(!context.hasChanges)
      #expect(author.string("name") == "Kafka")
      #expect(author.objects("books") == Set(books))
      #expect(books[0].object("author") === author)
      #expect(!books[1].isDeleted)
      #expect(books[1].string("title") == "1")
      #expect(new.managedObjectContext == nil)
      #expect(!new.isInserted)
      #expect(log["didChange"] != nil)
      try context.save()
      #expect(log["didSave"]?.userInfo?.isEmpty == true, "Nothing was left to save.")
      books[1]["title"] = "still usable"
      try context.save()
      try stack.elsewhere { other throws in
        #expect(try other.strings("Book", "title") == ["0", "still usable"])
      }
    }
  }

  @Test("Rollback tells the objects", arguments: StoreKind.withCustom)
  func rollbackFlags(_ kind: StoreKind) throws {
    let model = model([entity("Flagged", [attribute("name")], class: Flagged.self)])
    try withStack(kind, model) { _, context in
      let object = context.new("Flagged") as! Flagged
      try context.save()
      object["name"] = "a"
      context.rollback()
      #expect(object.flags == [.rollback])
      object["name"] = "b"
      context.refresh(object, mergeChanges: true)
      #expect(object.flags == [.rollback, .refresh])
    }
  }

  @Test(
    "refresh(mergeChanges: true) takes the new row under the unsaved changes", arguments: StoreKind.withCustom)
  func refreshMerging(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A", "pages": 1])
      try context.save()
      try stack.elsewhere { other throws in
        other.same(book).setValuesForKeys(["title": "theirs", "pages": 2])
        try other.save()
      }
      book["title"] = "mine"
      context.refresh(book, mergeChanges: true)
      #expect(book.string("title") == "mine")
      #expect(book.int("pages") == 2)
      #expect(book.isUpdated)
      try context.save()
      try stack.elsewhere { other throws in
        #expect(other.same(book).string("title") == "mine")
        #expect(other.same(book).int("pages") == 2)
      }
    }
  }

  @Test(
    "refresh(mergeChanges: true) keeps unsaved members of relationships over the store's new ones",
    arguments: StoreKind.withCustom)
  func refreshRelationships(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book")
      let tags = (0..<4).map { context.new("Tag", ["name": "\($0)"]) }
      book["tags"] = Set(tags[0...1])
      try context.save()
      #expect(book.objects("tags").count == 2)
      try stack.elsewhere { other throws in
        other.same(book).mutableSetValue(forKey: "tags").add(other.same(tags[2]))
        try other.save()
      }
      let proxy = book.mutableSetValue(forKey: "tags")
      proxy.remove(tags[0])
      proxy.add(tags[3])
      context.refresh(book, mergeChanges: true)
      #expect(book.objects("tags") == Set(tags[1...3]))
      try context.save()
      try stack.elsewhere { other throws in #expect(other.same(book).objects("tags").count == 3) }
    }
  }

  @Test("refresh(mergeChanges: false) drops the changes and makes a fault", arguments: StoreKind.withCustom)
  func refreshDropping(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      book["title"] = "mine"
      context.refresh(book, mergeChanges: false)
      #expect(book.isFault)
      #expect(!book.hasChanges)
      #expect(!context.hasChanges)
      #expect(context.updatedObjects.isEmpty)
      #expect(book.string("title") == "A")
      try stack.elsewhere { other throws in
        other.same(book)["title"] = "theirs"
        try other.save()
      }
      context.refresh(book, mergeChanges: false)
      #expect(book.string("title") == "theirs")
    }
  }

  @Test("refreshAllObjects keeps pending changes", arguments: StoreKind.withCustom)
  func refreshAll(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (author, books, new) = try changed(context)
      context.processPendingChanges()
      context.refreshAllObjects()
      #expect(author.string("name") == "Changed")
      #expect(new.isInserted && new.string("title") == "new")
      #expect(books[1].isDeleted)
      #expect(author.objects("books") == [new])
      try context.save()
      #expect(try context.all("Book").count == 2)
    }
  }

  @Test("reset forgets everything: the objects are no longer of the context", arguments: StoreKind.withCustom)
  func reset(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (author, _, new) = try changed(context)
      let log = NotificationLog(context)
      let id = author.objectID
      context.reset()
      #expect(!context.hasChanges)
      #expect(context.registeredObjects.isEmpty)
      #expect(author.managedObjectContext == nil && new.managedObjectContext == nil)
      #expect(
        (log["didChange"]?.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID])?.contains(id)
          == true)
      #expect(context.object(with: id) !== author)
      #expect(context.object(with: id).string("name") == "Kafka")
      #expect(try context.all("Book").count == 2)
    }
  }

  @Test("After a reset an object is a fault until it is used, and has no values then", arguments: StoreKind.withCustom)
  func usedAfterReset(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let read = context.new("Book", ["title": "A"])
      let fault = context.new("Book", ["title": "B"])
      try context.save()
      context.refresh(fault, mergeChanges: false)
      let new = context.new("Book", ["title": "C"])
      context.reset()
      for book in [read, fault, new] {
        #expect(book.isFault && book.faultingState != 0 && book.managedObjectContext == nil)
        book.willAccessValue(forKey: nil)
        #expect(!book.isFault && book.faultingState == 0 && book.managedObjectContext == nil)
        #expect(book.string("title") == nil && !book.description.contains("<fault>"))
      }
    }
  }

  @Test("hasChanges and its kin follow every state", arguments: StoreKind.withCustom)
  func hasChanges(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      #expect(!context.hasChanges)
      let book = context.new("Book")
      #expect(context.hasChanges && book.hasChanges && book.isInserted && !book.isUpdated && !book.isDeleted)
      book["title"] = "A"
      #expect(book.isInserted && !book.isUpdated)
      #expect(context.insertedObjects == [book] && context.updatedObjects.isEmpty)
      try context.save()
      #expect(!context.hasChanges && !book.hasChanges && !book.isInserted && !book.hasPersistentChangedValues)
      book["title"] = "A"
      #expect(context.hasChanges && book.hasChanges && book.isUpdated && !book.hasPersistentChangedValues)
      book["title"] = "B"
      #expect(book.hasPersistentChangedValues)
      context.delete(book)
      #expect(
        book.isDeleted && !book.isUpdated && context.updatedObjects.isEmpty
          && context.deletedObjects == [book])
      try context.save()
      #expect(!context.hasChanges && !book.hasChanges && !book.isDeleted)
    }
  }

  @Test("stalenessInterval 0 asks the store again, for a fault", arguments: StoreKind.withCustom)
  func staleness(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      book.read()
      context.stalenessInterval = 0
      try stack.elsewhere { other throws in
        other.same(book)["title"] = "B"
        try other.save()
      }
      #expect(book.string("title") == "A")
      context.refresh(book, mergeChanges: false)
      #expect(book.string("title") == "B")
    }
  }

  @Test("stalenessInterval 0 gives what another connection has written to the file")
  func stalenessOfFiles() throws {
    try withStack(.sqlite) { stack, context in
      let books = [context.new("Book", ["title": "A"]), context.new("Book", ["title": "B"])]
      try context.save()
      let outside = try Connection(path: stack.url.path, options: Connection.Options())
      for title in ["1", "2", "3"] {
        // A fault that was read has left a transaction open.
        context.refresh(books[1], mergeChanges: false)
        books[1].read()
        context.stalenessInterval = -1
        _ = books[0].string("title")
        try outside.execute("UPDATE ZBOOK SET ZTITLE = '\(title)'")
        context.stalenessInterval = 0
        context.refresh(books[0], mergeChanges: false)
        #expect(books[0].string("title") == title)
      }
    }
  }

  @Test(
    "An object that was refreshed without its changes can change again after a save, and be saved",
    arguments: StoreKind.withCustom)
  func changeAfterRefresh(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "a"])
      try context.save()
      book["title"] = "b"
      context.refresh(book, mergeChanges: false)
      context.new("Tag")
      try context.save()
      book["title"] = "c"
      #expect(context.updatedObjects == [book])
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["c"])
    }
  }

  @Test(
    "An object whose deletion was taken back can be deleted after the next save", arguments: StoreKind.withCustom)
  func deletionAfterReturn(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book")
      try context.save()
      context.delete(book)
      context.insert(book)
      context.new("Tag")
      try context.save()
      context.delete(book)
      #expect(context.deletedObjects == [book])
      try context.save()
      #expect(try stack.elsewhere { try $0.all("Book").count } == 0)
    }
  }

  @Test(
    "Refreshing a to-many relationship that changed here brings what changed elsewhere, and keeps what changed here",
    arguments: StoreKind.withCustom, [true, false])
  func refreshedMembers(_ kind: StoreKind, _ isFault: Bool) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author")
      let books = ["both", "here", "there"].map { context.new("Book", ["title": $0]) }
      try context.save()
      if isFault { context.refresh(author, mergeChanges: false) }
      // From the other side: the author itself is not read.
      for book in books.prefix(2) { book["author"] = author }
      if !isFault { #expect(author.objects("books").count == 2) }
      try stack.elsewhere { other in
        for book in [books[0], books[2]] { other.same(book)["author"] = other.same(author) }
        try other.save()
      }
      context.refresh(author, mergeChanges: true)
      context.refresh(books[2], mergeChanges: true)
      if !isFault { #expect(author.objects("books") == Set(books)) }
      books[0]["author"] = nil
      #expect(author.objects("books") == Set(books.dropFirst()))
    }
  }
}

final class Flagged: NSManagedObject {
  var flags: [NSSnapshotEventType] = []
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { self.flags.append(flags) }
}
