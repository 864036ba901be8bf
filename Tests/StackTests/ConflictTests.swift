import Testing

@testable import CoreData

@Suite("Version conflicts")
struct ConflictTests {
  /// A book both contexts changed: mine is title and isbn, theirs title and pages.
  private func conflict(
    _ kind: StoreKind, _ policy: NSMergePolicy, deletedThere: Bool = false,
    _ body: (Stack, NSManagedObjectContext, NSManagedObject) throws -> Void
  ) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A", "pages": 1, "isbn": "1"])
      try context.save()
      book.read()
      try stack.elsewhere { other in
        if deletedThere {
          other.delete(other.same(book))
        } else {
          other.same(book).setValuesForKeys(["title": "theirs", "pages": 2])
        }
        try other.save()
      }
      context.mergePolicy = policy
      try body(stack, context, book)
    }
  }

  private func stored(_ stack: Stack) throws -> [String] {
    try stack.elsewhere { other in
      try other.all("Book").map { "\($0.string("title")!) \($0.int("pages")!) \($0.string("isbn")!)" }
    }
  }

  @Test("Error: the save throws with the conflict in it, and changes nothing", arguments: StoreKind.allCases)
  func error(_ kind: StoreKind) throws {
    try conflict(kind, .error) { stack, context, book in
      book.setValuesForKeys(["title": "mine", "isbn": "2"])
      let new = context.new("Book", ["title": "new"])
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSManagedObjectMergeError)
      let found = try #require((error.userInfo["conflictList"] as? [NSMergeConflict])?.first)
      #expect(found.sourceObject === book)
      #expect(found.oldVersionNumber == 1)
      #expect(found.newVersionNumber == 2)
      #expect(found.objectSnapshot?["title"] as? String == "A")
      #expect((found.persistedSnapshot ?? found.cachedSnapshot)?["title"] as? String == "theirs")
      #expect(book.string("title") == "mine")
      #expect(context.updatedObjects == [book])
      #expect(context.insertedObjects == [new])
      #expect(new.objectID.isTemporaryID)
      #expect(try stored(stack) == ["theirs 2 1"])
      context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["mine", "new"])
      #expect(!context.hasChanges)
      #expect(book.string("title") == "mine" && book.int("pages") == 2)
    }
  }

  @Test(
    "Merge by property, the store trumping: its value where both changed, mine elsewhere",
    arguments: StoreKind.allCases)
  func storeTrump(_ kind: StoreKind) throws {
    try conflict(kind, .mergeByPropertyStoreTrump) { stack, context, book in
      book.setValuesForKeys(["title": "mine", "isbn": "2"])
      try context.save()
      #expect(try stored(stack) == ["theirs 2 2"])
      #expect(book.string("title") == "theirs" && book.int("pages") == 2 && book.string("isbn") == "2")
      #expect(!context.hasChanges)
    }
  }

  @Test("Merge by property, the object trumping: my value where both changed", arguments: StoreKind.allCases)
  func objectTrump(_ kind: StoreKind) throws {
    try conflict(kind, .mergeByPropertyObjectTrump) { stack, context, book in
      book.setValuesForKeys(["title": "mine", "isbn": "2"])
      try context.save()
      #expect(try stored(stack) == ["mine 2 2"])
      #expect(book.int("pages") == 2)
      #expect(!context.hasChanges)
    }
  }

  @Test("Overwrite: the whole object is written", arguments: StoreKind.allCases)
  func overwrite(_ kind: StoreKind) throws {
    try conflict(kind, .overwrite) { stack, context, book in
      book.setValuesForKeys(["title": "mine", "isbn": "2"])
      try context.save()
      #expect(try stored(stack) == ["mine 1 2"])
      #expect(book.int("pages") == 1)
      #expect(!context.hasChanges)
    }
  }

  @Test("Rollback: the store's row stays", arguments: StoreKind.allCases)
  func rollback(_ kind: StoreKind) throws {
    try conflict(kind, .rollback) { stack, context, book in
      book.setValuesForKeys(["title": "mine", "isbn": "2"])
      let new = context.new("Tag", ["name": "new"])
      try context.save()
      #expect(try stored(stack) == ["theirs 2 1"])
      #expect(book.string("title") == "theirs" && book.string("isbn") == "1")
      #expect(!context.hasChanges)
      #expect(!new.objectID.isTemporaryID)
    }
  }

  @Test(
    "A save after a settled conflict conflicts no more, and versions go on growing",
    arguments: StoreKind.allCases)
  func afterwards(_ kind: StoreKind) throws {
    try conflict(kind, .mergeByPropertyObjectTrump) { stack, context, book in
      book["title"] = "mine"
      try context.save()
      book.read()
      context.mergePolicy = NSErrorMergePolicy
      book["title"] = "again"
      try context.save()
      book.read()
      #expect(book.row?.version == 4)
      #expect(try stored(stack) == ["again 2 1"])
    }
  }

  @Test(
    "Deleted there, changed here: written anew where the object wins, gone where the store wins",
    arguments: StoreKind.allCases,
    [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback])
  func deletedThere(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try conflict(kind, policy, deletedThere: true) { stack, context, book in
      book["title"] = "mine"
      try context.save()
      let wins = policy === NSMergePolicy.mergeByPropertyObjectTrump || policy === NSMergePolicy.overwrite
      #expect(try stored(stack) == (wins ? ["mine 1 1"] : []))
      #expect(!context.hasChanges)
      #expect((book.managedObjectContext == nil) == !wins)
      if wins { #expect(try context.only("Book") === book) }
    }
  }

  @Test(
    "Deleted there, changed here, and the error policy: the conflict says the row is gone",
    arguments: StoreKind.allCases)
  func deletedThereError(_ kind: StoreKind) throws {
    try conflict(kind, .error, deletedThere: true) { _, context, book in
      book["title"] = "mine"
      let error = failure { try context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      let found = (error?.userInfo["conflictList"] as? [NSMergeConflict])?.first
      #expect(found?.newVersionNumber == 0)
      #expect(found?.persistedSnapshot == nil)
      let typed = (error as (any Error)?) as? CocoaError
      #expect(typed?.persistentStoreSaveConflicts?.first === found && found != nil)
      #expect(CocoaError(.persistentStoreSave).persistentStoreSaveConflicts == nil)
    }
  }

  @Test(
    "Changed there, deleted here: gone where the object wins, kept where the store wins",
    arguments: StoreKind.allCases,
    [NSMergePolicy.mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback])
  func deletedHere(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try conflict(kind, policy) { stack, context, book in
      context.delete(book)
      try context.save()
      let wins = policy === NSMergePolicy.mergeByPropertyObjectTrump || policy === NSMergePolicy.overwrite
      #expect(try stored(stack) == (wins ? [] : ["theirs 2 1"]))
      #expect(!context.hasChanges)
      if !wins {
        #expect(!book.isDeleted)
        #expect(book.string("title") == "theirs")
      }
    }
  }

  @Test(
    "An object that goes because its row was deleted there is a member of nothing any more",
    arguments: StoreKind.allCases, [NSMergePolicy.mergeByPropertyStoreTrump, .rollback])
  func goneMember(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author")
      let book = context.new("Book", ["author": author])
      try context.save()
      #expect(author.objects("books") == [book])
      try stack.elsewhere { other throws in
        other.delete(other.same(book))
        try other.save()
      }
      context.mergePolicy = policy
      book["title"] = "mine"
      try context.save()
      #expect(book.managedObjectContext == nil && author.objects("books").isEmpty)
    }
  }

  @Test("Deleted on both sides is no quarrel once a policy is there", arguments: StoreKind.allCases)
  func deletedTwice(_ kind: StoreKind) throws {
    try conflict(kind, .mergeByPropertyStoreTrump, deletedThere: true) { stack, context, book in
      context.delete(book)
      try context.save()
      #expect(try stored(stack).isEmpty)
      #expect(!context.hasChanges)
    }
  }

  @Test(
    "detectConflicts(for:) locks an unchanged object's version for the next save",
    arguments: StoreKind.allCases)
  func detect(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      book.read()
      try stack.elsewhere { other in
        other.same(book)["title"] = "theirs"
        try other.save()
      }
      context.new("Tag")
      context.detectConflicts(for: book)
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
      #expect(try stack.elsewhere { try $0.all("Tag").isEmpty })
      context.refresh(book, mergeChanges: true)
      try context.save()
      #expect(try stack.elsewhere { try $0.all("Tag").count } == 1)
    }
  }

  @Test("A prefetched destination is not written over what another context has set", arguments: StoreKind.allCases)
  func prefetched(_ kind: StoreKind) throws {
    for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite] {
      try withStack(kind) { stack, context in
        let authors = ["A", "B"].map { context.new("Author", ["name": $0]) }
        context.new("Book", ["title": "T", "author": authors[0]])
        try context.save()
        context.forget()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.relationshipKeyPathsForPrefetching = ["author"]
        let book = try #require(try context.fetch(request).first)
        try stack.elsewhere { other in
          other.same(book)["author"] = other.same(authors[1])
          try other.save()
        }
        context.mergePolicy = policy
        book["title"] = "mine"
        try context.save()
        let expected = policy === NSMergePolicy.overwrite ? "A" : "B"
        #expect(book.object("author")?.string("name") == expected)
        try stack.elsewhere { other in
          let stored = try other.only("Book")
          #expect(stored.object("author")?.string("name") == expected && stored.string("title") == "mine")
        }
      }
    }
  }

  @Test(
    "A transformable that was read is the store's after a merge by property, and the object's after an overwrite",
    arguments: StoreKind.allCases, [false, true])
  func transformables(_ kind: StoreKind, isRead: Bool) throws {
    for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite] {
      let shape = model([entity("Thing", [attribute("name"), attribute("list", .transformableAttributeType)])])
      try withStack(kind, shape) { stack, context in
        let thing = context.new("Thing", ["name": "n", "list": ["a"] as NSArray])
        try context.save()
        context.refresh(thing, mergeChanges: false)
        thing.read()
        if isRead { #expect(thing["list"] as? NSArray == ["a"]) }
        try stack.elsewhere { other in
          other.same(thing)["list"] = ["b"] as NSArray
          try other.save()
        }
        context.mergePolicy = policy
        thing["name"] = "mine"
        try context.save()
        let expected: NSArray = policy === NSMergePolicy.overwrite ? ["a"] : ["b"]
        #expect(thing["list"] as? NSArray == expected)
        #expect(try stack.elsewhere { try $0.only("Thing")["list"] as? NSArray } == expected)
      }
    }
  }

  @Test("A conflict's snapshots have the objects of transformables, not their data", arguments: StoreKind.allCases)
  func transformableSnapshots(_ kind: StoreKind) throws {
    let shape = model([entity("Thing", [attribute("list", .transformableAttributeType)])])
    try withStack(kind, shape) { stack, context in
      let thing = context.new("Thing", ["list": ["a"] as NSArray])
      try context.save()
      context.refresh(thing, mergeChanges: false)
      thing.read()
      try stack.elsewhere { other in
        other.same(thing)["list"] = ["b"] as NSArray
        try other.save()
      }
      context.mergePolicy = NSMergePolicy.error
      thing["list"] = ["c"] as NSArray
      let error = failure { try context.save() }
      let found = (error?.userInfo["conflictList"] as? [NSMergeConflict])?.first
      #expect(found?.objectSnapshot?["list"] as? NSArray == ["a"])
      #expect((found?.persistedSnapshot ?? found?.cachedSnapshot)?["list"] as? NSArray == ["b"])
    }
  }

  @Test(
    "What a policy does to objects is told: those that are gone, and those with newer values",
    arguments: StoreKind.allCases)
  func told(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let books = ["A", "B", "C"].map { context.new("Book", ["title": $0]) }
      try context.save()
      let screen = try ListScreen(context)
      books.forEach { $0.read() }
      try stack.elsewhere { other in
        other.delete(other.same(books[0]))
        other.same(books[1])["title"] = "D"
        try other.save()
      }
      context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
      books[0]["pages"] = 1
      books[1]["pages"] = 1
      let log = NotificationLog(context)
      try context.save()
      #expect(screen.text == "C D")
      #expect(log["didChange"]?.objects(NSDeletedObjectsKey) == [books[0]])
      #expect(books[0].managedObjectContext == nil && !context.hasChanges)
    }
  }

  @Test(
    "An object whose version was to be checked, and that a merge takes out, is checked no more",
    arguments: StoreKind.allCases)
  func lockedAndGone(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (gone, other) = (context.new("Book"), context.new("Book"))
      try context.save()
      gone.read()
      context.detectConflicts(for: gone)
      try stack.elsewhere { elsewhere in
        elsewhere.delete(elsewhere.same(gone))
        try elsewhere.save()
      }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: [gone.objectID]], into: [context])
      other["title"] = "changed"
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["changed"])
    }
  }

  @Test("A policy of the program's own settles conflicts as it likes", arguments: StoreKind.allCases)
  func ownPolicy(_ kind: StoreKind) throws {
    try conflict(kind, Joining(merge: .mergeByPropertyObjectTrumpMergePolicyType)) { stack, context, book in
      book["title"] = "mine"
      try context.save()
      #expect(try stored(stack) == ["mine and theirs 2 1"])
    }
  }
}

