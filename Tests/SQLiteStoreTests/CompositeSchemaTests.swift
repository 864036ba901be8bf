import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("Composite attributes in a file")
struct CompositeSchemaTests {
  private let folder = TemporaryFolder()

  private func composite(_ name: String, _ elements: [NSAttributeDescription])
    -> NSCompositeAttributeDescription
  {
    let composite = NSCompositeAttributeDescription()
    composite.name = name
    composite.elements = elements
    return composite
  }

  private func model() -> NSManagedObjectModel {
    func address(_ name: String) -> NSCompositeAttributeDescription {
      composite(
        name,
        [
          attribute("city", .stringAttributeType), attribute("number", .integer16AttributeType),
          composite("place", [attribute("latitude", .doubleAttributeType)]),
        ])
    }
    let builder = ModelBuilder()
    builder.entity("Person", [attribute("city", .stringAttributeType), address("home"), address("work")])
    return builder.make()
  }

  @Test("Each element has a column that is named after it alone; a second of the name gets a number")
  func columns() throws {
    let model = model()
    let statements = try withExtendedLifetime(model) {
      try SchemaPlanner.plan(ModelLayouts.of(model), configuration: nil, existing: nil).createStatements()
    }
    #expect(
      statements[0]
        == "CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER, "
        + "ZNUMBER1 INTEGER, ZLATITUDE FLOAT, ZLATITUDE1 FLOAT, ZCITY VARCHAR, ZCITY1 VARCHAR, ZCITY2 VARCHAR )"
    )
  }

  @Test("Columns follow the order of the elements, depth first, where the composite stands among the attributes")
  func order() throws {
    let builder = ModelBuilder()
    builder.entity(
      "Person",
      [
        attribute("a", .stringAttributeType),
        composite(
          "home",
          [
            attribute("zip", .stringAttributeType), composite("place", [attribute("name", .stringAttributeType)]),
            attribute("city", .stringAttributeType), attribute("photo", .binaryDataAttributeType),
            attribute("key", .UUIDAttributeType),
          ]), attribute("name", .stringAttributeType), attribute("z", .stringAttributeType),
      ])
    let model = builder.make()
    let statements = try withExtendedLifetime(model) {
      try SchemaPlanner.plan(ModelLayouts.of(model), configuration: nil, existing: nil).createStatements()
    }
    #expect(
      statements[0]
        == "CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZA VARCHAR, ZZIP VARCHAR, "
        + "ZNAME VARCHAR, ZCITY VARCHAR, ZNAME1 VARCHAR, ZZ VARCHAR, ZKEY BLOB, ZPHOTO BLOB )")
  }

  @Test("The cached model has the elements, and opens the file")
  func cache() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url)
    try store.insert(
      "Person", [["city": .string("a"), "home.city": .string("b"), "work.place.latitude": .double(3)]])
    #expect(try query("SELECT ZCITY, ZCITY1, ZCITY2, ZLATITUDE1 FROM ZPERSON", at: url) == ["a|b|NULL|3.0"])
    store.willRemove(from: nil)
    let stored = try NSManagedObjectModel(storedIn: url)
    #expect(stored.storeOrigin == .cached)
    let home = stored.entitiesByName["Person"]?.attributesByName["home"] as? NSCompositeAttributeDescription
    #expect(home?.elements.map(\.name).sorted() == ["city", "number", "place"])
    #expect(try openStore(stored, at: url).all("Person").count == 1)
  }
}

@Suite("Partial indexes")
struct PartialIndexTests {
  private let folder = TemporaryFolder()

  private func model(_ format: String) -> NSManagedObjectModel {
    let builder = ModelBuilder()
    let entity = builder.entity(
      "Task",
      [
        attribute("title", .stringAttributeType), attribute("isDone", .booleanAttributeType),
        attribute("rank", .integer32AttributeType),
      ], indexes: [("open", [("rank", false)])])
    entity.indexes[0].partialIndexPredicate = NSPredicate(format: format)
    return builder.make()
  }

  @Test(
    "The condition of a fetch, with its values, limits the index",
    arguments: [
      ("isDone == NO AND rank > 3", "( ZISDONE = 0 AND  ZRANK > 3)"),
      ("title == 'it''s'", "ZTITLE = 'it''s'"),
      ("title != nil", "ZTITLE IS NOT NULL"),
    ])
  func condition(_ format: String, _ expected: String) throws {
    let format = format.replacingOccurrences(of: "''", with: "\\'")
    let url = folder.file("A.sqlite")
    let store = try openStore(model(format), at: url)
    #expect(
      try query("SELECT sql FROM sqlite_master WHERE name = 'Z_Task_open'", at: url)
        == ["CREATE INDEX Z_Task_open ON ZTASK (ZRANK COLLATE BINARY DESC) WHERE \(expected)"])
    try store.insert("Task", [["title": .string("it's"), "rank": .int(5), "isDone": .int(0)]])
    // A program that knows none of our functions can write too.
    _ = try query("UPDATE ZTASK SET ZRANK = 6", at: url)
    #expect(try query("PRAGMA integrity_check", at: url) == ["ok"])
    #expect(try NSManagedObjectModel(storedIn: url).storeOrigin == .cached)
  }

  @Test("A condition that needs more than SQLite's own functions and the row is refused by name")
  func refused() {
    for format in ["title CONTAINS[cd] 'a'", "title MATCHES 'a.*'"] {
      let failure = #expect(throws: Failure.self) {
        try openStore(model(format), at: folder.file("B.sqlite"))
      }
      #expect(failure?.description.contains("The partial index open of Task") == true)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("B.sqlite").path))
  }
}
