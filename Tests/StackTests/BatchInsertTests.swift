import Foundation
import Inspection
import Testing

@testable import CoreData

extension NSManagedObjectContext {
  /// The ids that a batch insert says.
  @discardableResult
  func inserted(_ request: NSBatchInsertRequest) throws -> [NSManagedObjectID] {
    request.resultType = .objectIDs
    let result = try execute(request) as? NSBatchInsertResult
    return try #require(result?.result as? [NSManagedObjectID])
  }

  @discardableResult
  func inserted(_ entity: String, _ objects: [[String: Any]]) throws -> [NSManagedObjectID] {
    try inserted(NSBatchInsertRequest(entityName: entity, objects: objects))
  }
}

/// A SQLite stack, whose file is checked afterwards.
func withBatchStack(
  _ model: NSManagedObjectModel = library(), _ body: (Stack, NSManagedObjectContext) throws -> Void
) throws {
  try withStack(.sqlite, model) { stack, context throws in
    try body(stack, context)
    let problems = try StoreCheck(stack.url, stack.model).problems
    #expect(problems == [])
  }
}

@Suite("Batch inserts")
struct BatchInsertTests {
  @Test("Dictionaries become rows, with default values for what they leave out; contexts are not told")
  func objects() throws {
    try withBatchStack { stack, context throws in
      let ids = try context.inserted("Book", [["title": "A", "pages": 3], ["isbn": "x"], [:]])
      #expect(ids.count == 3 && ids.allSatisfy { !$0.isTemporaryID && $0.entity.name == "Book" })
      #expect(!context.hasChanges && context.registeredObjects.isEmpty)
      let books = ids.map { context.object(with: $0) }
      #expect(books.map { $0.string("title") } == ["A", "Untitled", "Untitled"])
      #expect(books.map { $0.int("pages") } == [3, 0, 0])
      #expect(books.map { $0.string("isbn") } == [nil, "x", nil])
      #expect(books.allSatisfy { $0.object("author") == nil && $0.objects("tags").isEmpty })
    }
  }

  @Test("A handler fills in one dictionary again and again, until it returns true; that call's values are dropped")
  func dictionaries() throws {
    try withBatchStack { stack, context throws in
      var (number, seen) = (0, Set<ObjectIdentifier>())
      let request = NSBatchInsertRequest(entityName: "Book") { (dictionary: NSMutableDictionary) in
        #expect(dictionary.count == 0)
        seen.insert(ObjectIdentifier(dictionary))
        number += 1
        dictionary["title"] = "T\(number)"
        if number == 2 { dictionary.addEntries(from: ["pages": 7, "isbn": NSNull()]) }
        return number == 4
      }
      #expect(try context.inserted(request).count == 3)
      #expect(number == 4 && seen.count == 1)
      #expect(try context.strings("Book", "title") == ["T1", "T2", "T3"])
      #expect(try context.all("Book").compactMap { $0.int("pages") }.sorted() == [0, 0, 7])
    }
  }

  @Test("A handler fills in one object without a context, which has its default values at each call")
  func managedObjects() throws {
    try withBatchStack { stack, context throws in
      let entity = try #require(stack.model.entitiesByName["Book"])
      var (number, seen) = (0, Set<ObjectIdentifier>())
      let request = NSBatchInsertRequest(entity: entity) { (book: NSManagedObject) in
        #expect(book.managedObjectContext == nil && book.string("title") == "Untitled" && book.string("isbn") == nil)
        seen.insert(ObjectIdentifier(book))
        number += 1
        book["isbn"] = "\(number)"
        if number == 2 { book["title"] = "Two" }
        return number == 4
      }
      #expect(try context.inserted(request).count == 3)
      #expect(seen.count == 1)
      #expect(try context.strings("Book", "isbn") == ["1", "2", "3"])
      #expect(try context.strings("Book", "title") == ["Two", "Untitled", "Untitled"])
    }
  }

