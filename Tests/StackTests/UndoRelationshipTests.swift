import CoreData
import Testing

@Suite("Undo of relationships")
struct UndoRelationshipTests {
  @Test(
    "Both ends of relationships are as they were: one to one, one to many, many to many",
    arguments: StoreKind.allCases)
  func relationships(_ kind: StoreKind) throws {
    try withUndo(kind) { _, context, _ throws in
      let authors = (0..<2).map { context.new("Author", ["name": "\($0)"]) }
      let passports = (0..<2).map { context.new("Passport", ["number": "\($0)", "holder": authors[$0]]) }
      let book = context.new("Book", ["author": authors[0]])
      let tags = (0..<3).map { context.new("Tag", ["name": "\($0)"]) }
      book["tags"] = Set(tags[0...1])
      for isSaved in [false, true] {
        if isSaved { try context.saveAsStart() } else { context.step {} }
        context.step {
          // Steals: the first author's passport goes, the second's is free.
          authors[0]["passport"] = passports[1]
          book["author"] = authors[1]
          book["tags"] = Set(tags[1...2])
        }
        context.undo()
        #expect(
          zip(authors, passports).allSatisfy { $0.object("passport") === $1 && $1.object("holder") === $0 })
        #expect(authors[0].objects("books") == [book] && authors[1].objects("books").isEmpty)
        #expect(book.objects("tags") == Set(tags[0...1]))
        #expect(tags.map { $0.objects("books").count } == [1, 1, 0])
        context.redo()
        #expect(authors[0].object("passport") === passports[1] && authors[1].object("passport") == nil)
        #expect(authors[1].objects("books") == [book] && authors[0].objects("books").isEmpty)
        #expect(tags.map { $0.objects("books").count } == [0, 1, 1])
        context.undo()
      }
    }
  }

  @Test(
    "An object whose deletion was taken back follows its delete rules when a cascade deletes it again",
    arguments: StoreKind.allCases, [false, true])
  func deletedAgain(_ kind: StoreKind, _ isSaved: Bool) throws {
    try withUndo(kind) { stack, context, _ throws in
      let (author, tag) = (context.new("Author"), context.new("Tag"))
      let books = (0..<2).map { _ in context.new("Book", ["author": author, "tags": Set([tag])]) }
      if isSaved { try context.saveAsStart() } else { context.step {} }
      context.step { context.delete(books[0]) }
      context.undo()
      context.step {
        context.delete(books[1])
        context.insert(books[1])
        books[1]["author"] = author
        books[1]["tags"] = Set([tag])
      }
      #expect(tag.objects("books") == Set(books))
      context.step { context.delete(author) }
      #expect(books.allSatisfy { $0.isDeleted || $0.managedObjectContext == nil })
      #expect(tag.objects("books").isEmpty)
      try context.saveAsStart()
      let other = stack.newContext()
      try other.performAndWait {
        let saved = try #require(try other.existingObject(with: tag.objectID) as NSManagedObject?)
        #expect(saved.objects("books").isEmpty)
      }
    }
  }

  @Test(
    "An ordered relationship has its order back: after moves, removals, additions and deletions",
    arguments: StoreKind.allCases)
  func order(_ kind: StoreKind) throws {
    try withUndo(kind) { _, context, _ throws in
      let book = context.new("Book")
      let chapters = (0..<4).map { context.new("Chapter", ["title": "\($0)", "book": book]) }
      for isSaved in [false, true] {
        if isSaved { try context.saveAsStart() } else { context.step {} }
        let set = book.mutableOrderedSetValue(forKey: "chapters")
        context.step { set.exchangeObject(at: 0, withObjectAt: 3) }
        context.step { chapters[1]["book"] = nil }
        context.step { set.insert(context.new("Chapter", ["title": "new"]), at: 1) }
        context.step { context.delete(chapters[2]) }
        let titles = { book.list("chapters").map { $0.string("title")! } }
        let states = [
          ["0", "1", "2", "3"], ["3", "1", "2", "0"], ["3", "2", "0"], ["3", "new", "2", "0"],
        ]
        let end = ["3", "new", "0"]
        #expect(titles() == end)
        for state in states.reversed() {
          context.undo()
          #expect(titles() == state, "saved: \(isSaved)")
        }
        for state in states.dropFirst() + [end] {
          context.redo()
          #expect(titles() == state, "saved: \(isSaved)")
        }
        for _ in states { context.undo() }
        #expect(chapters.allSatisfy { $0.object("book") === book })
      }
    }
  }

  @Test("Deletes that a rule brought about are undone together", arguments: StoreKind.allCases)
  func cascade(_ kind: StoreKind) throws {
    try withUndo(kind) { stack, context, _ throws in
      let author = context.new("Author", ["name": "Woolf"])
      let passport = context.new("Passport", ["holder": author])
      for index in 0..<3 {
        let book = context.new("Book", ["title": "\(index)", "author": author])
        for number in 0..<2 { context.new("Chapter", ["title": "\(index)\(number)", "book": book]) }
      }
      try context.saveAsStart()
      context.forget()
      context.step { context.delete(author) }
      #expect(context.deletedObjects.count == 10)
      context.undo()
      #expect(context.deletedObjects.isEmpty)
      #expect(author.object("passport") === passport)
      let titles = author.objects("books").map { $0.list("chapters").map { $0.string("title")! } }
      #expect(titles.sorted { $0[0] < $1[0] } == (0..<3).map { ["\($0)0", "\($0)1"] })
      context.redo()
      #expect(context.deletedObjects.count == 10)
      try context.save()
      #expect(try stack.elsewhere { try $0.all("Book").count + $0.all("Chapter").count } == 0)
      context.undo()
      try context.save()
      #expect(try stack.elsewhere { try $0.all("Chapter").count } == 6)
    }
  }
}
