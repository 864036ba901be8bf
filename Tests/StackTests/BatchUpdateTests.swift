import Foundation
import Inspection
import Testing

@testable import CoreData

@Suite("Batch updates")
struct BatchUpdateTests {
  /// Saved books A, B, C of 1, 2, 3 pages.
  private func books(_ body: (Stack, NSManagedObjectContext, [NSManagedObject]) throws -> Void) throws {
    try withStack(.sqlite) { stack, context throws in
      let books = ["A", "B", "C"].enumerated().map { context.new("Book", ["title": $1, "pages": $0 + 1]) }
      try context.save()
      for book in books { book.read() }
      try body(stack, context, books)
      #expect(try StoreCheck(stack.url, stack.model).problems == [])
    }
  }

  private func updated(
    _ entity: String, _ format: String?, _ properties: [AnyHashable: Any], _ context: NSManagedObjectContext,
    _ change: (NSBatchUpdateRequest) -> Void = { _ in }
  ) throws -> [NSManagedObjectID] {
    let request = NSBatchUpdateRequest(entityName: entity)
    request.predicate = format.map { NSPredicate(format: $0) }
    request.propertiesToUpdate = properties
    request.resultType = .updatedObjectIDsResultType
    change(request)
    let result = try #require(try context.execute(request) as? NSBatchUpdateResult)
    return try #require(result.result as? [NSManagedObjectID])
  }

  private func pages(_ stack: Stack) throws -> [Int] {
    try stack.elsewhere { try $0.all("Book").compactMap { $0.int("pages") }.sorted() }
  }

  @Test("Rows that a predicate chooses change; the objects in memory stay as they are, without a change")
  func predicate() throws {
    try books { stack, context, books throws in
      let ids = try updated("Book", "title > 'A'", ["pages": 9, "isbn": "x"], context)
      #expect(Set(ids) == Set(books[1...].map(\.objectID)))
      #expect(books[1].int("pages") == 2 && !context.hasChanges)
      #expect(try pages(stack) == [1, 9, 9])
      #expect(try updated("Book", nil, ["pages": 0], context).count == 3)
      #expect(try pages(stack) == [0, 0, 0])
    }
  }

