import CoreData
import Foundation
import Testing

/// Relationships with so many members that the stack keeps indexes of them: they must say what short ones say.
@Suite("Relationships with many members")
struct ManyMembersTests {
  @Test("New members that leave and come back stand once, at the end", arguments: StoreKind.allCases)
  func comeAndGo(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["title": "A"])
      let chapters = (0..<100).map { context.new("Chapter", ["title": "\($0)"]) }
      let members = book.mutableOrderedSetValue(forKey: "chapters")
      for chapter in chapters { members.add(chapter) }
      for chapter in chapters where Int(chapter.title)! % 2 == 0 { chapter.setValue(nil, forKey: "book") }
      chapters[0].setValue(book, forKey: "book")
      let expected = (0..<100).filter { $0 % 2 == 1 }.map(String.init) + ["0"]
      #expect(members.count == 51)
      #expect(members.map { ($0 as! NSManagedObject).title } == expected)
      try context.save()
      context.reset()
      let read = try #require(try context.all("Book").first?.value(forKey: "chapters") as? NSOrderedSet)
      #expect(read.map { ($0 as! NSManagedObject).title } == expected)
    }
  }

  @Test("All new members leave, and nothing is left to save", arguments: StoreKind.allCases)
  func allLeave(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author", ["name": "A"])
      try context.save()
      let books = (0..<100).map { context.new("Book", ["title": "\($0)", "author": author]) }
      #expect((author.value(forKey: "books") as? NSSet)?.count == 100)
      for book in books { book.setValue(nil, forKey: "author") }
      #expect((author.value(forKey: "books") as? NSSet)?.count == 0)
      #expect(author.changedValues().isEmpty)
    }
  }

  @Test("Saved members are known, one by one, from either side", arguments: StoreKind.allCases)
  func known(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let tag = context.new("Tag", ["name": "T"])
      for number in 0..<100 { context.new("Book", ["title": "\(number)", "tags": NSSet(object: tag)]) }
      let other = context.new("Book", ["title": "other"])
      try context.save()
      context.refreshAllObjects()
      let books = try context.all("Book").filter { $0 !== other }
      let members = tag.mutableSetValue(forKey: "books")
      #expect(books.allSatisfy { members.contains($0) })
      #expect(!members.contains(other))
      #expect(!members.contains(tag))
      members.remove(books[0])
      members.add(other)
      #expect(!members.contains(books[0]))
      #expect(members.contains(other))
      #expect(members.count == 100)
      try context.save()
      context.refreshAllObjects()
      #expect(!members.contains(books[0]))
      #expect(books.dropFirst().allSatisfy { members.contains($0) })
      #expect(members.contains(other))
    }
  }

  @Test("An object of another context is no member", arguments: StoreKind.allCases)
  func otherContext(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let tag = context.new("Tag", ["name": "T"])
      context.new("Book", ["title": "A", "tags": NSSet(object: tag)])
      try context.save()
      try stack.elsewhere { other in
        let foreign = try #require(try other.all("Book").first)
        context.performAndWait { #expect(!tag.mutableSetValue(forKey: "books").contains(foreign)) }
      }
    }
  }

  @Test("Members leave an ordered relationship whose order was changed", arguments: StoreKind.allCases)
  func leaveReordered(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["title": "A"])
      let chapters = (0..<100).map { context.new("Chapter", ["title": "\($0)"]) }
      book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
      try context.save()
      let members = book.mutableOrderedSetValue(forKey: "chapters")
      members.exchangeObject(at: 0, withObjectAt: 99)
      members.removeObjects(in: NSRange(location: 1, length: 97))
      #expect(members.map { ($0 as! NSManagedObject).title } == ["99", "98", "0"])
      members.removeObject(at: 1)
      chapters[50].setValue(book, forKey: "book")
      #expect(members.count == 3)
      #expect(members.map { ($0 as! NSManagedObject).title } == ["99", "0", "50"])
      try context.save()
      context.refreshAllObjects()
      #expect(members.count == 3)
      #expect(members.map { ($0 as! NSManagedObject).title } == ["99", "0", "50"])
    }
  }

  @Test(
    "An ordered many-to-many relationship keeps its order while members join, leave and are deleted on the other side",
    arguments: StoreKind.allCases)
  func orderedBothWays(_ kind: StoreKind) throws {
    let (tag, book) = (entity("Tag", [attribute("name")]), entity("Book", [attribute("title")]))
    join(relate(tag, "books", .ordered, to: book), relate(book, "tags", .ordered, to: tag))
    try withStack(kind, model([tag, book])) { _, context in
      let tag = context.new("Tag", ["name": "T"])
      let books = (0..<200).map { context.new("Book", ["title": "\($0)"]) }
      for book in books { book.mutableOrderedSetValue(forKey: "tags").add(tag) }
      try context.save()
      for (number, book) in books.enumerated() {
        if number % 4 == 1 { book.mutableOrderedSetValue(forKey: "tags").remove(tag) }
        if number % 4 == 2 { context.delete(book) }
      }
      try context.save()
      books[1].mutableOrderedSetValue(forKey: "tags").add(tag)
      try context.save()
      for number in [3, 5] {
        // One leaves and comes back in two saves, the other one comes back.
        books[number].mutableOrderedSetValue(forKey: "tags").remove(tag)
        try context.save()
        books[number].mutableOrderedSetValue(forKey: "tags").add(tag)
        try context.save()
      }
      context.reset()
      let stayed = (0..<200).filter { $0 % 4 == 0 || $0 % 4 == 3 && $0 != 3 }.map(String.init)
      let read = try #require(try context.only("Tag").value(forKey: "books") as? NSOrderedSet)
      #expect(read.map { ($0 as! NSManagedObject).title } == stayed + ["1", "3", "5"])
    }
  }

  @Test("A live ordered set sorts the relationship by descriptors", arguments: StoreKind.allCases)
  func sortByDescriptors(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["title": "A"])
      let chapters = ["b", "c", "a"].map { context.new("Chapter", ["title": $0]) }
      book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
      let members = book.mutableOrderedSetValue(forKey: "chapters")
      members.sort(using: [NSSortDescriptor(key: "title", ascending: true)])
      func titles() -> [String] {
        (book.value(forKey: "chapters") as! NSOrderedSet).map { ($0 as! NSManagedObject).title }
      }
      #expect(titles() == ["a", "b", "c"])
      members.moveObjects(at: [2], to: 0)
      #expect(titles() == ["c", "a", "b"])
      chapters[2].setValue(nil, forKey: "book")
      #expect(members.count == 2 && members.map { ($0 as! NSManagedObject).title } == ["c", "b"])
    }
  }
}

extension NSManagedObject {
  fileprivate var title: String { value(forKey: "title") as? String ?? "" }
}
