import Foundation
import TestFiles
import Testing

@testable import CoreData

/// Saves and batches of so many new rows that one statement takes them all, out of a `RowFeed`.
@Suite("Many new rows")
struct ManyRowsTests {
  private let folder = TemporaryFolder()
  private static let types: [(String, NSAttributeType)] = [
    ("short", .integer16AttributeType), ("long", .integer64AttributeType), ("flag", .booleanAttributeType),
    ("double", .doubleAttributeType), ("float", .floatAttributeType), ("date", .dateAttributeType),
    ("text", .stringAttributeType), ("data", .binaryDataAttributeType), ("id", .UUIDAttributeType),
    ("url", .URIAttributeType), ("decimal", .decimalAttributeType), ("list", .transformableAttributeType),
  ]

  private func library(unique: [[String]] = [], externalData: Bool = false) -> NSManagedObjectModel {
    let builder = ModelBuilder()
    let attributes = ManyRowsTests.types.map { attribute($0.0, $0.1) }
    attributes.first { $0.name == "data" }!.allowsExternalBinaryDataStorage = externalData
    builder.entity("Shelf", [attribute("name", .stringAttributeType)])
    builder.entity("Tag", [attribute("name", .stringAttributeType)])
    builder.entity("Book", attributes, unique: unique)
    builder.relate(.many("Shelf", "books"), .one("Book", "shelf"))
    builder.relate(.many("Book", "tags"), .many("Tag", "books"))
    return builder.make()
  }