  @Test("The result is a status, ids or a count; keys are names or descriptions")
  func results() throws {
    try books { stack, context, _ throws in
      let book = try #require(stack.model.entitiesByName["Book"])
      let pages = try #require(book.attributesByName["pages"])
      let request = NSBatchUpdateRequest(entity: book)
      #expect(request.entityName == "Book" && request.entity === book && request.includesSubentities)
      #expect(request.requestType == .batchUpdateRequestType && request.resultType == .statusOnlyResultType)
      request.propertiesToUpdate = [pages: 7]
      #expect((try context.execute(request) as? NSBatchUpdateResult)?.result as? Bool == true)
      request.resultType = .updatedObjectsCountResultType
      let result = try context.execute(try #require(request.copy() as? NSBatchUpdateRequest))
      #expect((result as? NSBatchUpdateResult)?.result as? Int == 3)
      #expect(NSBatchUpdateRequestResultType.updatedObjectIDsResultType.rawValue == 1)
      #expect(NSBatchUpdateRequestResultType.updatedObjectsCountResultType.rawValue == 2)
      #expect(try self.pages(stack) == [7, 7, 7])
    }
  }

  @Test("Nil and NSNull take a value away")
  func null() throws {
    try books { stack, context, books throws in
      _ = try updated("Book", "title == 'A'", ["pages": NSNull()], context)
      _ = try updated("Book", "title == 'B'", ["pages": FoundationExpression(forConstantValue: nil)], context)
      #expect(try pages(stack) == [3])
    }
  }

  @Test("Every type of attribute takes its values")
  func types() throws {
    let types: [(NSAttributeType, Any)] = [
      (.integer16AttributeType, 5), (.integer32AttributeType, 6), (.integer64AttributeType, Int64.max),
      (.booleanAttributeType, NSNumber(value: true)), (.doubleAttributeType, 1.5), (.floatAttributeType, Float(2.5)),
      (.decimalAttributeType, NSDecimalNumber(string: "12.34")), (.stringAttributeType, "'; DROP TABLE ZTHING; --"),
      (.dateAttributeType, Date(timeIntervalSinceReferenceDate: 3)), (.binaryDataAttributeType, Data([1, 2])),
      (.UUIDAttributeType, UUID()), (.URIAttributeType, URL(string: "https://example.com")!),
    ]
    let attributes = types.enumerated().map { attribute("a\($0)", $1.0) }
    try withStack(.sqlite, model([entity("Thing", attributes)])) { stack, context throws in
      context.new("Thing")
      try context.save()
      let values = Dictionary(uniqueKeysWithValues: types.enumerated().map { (AnyHashable("a\($0)"), $1.1) })
      #expect(try updated("Thing", nil, values, context).count == 1)
      try stack.elsewhere { other throws in
        let thing = try other.only("Thing")
        for (index, type) in types.enumerated() {
          let found = try #require(thing["a\(index)"])
          #expect("\(found)" == "\(type.1)")
        }
      }
    }
  }

  @Test("Expressions are computed from the row; a real result for an integer attribute is cut")
  func expressions() throws {
    try books { stack, context, _ throws in
      _ = try updated("Book", nil, ["pages": FoundationExpression(format: "pages * 10 + 1")], context)
      #expect(try pages(stack) == [11, 21, 31])
      _ = try updated("Book", nil, ["pages": FoundationExpression(format: "pages * 0.1")], context)
      #expect(try pages(stack) == [1, 2, 3])
      _ = try updated("Book", nil, ["isbn": FoundationExpression(forKeyPath: "title")], context)
      #expect(try stack.elsewhere { try $0.strings("Book", "isbn") } == ["A", "B", "C"])
      _ = try updated("Book", nil, ["title": FoundationExpression(forConstantValue: "T")], context)
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["T", "T", "T"])
    }
  }

  @Test("Values of another type, relationships and unknown names are refused by name, and nothing is done")
  func refusals() throws {
    try books { stack, context, _ throws in
      func error(_ properties: [AnyHashable: Any]) -> String {
        failure { _ = try updated("Book", nil, properties, context) }?.localizedDescription ?? "none"
      }
      #expect(error(["pages": "many"]).contains("pages of Book takes a NSNumber"))
      #expect(error(["pages": Int64.max]).contains("pages of Book"))
      #expect(error(["author": NSNull()]).contains("can't set author, which is a relationship"))
      #expect(error(["nope": 1]).contains("there is no \"nope\""))
      #expect(error([:]).contains("names no property"))
      let (title, name) = (FoundationExpression(format: "title"), FoundationExpression(format: "author.name"))
      #expect(error(["pages": title]).contains("another type"))
      #expect(error(["isbn": name]).contains("another object"))
      #expect(try pages(stack) == [1, 2, 3])
    }
    try withStack(.inMemory) { _, context in
      let error = failure { _ = try updated("Book", nil, ["pages": 1], context) }
      #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
    }
  }

  @Test("Subentities change along, unless the request leaves them out")
  func subentities() throws {
    try books { stack, context, _ throws in
      context.new("Novel", ["title": "N", "pages": 4])
      try context.save()
      #expect(try updated("Book", nil, ["pages": 5], context) { $0.includesSubentities = false }.count == 3)
      #expect(try pages(stack) == [4, 5, 5, 5])
      #expect(try updated("Novel", nil, ["pages": 6, "genre": "g"], context).map(\.entity.name) == ["Novel"])
      #expect(try pages(stack) == [5, 5, 5, 6])
    }
  }

  @Test("Paths to other objects choose rows")
  func paths() throws {
    try books { stack, context, books throws in
      books[0]["author"] = context.new("Author", ["name": "Kafka"])
      try context.save()
      #expect(try updated("Book", "author.name == 'Kafka'", ["pages": 8], context) == [books[0].objectID])
    }
  }

