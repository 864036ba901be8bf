import Foundation
import Testing

@testable import CoreData

/// Tags a and b in the store, each of count 1 and color red; names differ.
private func withTags(
  _ policy: NSMergePolicy, _ body: (Stack, NSManagedObjectContext) throws -> Void
) throws {
  let tag = entity(
    "Tag", [attribute("name"), attribute("color", default: "blue"), attribute("count", .integer32AttributeType)])
  tag.uniquenessConstraints = [["name"]]
  try withBatchStack(model([tag])) { stack, context throws in
    for name in ["a", "b"] { context.new("Tag", ["name": name, "color": "red", "count": 1]) }
    try context.save()
    context.mergePolicy = policy
    try body(stack, context)
  }
}

/// Name, color, count, version of each row.
private func tags(_ stack: Stack) throws -> [String] {
  try Connection(path: stack.url.path, options: Connection.Options())
    .rows("SELECT ZNAME, ZCOLOR, ZCOUNT, Z_OPT FROM ZTAG ORDER BY Z_PK").map { row in
      row.map { $0 ?? "nil" }.joined(separator: " ")
    }
}

@Suite("Batch inserts and uniqueness constraints")
struct BatchInsertConstraintTests {
  private let rows: [[String: Any]] = [["name": "c"], ["name": "a", "count": 5]]

