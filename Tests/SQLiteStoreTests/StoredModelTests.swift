import Foundation
import Inspection
import TestFiles
import Testing

@testable import CoreData

@Suite("The model of a store's file")
struct StoredModelTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("Library.sqlite") }

  /// Every way in which a relationship is kept, a hierarchy, and an attribute of each column type.
  private func library(isTagged: Bool = true) -> NSManagedObjectModel {
    let model = ModelBuilder()
    model.entity("Writer", [attribute("lastName", .stringAttributeType)], isAbstract: true)
    model.entity("Author", [attribute("penName", .stringAttributeType)], parent: "Writer")
    model.entity("Editor", [attribute("penName", .stringAttributeType)], parent: "Writer")
    model.entity(
      "Book",
      [
        attribute("isbn", .stringAttributeType), attribute("pageCount", .integer32AttributeType),
        attribute("createdAt", .dateAttributeType), attribute("weight", .doubleAttributeType),
        attribute("price", .decimalAttributeType), attribute("cover", .binaryDataAttributeType),
      ], unique: [["isbn"]], indexes: [("byPageCount", [("pageCount", true)])])
    model.entity("Shelf", [attribute("title", .stringAttributeType)])
    model.entity("Note", [attribute("text", .stringAttributeType)])
    model.relate(.many("Writer", "books"), .one("Book", "writer"))
    model.relate(.ordered("Shelf", "books"), .one("Book", "shelf"))
    if isTagged { model.relate(.ordered("Book", "tags"), .many("Shelf", "taggedBooks")) }
    model.relate(.many("Book", "notes"), to: "Note")
    return model.make()
  }

  /// A file with two rows of each kind; its cached model is taken away.
  private func makeBareFile() throws -> [String: Data] {
    let store = try openStore(library(), at: url)
    let author = try store.insert("Author", [["lastName": .string("A"), "penName": .string("a")]])[0]
    try store.insert("Editor", [["penName": .string("e")]])
    let shelf = try store.insert("Shelf", [["title": .string("S")]])[0]
    try store.insert(
      "Book", [["isbn": .string("1"), "pageCount": .int(3)], ["isbn": .string("2")]],
      to: ["writer": author.reference, "shelf": shelf.reference])
    store.willRemove(from: nil)
    _ = try query("DELETE FROM Z_MODELCACHE", at: url)
    return try SQLiteStore.metadataForPersistentStore(with: url)[NSStoreModelVersionHashesKey]
      as? [String: Data] ?? [:]
  }

  @Test("The cached model has the hashes of the one that made the file, and opens it")
  func cached() throws {
    let model = library()
    try openStore(model, at: url).willRemove(from: nil)
    let stored = try NSManagedObjectModel(storedIn: url)
    #expect(stored.storeOrigin == .cached)
    #expect(model.storeOrigin == nil)
    #expect(stored.entityVersionHashesByName == model.entityVersionHashesByName)
    try openStore(stored, at: url).willRemove(from: nil)
  }

  @Test("The cached model has an index's columns for the object and its entity")
  func indexOfTheObject() throws {
    let builder = ModelBuilder()
    let book = builder.entity("Book", [attribute("title", .stringAttributeType)])
    let columns = ["entity", "SELF"].map { format in
      let column = NSExpressionDescription()
      column.name = format
      column.expression = FoundationExpression(format: format)
      return NSFetchIndexElementDescription(property: column, collationType: .binary)
    }
    book.indexes = [NSFetchIndexDescription(name: "byKind", elements: columns)]
    try openStore(builder.make(), at: url).willRemove(from: nil)
    let stored = try NSManagedObjectModel(storedIn: url)
    #expect(stored.storeOrigin == .cached)
    let found = stored.entitiesByName["Book"]?.indexes.first?.elements.map { element in
      (element.property as? NSExpressionDescription)?.expression.map { "\($0)" }
    }
    #expect(found == ["entity", "SELF"])
    try openStore(stored, at: url).willRemove(from: nil)
  }

  @Test("The cached model has an index of an expression, which its file does without")
  func indexOfAnExpression() throws {
    let builder = ModelBuilder()
    let book = builder.entity("Book", [attribute("title", .stringAttributeType)])
    let column = NSExpressionDescription()
    column.name = "length"
    column.expression = FoundationExpression(format: "length:(title)")
    book.indexes = [
      NSFetchIndexDescription(
        name: "byLength", elements: [NSFetchIndexElementDescription(property: column, collationType: .binary)])
    ]
    try openStore(builder.make(), at: url).willRemove(from: nil)
    #expect(try query("SELECT name FROM sqlite_master WHERE name LIKE '%byLength'", at: url) == [])
    let stored = try NSManagedObjectModel(storedIn: url)
    #expect(stored.storeOrigin == .cached)
    let found = try #require(stored.entitiesByName["Book"]?.indexes.first?.elements.first?.property)
    #expect((found as? NSExpressionDescription)?.expression?.description == "length:(title)")
  }

  @Test("The cached model has an integer's limits, also those that are no integers")
  func limits() throws {
    let limits = AttributeLimits(minNumber: Decimal(string: "-1e20"), maxNumber: Decimal(string: "2.5"))
    let builder = ModelBuilder()
    let pages = attribute("pages", .integer16AttributeType)
    pages.limits = limits
    builder.entity("Book", [pages])
    try openStore(builder.make(), at: url).willRemove(from: nil)
    let stored = try NSManagedObjectModel(storedIn: url)
    #expect(stored.storeOrigin == .cached)
    #expect(stored.entitiesByName["Book"]?.attributesByName["pages"]?.limits == limits)
  }

  @Test(
    "A relationship that is its own inverse is found in a file without a cached model",
    arguments: ["Z_1FRIENDS1", "REFLEXIVE"], [false, true])
  func reflexive(_ column: String, _ isOrdered: Bool) throws {
    let builder = ModelBuilder()
    builder.entity("Person", [attribute("name", .stringAttributeType)])
    builder.relateToItself(isOrdered ? .ordered("Person", "friends") : .many("Person", "friends"))
    let model = builder.make()
    let store = try openStore(model, at: url)
    let people = try store.insert("Person", [[:], [:]])
    let changes = ChangeSet()
    let friendship = try #require(store.layout("Person").property(named: "friends"))
    changes.links = [
      LinkChange(
        owner: people[0].reference, relationship: friendship, added: [people[1].reference], removed: [],
        order: isOrdered ? [people[1].reference] : nil)
    ]
    _ = try store.commit(changes)
    store.willRemove(from: nil)
    _ = try query("DELETE FROM Z_MODELCACHE", at: url)
    let names = try query("SELECT name FROM pragma_table_info('Z_1FRIENDS')", at: url)
    for (old, new) in [(names[1], column), (names.last ?? "", "Z_FOK_" + column.replacing("Z_", with: ""))]
    where old != new && (isOrdered || !new.hasPrefix("Z_FOK_")) {
      _ = try query("ALTER TABLE Z_1FRIENDS RENAME COLUMN \(old) TO \(new)", at: url)
    }
    let stored = try NSManagedObjectModel(storedIn: url)
    let friends = try #require(stored.entitiesByName["Person"]?.relationshipsByName["friends"])
    #expect(friends.inverseRelationship === friends)
    #expect(friends.isToMany && friends.isOrdered == isOrdered)
    #expect(stored.entityVersionHashesByName == model.entityVersionHashesByName)
  }

  @Test("Without a cached model, one is put together from numbers, tables, columns, indexes and rows")
  func inferred() throws {
    let hashes = try makeBareFile()
    let model = try NSManagedObjectModel(storedIn: url)
    #expect(model.storeOrigin == .inferred)
    #expect(model.entityVersionHashesByName == hashes)
    #expect(model.entitiesByName["Author"]?.superentity?.name == "Writer")
    let book = try #require(model.entitiesByName["Book"])
    let types = book.attributesByName.mapValues(\.attributeType)
    #expect(
      types == [
        "isbn": .stringAttributeType, "pageCount": .integer64AttributeType, "createdAt": .dateAttributeType,
        "weight": .doubleAttributeType, "price": .decimalAttributeType, "cover": .binaryDataAttributeType,
      ])
    let constraints = book.uniquenessConstraints as? [[String]]
    #expect(constraints == [["isbn"]])
    // "penname" is made of no known words; the second of the siblings' columns has a number.
    #expect(
      model.entitiesByName["Writer"]?.attributesByName.keys.sorted() == ["lastName", "penname", "penname1"])
    func ends(_ entity: String) -> [String] {
      model.entitiesByName[entity]!.relationshipsByName.values.map {
        "\($0.name) \($0.isToMany ? $0.isOrdered ? "list" : "set" : "one") \($0.destinationEntity?.name ?? "-") "
          + "\($0.inverseRelationship?.name ?? "-")"
      }.sorted()
    }
    #expect(
      ends("Book") == [
        "notes set Note -", "shelf one Shelf books", "tags list Shelf taggedbooks", "writer one Writer books",
      ])
    #expect(ends("Shelf") == ["books list Book shelf", "taggedbooks set Book tags"])
    #expect(ends("Writer") == ["books set Book writer"])
    #expect(ends("Note") == [])
  }

  @Test("A file is opened, changed and kept with the model that was put together from it")
  func keeps() throws {
    let hashes = try makeBareFile()
    let schema = try query("SELECT sql FROM sqlite_master", at: url)
    let model = try NSManagedObjectModel(storedIn: url)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let shelf = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first)
      let books = try #require(shelf.value(forKey: "books") as? NSOrderedSet)
      #expect(books.compactMap { ($0 as? NSManagedObject)?.value(forKey: "isbn") as? String } == ["1", "2"])
      let book = NSManagedObject(entity: try #require(model.entitiesByName["Book"]), insertInto: context)
      book.setValue("3", forKey: "isbn")
      book.setValue(shelf, forKey: "shelf")
      book.setValue(NSOrderedSet(object: shelf), forKey: "tags")
      let note = NSManagedObject(entity: try #require(model.entitiesByName["Note"]), insertInto: context)
      book.setValue(NSSet(object: note), forKey: "notes")
      try context.save()
    }
    try #expect(StoreCheck(url, library()).problems == [])
    #expect(try query("SELECT sql FROM sqlite_master", at: url) == schema)
    let metadata = try SQLiteStore.metadataForPersistentStore(with: url)
    #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == hashes)
    // The model that made the file still opens it, and sees the new rows.
    let store = try openStore(library(), at: url)
    #expect(try store.all("Book").count == 3)
    #expect(try query("SELECT COUNT(*) FROM ZNOTE WHERE Z1NOTES = 3", at: url) == ["1"])
    #expect(try query("SELECT COUNT(*) FROM Z_1TAGS", at: url) == ["1"])
  }

  @Test("A cached model that has the file's columns and not its join tables is not taken")
  func staleJoinTables() throws {
    _ = try makeBareFile()
    let other = folder.file("Other.sqlite")
    try openStore(library(isTagged: false), at: other).willRemove(from: nil)
    _ = try query("ATTACH '\(other.path)' AS other", at: url)
    let cache = try query("SELECT HEX(Z_CONTENT) FROM Z_MODELCACHE", at: other)[0]
    _ = try query("INSERT INTO Z_MODELCACHE VALUES (X'\(cache)')", at: url)
    #expect(try NSManagedObjectModel(storedIn: url).storeOrigin == .inferred)
  }

  @Test("A cached model that has not the file's columns is not taken")
  func staleCache() throws {
    _ = try makeBareFile()
    let other = folder.file("Other.sqlite")
    let model = ModelBuilder()
    for name in ["Writer", "Book", "Shelf", "Note"] { model.entity(name) }
    model.entity("Author", parent: "Writer")
    model.entity("Editor", parent: "Writer")
    try openStore(model.make(), at: other).willRemove(from: nil)
    _ = try query("ATTACH '\(other.path)' AS other", at: url)
    let cache = try query("SELECT HEX(Z_CONTENT) FROM Z_MODELCACHE", at: other)[0]
    _ = try query("INSERT INTO Z_MODELCACHE VALUES (X'\(cache)')", at: url)
    #expect(try NSManagedObjectModel(storedIn: url).storeOrigin == .inferred)
    _ = try query("UPDATE Z_MODELCACHE SET Z_CONTENT = X'0102030405'", at: url)
    #expect(try NSManagedObjectModel(storedIn: url).storeOrigin == .inferred)
  }

  @Test("Names are made of the words of entities and of common ones, as a whole or not at all")
  func names() {
    var names = PropertyNames(spelled: ["kAnchor", "By"], words: PropertyNames.words(of: "TokenMetaURLInfo"))
    #expect(PropertyNames.words(of: "TokenMetaURLInfo") == ["Token", "Meta", "URL", "Info"])
    let columns = [
      "KANCHOR", "CREATEDAT", "ISHIDDEN", "TOKENID", "METAINFO", "URLSTRING", "URLPATH", "XYZZY", "ÜBER",
      "ID",
    ]
    #expect(
      columns.map { names.name(of: $0) } == [
        "kAnchor", "createdAt", "isHidden", "tokenID", "metaInfo", "urlstring", "urlPath", "xyzzy", "über",
        "id",
      ])
    #expect(names.name(of: "1X") == nil)
  }

  @Test("Columns tell by their names what they hold")
  func columns() {
    let columns: [(String, StoredColumn)] = [
      ("Z_PK", .fixed), ("ZNAME", .property("NAME")), ("Z_FOK_PARENT", .order("PARENT")),
      ("Z7_COVER", .entity(7, "COVER")),
      ("Z15PARAMETERS", .hiddenKey(15, "PARAMETERS")), ("Z_SOMETHING", .unknown), ("NAME", .unknown),
      ("Z", .unknown),
    ]
    for (name, expected) in columns { #expect(StoredColumn(name) == expected, "\(name)") }
  }

  @Test("A file that is no store is refused in a sentence")
  func noStore() throws {
    func code(_ url: URL) -> Int? {
      do { _ = try NSManagedObjectModel(storedIn: url) } catch { return (error as NSError).code }
      return nil
    }
    #expect(code(folder.file("none.sqlite")) == 260)
    let text = folder.file("text.sqlite")
    try Data("hello, this is no database at all".utf8).write(to: text)
    #expect(code(text) == 259)
    try openStore(library(), at: url).willRemove(from: nil)
    _ = try query("DROP TABLE Z_METADATA", at: url)
    #expect(code(url) == 134020)
  }

  @Test("A store that is opened without comparing hashes states those of the model, and keeps what clients set")
  func ignoringVersions() throws {
    _ = try makeBareFile()
    let bigger = library()
    bigger.entitiesByName["Book"]!.isAbstract = true
    #expect(throws: Failure.self) { try openStore(bigger.copy() as! NSManagedObjectModel, at: url) }
    let store = try openStore(bigger, at: url, options: ["NSIgnorePersistentStoreVersioningOption": true])
    try store.insert("Shelf", [["title": .string("T")]])
    store.metadata["mine"] = "yes"
    try store.insert("Shelf", [["title": .string("U")]])
    let metadata = try SQLiteStore.metadataForPersistentStore(with: url)
    #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == bigger.entityVersionHashesByName)
    #expect(metadata["mine"] as? String == "yes")
  }
}
