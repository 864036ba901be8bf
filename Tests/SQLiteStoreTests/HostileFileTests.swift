import Foundation
import TestFiles
import Testing

@testable import CoreData

/// Files that somebody made to do harm: each is read, or refused with one clear error. The process goes on, and nothing
/// beside the store changes.
@Suite("Hostile files")
struct HostileFileTests {
  let folder = TemporaryFolder()
  var url: URL { folder.file("S.sqlite") }

  private static let books: NSManagedObjectModel = {
    let model = ModelBuilder()
    model.entity("Book", [attribute("title", .stringAttributeType), attribute("pages", .integer64AttributeType)])
    return model.make()
  }()

  /// A coordinator with the store, which has one book when it is made.
  private func coordinator(
    _ model: NSManagedObjectModel = books, type: String = NSSQLiteStoreType, at url: URL? = nil,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: url ?? self.url, options: options)
    return coordinator
  }

  private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private func insertBook(_ coordinator: NSPersistentStoreCoordinator, _ title: String = "Dune") throws {
    let context = context(coordinator)
    try context.performAndWait {
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      book.setValue(title, forKey: "title")
      try context.save()
    }
  }

  private func titles(_ coordinator: NSPersistentStoreCoordinator) throws -> [String] {
    let context = context(coordinator)
    return try context.performAndWait {
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        .map { $0.value(forKey: "title") as? String ?? "" }.sorted()
    }
  }

  private func makeStore(_ type: String = NSSQLiteStoreType, at url: URL? = nil) throws {
    let coordinator = try coordinator(type: type, at: url)
    try insertBook(coordinator)
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  private func execute(_ sql: String) throws {
    try Connection(path: url.path, options: Connection.Options()).execute(sql)
  }

  private func error(_ body: () throws -> Void) -> NSError? {
    do {
      try body()
      return nil
    } catch {
      return (error as? Failure)?.nsError ?? error as NSError
    }
  }

  // Keys.

  @Test("A Z_MAX behind the table is put right when the next key is taken", arguments: ["0", "-7", "NULL", "'x'"])
  func maximumBehind(_ value: String) throws {
    try makeStore()
    try execute(
      "INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES(41, 1, 1, 'Emma'); UPDATE Z_PRIMARYKEY SET Z_MAX = \(value)"
    )
    let coordinator = try coordinator()
    try insertBook(coordinator, "Kim")
    #expect(try titles(coordinator) == ["Dune", "Emma", "Kim"])
    #expect(try query("SELECT Z_PK FROM ZBOOK WHERE ZTITLE = 'Kim'", at: url) == ["42"])
    #expect(try query("SELECT Z_MAX FROM Z_PRIMARYKEY", at: url) == ["42"])
  }

  @Test("A Z_MAX that is no number is put right in an empty table as well", arguments: ["NULL", "'x'", "1.5"])
  func maximumOfNone(_ value: String) throws {
    try makeStore()
    try execute("DELETE FROM ZBOOK; UPDATE Z_PRIMARYKEY SET Z_MAX = \(value)")
    let coordinator = try coordinator()
    let context = context(coordinator)
    let batch = NSBatchInsertRequest(entityName: "Book", objects: [["title": "Emma"], ["title": "Persuasion"]])
    _ = try context.performAndWait { try context.execute(batch) }
    try insertBook(coordinator, "Kim")
    #expect(try titles(coordinator) == ["Emma", "Kim", "Persuasion"])
    #expect(
      try query("SELECT Z_MAX FROM Z_PRIMARYKEY", at: url) == query("SELECT MAX(Z_PK) FROM ZBOOK", at: url))
  }

  @Test("A Z_MAX that leaves no key is an error that says so, for saves, reserved ids and batches")
  func noKeyLeft() throws {
    try makeStore()
    try execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max - 1)")
    let coordinator = try coordinator()
    try insertBook(coordinator, "the last")
    #expect(try query("SELECT Z_PK FROM ZBOOK WHERE ZTITLE = 'the last'", at: url) == ["\(Int64.max)"])
    let context = context(coordinator)
    let batch = NSBatchInsertRequest(entityName: "Book", objects: [["title": "one more"]])
    context.performAndWait {
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      for error in [
        error { try context.save() }, error { try context.obtainPermanentIDs(for: [book]) },
        error { _ = try context.execute(batch) },
      ] {
        let text = error?.localizedDescription ?? "none"
        #expect(text.contains("the Z_MAX \(Int64.max), and too few keys"), "\(text)")
      }
    }
  }

  @Test("Keys that another program takes without raising Z_MAX are an error that says so, and the next save is right")
  func keyTakenMeanwhile() throws {
    try makeStore()
    let coordinator = try coordinator()
    try insertBook(coordinator, "Kim")
    try execute("INSERT INTO ZBOOK(Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES(3, 1, 1, 'Emma')")
    let context = context(coordinator)
    try context.performAndWait {
      NSEntityDescription.insertNewObject(forEntityName: "Book", into: context).setValue("Ulysses", forKey: "title")
      let error = try #require(error { try context.save() })
      #expect(error.code == NSPersistentStoreIncompatibleSchemaError)
      for word in [url.path, "Book", "Z_MAX", "key 3"] {
        #expect(error.localizedDescription.contains(word), "\(error.localizedDescription)")
      }
      try context.save()
    }
    #expect(try titles(coordinator) == ["Dune", "Emma", "Kim", "Ulysses"])
  }

  // What SQLite and metadata say.

  @Test("A damaged database is called damaged, and only what is none is called no database")
  func damage() throws {
    try makeStore()
    var bytes = try Data(contentsOf: url)
    bytes.replaceSubrange(4096..<bytes.count, with: Data(repeating: 0x5A, count: bytes.count - 4096))
    try bytes.write(to: url)
    let damaged = try #require(error { _ = try coordinator() })
    #expect(damaged.code == CocoaError.Code.fileReadCorruptFile.rawValue)
    #expect(damaged.userInfo[NSSQLiteErrorDomain] as? Int == 11)
    #expect(damaged.localizedDescription.contains("is damaged"), "\(damaged.localizedDescription)")
    try Data("No database, but a text that is long enough.".utf8).write(to: url)
    let none = try #require(error { _ = try coordinator() })
    #expect(none.userInfo[NSSQLiteErrorDomain] as? Int == 26)
    #expect(none.localizedDescription.contains("is not a SQLite database"))
  }

  @Test("An emptied Z_METADATA is called empty, not missing")
  func emptiedMetadata() throws {
    try makeStore()
    try execute("DELETE FROM Z_METADATA")
    let failures = [
      error { _ = try coordinator() },
      error { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url) },
      error { _ = try NSManagedObjectModel(storedIn: url) },
    ]
    for failure in failures {
      let failure = try #require(failure)
      #expect(failure.code == NSPersistentStoreIncompatibleSchemaError)
      #expect(failure.localizedDescription.contains("Z_METADATA") && failure.localizedDescription.contains("is empty"))
      #expect(!failure.localizedDescription.contains("no such table"))
    }
  }

  @Test("A pragma that SQLite does not have is refused by name")
  func unknownPragma() throws {
    let failure = try #require(
      error { _ = try coordinator(options: [NSSQLitePragmasOption: ["jurnal_mode": "DELETE"]]) })
    #expect(failure.localizedDescription.contains("no pragma \"jurnal_mode\""), "\(failure.localizedDescription)")
    _ = try coordinator(options: [NSSQLitePragmasOption: ["Cache_Size": "77"]])
  }

  @Test(
    "A UUID that can't stand in an object's URI is an error that names it",
    arguments: [NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType])
  func uuid(_ type: String) throws {
    try makeStore(type)
    let other = "AAAAAAAA-BBBB CCCC-DDDD-EEEEEEEEEEEE"
    if type == NSSQLiteStoreType {
      try execute("UPDATE Z_METADATA SET Z_UUID = '\(other)'")
    } else {
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url)
      let uuid = try #require(metadata[NSStoreUUIDKey] as? String)
      var bytes = try Data(contentsOf: url)
      let place = try #require(bytes.firstRange(of: Data(uuid.utf8)))
      bytes.replaceSubrange(place, with: Data(other.utf8))
      try bytes.write(to: url)
    }
    let text = error { _ = try coordinator(type: type) }?.localizedDescription ?? "none"
    #expect(text.contains(url.path) && text.contains(other), "\(text)")
  }

  // Property lists.

  @Test(
    "Metadata that nest without end, or double at each level, are none; the store says of what version it is not",
    arguments: 0..<4)
  func metadataList(_ kind: Int) throws {
    try makeStore()
    let list: [UInt8] =
      switch kind {
      case 0: Array(repeating: UInt8(ascii: "("), count: 1_000_000)
      case 1: Array("<plist>".utf8) + Array(String(repeating: "<array>", count: 100_000).utf8)
      case 2: HostileList.doubling(60)
      default: HostileList.circle
      }
    let connection = try Connection(path: url.path, options: Connection.Options())
    let statement = try Statement("UPDATE Z_METADATA SET Z_PLIST = ?", in: connection.database, isKept: false)
    try list.withUnsafeBytes { bytes in
      statement.bind(blob: bytes, at: 1)
      try statement.run()
    }
    let failure = try #require(error { _ = try coordinator() })
    #expect(failure.code == NSPersistentStoreIncompatibleVersionHashError)
    #expect(failure.localizedDescription.contains(url.path))
  }

  @Test(
    "Metadata of a binary store that double at each level are an error that names the file, however deep they nest",
    arguments: [50, 70])
  func binaryMetadata(_ levels: Int) throws {
    let list = HostileList.doublingMetadata(levels)
    let end = BinaryStoreHeader.size + list.count
    let head = BinaryStoreHeader(
      metadata: BinaryStoreHeader.size..<end, rows: BinaryStoreHeader.size..<BinaryStoreHeader.size, lastKey: 0)
    try Data(head.bytes + list).write(to: url)
    let type = NSBinaryStoreType
    let failures = [
      error { _ = try coordinator(type: type) },
      error { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url) },
      error { try NSPersistentStoreCoordinator.setMetadata([:], forPersistentStoreOfType: type, at: url) },
    ]
    for failure in failures {
      let failure = try #require(failure)
      #expect(failure.code == CocoaError.Code.fileReadCorruptFile.rawValue)
      #expect(failure.localizedDescription.contains(url.path), "\(failure.localizedDescription)")
    }
  }

  @Test(
    "Metadata of an XML store that nest without end, or have entities that double, are an error that names the file",
    arguments: 0..<2)
  func xmlMetadata(_ kind: Int) throws {
    try makeStore(NSXMLStoreType)
    let text = try String(contentsOf: url, encoding: .utf8)
    let root = try #require(text.range(of: "<database>"))
    let start = try #require(text.range(of: "<metadata>"))
    let end = try #require(text.range(of: "</metadata>"))
    let doubling = (1...59).map { "<!ENTITY e\($0) \"&e\($0 - 1);&e\($0 - 1);\">" }.joined()
    let list =
      kind == 0
      ? String(repeating: "<array>", count: 100_000) + String(repeating: "</array>", count: 100_000)
      : "<dict><key>a</key><string>&e59;</string></dict>"
    let head = "<?xml version=\"1.0\"?><!DOCTYPE database [<!ENTITY e0 \"x\">\(doubling)]>"
    let (before, after) = (text[root.lowerBound..<start.upperBound], text[end.lowerBound...])
    try Data("\(head)\(before)<plist version=\"1.0\">\(list)</plist>\(after)".utf8).write(to: url)
    let failures = [
      error { _ = try coordinator(type: NSXMLStoreType) },
      error { _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: NSXMLStoreType, at: url) },
    ]
    for failure in failures {
      let failure = try #require(failure)
      #expect(failure.code == CocoaError.Code.fileReadCorruptFile.rawValue)
      #expect(failure.localizedDescription.contains(url.path), "\(failure.localizedDescription)")
    }
  }

  @Test("A cached model that inflates to more than any model has is as good as none")
  func inflation() throws {
    try makeStore()
    let bomb = try #require(ModelCache.deflated([UInt8](repeating: 0, count: ModelCache.limit + 100_000)))
    #expect(bomb.count < 100_000)
    #expect(ModelCache.inflated(bomb) == nil)
    let connection = try Connection(path: url.path, options: Connection.Options())
    let statement = try Statement("UPDATE Z_MODELCACHE SET Z_CONTENT = ?", in: connection.database, isKept: false)
    try bomb.withUnsafeBytes { bytes in
      statement.bind(blob: bytes, at: 1)
      try statement.run()
    }
    #expect(try NSManagedObjectModel(storedIn: url).entitiesByName.keys.sorted() == ["Book"])
    #expect(try titles(coordinator()) == ["Dune"])
  }

  @Test(
    "Two entities of one name in Z_PRIMARYKEY are an error that names the file and them, where no model is kept",
    arguments: [0, 1])
  func twins(_ parent: Int) throws {
    try makeStore()
    try execute("DELETE FROM Z_MODELCACHE")
    try execute("INSERT INTO Z_PRIMARYKEY VALUES (2, 'Book', \(parent), 0)")
    let failure = try #require(error { _ = try NSManagedObjectModel(storedIn: url) })
    let text = failure.localizedDescription
    #expect(text.contains("S.sqlite") && text.contains("two entities have the name Book"), "\(text)")
  }

  @Test(
    "A history that leaves no key is an error that says so, and nothing is saved",
    arguments: ["16001", "16002", "16003"])
  func noKeyLeftInHistory(_ table: String) throws {
    let options = [NSPersistentHistoryTrackingKey: true as NSNumber]
    try insertBook(coordinator(options: options))
    try execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_ENT = \(table)")
    let coordinator = try coordinator(options: options)
    let context = context(coordinator)
    context.transactionAuthor = "somebody else"
    context.performAndWait {
      NSEntityDescription.insertNewObject(forEntityName: "Book", into: context).setValue("No", forKey: "title")
      let text = error { try context.save() }?.localizedDescription ?? "none"
      #expect(text.contains("its row \(table) has the Z_MAX \(Int64.max), and too few keys"), "\(text)")
    }
    #expect(try titles(coordinator) == ["Dune"])
  }

  @Test("A Z_MAX of the history behind its tables is put right, and a text in its place is an error that says so")
  func historyMaximum() throws {
    let options = [NSPersistentHistoryTrackingKey: true as NSNumber]
    try insertBook(coordinator(options: options))
    try execute("UPDATE Z_PRIMARYKEY SET Z_MAX = -7 WHERE Z_ENT > 16000")
    try execute("UPDATE ATRANSACTION SET Z_PK = -5; UPDATE ACHANGE SET Z_PK = -5, ZTRANSACTIONID = -5")
    try insertBook(coordinator(options: options), "Kim")
    for table in ["ATRANSACTION", "ACHANGE"] {
      #expect(try query("SELECT Z_PK FROM \(table) ORDER BY 1", at: url) == ["-5", "1"])
    }
    #expect(try query("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002", at: url) == ["1"])
    try execute("UPDATE Z_PRIMARYKEY SET Z_MAX = '9x' WHERE Z_ENT = 16002")
    let failure = try #require(error { try insertBook(coordinator(options: options), "Emma") })
    for word in [url.path, "its row 16002 has the Z_MAX \"9x\", which is no number"] {
      #expect(failure.localizedDescription.contains(word), "\(failure.localizedDescription)")
    }
  }

  @Test("Two rows of one Z_ENT in Z_PRIMARYKEY are an error that names the file and the number")
  func sameNumbers() throws {
    try makeStore()
    try execute(
      "CREATE TABLE X AS SELECT * FROM Z_PRIMARYKEY; DROP TABLE Z_PRIMARYKEY; ALTER TABLE X RENAME TO Z_PRIMARYKEY; "
        + "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Author', 2, 0), (2, 'Label', 1, 0); DELETE FROM Z_MODELCACHE")
    func check(_ body: () throws -> Void) {
      let text = error(body)?.localizedDescription ?? "none"
      #expect(text.contains(url.path) && text.contains("two rows have the Z_ENT 1"), "\(text)")
    }
    check { _ = try coordinator() }
    try execute("UPDATE Z_METADATA SET Z_PLIST = x'00'")
    check { _ = try NSManagedObjectModel(storedIn: url) }
  }

  @Test(
    "A view in the place of a table is an error that names it, even if its rows have no end",
    arguments: [
      "Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "ZBOOK", "ATRANSACTION", "ATRANSACTIONSTRING", "ACHANGE",
    ])
  func endlessView(_ table: String) throws {
    let options = [NSPersistentHistoryTrackingKey: true as NSNumber]
    try insertBook(coordinator(options: options))
    let columns = try query("SELECT name FROM pragma_table_info('\(table)')", at: url).map { "x AS \($0)" }
    try execute(
      "DROP TABLE \(table); CREATE VIEW \(table) AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x FROM c) "
        + "SELECT \(columns.joined(separator: ", ")) FROM c WHERE x = 2")
    var failures = [
      error { try insertBook(coordinator(options: options), "Kim") },
      error {
        let history = NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?)
        let context = context(try coordinator(options: options))
        _ = try context.performAndWait { try context.execute(history) }
      },
    ]
    if !table.hasPrefix("A") { failures.append(error { _ = try NSManagedObjectModel(storedIn: url) }) }
    // Only a migration and inspection read the model, and they make do without an entity's table.
    if table == "Z_MODELCACHE" { failures.removeFirst(2) }
    if table == "ZBOOK" { failures.removeLast() }
    for failure in failures {
      let text = try #require(failure).localizedDescription
      #expect(text.contains(url.path) && text.contains(table), "\(text)")
    }
  }

  @Test("An entity that is its own ancestor in Z_PRIMARYKEY is an error that names it")
  func ownAncestor() throws {
    try makeStore()
    try execute("UPDATE Z_PRIMARYKEY SET Z_SUPER = 1; DELETE FROM Z_MODELCACHE")
    let failure = try #require(error { _ = try NSManagedObjectModel(storedIn: url) })
    #expect(failure.localizedDescription.contains("Book inherits from itself"), "\(failure.localizedDescription)")
    #expect(try titles(coordinator()) == ["Dune"])
  }

  @Test("Entities that inherit from each other without end in Z_PRIMARYKEY are an error, where no model is kept")
  func longLine() throws {
    try makeStore()
    try execute("DELETE FROM Z_MODELCACHE; UPDATE Z_METADATA SET Z_PLIST = x'00'")
    try execute(
      "WITH RECURSIVE c(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM c WHERE x < 15999) "
        + "INSERT INTO Z_PRIMARYKEY SELECT x, 'E' || x, x - 1, 0 FROM c")
    let text = error { _ = try NSManagedObjectModel(storedIn: url) }?.localizedDescription ?? "none"
    #expect(text.contains(url.path) && text.contains("inherits from more than 200 entities"), "\(text)")
  }

  @Test("A table whose many columns thousands of entities inherit is an error, where no model is kept")
  func manyHeirs() throws {
    try makeStore()
    try execute("DELETE FROM Z_MODELCACHE; UPDATE Z_METADATA SET Z_PLIST = x'00'")
    try execute(
      "WITH RECURSIVE c(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM c WHERE x < 4000) "
        + "INSERT INTO Z_PRIMARYKEY SELECT x, 'E' || x, 1, 0 FROM c")
    for number in 0..<300 { try execute("ALTER TABLE ZBOOK ADD COLUMN ZP\(number) VARCHAR") }
    let text = error { _ = try NSManagedObjectModel(storedIn: url) }?.localizedDescription ?? "none"
    #expect(text.contains(url.path) && text.contains("more than 1,000,000 properties"), "\(text)")
  }

  @Test(
    "Objects of an XML store that make entities inherit from each other without end are an error",
    arguments: [300, 20_000])
  func longLineOfObjects(_ count: Int) throws {
    try makeStore(NSXMLStoreType)
    let text = try String(contentsOf: url, encoding: .utf8)
    let end = try #require(text.range(of: "</database>"))
    let objects = (1...count).map { number -> String in
      "<object type=\"E\(number)\" id=\"z\(number + 1000)\"><relationship name=\"r\(number)\" type=\"0/0\" "
        + "destination=\"E\(number - 1)\" idrefs=\"z\(number + 1000)\"></relationship></object>"
    }
    try Data("\(text[..<end.lowerBound])\(objects.joined())</database>".utf8).write(to: url)
    let failure = error { _ = try NSManagedObjectModel(storedIn: url) }?.localizedDescription ?? "none"
    #expect(failure.contains(url.path) && failure.contains("more than"), "\(failure)")
  }

  // SQL.

  @Test("A trigger or a default in the file can't call functions that read files")
  func functions() throws {
    try makeStore()
    try execute(
      "CREATE TRIGGER spy AFTER UPDATE ON ZBOOK BEGIN "
        + "UPDATE ZBOOK SET ZTITLE = NSCoreDataStoredData(x'01414243') WHERE Z_PK = NEW.Z_PK; END")
    let context = context(try coordinator())
    try context.performAndWait {
      let book = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
      book.setValue(5, forKey: "pages")
      let failure = try #require(error { try context.save() })
      #expect(failure.localizedDescription.contains("unsafe use of NSCoreDataStoredData"), "\(failure)")
    }
    #expect(try query("SELECT ZTITLE FROM ZBOOK", at: url) == ["Dune"])
  }

  @Test(
    "Names of entities and attributes are names and nothing else, or refused",
    arguments: ["A\"; DROP TABLE Z_METADATA; --", "A'; DROP TABLE Z_METADATA; --", "A B", "Ä", "A\u{0}B", "A`]["])
  func names(_ name: String) throws {
    let builder = ModelBuilder()
    builder.entity(name, [attribute(name.lowercased() + "x", .stringAttributeType)])
    let model = builder.make()
    do {
      let coordinator = try coordinator(model)
      let context = context(coordinator)
      try context.performAndWait {
        NSEntityDescription.insertNewObject(forEntityName: name, into: context)
          .setValue(name, forKey: name.lowercased() + "x")
        try context.save()
        context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: name)
        request.predicate = NSPredicate(format: "%K == %@", name.lowercased() + "x", name)
        #expect(try context.fetch(request).map { $0.value(forKey: name.lowercased() + "x") as? String } == [name])
      }
    } catch {
      #expect(name.contains("\u{0}"), "\(error)")
      #expect((error as NSError).domain == NSCocoaErrorDomain)
      return
    }
    #expect(try query("SELECT COUNT(*) FROM Z_METADATA", at: url) == ["1"])
  }

  // Numbers.

  @Test("An infinity in a file breaks a limit, and becomes no decimal", arguments: ["9e999", "-9e999"])
  func infinity(_ value: String) throws {
    let number = attribute("price", .doubleAttributeType)
    number.setValidationPredicates(
      [NSPredicate(format: "SELF >= 0"), NSPredicate(format: "SELF <= 10")], withValidationWarnings: nil)
    let builder = ModelBuilder()
    builder.entity(
      "Book", [attribute("title", .stringAttributeType), number, attribute("cost", .decimalAttributeType)])
    let model = builder.make()
    let context = context(try coordinator(model))
    try context.performAndWait {
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      book.setValue(1, forKey: "price")
      book.setValue(1, forKey: "cost")
      try context.save()
      try execute("UPDATE ZBOOK SET ZPRICE = \(value), ZCOST = \(value)")
      context.refreshAllObjects()
      book.setValue("Kim", forKey: "title")
      let failure = try #require(error { try context.save() })
      #expect(
        [NSManagedObjectValidationError, NSValidationNumberTooLargeError, NSValidationNumberTooSmallError].contains(
          failure.code))
      book.setValue(NSNumber(value: Double.infinity), forKey: "cost")
      #expect((book.value(forKey: "cost") as? NSDecimalNumber)?.decimalValue.isNaN == true)
    }
  }
}