private final class Joining: NSMergePolicy, @unchecked Sendable {
  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    for conflict in list {
      let theirs = (conflict.persistedSnapshot ?? conflict.cachedSnapshot)!["title"] as! String
      conflict.sourceObject["title"] = "\(conflict.sourceObject.string("title")!) and \(theirs)"
    }
    try super.resolve(optimisticLockingConflicts: list)
  }
}

@Suite("Uniqueness constraints")
struct ConstraintTests {
  private func unique() -> NSManagedObjectModel {
    let user = entity(
      "User", [attribute("mail"), attribute("name"), attribute("age", .integer16AttributeType)])
    user.uniquenessConstraints = [["mail"], ["name", "age"]]
    let note = entity("Note", [attribute("text")])
    join(relate(user, "notes", .many, to: note), relate(note, "user", .one, to: user))
    return model([user, note])
  }

  private func stored(_ stack: Stack) throws -> [String] {
    try stack.elsewhere { other in
      try other.all("User").map { "\($0.string("mail") ?? "-") \($0.string("name") ?? "-")" }.sorted()
    }
  }

  @Test(
    "Two new objects with the same value fail the save, and the error has both", arguments: StoreKind.allCases
  )
  func inContext(_ kind: StoreKind) throws {
    try withStack(kind, unique()) { stack, context in
      let twins = (0..<2).map { context.new("User", ["mail": "a", "name": "\($0)"]) }
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSManagedObjectConstraintMergeError)
      let conflict = try #require((error.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
      #expect(conflict.constraint == ["mail"])
      #expect(conflict.constraintValues["mail"] as? String == "a")
      #expect(Set(conflict.conflictingObjects) == Set(twins))
      #expect(conflict.databaseObject == nil)
      #expect(context.insertedObjects == Set(twins))
      #expect(try stored(stack).isEmpty)
    }
  }

  @Test(
    "A new object with the value of a stored one fails the save, and the error has the stored one",
    arguments: StoreKind.allCases)
  func inStore(_ kind: StoreKind) throws {
    try withStack(kind, unique()) { stack, context in
      context.new("User", ["mail": "a", "name": "old"])
      try context.save()
      let new = context.new("User", ["mail": "a", "name": "new"])
      let error = failure { try context.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      let conflict = try #require((error?.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
      #expect(conflict.conflictingObjects == [new])
      #expect(conflict.databaseObject?.string("name") == "old")
      #expect(conflict.databaseSnapshot?["name"] as? String == "old")
      #expect(try stored(stack) == ["a old"])
    }
  }

  @Test(
    "The stored row is told from a new one that has the same key in another entity's table",
    arguments: StoreKind.allCases)
  func sameKeyOfAnotherEntity(_ kind: StoreKind) throws {
    try withStack(kind, unique()) { stack, context in
      let old = context.new("User", ["mail": "a", "name": "old"])
      try context.save()
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      context.new("Note", ["text": "has the first key of its table"])
      context.new("User", ["mail": "a", "name": "new"])
      try context.save()
      #expect(try stored(stack) == ["a new"])
      #expect(old.string("name") == "new")
    }
  }

  @Test("Many new objects that meet stored ones are all merged into them", arguments: StoreKind.allCases)
  func many(_ kind: StoreKind) throws {
    try withStack(kind, unique()) { stack, context in
      for number in 100..<400 { context.new("User", ["mail": "\(number)", "name": "old"]) }
      try context.save()
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      for number in 100..<400 { context.new("User", ["mail": "\(number)", "name": "new"]) }
      try context.save()
      #expect(try stored(stack) == (100..<400).map { "\($0) new" })
    }
  }

  @Test("Nil collides with nothing; every attribute of a constraint counts", arguments: StoreKind.allCases)
  func noCollision(_ kind: StoreKind) throws {
    try withStack(kind, unique()) { _, context in
      context.new("User", ["name": "a", "age": 1])
      context.new("User", ["name": "a", "age": 2])
      context.new("User", ["name": "a"])
      context.new("User", ["name": "a"])
      try context.save()
      context.new("User", ["name": "a", "age": 2])
      #expect(failure { try context.save() }?.code == NSManagedObjectConstraintMergeError)
    }
  }

  @Test(
    "Overwrite and object trump keep the stored row with the new object's values; the others keep the old ones",
    arguments: StoreKind.allCases,
    [NSMergePolicy.overwrite, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback])
  func policies(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withStack(kind, unique()) { stack, context in
      let old = context.new("User", ["mail": "a", "name": "old", "age": 1])
      try context.save()
      context.mergePolicy = policy
      let new = context.new("User", ["mail": "a", "name": "new"])
      context.new("User", ["mail": "b", "name": "other"])
      try context.save()
      let wins = policy === NSMergePolicy.mergeByPropertyObjectTrump || policy === NSMergePolicy.overwrite
      #expect(try stored(stack) == ["a \(wins ? "new" : "old")", "b other"])
      #expect(!context.hasChanges)
      #expect(new.managedObjectContext == nil)
      #expect(try context.all("User").contains(old))
      #expect(old.string("name") == (wins ? "new" : "old"))
      if wins { #expect(old["age"] == nil) }
    }
  }

  @Test(
    "Among new objects one stays under every policy but error", arguments: StoreKind.allCases,
    [NSMergePolicy.overwrite, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback])
  func oneStays(_ kind: StoreKind, _ policy: NSMergePolicy) throws {
    try withStack(kind, unique()) { stack, context in
      context.mergePolicy = policy
      for index in 0..<5 { context.new("User", ["mail": "a", "name": "\(index)"]) }
      try context.save()
      #expect(try stored(stack).count == 1)
      #expect(!context.hasChanges)
      #expect(try context.all("User").count == 1)
    }
  }

  @Test("A changed object may take a stored one's value, by policy", arguments: StoreKind.allCases)
  func update(_ kind: StoreKind) throws {
    try withStack(kind, unique()) { stack, context in
      context.new("User", ["mail": "a", "name": "A"])
      let b = context.new("User", ["mail": "b", "name": "B"])
      try context.save()
      b["mail"] = "a"
      #expect(failure { try context.save() }?.code == NSManagedObjectConstraintMergeError)
      b["mail"] = "c"
      try context.save()
      #expect(try stored(stack) == ["a A", "c B"])
    }
  }

  @Test("A constraint holds for objects of subentities", arguments: StoreKind.allCases)
  func subentities(_ kind: StoreKind) throws {
    let (base, sub) = (entity("Base", [attribute("code")]), entity("Sub", [attribute("more")]))
    base.uniquenessConstraints = [["code"]]
    base.subentities = [sub]
    try withStack(kind, model([base, sub])) { _, context in
      context.new("Base", ["code": "x"])
      context.new("Sub", ["code": "x"])
      #expect(failure { try context.save() }?.code == NSManagedObjectConstraintMergeError)
    }
  }
}
