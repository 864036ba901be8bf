import Foundation
import Testing

@testable import CoreData

/// What is read of a many-to-many relationship to add or remove a member, as SQL.
@Suite("Adding to large many-to-many relationships")
struct ManyLinksTests {
  /// A tag of many books, with nothing read, and those statements of what follows that read links.
  private func withTag(
    of count: Int, _ body: (_ stack: Stack, _ tag: NSManagedObject, _ read: () -> [String]) throws -> Void
  ) throws {
    try withStack(.sqlite) { stack, context in
      let tag = context.new("Tag", ["name": "T"])
      for number in 0..<count { context.new("Book", ["title": "\(number)", "tags": NSSet(object: tag)]) }
      context.new("Book", ["title": "other"])
      try context.save()
      context.refreshAllObjects()
      let trace = StatementTrace(level: 1, isRecording: true)
      (stack.store as! SQLiteStore).trace = trace
      try body(stack, tag) { trace.takeRecorded().filter { $0.hasPrefix("SELECT") && $0.contains("TAGS") } }
    }
  }

  private func book(_ title: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == %@", title)
    return try context.fetch(request)[0]
  }

  @Test("The side with few links is asked, and the one with many is not read", keepsRows)
  func large() throws {
    try withTag(of: 100) { stack, tag, read in
      let (other, first) = (try book("other", stack.context), try book("0", stack.context))
      let books = tag.mutableSetValue(forKey: "books")
      books.add(other)
      books.add(first)
      let statements = read()
      #expect(statements.count == 3 && statements.allSatisfy { $0.hasSuffix(" LIMIT ?") })
      books.remove(first)
      books.remove(other)
      books.add(other)
      #expect(read() == [])
      try stack.context.save()
      #expect(read() == [])
      #expect(tag.hasFault(forRelationshipNamed: "books"))
      #expect(books.count == 100 && books.contains(other) && !books.contains(first))
      try stack.elsewhere { context in
        let books = context.same(tag).objects("books")
        #expect(books.count == 100 && books.contains(context.same(other)) && !books.contains(context.same(first)))
      }
    }
  }

  @Test("A relationship with few members is read at the first question", keepsRows)
  func small() throws {
    try withTag(of: 3) { stack, tag, read in
      let other = try book("other", stack.context)
      tag.mutableSetValue(forKey: "books").add(other)
      other.mutableSetValue(forKey: "tags").remove(tag)
      #expect(read().count == 1)
      #expect(!tag.hasFault(forRelationshipNamed: "books"))
      #expect(tag.objects("books").count == 3)
    }
  }

  @Test("After many questions all members are read, once", keepsRows)
  func many() throws {
    try withTag(of: 100) { stack, tag, read in
      let books = try stack.context.all("Book")
      let members = tag.mutableSetValue(forKey: "books")
      for book in books { members.add(book) }
      let statements = read()
      #expect(statements.count { !$0.hasSuffix(" LIMIT ?") } == 1)
      #expect(statements.count < 40)
      #expect(members.count == 101)
    }
  }

  @Test("Where both sides have many links, one of them is read", keepsRows)
  func bothLarge() throws {
    try withTag(of: 100) { stack, tag, read in
      let other = try book("other", stack.context)
      other["tags"] = NSSet(array: (0..<100).map { stack.context.new("Tag", ["name": "\($0)"]) })
      try stack.context.save()
      stack.context.refreshAllObjects()
      _ = read()
      tag.mutableSetValue(forKey: "books").add(other)
      #expect(read().map { $0.hasSuffix(" LIMIT ?") } == [true, true, false])
      try stack.context.save()
      #expect(try stack.elsewhere { $0.same(other).objects("tags").count } == 101)
    }
  }
}