  @Test("The rows' versions grow: saving an object that is older is a conflict, with its policy")
  func stale() throws {
    try books { stack, context, books throws in
      _ = try updated("Book", "title == 'A'", ["pages": 50], context)
      books[0]["title"] = "mine"
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      try stack.elsewhere { other throws in
        let book = other.same(books[0])
        #expect(book.string("title") == "mine" && book.int("pages") == 50)
      }
    }
  }

  @Test("Merging the ids refreshes faults and realised objects, and changes stay on top")
  func merging() throws {
    try books { stack, context, books throws in
      context.forget()
      books[1].read()
      books[2]["title"] = "mine"
      let ids = try updated("Book", nil, ["pages": 70, "title": "theirs"], context)
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSUpdatedObjectsKey: ids], into: [context])
      #expect(books.map { $0.int("pages") } == [70, 70, 70])
      #expect(books.map { $0.string("title") } == ["theirs", "theirs", "mine"])
      #expect(context.updatedObjects == [books[2]])
      try context.save()
    }
  }

  @Test("A pinned context goes on reading what was there")
  func pinned() throws {
    try books { stack, _, _ throws in
      let other = stack.newContext()
      try other.performAndWait {
        try other.setQueryGenerationFrom(.current)
        #expect(try other.all("Book").count == 3)
        #expect(try updated("Book", nil, ["title": "new"], other).count == 3)
        other.forget()
        #expect(try other.strings("Book", "title") == ["A", "B", "C"])
        try other.setQueryGenerationFrom(nil)
        other.forget()
        #expect(try other.strings("Book", "title") == ["new", "new", "new"])
      }
    }
  }

  @Test("Long values get a file for each row, and files that were there go")
  func files() throws {
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    try withStack(.sqlite, model([entity("Picture", [photo])])) { stack, context throws in
      let folder = ExternalFiles(store: stack.url).folder
      for size in [300_000, 10] { context.new("Picture", ["photo": Data(count: size)]) }
      try context.save()
      func sizes() throws -> [Int] {
        try stack.elsewhere { try $0.all("Picture").compactMap { ($0["photo"] as? Data)?.count }.sorted() }
      }
      _ = try updated("Picture", nil, ["photo": Data(count: 200_000)], context)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
      #expect(try sizes() == [200_000, 200_000])
      _ = try updated("Picture", nil, ["photo": Data(count: 20)], context)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
      #expect(try sizes() == [20, 20])
    }
  }

  @Test("A uniqueness constraint that an update breaks is error 133021, which names it, and nothing is done")
  func unique() throws {
    let tag = entity("Tag", [attribute("name"), attribute("note"), attribute("kind", default: "k")])
    tag.uniquenessConstraints = [["name", "note"], ["name"]]
    try withStack(.sqlite, model([tag])) { stack, context throws in
      for name in ["a", "b"] { context.new("Tag", ["name": name]) }
      try context.save()
      let constant = failure { _ = try updated("Tag", nil, ["name": "c"], context) }
      #expect(constant?.code == NSManagedObjectConstraintMergeError)
      #expect(
        constant?.localizedDescription == "The batch request would violate the uniqueness constraint (name) of Tag: "
          + "another row has name = \"c\".")
      let conflict = (constant?.userInfo[NSConflictListErrorKey] as? [NSConstraintConflict])?.first
      #expect(conflict?.constraint == ["name"] && conflict?.constraintValues["name"] as? String == "c")
      let computed = failure {
        _ = try updated("Tag", nil, ["name": FoundationExpression(forKeyPath: "kind")], context)
      }
      #expect(computed?.localizedDescription.contains("the uniqueness constraint (name) of Tag.") == true)
      let taken = failure { _ = try updated("Tag", "name == 'b'", ["name": "a"], context) }
      #expect(taken?.code == NSManagedObjectConstraintMergeError)
      #expect(try stack.elsewhere { try $0.strings("Tag", "name") } == ["a", "b"])
    }
  }
}