  @Test("Objects of the handler are of the entity's class; nothing of their life cycle is called")
  func classes() throws {
    let thing = entity("Thing", [attribute("name")], class: Imported.self)
    try withBatchStack(model([thing])) { stack, context throws in
      var isDone = false
      let request = NSBatchInsertRequest(entityName: "Thing") { (object: NSManagedObject) in
        #expect(object is Imported)
        object["name"] = "n"
        defer { isDone = true }
        return isDone
      }
      #expect(try context.inserted(request).count == 1)
      #expect(Imported.calls == 0)
      #expect(try context.only("Thing") is Imported)
    }
  }

  @Test("The result is a status, ids or a count; the request knows its parts and can be copied")
  func results() throws {
    try withBatchStack { stack, context throws in
      let empty = NSBatchInsertRequest()
      #expect(empty.entityName == "" && empty.entity == nil && empty.objectsToInsert == nil)
      #expect(empty.dictionaryHandler == nil && empty.managedObjectHandler == nil)
      #expect(empty.requestType == .batchInsertRequestType && empty.resultType == .statusOnly)
      #expect(NSBatchInsertRequestResultType.objectIDs.rawValue == 1)
      #expect(NSBatchInsertRequestResultType.count.rawValue == 2)

      let request = NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"], ["name": "b"]])
      #expect(request.entity == nil && request.objectsToInsert?.count == 2)
      let status = try #require(try context.execute(request) as? NSBatchInsertResult)
      #expect(status.result as? Bool == true && status.resultType == .statusOnly)
      #expect(request.entity === stack.model.entitiesByName["Tag"])
      request.resultType = .count
      let copy = try #require(request.copy() as? NSBatchInsertRequest)
      let count = try #require(try stack.coordinator.execute(copy, with: context) as? NSBatchInsertResult)
      #expect(count.result as? Int == 2)
      request.objectsToInsert = []
      #expect((try context.execute(request) as? NSBatchInsertResult)?.result as? Int == 0)
      #expect(try context.all("Tag").count == 4)
    }
  }

  @Test("The handler's dictionary is one in every way")
  func dictionary() throws {
    try withBatchStack { stack, context throws in
      var isDone = false
      let request = NSBatchInsertRequest(entityName: "Book") { (dictionary: NSMutableDictionary) in
        if isDone { return true }
        isDone = true
        tryOut(dictionary)
        return false
      }
      try context.inserted(request)
      #expect(try context.strings("Book", "title") == ["C"])
    }
  }

  private func tryOut(_ dictionary: NSMutableDictionary) {
    let values: [AnyHashable: Any] = ["title": "A", "pages": 1, "nope": 2]
    dictionary.setDictionary(values)
    #expect(dictionary.count == 3)
    #expect(dictionary["title"] as? String == "A")
    #expect(dictionary["nope"] as? Int == 2)
    #expect(dictionary.value(forKey: "pages") as? Int == 1)
    #expect(dictionary["isbn"] == nil)
    dictionary.removeObject(forKey: "nope")
    dictionary["pages"] = nil
    dictionary["title" as NSString] = "B"
    dictionary["isbn"] = "x"
    let keys = dictionary.allKeys.compactMap { $0 as? String }
    #expect(Set(keys) == ["title", "isbn"])
    let found = dictionary.allValues.compactMap { $0 as? String }
    #expect(Set(found) == ["B", "x"])
    let (copy, mutableCopy) = (dictionary.copy() as? NSDictionary, dictionary.mutableCopy() as? NSMutableDictionary)
    #expect(copy?.count == 2)
    #expect(mutableCopy?["isbn"] as? String == "x")
    let same: [AnyHashable: Any] = ["title": "B", "isbn": "x"]
    #expect(dictionary.isEqual(to: same))
    var pairs = 0
    for (key, value) in dictionary where dictionary.object(forKey: key) as? String == value as? String { pairs += 1 }
    #expect(pairs == 2)
    #expect(dictionary.description.contains("isbn"))
    dictionary.removeAllObjects()
    #expect(dictionary.count == 0)
    dictionary["title"] = "C"
  }

