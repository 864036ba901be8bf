import CoreData
import Testing

@Suite("What conflicts say")
struct ConflictValueTests {
  private func unique(_ kind: StoreKind, _ body: (Stack, NSManagedObjectContext) throws -> Void) throws {
    let model = library()
    model.entitiesByName["Book"]!.uniquenessConstraints = [["isbn"]]
    try withStack(kind, model, body)
  }

  private func conflicts<Conflict>(_ context: NSManagedObjectContext, _ type: Conflict.Type) throws -> [Conflict] {
    let error = try #require(failure { try context.save() })
    return try #require(error.userInfo["conflictList"] as? [Conflict])
  }

  @Test(
    "A row that another context of the coordinator holds is the conflict's cached row; there is no persisted one",
    keepsRows, arguments: StoreKind.allCases)
  func cached(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (x, y) = (context.new("Author"), context.new("Author"))
      let book = context.new("Book", ["title": "A", "author": x])
      try context.save()
      for object in [book, x, y] { object.read() }
      let other = stack.newContext()
      try other.performAndWait {
        let theirs = other.same(book)
        theirs.setValuesForKeys(["title": "theirs", "author": other.same(y)])
        try other.save()
        book["title"] = "mine"
        let found = try #require(conflicts(context, NSMergeConflict.self).first { $0.sourceObject === book })
        #expect(found.oldVersionNumber == 1 && found.newVersionNumber == 2)
        #expect(found.objectSnapshot?["title"] as? String == "A")
        #expect(found.cachedSnapshot?["title"] as? String == "theirs")
        #expect(found.cachedSnapshot?["author"] as? NSManagedObjectID == y.objectID)
        #expect(found.objectSnapshot?["author"] as? NSManagedObjectID == x.objectID)
        #expect(found.objectSnapshot?["isbn"] as? NSNull != nil)
        #expect(found.persistedSnapshot == nil)
        let keys: Set = ["title", "pages", "isbn", "author"]
        #expect(Set(found.cachedSnapshot!.keys) == keys && Set(found.objectSnapshot!.keys) == keys)
        #expect(theirs.string("title") == "theirs")
      }
    }
  }

  @Test("A row that another coordinator wrote is the conflict's persisted one; the cached one is what was read")
  func persisted() throws {
    try withStack(.sqlite) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      book.read()
      let far = try Stack(.sqlite, at: stack.url)
      try far.context.performAndWait {
        try far.context.only("Book")["title"] = "theirs"
        try far.context.save()
      }
      book["title"] = "mine"
      let found = try #require(conflicts(context, NSMergeConflict.self).first)
      #expect(found.oldVersionNumber == 1 && found.newVersionNumber == 2)
      #expect(found.cachedSnapshot?["title"] as? String == "A")
      #expect(found.persistedSnapshot?["title"] as? String == "theirs")
      context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
      try context.save()
      #expect(book.string("title") == "theirs")
      withExtendedLifetime(far) {}
    }
  }

  @Test("A deleted row is version 0 without a snapshot; all conflicts come at once", arguments: StoreKind.allCases)
  func several(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let books = (0..<5).map { context.new("Book", ["title": "\($0)"]) }
      try context.save()
      books.forEach { $0.read() }
      try stack.elsewhere { other in
        for book in books.prefix(3) { other.same(book)["title"] = "theirs" }
        other.delete(other.same(books[3]))
        try other.save()
      }
      for book in books { book["pages"] = 1 }
      let found = try conflicts(context, NSMergeConflict.self)
      #expect(Set(found.map(\.sourceObject)) == Set(books.prefix(4)))
      let deleted = try #require(found.first { $0.sourceObject === books[3] })
      #expect(deleted.newVersionNumber == 0 && deleted.persistedSnapshot == nil)
      #expect(deleted.objectSnapshot?["title"] as? String == "3")
      #expect(context.updatedObjects == Set(books) && books.allSatisfy { $0.int("pages") == 1 })
    }
  }

  @Test(
    "A constraint's conflict has the values in question, and what its objects were before",
    arguments: StoreKind.allCases)
  func constraint(_ kind: StoreKind) throws {
    try unique(kind) { _, context in
      let stored = context.new("Book", ["title": "stored", "isbn": "1"])
      let changed = context.new("Book", ["title": "changed", "isbn": "2"])
      try context.save()
      changed.setValuesForKeys(["title": "more", "isbn": "1"])
      let twins = (0..<2).map { context.new("Book", ["title": "twin \($0)", "isbn": "3"]) }
      let found = try conflicts(context, NSConstraintConflict.self)
      #expect(found.count == 2 && found.allSatisfy { $0.constraint == ["isbn"] })
      let inStore = try #require(found.first { $0.databaseObject != nil })
      #expect(inStore.constraintValues as? [String: String] == ["isbn": "1"])
      #expect(inStore.databaseObject === stored)
      #expect(inStore.databaseSnapshot?["title"] as? String == "stored")
      #expect(inStore.databaseSnapshot?["author"] as? NSNull != nil && inStore.databaseSnapshot?["tags"] == nil)
      #expect(inStore.conflictingObjects == [changed])
      #expect(inStore.conflictingSnapshots.first?["title"] as? String == "changed")
      #expect(inStore.conflictingSnapshots.first?["isbn"] as? String == "2")
      let inContext = try #require(found.first { $0.databaseObject == nil })
      #expect(inContext.databaseSnapshot == nil)
      #expect(inContext.constraintValues as? [String: String] == ["isbn": "3"])
      #expect(Set(inContext.conflictingObjects) == Set(twins))
      #expect(inContext.conflictingSnapshots.count == 2)
      #expect(
        inContext.conflictingSnapshots.allSatisfy { $0["title"] as? String == "Untitled" && $0["isbn"] is NSNull })
    }
  }

  @Test("Versions are settled before constraints, each with one call of the policy", arguments: StoreKind.allCases)
  func order(_ kind: StoreKind) throws {
    try unique(kind) { stack, context in
      let books = (0..<2).map { context.new("Book", ["title": "\($0)", "isbn": "\($0)"]) }
      try context.save()
      books.forEach { $0.read() }
      try stack.elsewhere { other in
        for book in books { other.same(book)["title"] = "theirs" }
        try other.save()
      }
      for book in books { book["pages"] = 1 }
      for isbn in ["0", "1"] { context.new("Book", ["isbn": isbn]) }
      let policy = Recording(merge: .mergeByPropertyStoreTrumpMergePolicyType)
      context.mergePolicy = policy
      try context.save()
      #expect(policy.calls == ["merge 2", "versions 2", "merge 2", "constraints 2"])
    }
  }

  @Test(
    "A policy that throws fails the save with its error, and the context is as it was", arguments: StoreKind.allCases,
    ["merge", "versions"])
  func throwing(_ kind: StoreKind, _ method: String) throws {
    try unique(kind) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      book.read()
      try stack.elsewhere { other in
        other.same(book)["title"] = "theirs"
        try other.save()
      }
      book["title"] = "mine"
      let new = context.new("Tag")
      let policy = Recording(merge: .overwriteMergePolicyType)
      policy.throwing = method
      context.mergePolicy = policy
      #expect(failure { try context.save() }?.domain == "Refused")
      #expect(context.updatedObjects == [book] && context.insertedObjects == [new] && new.objectID.isTemporaryID)
      #expect(book.string("title") == "mine")
      policy.throwing = ""
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["mine"])
    }
  }

  @Test("A policy that throws on a constraint fails the save", arguments: StoreKind.allCases)
  func throwingOnConstraint(_ kind: StoreKind) throws {
    try unique(kind) { stack, context throws in
      let books = (0..<2).map { _ in context.new("Book", ["isbn": "1"]) }
      let policy = Recording(merge: .overwriteMergePolicyType)
      policy.throwing = "constraints"
      context.mergePolicy = policy
      #expect(failure { try context.save() }?.domain == "Refused")
      #expect(context.insertedObjects == Set(books))
      #expect(try stack.elsewhere { try $0.all("Book").isEmpty })
    }
  }

  @Test("A conflict that a program states is settled with the row as it is now", arguments: StoreKind.allCases)
  func stated(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A", "pages": 1])
      try context.save()
      book.read()
      try stack.elsewhere { other in
        other.same(book).setValuesForKeys(["title": "theirs", "pages": 2])
        try other.save()
      }
      book["title"] = "mine"
      let conflict = NSMergeConflict(
        source: book, newVersion: 2, oldVersion: 1, cachedSnapshot: ["title": "theirs"], persistedSnapshot: nil)
      #expect(conflict.objectSnapshot?["title"] as? String == "A")
      try NSMergePolicy.mergeByPropertyObjectTrump.resolve(mergeConflicts: [conflict])
      #expect(book.string("title") == "mine" && book.int("pages") == 2)
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["mine"])
    }
  }

  @Test(
    "The object of a subentity that loses to a stored one hands over what both have, its members too",
    arguments: StoreKind.allCases)
  func subentity(_ kind: StoreKind) throws {
    try unique(kind) { stack, context in
      let old = context.new("Book", ["title": "old", "isbn": "1", "pages": 5])
      try context.save()
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let new = context.new("Novel", ["title": "new", "isbn": "1", "genre": "satire"])
      let (chapter, tag) = (context.new("Chapter", ["title": "I"]), context.new("Tag"))
      new["chapters"] = NSOrderedSet(array: [chapter])
      new["tags"] = Set([tag])
      try context.save()
      #expect(new.managedObjectContext == nil && old.string("title") == "new" && old.int("pages") == 0)
      // The rule of the relationship is to cascade: the chapter must have left before its book was deleted.
      #expect(old.list("chapters") == [chapter] && old.objects("tags") == [tag])
      try stack.elsewhere { other throws in
        #expect(try other.only("Book").list("chapters").map { $0.string("title") } == ["I"])
        #expect(try other.only("Book").objects("tags").count == 1)
      }
    }
  }

  @Test("A thousand duplicates are settled together", .timeLimit(.minutes(10)), arguments: StoreKind.allCases)
  func many(_ kind: StoreKind) throws {
    try unique(kind) { stack, context in
      for index in 0..<1000 { context.new("Book", ["isbn": "\(index)", "title": "old"]) }
      try context.save()
      for index in 0..<1000 { context.new("Book", ["isbn": "\(index)", "title": "new"]) }
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      #expect(try Set(stack.elsewhere { try $0.strings("Book", "title") }) == ["new"])
      #expect(try stack.elsewhere { try $0.all("Book").count } == 1000)
    }
  }
}