  @Test("The error policy: error 133021 with the conflict, and nothing is written")
  func errorPolicy() throws {
    try withTags(.error) { stack, context throws in
      let error = try #require(failure { try context.inserted("Tag", rows) })
      #expect(error.code == NSManagedObjectConstraintMergeError)
      #expect(
        error.localizedDescription == "The batch request would violate the uniqueness constraint (name) of Tag: "
          + "another row has name = \"a\".")
      let conflict = try #require((error.userInfo[NSConflictListErrorKey] as? [NSConstraintConflict])?.first)
      #expect(conflict.constraint == ["name"] && conflict.constraintValues["name"] as? String == "a")
      #expect(conflict.databaseObject?.string("name") == "a" && conflict.conflictingObjects.isEmpty)
      #expect(conflict.databaseSnapshot?["color"] as? String == "red")
      #expect(try tags(stack) == ["a red 1 1", "b red 1 1"])

      let own = try #require(failure { try context.inserted("Tag", [["name": "c"], ["name": "c"]]) })
      #expect(own.code == NSManagedObjectConstraintMergeError)
      #expect((own.userInfo[NSConflictListErrorKey] as? [NSConstraintConflict])?.first?.databaseObject == nil)
      #expect(try tags(stack).count == 2)
    }
  }

  @Test("The object's values trump: the stored row takes what was given, and its version grows")
  func objectTrump() throws {
    try withTags(.mergeByPropertyObjectTrump) { stack, context throws in
      let ids = try context.inserted("Tag", rows)
      #expect(try tags(stack) == ["a red 5 2", "b red 1 1", "c blue nil 1"])
      // In the order in which they were written; a row that took values is among them.
      #expect(ids.map { context.object(with: $0).string("name") } == ["c", "a"])
      var count = 0
      try context.inserted(
        NSBatchInsertRequest(entityName: "Tag") { (tag: NSManagedObject) in
          count += 1
          tag["name"] = "b"
          tag["count"] = count
          return count == 2
        })
      #expect(try tags(stack) == ["a red 5 2", "b red 1 2", "c blue nil 1"])
    }
  }

  @Test("A relationship that a handler's object sets to nil is not given: the stored row keeps its destination")
  func relationships() throws {
    let library = library()
    library.entitiesByName["Book"]?.uniquenessConstraints = [["title"]]
    try withBatchStack(library) { stack, context throws in
      let author = context.new("Author", ["name": "Ann"])
      context.new("Book", ["title": "a", "pages": 1])["author"] = author
      try context.save()
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      var isDone = false
      try context.inserted(
        NSBatchInsertRequest(entityName: "Book") { (book: NSManagedObject) in
          if isDone { return true }
          book["title"] = "a"
          book["pages"] = 2
          book["author"] = nil
          isDone = true
          return false
        })
      context.reset()
      let book = try context.only("Book")
      #expect(book.int("pages") == 2)
      #expect((book["author"] as? NSManagedObject)?.string("name") == "Ann")
    }
  }

  @Test("Overwriting: the stored row takes all attributes, default values and nil included")
  func overwrite() throws {
    try withTags(.overwrite) { stack, context throws in
      try context.inserted("Tag", [["name": "c"], ["name": "a"]])
      #expect(try tags(stack) == ["a blue nil 2", "b red 1 1", "c blue nil 1"])
    }
  }

  @Test("The store trumps, or rollback: the stored row stays, and is not counted", arguments: [0, 1])
  func storeTrump(_ index: Int) throws {
    try withTags([NSMergePolicy.mergeByPropertyStoreTrump, .rollback][index]) { stack, context throws in
      let ids = try context.inserted("Tag", rows + [["name": "d"]])
      #expect(ids.count == 2)
      #expect(try tags(stack) == ["a red 1 1", "b red 1 1", "c blue nil 1", "d blue nil 1"])
    }
  }

  @Test("Rows of one batch that agree: the policy decides as with stored ones, and each row counts once")
  func duplicates() throws {
    let twice: [[String: Any]] = [["name": "c", "count": 1], ["name": "c", "count": 2], ["name": "c", "color": "x"]]
    try withTags(.mergeByPropertyObjectTrump) { stack, context throws in
      let again: [[String: Any]] = [["name": "a", "count": 7], ["name": "a", "count": 8]]
      #expect(try context.inserted("Tag", twice + again).count == 2)
      #expect(try tags(stack) == ["a red 8 3", "b red 1 1", "c x 2 3"])
    }
    try withTags(.mergeByPropertyStoreTrump) { stack, context throws in
      #expect(try context.inserted("Tag", twice).count == 1)
      #expect(try tags(stack).last == "c blue 1 1")
    }
  }

  @Test("Nil breaks no constraint")
  func null() throws {
    try withTags(.error) { stack, context throws in
      #expect(try context.inserted("Tag", [[:], [:]]).count == 2)
    }
  }

  @Test("Objects in memory stay as they were, and conflict when saved; merging the ids refreshes them")
  func stale() throws {
    try withTags(.mergeByPropertyObjectTrump) { stack, context throws in
      let tag = try #require(try context.all("Tag").first { $0.string("name") == "a" })
      let ids = try context.inserted("Tag", [["name": "a", "count": 9]])
      #expect(tag.int("count") == 1 && ids == [tag.objectID])
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [context])
      #expect(tag.int("count") == 9)
      try context.inserted("Tag", [["name": "a", "count": 10]])
      context.mergePolicy = NSMergePolicy.error
      tag["color"] = "mine"
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
      context.rollback()
    }
  }

  @Test("Constraints of several attributes and several constraints; a row between two others is a conflict")
  func several() throws {
    let person = entity("Person", [attribute("first"), attribute("last"), attribute("mail"), attribute("note")])
    person.uniquenessConstraints = [["first", "last"], ["mail"]]
    try withBatchStack(model([person])) { stack, context throws in
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.inserted(
        "Person", [["first": "A", "last": "Z", "mail": "1"], ["first": "B", "last": "Z", "mail": "2"]])
      try context.inserted("Person", [["first": "A", "last": "Z", "note": "x"], ["mail": "2", "note": "y"]])
      #expect(try context.strings("Person", "note") == ["x", "y"])
      #expect(try context.strings("Person", "mail") == ["1", "2"])
      let error = failure { try context.inserted("Person", [["first": "A", "last": "Z", "mail": "2"]]) }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      #expect(error?.localizedDescription.contains("of Person: another row has") == true)
      #expect(try context.strings("Person", "mail") == ["1", "2"])
    }
  }

  @Test("A row of another entity of the hierarchy takes what it has, and stays of its entity")
  func inheritance() throws {
    let model = library()
    model.entitiesByName["Book"]?.uniquenessConstraints = [["isbn"]]
    try withBatchStack(model) { stack, context throws in
      let (book, novel) = (context.new("Book", ["isbn": "1"]), context.new("Novel", ["isbn": "2", "genre": "g"]))
      try context.save()
      context.mergePolicy = NSMergePolicy.overwrite
      let novels = try context.inserted("Novel", [["isbn": "1", "genre": "x", "title": "A"]])
      let books = try context.inserted("Book", [["isbn": "2", "title": "B"]])
      #expect(novels == [book.objectID] && books == [novel.objectID])
      #expect(books.first?.entity.name == "Novel")
      try stack.elsewhere { other throws in
        #expect(other.same(book).string("title") == "A" && other.same(novel).string("title") == "B")
        #expect(other.same(novel).string("genre") == "g")
      }
    }
  }

  @Test("Files of overwritten values go, and those of rows that are left out are not kept")
  func files() throws {
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    let picture = entity("Picture", [attribute("name"), photo])
    picture.uniquenessConstraints = [["name"]]
    try withBatchStack(model([picture])) { stack, context throws in
      let folder = ExternalFiles(store: stack.url).folder
      func files() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: folder.path).count }
      func size() throws -> Int? { try stack.elsewhere { try ($0.only("Picture")["photo"] as? Data)?.count } }
      try context.inserted("Picture", [["name": "p", "photo": Data(count: 200_000)]])
      #expect(try files() == 1)
      context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
      try context.inserted("Picture", [["name": "p", "photo": Data(count: 300_000)]])
      #expect(try files() == 1)
      #expect(try size() == 200_000)
      context.mergePolicy = NSMergePolicy.overwrite
      try context.inserted("Picture", [["name": "p", "photo": Data(count: 400_000)]])
      #expect(try files() == 1)
      #expect(try size() == 400_000)
      context.mergePolicy = NSMergePolicy.error
      let error = failure { try context.inserted("Picture", [["name": "p", "photo": Data(count: 500_000)]]) }
      #expect(error != nil)
      #expect(try files() == 1)
    }
  }
}