  @Test("What a handler sets can be read as it was set and replaced by anything; taken away, it is the default value")
  func replacedValues() throws {
    try withBatchStack { _, context throws in
      var number = 0
      let request = NSBatchInsertRequest(entityName: "Book") { (dictionary: NSMutableDictionary) in
        number += 1
        switch number {
        case 1:
          dictionary["pages"] = Int16(3)
          #expect(dictionary["pages"] as Any is Int16 && dictionary["pages"] as? Int16 == 3)
          dictionary["pages"] = true
          #expect(dictionary["pages"] as Any is Bool && dictionary.count == 1)
          dictionary["title"] = "A title of more than fifteen bytes"
          dictionary["title"] = "B"
          #expect(dictionary["title"] as? String == "B")
        case 2:
          dictionary["title"] = "C"
          dictionary["pages"] = 5
          dictionary["title"] = nil
          dictionary.removeObject(forKey: "pages")
          #expect(dictionary.count == 0 && dictionary["pages"] == nil)
        case 3:
          dictionary["pages"] = "many"
          dictionary["pages"] = 7
          dictionary["isbn"] = "x"
          dictionary["isbn"] = NSNull()
          #expect(dictionary["isbn"] is NSNull)
        case 4:
          dictionary["pages"] = NSNumber(value: 9)
          #expect(dictionary["pages"] as Any is NSNumber)
        default: return true
        }
        return false
      }
      let books = try context.inserted(request).map { context.object(with: $0) }
      #expect(books.map { $0.string("title") } == ["B", "Untitled", "Untitled", "Untitled"])
      #expect(books.map { $0.int("pages") } == [1, 0, 7, 9])
      #expect(books.allSatisfy { $0.string("isbn") == nil })
    }
  }

  @Test("Values of every type are stored as a save stores them")
  func types() throws {
    let types: [(NSAttributeType, Any)] = [
      (.integer16AttributeType, Int16(5)), (.integer32AttributeType, 6), (.integer64AttributeType, Int64.max),
      (.booleanAttributeType, true), (.doubleAttributeType, 1.5), (.floatAttributeType, Float(2.5)),
      (.decimalAttributeType, NSDecimalNumber(string: "12.34")), (.stringAttributeType, "'; DROP TABLE ZTHING; --"),
      (.dateAttributeType, Date(timeIntervalSinceReferenceDate: 3)), (.binaryDataAttributeType, Data([1, 2])),
      (.UUIDAttributeType, UUID()), (.URIAttributeType, URL(string: "https://example.com")!),
      (.transformableAttributeType, ["a", "b"] as NSArray),
    ]
    let attributes = types.enumerated().map { attribute("a\($0)", $1.0) }
    try withBatchStack(model([entity("Thing", attributes)])) { stack, context throws in
      let values = Dictionary(uniqueKeysWithValues: types.enumerated().map { ("a\($0)", $1.1) })
      context.new("Thing", values)
      try context.save()
      try context.inserted("Thing", [values])
      var isDone = false
      try context.inserted(
        NSBatchInsertRequest(entityName: "Thing") { (thing: NSManagedObject) in
          defer { isDone = true }
          thing.setValuesForKeys(values)
          return isDone
        })
      let connection = try Connection(path: stack.url.path, options: Connection.Options())
      // Archives of equal objects differ in the order of their keys.
      let columns = types.indices.flatMap { index in
        ["typeof(ZA\(index))", types[index].0 == .transformableAttributeType ? "1" : "quote(ZA\(index))"]
      }.joined(separator: ", ")
      let rows = try connection.rows("SELECT \(columns) FROM ZTHING ORDER BY Z_PK")
      try #require(rows.count == 3)
      #expect(rows[1] == rows[0])
      #expect(rows[2] == rows[0])
      let arrays = try stack.elsewhere { try $0.all("Thing").map { $0["a12"] as? [String] } }
      #expect(arrays == Array(repeating: ["a", "b"], count: 3))
      let nulls = Dictionary(uniqueKeysWithValues: types.indices.map { ("a\($0)", NSNull() as Any) })
      let id = try context.inserted("Thing", [nulls])[0]
      #expect(types.indices.allSatisfy { context.object(with: id)["a\($0)"] == nil })
    }
  }
}

/// Counts what must not be called.
final class Imported: NSManagedObject {
  nonisolated(unsafe) static var calls = 0

  override func awakeFromInsert() { Imported.calls += 1 }
  override func willSave() { Imported.calls += 1 }
  override func validateForInsert() throws { Imported.calls += 1 }
}
