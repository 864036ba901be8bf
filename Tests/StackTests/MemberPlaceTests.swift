import Foundation
import Testing

@testable import CoreData

/// How a save writes the places of an ordered relationship's members, as SQL.
@Suite("Places of ordered relationships' members")
struct MemberPlaceTests {
  /// Saves, and returns the statements that read or write chapters.
  private func saved(_ stack: Stack, _ context: NSManagedObjectContext) throws -> [String] {
    let trace = StatementTrace(level: 1, isRecording: true)
    (stack.store as! SQLiteStore).pool.write { $0.trace = trace }
    try context.save()
    return trace.takeRecorded().filter { $0.contains("ZCHAPTER") }
  }

  private func titles(_ stack: Stack, of book: NSManagedObject) throws -> [String] {
    try stack.elsewhere { other in
      (other.same(book)["chapters"] as! NSOrderedSet).map { ($0 as! NSManagedObject).string("title") ?? "" }
    }
  }

  private func file(_ stack: Stack) throws -> Connection {
    try Connection(path: stack.url.path, options: Connection.Options())
  }

  private let insert =
    "INSERT INTO ZCHAPTER(Z_PK, Z_ENT, Z_OPT, ZTITLE, ZBOOK, Z2_BOOK, Z_FOK_BOOK) "
    + "VALUES(?, ?, ?, ?, ?, ?, ?)"
  private let update = "UPDATE ZCHAPTER SET Z_FOK_BOOK = ? WHERE Z_PK = ?"
  private let move =
    "UPDATE OR FAIL ZCHAPTER SET ZBOOK = ?, Z2_BOOK = ?, Z_FOK_BOOK = ?, Z_OPT = ?  WHERE Z_PK = ? AND Z_OPT = ?"
  private let last = "SELECT MAX(Z_FOK_BOOK) FROM ZCHAPTER WHERE ZBOOK = ?"

  @Test("New members of a new owner are inserted with their place, and no statement numbers them")
  func allNew() throws {
    try withStack(.sqlite) { (stack, context) throws -> Void in
      let (first, second) = (context.new("Book"), context.new("Novel"))
      let chapters = ["c", "a", "b", "d"].map { context.new("Chapter", ["title": $0]) }
      first["chapters"] = NSOrderedSet(array: [chapters[2], chapters[0], chapters[1]])
      second["chapters"] = NSOrderedSet(object: chapters[3])
      context.new("Chapter", ["title": "of no book"])
      let statements = try saved(stack, context).filter { $0.contains("Z_FOK_BOOK") }
      #expect(statements == Array(repeating: insert, count: 5))
      #expect(try titles(stack, of: first) == ["b", "c", "a"])
      #expect(try titles(stack, of: second) == ["d"])
      // Later members find the numbers that are there.
      first["chapters"] = NSOrderedSet(array: [chapters[2], context.new("Chapter", ["title": "new"]), chapters[0]])
      #expect(try saved(stack, context).filter { $0 == update }.count == 1)
      #expect(try titles(stack, of: first) == ["b", "new", "c"])
    }
  }

  @Test("A member that was there before, or whose key was reserved, is written with its place in a new owner as well")
  func someNew() throws {
    try withStack(.sqlite) { (stack, context) throws -> Void in
      let old = context.new("Chapter", ["title": "old"])
      try context.save()
      let book = context.new("Book")
      book["chapters"] = NSOrderedSet(array: [context.new("Chapter", ["title": "new"]), old])
      #expect(try saved(stack, context) == [move, insert])
      #expect(try titles(stack, of: book) == ["new", "old"])
      let (other, reserved) = (context.new("Book"), context.new("Chapter", ["title": "reserved"]))
      other["chapters"] = NSOrderedSet(array: [context.new("Chapter", ["title": "named"]), reserved])
      try context.obtainPermanentIDs(for: [reserved])
      #expect(try saved(stack, context) == [insert, insert])
      #expect(try titles(stack, of: other) == ["named", "reserved"])
    }
  }