@Suite("Merge policies that are none")
struct MergePolicyMisuseTests {
  @Test("A merge policy that is none ends the program, by name")
  func noPolicy() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = NSManagedObjectContext(.privateQueue)
      context.name = "library"
      context.mergePolicy = "overwrite"
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      words.contains(
        "The merge policy of the context \"library\" was set to \"overwrite\", which is not a merge policy."))
    #expect(words.contains("Type: String"))
  }
}

/// Notes which of its methods are called, and throws in the method that `throwing` names.
private final class Recording: NSMergePolicy, @unchecked Sendable {
  var calls: [String] = []
  var throwing = ""

  private func note(_ method: String, _ count: Int) throws {
    calls.append("\(method) \(count)")
    if method == throwing { throw NSError(domain: "Refused", code: 1) }
  }

  override func resolve(mergeConflicts list: [Any]) throws {
    try note("merge", list.count)
    try super.resolve(mergeConflicts: list)
  }

  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    try note("versions", list.count)
    try super.resolve(optimisticLockingConflicts: list)
  }

  override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
    try note("constraints", list.count)
    try super.resolve(constraintConflicts: list)
  }
}

@Suite("Constraints between parent and child")
struct ParentConstraintTests {
  @Test("A constraint that parent and child break together is found by the root's save", arguments: StoreKind.allCases)
  func parentAndChild(_ kind: StoreKind) throws {
    let model = library()
    model.entitiesByName["Book"]!.uniquenessConstraints = [["isbn"]]
    try withStack(kind, model) { _, context in
      let mine = context.new("Book", ["isbn": "1", "title": "parent's"])
      let child = NSManagedObjectContext(.privateQueue)
      child.parent = context
      try child.performAndWait {
        child.new("Book", ["isbn": "1", "title": "child's"])
        try child.save()
      }
      #expect(context.insertedObjects.count == 2)
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSManagedObjectConstraintMergeError)
      let conflict = try #require((error.userInfo["conflictList"] as? [NSConstraintConflict])?.first)
      #expect(Set(conflict.conflictingObjects) == context.insertedObjects && conflict.conflictingObjects.contains(mine))
    }
  }
}
