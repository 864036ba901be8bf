import CoreData
import Testing

@Suite("Merging changes of other contexts")
struct MergingTests {
  /// Runs `change` in another context, and hands the notification of its save to `context`.
  private func mergeSave(
    _ stack: Stack, _ context: NSManagedObjectContext,
    name: Notification.Name = .NSManagedObjectContextDidSave,
    _ change: (NSManagedObjectContext) throws -> Void
  ) throws {
    var notification: Notification?
    try stack.elsewhere { other in
      let token = NotificationCenter.default.addObserver(forName: name, object: other, queue: nil) {
        notification = $0
      }
      defer { NotificationCenter.default.removeObserver(token) }
      try change(other)
      try other.save()
      notification?.object = nil
    }
    context.mergeChanges(fromContextDidSave: try #require(notification))
  }

  @Test(
    "Objects of a merged deletion say that they are deleted, while observers are told of it and from then on",
    arguments: StoreKind.withCustom)
  func saysDeleted(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "a"])
      try context.save()
      var said: [Bool] = []
      let names: [Notification.Name] = [
        .NSManagedObjectContextObjectsDidChange, .NSManagedObjectContextDidMergeChangesObjectIDs,
      ]
      let tokens = names.map { name in
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { _ in
          said.append(book.isDeleted)
        }
      }
      defer { tokens.forEach(NotificationCenter.default.removeObserver) }
      try mergeSave(stack, context) { other in other.delete(other.same(book)) }
      #expect(said == [true, true] && book.isDeleted)
    }
  }

  @Test(
    "Inserted, updated and deleted objects are taken over, nothing counts as a change, and the notification says so",
    arguments: StoreKind.withCustom,
    [Notification.Name.NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs])
  func merge(_ kind: StoreKind, _ name: Notification.Name) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author", ["name": "Kafka"])
      let books = (0..<3).map { context.new("Book", ["title": "\($0)", "author": author]) }
      try context.save()
      #expect(author.objects("books").count == 3)
      let log = NotificationLog(context)
      try mergeSave(stack, context, name: name) { other in
        other.same(books[0])["title"] = "theirs"
        other.delete(other.same(books[1]))
        other.new("Book", ["title": "new", "author": other.same(author)])
      }
      #expect(!context.hasChanges)
      #expect(books[0].string("title") == "theirs")
      #expect(books[1].managedObjectContext == nil && books[1].isDeleted)
      #expect(Set(author.objects("books").map { $0.string("title") }) == ["theirs", "2", "new"])
      #expect(log.names == ["didChange", "didMergeIDs"])
      #expect(log["didChange"]?.objects(NSInsertedObjectsKey).count == 1)
      #expect(log["didChange"]?.objects(NSDeletedObjectsKey) == [books[1]])
      #expect(log["didChange"]?.objects(NSRefreshedObjectsKey).contains(books[0]) == true)
      #expect(log["didChange"]?.userInfo?[NSUpdatedObjectsKey] == nil)
      #expect(log["didChange"]?.userInfo?["NSObjectsChangedByMergeChangesKey"] != nil)
      #expect(log["didMergeIDs"]?.ids(NSUpdatedObjectIDsKey).contains(books[0].objectID) == true)
      #expect(log["didMergeIDs"]?.ids(NSInsertedObjectIDsKey).count == 1)
      let refreshed = log["didMergeIDs"]?.ids(NSRefreshedObjectIDsKey)
      #expect(refreshed?.isEmpty == false && refreshed == log["didMergeIDs"]?.ids(NSUpdatedObjectIDsKey))
      try context.save()
      #expect(log["didSave"]?.userInfo?.isEmpty == true)

      log.clear()
      books[0]["title"] = "ours"
      context.processPendingChanges()
      #expect(log["didChange"]?.userInfo?["NSObjectsChangedByMergeChangesKey"] == nil)
    }
  }

  @Test(
    "Unsaved changes stay on top of what is merged, and save without a conflict",
    arguments: StoreKind.withCustom)
  func keepsOwnChanges(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A", "pages": 1])
      try context.save()
      book["title"] = "mine"
      try mergeSave(stack, context) { other in
        other.same(book).setValuesForKeys(["title": "theirs", "pages": 2])
      }
      #expect(book.string("title") == "mine")
      #expect(book.int("pages") == 2)
      #expect(book.isUpdated)
      try context.save()
      try stack.elsewhere { other throws in #expect(other.same(book).string("title") == "mine") }
    }
  }

  @Test("Objects of a context that were not read stay faults", arguments: StoreKind.withCustom)
  func faultsStay(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      context.refresh(book, mergeChanges: false)
      try mergeSave(stack, context) { other in other.same(book)["title"] = "B" }
      #expect(book.isFault)
      #expect(book.string("title") == "B")
    }
  }

  @Test(
    "automaticallyMergesChangesFromParent takes over saves of the coordinator's other contexts",
    arguments: StoreKind.withCustom)
  func automatic(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let context = stack.context
    context.automaticallyMergesChangesFromParent = true
    let book = try context.performAndWait {
      let book = context.new("Book", ["title": "A"])
      try context.save()
      return book
    }
    let other = stack.newContext()
    try other.performAndWait {
      other.same(book)["title"] = "B"
      other.new("Tag", ["name": "new"])
      try other.save()
    }
    try context.performAndWait { () throws in
      #expect(book.string("title") == "B")
      #expect(try context.strings("Tag", "name") == ["new"])
      #expect(!context.hasChanges)
    }
    try other.performAndWait {
      other.delete(other.same(book))
      try other.save()
    }
    context.performAndWait { #expect(book.managedObjectContext == nil) }
  }

  @Test(
    "An object that was set to what it has is refreshed where the save is merged, and a list shows it anew",
    arguments: StoreKind.withCustom, [false, true])
  func touched(_ kind: StoreKind, automatically: Bool) throws {
    final class Screen: NSObject, NSFetchedResultsControllerDelegate {
      var changes: [NSFetchedResultsChangeType] = []
      func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
      ) {
        changes.append(type)
      }
    }
    let stack = try Stack(kind)
    let (context, other) = (stack.context, stack.newContext())
    context.automaticallyMergesChangesFromParent = automatically
    let screen = Screen()
    let (book, list) = try context.performAndWait {
      let book = context.new("Book", ["title": "A"])
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      let list = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
      list.delegate = screen
      try list.performFetch()
      return (book, list)
    }
    let touch = { other.same(book)["title"] = other.same(book)["title"] }
    if automatically {
      try other.performAndWait {
        touch()
        try other.save()
      }
    } else {
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: other, queue: nil
      ) { note in context.performAndWait { context.mergeChanges(fromContextDidSave: note) } }
      defer { NotificationCenter.default.removeObserver(token) }
      try other.performAndWait {
        touch()
        try other.save()
      }
    }
    context.performAndWait {
      #expect(screen.changes == [.update])
      #expect(!context.hasChanges && book.string("title") == "A")
    }
    withExtendedLifetime(list) {}
  }

  @Test("A remote save is merged by ids or URIs", arguments: StoreKind.withCustom, [false, true])
  func remote(_ kind: StoreKind, byURI: Bool) throws {
    let stack = try Stack(kind)
    let context = stack.context
    let (book, gone) = try context.performAndWait {
      let (book, gone) = (context.new("Book", ["title": "A"]), context.new("Book", ["title": "gone"]))
      try context.save()
      return (book, gone)
    }
    try stack.elsewhere { other in
      other.same(book)["title"] = "B"
      other.delete(other.same(gone))
      try other.save()
    }
    func form(_ object: NSManagedObject) -> Any {
      byURI ? object.objectID.uriRepresentation() : object.objectID
    }
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [form(book)], NSDeletedObjectsKey: [form(gone)]],
      into: [context])
    context.performAndWait {
      #expect(book.string("title") == "B")
      #expect(gone.managedObjectContext == nil)
      #expect(!context.hasChanges)
    }
  }

  @Test("A merged delete of an object with unsaved changes drops them", arguments: StoreKind.withCustom)
  func deletedElsewhere(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (author, book) = (context.new("Author"), context.new("Book"))
      try context.save()
      book["author"] = author
      try mergeSave(stack, context) { other in other.delete(other.same(book)) }
      #expect(book.managedObjectContext == nil)
      #expect(author.objects("books").isEmpty)
      try context.save()
      #expect(try context.all("Book").isEmpty)
    }
  }

  @Test(
    "An object that a merge took out may still be deleted and related, without effect", arguments: StoreKind.allCases)
  func lateUse(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (author, tag) = (context.new("Author", ["name": "A"]), context.new("Tag"))
      let (book, gone) = (context.new("Book", ["title": "kept"]), context.new("Book", ["title": "gone"]))
      let (lostTag, lostChapter) = (context.new("Tag"), context.new("Chapter"))
      try context.save()
      gone.read()
      try mergeSave(stack, context) { other in
        other.delete(other.same(gone))
        other.delete(other.same(lostTag))
        other.delete(other.same(lostChapter))
      }
      context.delete(gone)
      gone["author"] = author
      gone["tags"] = Set([tag, lostTag])
      gone["title"] = "late"
      book["tags"] = Set([tag, lostTag])
      let chapter = context.new("Chapter", ["title": "kept"])
      book["chapters"] = NSOrderedSet(array: [lostChapter, chapter])
      #expect(book.list("chapters") == [chapter])
      #expect(author.objects("books").isEmpty && tag.objects("books") == [book])
      #expect(book.objects("tags") == [tag] && gone.objects("tags").isEmpty)
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["kept"])
    }
  }

  @Test(
    "Members that came and went elsewhere come and go in an order that was changed here", arguments: StoreKind.allCases)
  func reordered(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let chapters = (0..<4).map { context.new("Chapter", ["title": "\($0)"]) }
      let book = context.new("Book", ["chapters": NSOrderedSet(array: Array(chapters[0..<3]))])
      try context.save()
      book["chapters"] = NSOrderedSet(array: [chapters[2], chapters[1], chapters[0]])
      try mergeSave(stack, context) { other in
        other.same(chapters[1])["book"] = nil
        other.same(chapters[3])["book"] = other.same(book)
      }
      #expect(book.list("chapters").map { $0.string("title") } == ["2", "0", "3"])
      try context.save()
      try stack.elsewhere { other in
        #expect(other.same(book).list("chapters").map { $0.string("title") } == ["2", "0", "3"])
        #expect(other.same(chapters[1]).object("book") == nil)
      }
    }
  }
}