  private func open(
    _ model: NSManagedObjectModel, _ name: String
  ) throws -> (store: SQLiteStore, context: NSManagedObjectContext) {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file(name))
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return (store as! SQLiteStore, context)
  }

  private func new(
    _ entity: String, _ context: NSManagedObjectContext, _ values: [String: Any] = [:]
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object.setValuesForKeys(values)
    return object
  }

  /// Values of every type, some of them nil, with the ends of their ranges.
  private func values(_ number: Int) -> [String: Any] {
    var values: [String: Any] = [
      "short": [Int16.min, 0, .max][number % 3], "long": [Int64.min, .max, 7][number % 3], "flag": number % 2 == 0,
      "double": [0.1, -.infinity, 5e-324][number % 3], "float": Float(number) / 3,
      "date": Date(timeIntervalSinceReferenceDate: Double(number) * 1.5),
      "text": ["", "zero\u{0}inside", "Größe 🦉 \(number)", String(repeating: "long ", count: 2000)][number % 4],
      "data": [Data(), Data([0, 255, UInt8(number)]), Data(repeating: 7, count: 200_000)][number % 3],
      "id": UUID(uuidString: "00000000-0000-0000-0000-0000000000\(10 + number)")!,
      "url": URL(string: "https://example.com/\(number)")!,
      "decimal": NSDecimalNumber(string: ["0.1", "NaN", "-123456789012.125"][number % 3]),
      "list": ["a", number] as NSArray,
    ]
    for (position, type) in ManyRowsTests.types.enumerated() where (number + position) % 5 == 0 {
      values[type.0] = nil
    }
    return values
  }

  private func fill(_ context: NSManagedObjectContext) throws {
    try context.performAndWait { () throws in
      let shelves = (0..<3).map { new("Shelf", context, ["name": "S\($0)"]) }
      let tags = (0..<10).map { new("Tag", context, ["name": "T\($0)"]) }
      for number in 0..<40 {
        let book = new("Book", context, values(number))
        book.setValue(number % 4 == 3 ? nil : shelves[number % 3], forKey: "shelf")
        book.setValue(NSSet(array: [tags[number % 10], tags[(number + 3) % 10]]), forKey: "tags")
      }
      try context.save()
    }
  }

  /// What a store writes of forty books and their tags, with a log or without one.
  private func written(
    _ model: NSManagedObjectModel, logged: Bool
  ) throws -> (books: [String], pairs: [String], log: [String]) {
    let url = folder.file("\(UUID().uuidString).sqlite")
    let store = SQLiteStore(
      layouts: ModelLayouts.of(model), configurationName: nil, at: url, options: nil, coordinator: nil)
    store.trace = logged ? StatementTrace(level: 1, isRecording: true) : nil
    try store.loadMetadata()
    func rows(
      _ entity: String, _ count: Int, _ make: (EntityLayout, Int64, Int) -> RowSnapshot
    ) throws -> [RowSnapshot] {
      let layout = store.layout(entity)
      let first = try store.reserveKeys(count, in: layout.root)
      return (0..<count).map { make(layout, first + Int64($0), $0) }
    }
    let shelves = try rows("Shelf", 3) { layout, key, _ in row(layout, key: key) }
    let tags = try rows("Tag", 10) { layout, key, _ in row(layout, key: key) }
    let books = try rows("Book", 40) { layout, key, number in
      var values: [String: Value] = [:]
      for (name, value) in self.values(number) {
        values[name] =
          name == "list" ? .data(Data("list \(number)".utf8)) : Value(value, for: layout.property(named: name)!)
      }
      return row(
        layout, key: key, values, to: number % 4 == 3 ? [:] : ["shelf": shelves[number % 3].reference])
    }
    var changes = ChangeSet()
    changes.inserted = shelves + tags + books
    let property = store.layout("Book").property(named: "tags")!
    changes.links = books.enumerated().map { number, book in
      LinkChange(
        owner: book.reference, relationship: property,
        added: [tags[number % 10].reference, tags[(number + 3) % 10].reference], removed: [], order: nil)
    }
    guard case .saved = try store.commit(changes) else { throw TestFailure("conflict") }
    let columns = ManyRowsTests.types.map { "quote(Z\($0.0.uppercased()))" }.joined(separator: ", ")
    let join = try query("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z_[0-9]*'", at: url)
    return (
      try query("SELECT quote(Z_PK), Z_ENT, Z_OPT, quote(ZSHELF), \(columns) FROM ZBOOK ORDER BY Z_PK", at: url),
      try query("SELECT * FROM \(try #require(join.first)) ORDER BY 1, 2", at: url),
      store.trace?.takeRecorded() ?? []
    )
  }

  @Test("One statement writes the same rows as one for each row, which is what a log shows", arguments: [false, true])
  func sameRows(_ externalData: Bool) throws {
    let model = library(externalData: externalData)
    var expected = try written(model, logged: true)
    var found = try written(model, logged: false)
    #expect(expected.log.filter { $0.hasPrefix("INSERT INTO ZBOOK") }.count == 40)
    #expect(found.books.count == 40 && found.pairs.count == 80)
    if externalData {
      // Each value has a file of its own.
      let withoutFiles = { (row: String) in row.contains("X'02") ? "" : row }
      expected.books = expected.books.map(withoutFiles)
      found.books = found.books.map(withoutFiles)
    }
    #expect(found.books == expected.books)
    #expect(found.pairs == expected.pairs)
  }

  @Test("Each of many rows that a constraint refuses is told, and a policy settles them all")
  func constraints() throws {
    let (_, context) = try open(library(unique: [["text"]]), "A.sqlite")
    try context.performAndWait { () throws in
      for name in ["a", "b", "c"] { _ = new("Book", context, ["text": name, "long": 1]) }
      try context.save()
      let texts = (0..<30).map { [4: "a", 5: "b", 29: "c"][$0] ?? "new \($0)" }
      for text in texts { _ = new("Book", context, ["text": text, "long": 2]) }
      var error: NSError?
      do { try context.save() } catch let failed as NSError { error = failed }
      let conflicts = try #require(error?.userInfo["conflictList"] as? [NSConstraintConflict])
      #expect(conflicts.map { $0.constraintValues["text"] as? String }.sorted { $0! < $1! } == ["a", "b", "c"])
      #expect(try query("SELECT count(*) FROM ZBOOK", at: folder.file("A.sqlite")) == ["3"])
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
    }
    let sums = try query("SELECT count(*), sum(ZLONG), count(DISTINCT ZTEXT) FROM ZBOOK", at: folder.file("A.sqlite"))
    #expect(sums == ["30|60|30"])
  }

  @Test("A save of which another program has taken a key says so, writes nothing, and succeeds the next time")
  func takenKeys() throws {
    let (_, context) = try open(library(), "A.sqlite")
    try context.performAndWait { () throws in
      _ = new("Book", context)
      try context.save()
      _ = try query("INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT) VALUES (9, 1, 1)", at: folder.file("A.sqlite"))
      let books = (0..<20).map { new("Book", context, ["long": $0]) }
      var error: NSError?
      do { try context.save() } catch let failed as NSError { error = failed }
      #expect(error?.code == 134020 && error?.localizedDescription.contains("the key 9") == true)
      #expect(try query("SELECT count(*) FROM ZBOOK", at: folder.file("A.sqlite")) == ["2"])
      try context.save()
      context.refreshAllObjects()
      #expect(books.map { $0.value(forKey: "long") as? Int } == Array(0..<20))
    }
    #expect(try query("SELECT count(*), count(ZLONG) FROM ZBOOK", at: folder.file("A.sqlite")) == ["22|20"])
  }

  @Test("A file's triggers run for each row, and what they refuse is refused")
  func triggers() throws {
    let url = folder.file("A.sqlite")
    let (_, context) = try open(library(), "A.sqlite")
    _ = try query(
      """
      CREATE TRIGGER count AFTER INSERT ON ZBOOK
      BEGIN UPDATE ZSHELF SET ZNAME = ZNAME || '.' WHERE Z_PK = NEW.ZSHELF; END
      """, at: url)
    _ = try query(
      "CREATE TRIGGER limits BEFORE INSERT ON ZBOOK WHEN NEW.ZLONG > 20 BEGIN SELECT RAISE(ABORT, 'too long'); END",
      at: url)
    try context.performAndWait { () throws in
      let shelf = new("Shelf", context, ["name": "S"])
      let books = (0..<12).map { new("Book", context, ["shelf": shelf, "long": $0]) }
      try context.save()
      #expect(try query("SELECT ZNAME FROM ZSHELF", at: url) == ["S............"])
      for number in 0..<12 { _ = new("Book", context, ["long": number * 2]) }
      #expect(throws: (any Error).self) { try context.save() }
      #expect(try query("SELECT count(*) FROM ZBOOK", at: url) == ["12"])
      withExtendedLifetime(books) {}
    }
  }

  @Test("After a trigger has come while the store is open, a save with a refused row fails, and the next says which")
  func triggerMeanwhile() throws {
    let url = folder.file("A.sqlite")
    let (_, context) = try open(library(unique: [["text"]]), "A.sqlite")
    try context.performAndWait { () throws in
      for number in 0..<10 { _ = new("Book", context, ["text": "\(number)"]) }
      try context.save()
      _ = try query("CREATE TRIGGER late AFTER INSERT ON ZBOOK BEGIN UPDATE ZSHELF SET ZNAME = 'x'; END", at: url)
      let books = (5..<15).map { new("Book", context, ["text": $0 == 7 ? "7" : "new \($0)"]) }
      var codes: [Int] = []
      for _ in 0..<2 {
        do { try context.save() } catch let error as NSError { codes.append(error.code) }
        #expect(try query("SELECT count(*) FROM ZBOOK", at: url) == ["10"])
      }
      #expect(codes.count == 2 && codes.last == 133021)
      books[2].setValue("new 7", forKey: "text")
      try context.save()
    }
    #expect(try query("SELECT count(*), count(DISTINCT ZTEXT) FROM ZBOOK", at: url) == ["20|20"])
  }

  @Test("A table of the feed's own name in a file is no source of rows")
  func namesake() throws {
    let url = folder.file("A.sqlite")
    let (_, context) = try open(library(), "A.sqlite")
    _ = try query("CREATE TABLE Core_Data_Rows(c0, c1, c2)", at: url)
    _ = try query("INSERT INTO Core_Data_Rows VALUES (1, 1, 1)", at: url)
    try fill(context)
    #expect(try query("SELECT count(*) FROM ZBOOK", at: url) == ["40"])
  }

  @Test("Rows of more columns than the feed has are written, and so are those of a file in UTF-16")
  func otherForms() throws {
    let builder = ModelBuilder()
    builder.entity("Wide", (0..<120).map { attribute("a\($0)", .integer32AttributeType) })
    let (_, wide) = try open(builder.make(), "wide.sqlite")
    try wide.performAndWait { () throws in
      for number in 0..<10 { _ = new("Wide", wide, ["a0": number, "a119": number]) }
      try wide.save()
    }
    #expect(try query("SELECT sum(ZA0), sum(ZA119) FROM ZWIDE", at: folder.file("wide.sqlite")) == ["45|45"])

    // The same tables in a file of the other encoding.
    let plain = folder.file("utf8.sqlite")
    _ = try open(library(), "utf8.sqlite")
    let connection = try Connection(
      path: folder.file("utf16.sqlite").path, options: Connection.Options(mayCreate: true))
    try connection.execute("PRAGMA encoding = 'UTF-16le'")
    let tables = try query("SELECT sql, name FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC", at: plain)
    for line in tables { try connection.execute(String(line[..<line.lastIndex(of: "|")!])) }
    for (table, columns) in [
      ("Z_METADATA", ["Z_VERSION", "Z_UUID", "Z_PLIST"]), ("Z_PRIMARYKEY", ["Z_ENT", "Z_NAME", "Z_SUPER", "Z_MAX"]),
      ("Z_MODELCACHE", ["Z_CONTENT"]),
    ] {
      let values = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
      for row in try query("SELECT \(values) FROM \(table)", at: plain) {
        try connection.execute("INSERT INTO \(table) VALUES (\(row))")
      }
    }
    let (_, context) = try open(library(), "utf16.sqlite")
    try fill(context)
    #expect(try query("PRAGMA encoding", at: folder.file("utf16.sqlite")) == ["UTF-16le"])
    let texts = try query(
      "SELECT ZTEXT FROM ZBOOK WHERE ZTEXT LIKE 'Gr%' ORDER BY Z_PK", at: folder.file("utf16.sqlite"))
    #expect(texts.first == "Größe 🦉 2")
  }

  @Test("A batch of many rows numbers them without a gap, and one that fails leaves none")
  func batches() throws {
    let url = folder.file("A.sqlite")
    let (_, context) = try open(library(), "A.sqlite")
    func insert(_ count: Int, data: Data? = nil, _ value: @escaping (Int) -> Any) throws {
      var number = 0
      let request = NSBatchInsertRequest(entityName: "Book") { (row: NSMutableDictionary) in
        row["long"] = value(number)
        row["text"] = "text \(number)"
        row["data"] = data
        number += 1
        return number > count
      }
      try context.performAndWait { _ = try context.execute(request) }
    }
    for count in [0, 1, 31, 32, 33, 100] { try insert(count) { $0 } }
    #expect(try query("SELECT count(*), min(Z_PK), max(Z_PK) FROM ZBOOK", at: url) == ["197|1|197"])
    #expect(try query("SELECT ZLONG, ZTEXT FROM ZBOOK WHERE Z_PK = 197", at: url) == ["99|text 99"])
    // Ten long values are more than a portion's bytes.
    try insert(10, data: Data(repeating: 7, count: 300_000)) { $0 }
    #expect(try query("SELECT count(*), sum(length(ZDATA)), max(Z_PK) FROM ZBOOK", at: url) == ["207|3000000|207"])
    #expect(throws: (any Error).self) { try insert(100) { $0 == 80 ? "no number" as Any : $0 } }
    _ = try query("CREATE UNIQUE INDEX foreigner ON ZBOOK(ZTEXT, ZLONG) WHERE Z_PK > 207", at: url)
    #expect(throws: (any Error).self) {
      try insert(100) { $0 }
      try insert(50) { $0 }
    }
    #expect(try query("SELECT count(*), max(Z_PK) FROM ZBOOK", at: url) == ["307|307"])
  }
}
