import Testing

@testable import CoreData

@Suite("Parent and child contexts")
struct ParentTests {
  /// Runs a body with a child of a stack's context; both contexts' queues are owned.
  private func withChild(
    _ kind: StoreKind, _ body: (Stack, NSManagedObjectContext, NSManagedObjectContext) throws -> Void
  ) throws {
    try withStack(kind) { stack, parent in
      let child = NSManagedObjectContext.child(of: parent)
      try child.performAndWait { try body(stack, parent, child) }
    }
  }

  @Test("A child's save changes its parent and no store; the root's save writes", arguments: StoreKind.withCustom)
  func saves(_ kind: StoreKind) throws {
    try withChild(kind) { stack, parent, child in
      let kept = parent.new("Book", ["title": "Kept", "pages": 1])
      let gone = parent.new("Book", ["title": "Gone"])
      try parent.save()
      child.same(kept)["title"] = "Changed"
      child.delete(child.same(gone))
      child.new("Book", ["title": "New"])
      try child.save()
      #expect(!child.hasChanges)
      #expect(kept.string("title") == "Changed" && kept.isUpdated && kept.int("pages") == 1)
      #expect(gone.isDeleted)
      #expect(parent.insertedObjects.map { $0.string("title") } == ["New"])
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["Gone", "Kept"])
      try parent.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["Changed", "New"])
      #expect(!parent.hasChanges)
    }
  }

  @Test("What a child has set to what it had is an updated object of the parent", arguments: StoreKind.withCustom)
  func touched(_ kind: StoreKind) throws {
    try withChild(kind) { _, parent, child in
      let tag = parent.new("Tag", ["name": "T"])
      try parent.save()
      let log = NotificationLog(parent)
      child.same(tag)["name"] = "T"
      try child.save()
      #expect(parent.updatedObjects == [tag] && tag.changedValues().isEmpty)
      #expect(log["didChange"]?.objects(NSUpdatedObjectsKey) == [tag])
      try parent.save()
      #expect(log["didSave"]?.objects(NSUpdatedObjectsKey) == [tag])
      #expect(!parent.hasChanges && tag.string("name") == "T")
    }
  }

  @Test(
    "What a child deletes, and after its save inserts again or undoes, is related in the parent as in the child",
    arguments: StoreKind.allCases, [false, true])
  func deletedAndBack(_ kind: StoreKind, _ isUndone: Bool) throws {
    try withChild(kind) { stack, parent, child in
      let (author, tag) = (parent.new("Author"), parent.new("Tag"))
      let book = parent.new("Book", ["author": author, "tags": Set([tag])])
      try parent.save()
      child.undoManager = UndoManager()
      let own = child.same(book)
      child.delete(own)
      try child.save()
      #expect(book.isDeleted && tag.objects("books").isEmpty)
      if isUndone {
        child.undo()
      } else {
        child.insert(own)
        own["author"] = child.same(author)
        own["tags"] = Set([child.same(tag)])
      }
      #expect(own.object("author") === child.same(author) && own.objects("tags") == [child.same(tag)])
      try child.save()
      #expect(!book.isDeleted && book.object("author") === author && author.objects("books") == [book])
      #expect(book.objects("tags") == [tag] && tag.objects("books") == [book])
      try parent.save()
      try stack.elsewhere { other throws in
        #expect(try other.only("Book").objects("tags").count == 1)
        #expect(try other.only("Author").objects("books").count == 1)
      }
    }
  }

  @Test(
    "An object that a child has saved and deleted, and inserts again, has its attributes and no relationships",
    arguments: StoreKind.allCases)
  func unsavedAbove(_ kind: StoreKind) throws {
    try withChild(kind) { _, parent, child in
      let author = parent.new("Author")
      try parent.save()
      let book = child.new("Book", ["title": "T", "author": child.same(author)])
      try child.save()
      child.delete(book)
      try child.save()
      child.insert(book)
      #expect(book.isInserted && book.string("title") == "T" && book.object("author") == nil)
      try child.save()
      let found = try parent.only("Book")
      #expect(found.string("title") == "T" && found.object("author") == nil)
      #expect(author.objects("books").isEmpty)
    }
  }

  @Test("Members that the root saves one by one are known in a child by their new ids", arguments: StoreKind.withCustom)
  func renamedMembers(_ kind: StoreKind) throws {
    try withChild(kind) { stack, parent, child in
      let author = child.new("Author", ["name": "A"])
      let tag = child.new("Tag", ["name": "T"])
      var books: [NSManagedObject] = []
      for number in 0..<5 {
        books.append(child.new("Book", ["title": "\(number)", "author": author, "tags": NSSet(object: tag)]))
        try child.save()
        if number != 2 { try parent.save() }
        // Unsaved above, so by its temporary id.
        if number == 2 { books[0]["author"] = nil }
      }
      try child.obtainPermanentIDs(for: books)
      #expect(books.allSatisfy { !$0.objectID.isTemporaryID })
      #expect(author.objects("books") == Set(books.dropFirst()) && tag.objects("books") == Set(books))
      // What another child gets by the new ids are the members.
      let sibling = NSManagedObjectContext.child(of: parent)
      try sibling.performAndWait {
        #expect(sibling.same(author).objects("books") == Set(books.dropFirst().map(sibling.same)))
        sibling.same(books[3])["author"] = nil
        try sibling.save()
      }
      try parent.save()
      child.refreshAllObjects()
      #expect(author.objects("books") == [books[1], books[2], books[4]])
      #expect(tag.objects("books") == Set(books))
    }
  }

  @Test("A removal of a member that the parent has not saved is kept when it does", arguments: StoreKind.withCustom)
  func renamedRemoval(_ kind: StoreKind) throws {
    try withChild(kind) { stack, parent, child in
      let author = parent.new("Author", ["name": "A"])
      try parent.save()
      let books = (0..<2).map { parent.new("Book", ["title": "\($0)", "author": author]) }
      let same = child.same(books[0])
      // The others are not read.
      same["author"] = nil
      try parent.save()
      #expect(child.same(author).objects("books") == [child.same(books[1])])
      #expect(!same.objectID.isTemporaryID)
      try child.save()
      try parent.save()
      #expect(author.objects("books") == [books[1]])
      #expect(try stack.elsewhere { other throws in other.same(author).objects("books").count } == 1)
    }
  }

  @Test(
    "A new child, and one that was reset, knows objects by the temporary ids that they had in its parent",
    arguments: StoreKind.allCases)
  func formerIDs(_ kind: StoreKind) throws {
    try withStack(kind) { stack, parent in
      let author = parent.new("Author", ["name": "A"])
      let book = parent.new("Book", ["title": "B", "author": author])
      let ids = [author, book].map(\.objectID)
      try parent.save()
      #expect(ids.allSatisfy(\.isTemporaryID) && !book.objectID.isTemporaryID)
      let child = NSManagedObjectContext.child(of: parent)
      try child.performAndWait { () throws in
        for _ in 0..<2 {
          let objects = ids.map(child.object(with:))
          #expect(objects.map(\.objectID) == [author, book].map(\.objectID))
          #expect(child.registeredObject(for: ids[1]) === objects[1] && child.same(book) === objects[1])
          let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
          request.predicate = NSPredicate(format: "author == %@", ids[0])
          #expect(try child.fetch(request) == [objects[1]])
          // Now the child evaluates the predicate itself.
          objects[1]["title"] = "C"
          #expect(try child.fetch(request) == [objects[1]])
          child.reset()
        }
      }
      // One that was saved since is known as well.
      let late = parent.new("Book")
      let lateID = late.objectID
      try child.performAndWait {
        let same = child.object(with: lateID)
        try parent.save()
        #expect(try child.all("Book").count == 2)
        #expect(!same.objectID.isTemporaryID && child.same(late) === same && child.object(with: lateID) === same)
      }
    }
  }

  @Test(
    "A row that names an object by its former temporary id leads to that object, in a new child too",
    arguments: StoreKind.withCustom, [false, true])
  func formerIDsInRows(_ kind: StoreKind, isKnownBefore: Bool) throws {
    try withChild(kind) { _, root, main in
      let author = root.new("Author", ["name": "A"])
      let book = root.new("Book", ["title": "B", "author": author])
      let same = main.same(book)
      #expect(same.string("title") == "B")
      try root.save()
      if isKnownBefore { #expect(try main.all("Book") == [same]) }
      let child = NSManagedObjectContext.child(of: main)
      try child.performAndWait {
        for _ in 0..<2 {
          #expect(child.same(book).object("author") === child.same(author))
          #expect(child.same(author).objects("books") == [child.same(book)])
          child.same(book)["title"] = "C"
          try child.save()
          child.reset()
        }
      }
      #expect(same.string("title") == "C" && same.object("author") === main.same(author))
    }
  }

  @Test("A child has its parent's coordinator and holds its parent", arguments: StoreKind.withCustom)
  func coordinator(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    var parent: NSManagedObjectContext? = stack.newContext()
    weak let weakParent = parent
    var child: NSManagedObjectContext? = .child(of: parent!)
    #expect(child?.persistentStoreCoordinator === stack.coordinator)
    parent = nil
    #expect(weakParent != nil && child?.parent === weakParent)
    child = nil
    #expect(weakParent == nil)
  }

  @Test(
    "An object that a child inserted is the parent's inserted object of the same temporary id, and is not woken again",
    arguments: StoreKind.withCustom)
  func insertion(_ kind: StoreKind) throws {
    let stack = try Stack(kind, Waking.model())
    try stack.context.performAndWait {
      let parent = stack.context
      let child = NSManagedObjectContext.child(of: parent)
      try child.performAndWait {
        let book = child.new("Waking", ["title": "T"])
        try child.save()
        let theirs = try #require(parent.registeredObject(for: book.objectID))
        #expect(theirs !== book && theirs.objectID == book.objectID && theirs.objectID.isTemporaryID)
        #expect(theirs.isInserted && !book.isInserted && parent.insertedObjects == [theirs])
        #expect(theirs.string("woken") == "yes")
      }
    }
  }

  @Test(
    "A child keeps temporary ids after its save, and has the permanent ones when it asks its parent again",
    arguments: StoreKind.withCustom)
  func permanentIDs(_ kind: StoreKind) throws {
    try withChild(kind) { _, parent, child in
      let author = child.new("Author", ["name": "Kafka"])
      let book = child.new("Book", ["title": "Amerika", "author": author])
      let former = author.objectID
      try child.save()
      #expect(former.isTemporaryID && author.objectID == former)
      try parent.save()
      #expect(try child.only("Author") === author)
      #expect(!author.objectID.isTemporaryID && author.objectID == parent.same(author).objectID)
      #expect(child.object(with: former) === author)
      #expect(book.object("author") === author && author.objects("books") == [book])
      // What is added now goes on from there.
      let second = child.new("Book", ["title": "Das Schloss", "author": author])
      try child.save()
      try parent.save()
      #expect(author.objects("books") == [book, second])
      #expect(try child.fetch(request("Book", "author == %@", author)).count == 2)
      #expect(child.brokenInvariants() == [])
    }
  }

  @Test(
    "A parent that was asked for a child's new object has it when the child has saved", arguments: StoreKind.withCustom,
    [false, true])
  func askedTooEarly(_ kind: StoreKind, isRead: Bool) throws {
    try withChild(kind) { stack, parent, child in
      let book = child.new("Book", ["title": "T"])
      let early = parent.object(with: book.objectID)
      if isRead { #expect(early.string("title") == nil) }
      #expect(early.objectID == book.objectID && !parent.hasChanges)
      try child.save()
      #expect(parent.object(with: book.objectID) === early && early.isInserted && early.string("title") == "T")
      try parent.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["T"])
    }
  }

  @Test("A permanent id finds the object that the child knows by its temporary one", arguments: StoreKind.withCustom)
  func findingByPermanentID(_ kind: StoreKind) throws {
    try withChild(kind) { _, parent, child in
      let book = child.new("Book", ["title": "T"])
      try child.save()
      let theirs = try #require(parent.registeredObject(for: book.objectID))
      try parent.save()
      #expect(child.registeredObject(for: theirs.objectID) === book)
      #expect(try child.existingObject(with: theirs.objectID) === book)
      #expect(book.objectID == theirs.objectID)
    }
  }

  @Test(
    "obtainPermanentIDs before the child's save: both contexts use the id to the end", arguments: StoreKind.withCustom)
  func obtaining(_ kind: StoreKind) throws {
    try withChild(kind) { stack, parent, child in
      let book = child.new("Book", ["title": "T"])
      try child.obtainPermanentIDs(for: [book])
      let id = book.objectID
      #expect(!id.isTemporaryID && book.isInserted)
      try child.save()
      #expect(parent.registeredObject(for: id)?.isInserted == true)
      // An object that is new in the parent gets its id there.
      let other = parent.new("Book", ["title": "U"])
      let mine = child.same(other)
      try child.obtainPermanentIDs(for: [mine])
      #expect(!mine.objectID.isTemporaryID && mine.objectID == other.objectID)
      try parent.save()
      #expect(book.objectID == id)
      #expect(try stack.elsewhere { try $0.existingObject(with: id).string("title") } == "T")
    }
  }

  @Test("A child's fetch finds what the parent has not saved, as values of now", arguments: StoreKind.withCustom)
  func fetching(_ kind: StoreKind) throws {
    try withChild(kind) { _, parent, child in
      let a = parent.new("Book", ["title": "A", "pages": 1])
      let b = parent.new("Novel", ["title": "B", "pages": 2])
      try parent.save()
      a["pages"] = 10
      parent.delete(b)
      parent.new("Novel", ["title": "C", "pages": 3])
      func titles(_ format: String, pending: Bool = true) throws -> [String?] {
        let request = request("Book", format)
        request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
        request.includesPendingChanges = pending
        return try child.fetch(request).map { $0.string("title") }
      }
      #expect(try titles("pages > 2") == ["A", "C"])
      #expect(try child.count(for: request("Book", "TRUEPREDICATE")) == 2)
      #expect(try child.all("Novel").map { $0.objectID.isTemporaryID } == [true])
      // The child's own changes lie over those of the parent.
      let d = child.new("Book", ["title": "D", "pages": 5])
      child.same(a)["title"] = "A2"
      #expect(try titles("pages > 2") == ["A2", "D", "C"])
      #expect(try titles("pages > 2", pending: false) == ["A2", "C"])
      #expect(try child.count(for: request("Book", "title BEGINSWITH 'A2'")) == 1)
      child.delete(d)
      #expect(try titles("TRUEPREDICATE") == ["A2", "C"])
      #expect(try parent.strings("Book", "title") == ["A", "C"])
    }
  }

  @Test("What a child reads is registered in its parent while it is used there", arguments: StoreKind.withCustom)
  func registration(_ kind: StoreKind) throws {
    try withChild(kind) { stack, parent, child in
      try stack.elsewhere { other in
        other.new("Book", ["title": "A"])
        try other.save()
      }
      parent.retainsRegisteredObjects = true
      let book = try child.only("Book")
      #expect(parent.registeredObjects.map(\.objectID) == [book.objectID])
    }
  }

  @Test("Relationships of every kind come out of the child as they went in", arguments: StoreKind.withCustom)
  func relationships(_ kind: StoreKind) throws {
    try withChild(kind) { stack, parent, child in
      let one = parent.new("Tag", ["name": "one"])
      let book = parent.new("Book", ["title": "T"])
      book["tags"] = NSSet(object: one)
      book["chapters"] = NSOrderedSet(array: (0..<4).map { parent.new("Chapter", ["title": "\($0)"]) })
      try parent.save()
      let mine = child.same(book)
      let two = child.new("Tag", ["name": "two"])
      mine["tags"] = NSSet(object: two)
      let chapters = mine.list("chapters")
      let last = child.new("Chapter", ["title": "new"])
      child.delete(chapters[1])
      mine["chapters"] = NSOrderedSet(array: [last, chapters[3], chapters[0], chapters[2]])
      let author = child.new("Author", ["name": "A"])
      mine["author"] = author
      author["passport"] = child.new("Passport", ["number": "7"])
      try child.save()
      func check(_ book: NSManagedObject) {
        #expect(book.objects("tags").compactMap { $0.string("name") } == ["two"])
        #expect(book.list("chapters").map { $0.string("title") } == ["new", "3", "0", "2"])
        #expect(book.object("author")?.object("passport")?.string("number") == "7")
        #expect(book.object("author")?.objects("books") == [book])
      }
      check(book)
      #expect(one.objects("books").isEmpty)
      #expect(parent.brokenInvariants() == [])
      try parent.save()
      check(book)
      check(mine)
      try stack.elsewhere { check(try $0.only("Book")) }
      child.forget()
      check(mine)
    }
  }

  @Test(
    "Members that parent and child added to one ordered relationship are all there", arguments: StoreKind.withCustom)
  func orderOfBoth(_ kind: StoreKind) throws {
    try withChild(kind) { _, parent, child in
      let book = parent.new("Book")
      book["chapters"] = NSOrderedSet(array: [parent.new("Chapter", ["title": "a"])])
      try parent.save()
      let mine = child.same(book)
      let first = mine.list("chapters")[0]
      parent.new("Chapter", ["title": "p", "book": book])
      mine["chapters"] = NSOrderedSet(array: [child.new("Chapter", ["title": "c"]), first])
      try child.save()
      #expect(book.list("chapters").map { $0.string("title") } == ["c", "a", "p"])
    }
  }

  @Test("A cascade in the child deletes in the parent, and again reaches what only the parent knows")
  func cascades() throws {
    try withChild(.inMemory) { _, parent, child in
      let author = parent.new("Author")
      let old = parent.new("Book", ["title": "old", "author": author])
      try parent.save()
      child.delete(child.same(author))
      child.processPendingChanges()
      #expect(child.same(old).isDeleted)
      let new = parent.new("Book", ["title": "new", "author": author])
      try child.save()
      #expect(author.isDeleted && old.isDeleted)
      #expect(new.managedObjectContext == nil, "A new object that is deleted leaves the context.")
      try parent.save()
      #expect(try parent.all("Book").isEmpty)
    }
  }

  @Test("An object inserted and saved in the child, and deleted there, never reaches the store")
  func insertThenDelete() throws {
    try withChild(.sqlite) { _, parent, child in
      let book = child.new("Book")
      try child.save()
      #expect(parent.insertedObjects.count == 1)
      child.delete(book)
      try child.save()
      #expect(!parent.hasChanges && parent.insertedObjects.isEmpty)
      #expect(book.managedObjectContext == nil)
    }
  }

  @Test("willSave and validation take place in the child, and again in the parent", arguments: StoreKind.withCustom)
  func validation(_ kind: StoreKind) throws {
    try withChild(kind) { _, parent, child in
      let book = child.new("Book")
      book["title"] = nil
      let error = failure { try child.save() }
      #expect(error?.code == NSValidationMissingMandatoryPropertyError)
      #expect(parent.insertedObjects.isEmpty && book.isInserted && child.hasChanges)
      book["title"] = "T"
      try child.save()
      book.read()
      parent.same(book)["title"] = nil
      #expect(failure { try parent.save() }?.code == NSValidationMissingMandatoryPropertyError)
      parent.same(book)["title"] = "U"
      try parent.save()
      #expect(book.string("title") == "T", "The child has what it had until it refreshes.")
      child.refresh(book, mergeChanges: true)
      #expect(book.string("title") == "U")
    }
  }

  @Test("Property by property, the later of child and parent wins", arguments: StoreKind.withCustom)
  func lastWriter(_ kind: StoreKind) throws {
    try withChild(kind) { _, parent, child in
      let book = parent.new("Book", ["title": "T", "pages": 1, "isbn": "i"])
      try parent.save()
      let mine = child.same(book)
      mine["title"] = "child"
      book["title"] = "parent"
      book["pages"] = 2
      try child.save()
      #expect(book.string("title") == "child" && book.int("pages") == 2 && book.string("isbn") == "i")
    }
  }

  @Test(
    "Changing what the parent has deleted is a conflict, which the child's policy settles",
    arguments: StoreKind.withCustom)
  func deletedAbove(_ kind: StoreKind) throws {
    try withChild(kind) { _, parent, child in
      let book = parent.new("Book", ["title": "T", "pages": 3])
      try parent.save()
      let mine = child.same(book)
      mine["title"] = "mine"
      parent.delete(book)
      parent.processPendingChanges()
      let error = failure { try child.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      let conflict = (error?.userInfo["conflictList"] as? [NSMergeConflict])?.first
      #expect(conflict?.sourceObject === mine && conflict?.newVersionNumber == 0)
      #expect(mine.string("title") == "mine" && child.hasChanges)
      child.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try child.save()
      #expect(!book.isDeleted && book.string("title") == "mine" && book.int("pages") == 3)
    }
  }

  @Test("Rollback, refresh and reset of a child go back to what the parent has", arguments: StoreKind.withCustom)
  func goingBack(_ kind: StoreKind) throws {
    try withChild(kind) { _, parent, child in
      let book = parent.new("Book", ["title": "T"])
      let mine = child.same(book)
      #expect(mine.objectID.isTemporaryID && mine.string("title") == "T" && !mine.isInserted)
      mine["title"] = "mine"
      child.new("Book", ["title": "new"])
      child.rollback()
      #expect(mine.string("title") == "T" && !child.hasChanges)
      book["title"] = "U"
      #expect(mine.string("title") == "T")
      child.refresh(mine, mergeChanges: false)
      #expect(mine.isFault && mine.string("title") == "U")
      child.reset()
      #expect(mine.managedObjectContext == nil)
      let again = try child.only("Book")
      #expect(again.string("title") == "U")
      #expect(book.string("title") == "U" && parent.insertedObjects == [book])
    }
  }

  @Test("A grandchild's changes need two saves to the root, and a third to the store", arguments: StoreKind.withCustom)
  func depth(_ kind: StoreKind) throws {
    try withChild(kind) { stack, root, middle in
      let leaf = NSManagedObjectContext.child(of: middle)
      try leaf.performAndWait {
        let author = leaf.new("Author", ["name": "A"])
        let book = leaf.new("Book", ["title": "T", "author": author])
        try leaf.save()
        #expect(middle.insertedObjects.count == 2 && !root.hasChanges)
        try middle.save()
        #expect(root.insertedObjects.count == 2 && !middle.hasChanges)
        try root.save()
        #expect(try leaf.only("Book") === book)
        #expect(!book.objectID.isTemporaryID)
        #expect(middle.same(book).object("author")?.objectID == author.objectID)
        book["title"] = "U"
        leaf.delete(author)
        try leaf.save()
        try middle.save()
        #expect(try root.all("Author").isEmpty)
        #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["T"])
        try root.save()
        #expect(try stack.elsewhere { try $0.strings("Book", "title") } == [])
        #expect(leaf.brokenInvariants() + middle.brokenInvariants() + root.brokenInvariants() == [])
      }
    }
  }

  @Test("The root's failed save leaves the child's pushed changes where they were", arguments: StoreKind.withCustom)
  func failedRootSave(_ kind: StoreKind) throws {
    try withChild(kind) { stack, parent, child in
      let book = parent.new("Book", ["title": "T"])
      try parent.save()
      child.same(book)["title"] = "child"
      try child.save()
      try stack.elsewhere { other in
        other.same(book)["title"] = "other"
        try other.save()
      }
      #expect(failure { try parent.save() }?.code == NSManagedObjectMergeError)
      #expect(book.string("title") == "child" && book.isUpdated)
      parent.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try parent.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["child"])
    }
  }

  @Test("Unsaved objects of the parent are related to new ones of the child", arguments: StoreKind.withCustom)
  func unsavedInBoth(_ kind: StoreKind) throws {
    try withChild(kind) { stack, parent, child in
      let author = parent.new("Author", ["name": "A"])
      let first = parent.new("Book", ["title": "1", "author": author])
      let mine = child.same(author)
      #expect(mine.objects("books").map { $0.string("title") } == ["1"])
      child.new("Book", ["title": "2", "author": mine])
      try child.save()
      #expect(author.objects("books").count == 2)
      try parent.save()
      #expect(mine.objects("books").count == 2)
      child.same(first)["author"] = nil
      #expect(mine.objects("books").map { $0.string("title") } == ["2"])
      try child.save()
      try parent.save()
      #expect(try stack.elsewhere { try $0.only("Author").objects("books").count } == 1)
    }
  }
}
