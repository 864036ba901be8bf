import Foundation
import Testing

@testable import CoreData

/// How a save writes the places of an ordered relationship's members, as SQL.
@Suite("Places of new members")
struct NewPlaceTests {
  /// Saves, and returns the statements that write chapters' places.
  private func saved(_ stack: Stack, _ context: NSManagedObjectContext) throws -> [String] {
    let trace = StatementTrace(level: 1, isRecording: true)
    (stack.store as! SQLiteStore).pool.write { $0.trace = trace }
    try context.save()
    return trace.takeRecorded().filter { $0.contains("Z_FOK_BOOK") }
  }

  private func titles(_ stack: Stack, of book: NSManagedObject) throws -> [String] {
    try stack.elsewhere { other in
      (other.same(book)["chapters"] as! NSOrderedSet).map { ($0 as! NSManagedObject).string("title") ?? "" }
    }
  }

  private let insert =
    "INSERT INTO ZCHAPTER(Z_PK, Z_ENT, Z_OPT, ZTITLE, ZBOOK, Z2_BOOK, Z_FOK_BOOK) "
    + "VALUES(?, ?, ?, ?, ?, ?, ?)"
  private let update = "UPDATE ZCHAPTER SET Z_FOK_BOOK = ? WHERE Z_PK = ?"

  @Test("New members of a new owner are inserted with their place, and no statement numbers them")
  func allNew() throws {
    try withStack(.sqlite) { (stack, context) throws -> Void in
      let (first, second) = (context.new("Book"), context.new("Novel"))
      let chapters = ["c", "a", "b", "d"].map { context.new("Chapter", ["title": $0]) }
      first["chapters"] = NSOrderedSet(array: [chapters[2], chapters[0], chapters[1]])
      second["chapters"] = NSOrderedSet(object: chapters[3])
      context.new("Chapter", ["title": "of no book"])
      #expect(try saved(stack, context) == Array(repeating: insert, count: 5))
      #expect(try titles(stack, of: first) == ["b", "c", "a"])
      #expect(try titles(stack, of: second) == ["d"])
      // Later members find the numbers that are there.
      first["chapters"] = NSOrderedSet(array: [chapters[2], context.new("Chapter", ["title": "new"]), chapters[0]])
      #expect(try saved(stack, context).filter { $0 == update }.count == 1)
      #expect(try titles(stack, of: first) == ["b", "new", "c"])
    }
  }

  @Test("Where one of them was there before, or its key was reserved, the members are numbered after the inserts")
  func someNew() throws {
    try withStack(.sqlite) { (stack, context) throws -> Void in
      let old = context.new("Chapter", ["title": "old"])
      try context.save()
      let book = context.new("Book")
      book["chapters"] = NSOrderedSet(array: [context.new("Chapter", ["title": "new"]), old])
      let statements = try saved(stack, context)
      #expect(statements.filter { $0 == update }.count == 2 && !statements.contains(insert))
      #expect(try titles(stack, of: book) == ["new", "old"])
      let (other, reserved) = (context.new("Book"), context.new("Chapter", ["title": "reserved"]))
      other["chapters"] = NSOrderedSet(array: [context.new("Chapter", ["title": "named"]), reserved])
      try context.obtainPermanentIDs(for: [reserved])
      #expect(try saved(stack, context).filter { $0 == update }.count == 2)
      #expect(try titles(stack, of: other) == ["named", "reserved"])
    }
  }
}
