import Testing

@testable import CoreData

@Suite("Refresh and reset, rule by rule")
struct RefreshRuleTests {
  @Test("A refreshed object keeps members that were taken out, though they are faults", arguments: StoreKind.allCases)
  func membersAsFaults(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["tags": Set([context.new("Tag"), context.new("Tag")])])
      try context.save()
      try stack.elsewhere { other in
        let same = other.same(book)
        same["tags"] = Set<NSManagedObject>()
        other.refresh(same, mergeChanges: false)
        try other.save()
      }
      #expect(try stack.elsewhere { $0.same(book).objects("tags").count } == 2)
    }
  }

  @Test(
    "refresh(mergeChanges: false) takes back what the object's changes did to others", arguments: StoreKind.allCases)
  func otherSides(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let authors = ["X", "Y"].map { context.new("Author", ["name": $0]) }
      let (tags, passport) = ((0..<2).map { _ in context.new("Tag") }, context.new("Passport"))
      let book = context.new("Book", ["title": "A", "author": authors[0], "tags": Set([tags[0]])])
      try context.save()
      for author in authors { _ = author.objects("books") }
      for tag in tags { _ = tag.objects("books") }
      book["author"] = authors[1]
      book["tags"] = Set([tags[1]])
      authors[1]["passport"] = passport
      #expect(authors[1].objects("books") == [book] && tags[0].objects("books").isEmpty)
      context.refresh(book, mergeChanges: false)
      context.refresh(authors[1], mergeChanges: false)
      #expect(book.isFault && !book.hasChanges)
      #expect(authors[0].objects("books") == [book] && authors[1].objects("books").isEmpty)
      #expect(tags[0].objects("books") == [book] && tags[1].objects("books").isEmpty)
      #expect(passport.object("holder") == nil)
      #expect(book.object("author") === authors[0] && book.objects("tags") == [tags[0]])
      try context.save()
      try stack.elsewhere { other in
        #expect(other.same(book).object("author") === other.same(authors[0]))
        #expect(other.same(book).objects("tags") == [other.same(tags[0])])
      }
    }
  }

  @Test(
    "A refreshed fault reads members anew that were read to answer for the other side",
    arguments: StoreKind.withCustom, ["one", "all"])
  func membersOfAFault(_ kind: StoreKind, _ refresh: String) throws {
    try withStack(kind) { stack, context in
      let tag = context.new("Tag")
      context.new("Book", ["title": "many", "tags": Set((0..<9).map { _ in context.new("Tag") })])
      context.new("Book", ["title": "other"])
      try context.save()
      context.refreshAllObjects()
      let books = try context.fetch(request("Book", "title == %@", "many"))
      books[0].mutableSetValue(forKey: "tags").add(tag)
      try context.save()
      try stack.elsewhere { other in
        let second = try other.fetch(request("Book", "title == %@", "other"))[0]
        other.same(tag).mutableSetValue(forKey: "books").add(second)
        try other.save()
      }
      if refresh == "all" { context.refreshAllObjects() } else { context.refresh(tag, mergeChanges: false) }
      #expect(tag.isFault && tag.objects("books").count == 2)
    }
  }

  @Test("What a refresh takes back from others agrees at all ends", arguments: StoreKind.allCases)
  func thirdObjects(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let authors = ["A", "C"].map { context.new("Author", ["name": $0]) }
      let book = context.new("Book", ["author": authors[0]])
      let passports = (0..<2).map { _ in context.new("Passport") }
      for (author, passport) in zip(authors, passports) { author["passport"] = passport }
      try context.save()
      func expectStored() {
        #expect(book.object("author") === authors[0])
        #expect(authors[0].objects("books") == [book] && authors[1].objects("books").isEmpty)
        for (author, passport) in zip(authors, passports) {
          #expect(author.object("passport") === passport && passport.object("holder") === author)
        }
      }
      for author in authors {
        authors.forEach { _ = $0.objects("books") }
        book["author"] = authors[1]
        context.refresh(author, mergeChanges: false)
        expectStored()
      }
      for object in authors + passports {
        authors[0]["passport"] = passports[1]
        #expect(passports[0].object("holder") == nil && authors[1].object("passport") == nil)
        context.refresh(object, mergeChanges: false)
        context.refresh(authors[0], mergeChanges: false)
        expectStored()
      }
      try context.save()
      context.forget()
      expectStored()
    }
  }

  @Test("Transient values outlive a refresh that merges, and no other", keepsRows, arguments: StoreKind.allCases)
  func transients(_ kind: StoreKind) throws {
    let note = attribute("note")
    note.isTransient = true
    try withStack(kind, model([entity("Thing", [attribute("name"), note])])) { _, context in
      let thing = context.new("Thing", ["name": "a"])
      try context.save()
      thing["note"] = "n"
      context.refresh(thing, mergeChanges: true)
      #expect(thing.string("note") == "n" && thing.string("name") == "a")
      context.refresh(thing, mergeChanges: false)
      #expect(thing["note"] == nil && !thing.hasChanges)
    }
  }

  @Test("Relationships are let go of by a refresh that drops changes", keepsRows, arguments: StoreKind.allCases)
  func released(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      weak var tag: NSManagedObject?
      let book = context.new("Book")
      try autoreleased {
        let made = context.new("Tag")
        book["tags"] = Set([made])
        try context.save()
        #expect(book.objects("tags") == [made])
        tag = made
      }
      context.refresh(book, mergeChanges: false)
      context.processPendingChanges()
      #expect(tag == nil)
    }
  }

  private func autoreleased(_ body: () throws -> Void) rethrows { try body() }

  @Test(
    "A deletion outlives every refresh, and deletes the row", arguments: StoreKind.allCases, ["drop", "merge", "all"])
  func deleted(_ kind: StoreKind, _ way: String) throws {
    try withStack(kind) { stack, context in
      let tag = context.new("Tag", ["name": "a"])
      try context.save()
      tag["name"] = "b"
      context.delete(tag)
      context.processPendingChanges()
      try stack.elsewhere { other in
        other.same(tag)["name"] = "theirs"
        try other.save()
      }
      if way == "all" { context.refreshAllObjects() } else { context.refresh(tag, mergeChanges: way == "merge") }
      #expect(tag.isDeleted && context.deletedObjects == [tag])
      try context.save()
      #expect(try stack.elsewhere { try $0.all("Tag").isEmpty })
    }
  }

  @Test("A row that cannot be read again is reported; the object keeps its values, until it can")
  func unreadable() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withStack(.sqlite) { stack, context in
        let book = context.new("Book", ["title": "A", "pages": 1])
        try context.save()
        book.read()
        book["pages"] = 2
        let outside = try Connection(path: stack.url.path, options: Connection.Options())
        try outside.execute("UPDATE ZBOOK SET ZTITLE = 'theirs', Z_OPT = 2")
        try outside.execute("ALTER TABLE ZBOOK RENAME TO ZAWAY")
        let told: [AnyHashable: Any] = [NSUpdatedObjectsKey: [book.objectID]]
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: told, into: [context])
        try require(book.string("title") == "A" && book.int("pages") == 2 && book.isUpdated)
        context.refresh(book, mergeChanges: true)
        try require(book.string("title") == "A" && book.int("pages") == 2 && book.isUpdated)
        try outside.execute("ALTER TABLE ZAWAY RENAME TO ZBOOK")
        NSManagedObjectContext.mergeChanges(fromRemoteContextSave: told, into: [context])
        try require(book.string("title") == "theirs" && book.int("pages") == 2)
        try context.save()
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let reports = words.components(separatedBy: " could not be read again.")
    #expect(reports.count == 3, "\(words)")
    #expect(words.contains("Book <x-coredata://") && words.contains("no such table: ZBOOK"), "\(words)")
    #expect(words.contains("The object keeps the values"), "\(words)")
  }

  @Test(
    "An object of a context that was reset reads as empty, and tells so when it is used",
    arguments: ["attribute", "relationship", "set"])
  func forgotten(_ use: String) async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [use] in
      try withStack(.inMemory) { _, context in
        let book = context.new("Book", ["title": "A"])
        try context.save()
        book.read()
        context.reset()
        try require(book.managedObjectContext == nil && book.objectID.entity.name == "Book" && !book.hasChanges)
        switch use {
        case "attribute": try require(book["title"] == nil)
        case "relationship": try require(book.objects("tags").isEmpty)
        default: book["title"] = "B"
        }
        try require(book.int("pages") == nil && book.object("author") == nil)
        try context.save()
        try require(try context.strings("Book", "title") == ["A"])
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("CoreData could not fulfill a fault for <x-coredata://"), "\(words)")
    #expect(words.contains("Its context was reset and no longer knows it."), "\(words)")
  }
}

private func require(_ isTrue: Bool, line: Int = #line) throws {
  if !isTrue { throw Unexpected("Line \(line) does not hold.") }
}