  @Test("Members that come last are written with the numbers after the last one, and no other member is read")
  func end() throws {
    try withStack(.sqlite) { (stack, context) throws -> Void in
      let (first, second) = (context.new("Book"), context.new("Book"))
      let chapters = "abcd".map { context.new("Chapter", ["title": "\($0)"]) }
      first["chapters"] = NSOrderedSet(array: [chapters[1], chapters[0], chapters[2]])
      second["chapters"] = NSOrderedSet(object: chapters[3])
      try context.save()
      context.refreshAllObjects()
      // From the members' side, so that nobody asks for an owner's members.
      chapters[1]["book"] = second
      context.new("Chapter", ["title": "e", "book": second])
      #expect(try saved(stack, context) == [last, move, insert])
      #expect(first.hasFault(forRelationshipNamed: "chapters") && second.hasFault(forRelationshipNamed: "chapters"))
      #expect(try titles(stack, of: first) == ["a", "c"])
      #expect(try titles(stack, of: second) == ["d", "b", "e"])
      #expect(second.list("chapters").map { $0.string("title") } == ["d", "b", "e"])

      chapters[0]["book"] = nil
      context.delete(chapters[2])
      #expect(try saved(stack, context) == ["DELETE FROM ZCHAPTER WHERE Z_PK = ? AND Z_OPT = ?", move])
      #expect(try titles(stack, of: first) == [])
      let places = try file(stack).rows("SELECT ZTITLE, Z_FOK_BOOK FROM ZCHAPTER ORDER BY ZTITLE")
      #expect(places == [["a", nil], ["b", "3072"], ["d", "2048"], ["e", "4096"]])
    }
  }

  @Test("If a stranger's number leaves no room at the end, the members that are there are numbered anew")
  func noRoom() throws {
    for number in [Int64.max, .min] {
      try withStack(.sqlite) { (stack, context) throws -> Void in
        let book = context.new("Book")
        book["chapters"] = NSOrderedSet(array: "ab".map { context.new("Chapter", ["title": "\($0)"]) })
        try context.save()
        _ = try file(stack).rows("UPDATE ZCHAPTER SET Z_FOK_BOOK = \(number) / CASE ZTITLE WHEN 'b' THEN 2 ELSE 1 END")
        context.refreshAllObjects()
        let before = try titles(stack, of: book)
        context.new("Chapter", ["title": "c", "book": book])
        try context.save()
        #expect(try titles(stack, of: book) == before + ["c"])
      }
    }
  }

  @Test(
    "Members without an inverse, and of a many-to-many relationship, come to the end too",
    arguments: StoreKind.withCustom)
  func otherTables(_ kind: StoreKind) throws {
    let (list, item) = (entity("List"), entity("Item", [attribute("name")]))
    relate(list, "ranking", .ordered, to: item)
    let entries = relate(list, "entries", .ordered, to: item)
    let lists = relate(item, "lists", .many, to: list)
    join(entries, lists)
    try withStack(kind, model([list, item])) { stack, context in
      let owner = context.new("List")
      let items = "abcd".map { context.new("Item", ["name": "\($0)"]) }
      for name in ["ranking", "entries"] { owner[name] = NSOrderedSet(array: [items[2], items[0]]) }
      try context.save()
      context.refreshAllObjects()
      items[3].mutableSetValue(forKey: "lists").add(owner)
      items[1].mutableSetValue(forKey: "lists").add(owner)
      items[2].mutableSetValue(forKey: "lists").remove(owner)
      owner.mutableOrderedSetValue(forKey: "ranking").add(items[3])
      try context.save()
      try stack.elsewhere { other throws in
        let owner = other.same(owner)
        #expect(owner.list("entries").map { $0.string("name") } == ["a", "d", "b"])
        #expect(owner.list("ranking").map { $0.string("name") } == ["c", "a", "d"])
      }
    }
  }
}
