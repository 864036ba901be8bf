import CoreData
import Foundation
import Inspection
import StoreFileReader
import TestFiles
import Testing

@Suite("Looking into a store")
struct StoreInspectionTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("Library.sqlite") }

  /// A report without what differs from run to run.
  private func plain(_ text: String, _ file: StoreFile) -> String {
    var text = text.replacingOccurrences(of: folder.url.path, with: "FOLDER")
    text = text.replacingOccurrences(of: file.metadata[NSStoreUUIDKey] as? String ?? "-", with: "UUID")
    for key in ["NSStoreModelVersionChecksumKey", "NSStoreModelVersionHashesDigest"] {
      text = text.replacingOccurrences(of: file.metadata[key] as? String ?? "-", with: "HASH")
    }
    return text
  }

  @Test("A journal that has a file elsewhere removed is not played back, in a copy neither")
  func journal() throws {
    try Library.make(at: url)
    let secret = folder.file("secret")
    try Data("secret".utf8).write(to: secret)
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    let name = Array(secret.path.utf8)
    let sum = name.reduce(0) { $0 + Int($1) }
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    let head = magic + number(0) + number(1) + number(10) + number(512) + number(4096)
    let journal = head + [UInt8](repeating: 0, count: 512 - head.count) + number(0x40001) + name
    try Data(journal + number(name.count) + number(sum) + magic).write(to: folder.file("Library.sqlite-journal"))
    let text = "\(String(describing: failure { _ = try open(url) }))"
    #expect(text.contains(url.path) && text.contains("the removal of the file \(secret.path)"), "\(text)")
    #expect(try Data(contentsOf: secret) == Data("secret".utf8))
  }

  @Test("A small store is described in these words")
  func text() throws {
    try Library.make(at: url)
    let file = try open(url)
    let text = plain(try StoreReport(file).text, file)
    #expect(
      text == """
        FOLDER/Library.sqlite
          type         SQLite
          UUID         UUID
          framework    1344
          identifiers  "Library 1"
          checksum     HASH
          digest       HASH
          file         40,960 bytes, pages of 4096 bytes, write-ahead log
          model        the one that the file keeps
          hashes       agree, entity by entity

        Entities (Z_ENT, name, rows of their own)
          1  Author                     2
          2  Book                       3
          3  AudioBook  a kind of Book  1

        Author (Z_ENT 1): 2 rows
          name   String         required
          books  → Book.author  to-many, cascade
          unique name

        Book (Z_ENT 2): 3 rows
          bought  Date
          cover   Binary
          extras  Transformable   by Backwards
          pages   Integer 32      default 0
          title   String
          author  → Author.books  to-one

        AudioBook (Z_ENT 3, a kind of Book): 1 row
          minutes  Double
          inherits bought, cover, extras, pages, title, author

        Metadata of the application
          colour  green

        """)
  }

  @Test("A store of SwiftData's is told by its configuration, its identifier, its classes and its history")
  func swiftData() throws {
    func schema(_ change: (NSManagedObjectModel) -> Void = { _ in }, history: Bool = true) throws -> JSONValue? {
      let url = folder.file(UUID().uuidString)
      let entity = NSEntityDescription()
      entity.name = "Note"
      let text = NSAttributeDescription()
      (text.name, text.attributeType) = ("text", .stringAttributeType)
      entity.properties = [text]
      let model = NSManagedObjectModel()
      model.entities = [entity]
      model.setEntities([entity], forConfigurationName: "default")
      model.versionIdentifiers = ["1.2.0"]
      change(model)
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let options = [NSPersistentHistoryTrackingKey: history as NSNumber]
      try coordinator.remove(
        coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options))
      let report = try StoreReport(open(url))
      let line = "schema       SwiftData's, version 1.2.0"
      #expect(report.text.contains(line) == (report.json["swiftDataSchema"] == .string("1.2.0")), "\(report.text)")
      return report.json["swiftDataSchema"]
    }
    #expect(try schema() == .string("1.2.0"))
    #expect(try schema(history: false) == .null)
    #expect(try schema { $0.versionIdentifiers = ["Notes 2"] } == .null)
    #expect(try schema { $0.entities[0].managedObjectClassName = "App.StoredNote" } == .null)
    #expect(try schema { $0.setEntities($0.entities, forConfigurationName: "Cloud") } == .null)
  }

  @Test("The JSON document has the same under stable keys")
  func json() throws {
    try Library.make(at: url)
    let text = try StoreReport(open(url)).json.text
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(
      Set(json.keys) == [
        "kind", "path", "type", "uuid", "frameworkVersion", "identifiers", "swiftDataSchema", "checksum", "digest",
        "journal", "model",
        "obstacle", "hashesAgree", "entities", "unexplained", "history", "metadata",
      ])
    #expect(json["hashesAgree"] as? Bool == true && json["swiftDataSchema"] is NSNull)
    #expect((json["model"] as? [String: Any])?["origin"] as? String == "cached")
    #expect((json["metadata"] as? [String: Any])?["colour"] as? String == "green")
    let entities = try #require(json["entities"] as? [[String: Any]])
    #expect(entities.map { $0["name"] as? String } == ["Author", "Book", "AudioBook"])
    #expect(entities.map { $0["rows"] as? Int } == [2, 3, 1])
    #expect(entities.map { $0["rowsInFile"] as? Int } == [2, 3, 1])
    let books = try #require((entities[0]["relationships"] as? [[String: Any]])?.first)
    #expect(books["toMany"] as? Bool == true && books["deleteRule"] as? String == "Cascade")
  }

  @Test(
    "What only the log has is seen, its frames are counted, and no byte and no name in the folder changes")
  func log() throws {
    let source = TemporaryFolder()
    let original = source.file("Open.sqlite")
    // A name that no other test has: copies are counted by it.
    let url = folder.file("\(UUID().uuidString).sqlite")
    try Library.make(at: original) { _ in
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: original.path + suffix, toPath: url.path + suffix)
      }
    }
    let permissions = [FileAttributeKey.posixPermissions: 0o500]
    try FileManager.default.setAttributes(permissions, ofItemAtPath: folder.url.path)
    defer {
      try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path)
    }
    let before = try snapshot(of: folder.url)
    #expect(before.count == 2)
    let copies = try temporaryCopies(of: url)
    do {
      let file = try open(url)
      let report = try StoreReport(file).json
      #expect(try temporaryCopies(of: url) == copies + 1)
      #expect(report["entities"]?.array.map { $0["rows"] } == [.integer(2), .integer(3), .integer(1)])
      let journal = try #require(report["journal"])
      guard case .integer(let frames)? = journal["walCommittedFrames"],
        case .integer(let pages)? = journal["walPagesNotInMainFile"]
      else {
        Issue.record("\(journal)")
        return
      }
      #expect(frames > 0 && pages > 0 && pages <= frames)
      #expect(try ObjectList(file, ObjectQuery(entity: "Author")).text.contains("Grace"))
    }
    #expect(try temporaryCopies(of: url) == copies)
    #expect(try snapshot(of: folder.url) == before)
  }

  private func temporaryCopies(of url: URL) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: FileManager.default.temporaryDirectory.path)
      .filter { name in
        name.hasPrefix("inspect-")
          && FileManager.default.fileExists(
            atPath: FileManager.default.temporaryDirectory
              .appendingPathComponent("\(name)/\(url.lastPathComponent)").path)
      }.count
  }

  @Test("A log whose transactions are in the main file, and a torn one, count for what they are")
  func tornLog() throws {
    let source = TemporaryFolder()
    let original = source.file("Open.sqlite")
    try Library.make(at: original) { _ in
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: original.path + suffix, toPath: url.path + suffix)
      }
    }
    func frames() throws -> JSONValue? { try StoreReport(open(url)).json["journal"]?["walCommittedFrames"] }
    let whole = try frames()
    let log = URL(fileURLWithPath: url.path + "-wal")
    let bytes = try Data(contentsOf: log)
    try bytes.dropLast(100).write(to: log)
    guard case .integer(let all)? = whole, case .integer(let fewer)? = try frames() else {
      Issue.record("no frames")
      return
    }
    #expect(fewer < all && fewer > 0)
    try FileManager.default.removeItem(at: url)
    try FileManager.default.removeItem(at: log)
    try FileManager.default.copyItem(at: original, to: url)
    try bytes.write(to: log)
    #expect(try StoreReport(open(url)).json["journal"]?["walPagesNotInMainFile"] == .integer(0))
  }

  @Test("A frame of the page 0, which there is not, ends the log")
  func pageZero() throws {
    let source = TemporaryFolder()
    let original = source.file("Open.sqlite")
    try Library.make(at: original) { _ in
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: original.path + suffix, toPath: url.path + suffix)
      }
    }
    let log = URL(fileURLWithPath: url.path + "-wal")
    var bytes = [UInt8](try Data(contentsOf: log))
    func word(_ place: Int) -> UInt32 { bytes[place..<(place + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
    func frames() throws -> Int64 {
      guard case .integer(let count)? = try StoreReport(open(url)).json["journal"]?["walCommittedFrames"] else {
        Issue.record("no frames")
        return 2
      }
      return count
    }
    // The last frame, which ends a transaction, gets page 0 and the checksum that goes with it.
    let before = try frames()
    let (isBigEndian, size) = (word(0) & 1 == 1, 24 + Int(word(8)))
    let last = 32 + (Int(before) - 1) * size
    bytes.removeSubrange((last + size)...)
    bytes.replaceSubrange(last..<(last + 4), with: [0, 0, 0, 0])
    var sums = (word(last - size + 16), word(last - size + 20))
    for place in [last] + Array(stride(from: last + 24, to: last + size, by: 8)) {
      sums.0 = sums.0 &+ (isBigEndian ? word(place) : word(place).byteSwapped) &+ sums.1
      sums.1 = sums.1 &+ (isBigEndian ? word(place + 4) : word(place + 4).byteSwapped) &+ sums.0
    }
    for (place, sum) in [(last + 16, sums.0), (last + 20, sums.1)] {
      bytes.replaceSubrange(place..<(place + 4), with: withUnsafeBytes(of: sum.bigEndian, Array.init))
    }
    try Data(bytes).write(to: log)
    #expect(try frames() < before)
  }

  @Test("Tables, columns and rows that no entity explains are listed")
  func unexplained() throws {
    try Library.make(at: url)
    try run(
      """
      CREATE TABLE EXTRA (A); INSERT INTO EXTRA VALUES (1); ALTER TABLE ZAUTHOR ADD COLUMN ZSHOESIZE INTEGER;
      CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER);
      INSERT INTO ZAUTHOR(Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (99, 77, 1, 'Nobody');
      """, in: url)
    let text = try StoreReport(open(url)).text
    #expect(
      text.contains(
        """
        What the model does not explain
          table ANSCKEVENT, 0 rows (mirroring to CloudKit)
          table EXTRA, 1 row
          column ZSHOESIZE of ZAUTHOR
          1 row of ZAUTHOR with Z_ENT 77, which no entity has
        """))
    // The entity has no subentities, so the stack takes all rows of its table to be its own.
    #expect(text.contains("Author (Z_ENT 1): 3 rows, BUT SQLITE COUNTS 2"))
  }

  @Test("A name with a line break adds no line to a report")
  func breaks() throws {
    try Library.make(at: url)
    try run("CREATE TABLE \"ODD\nNothing is wrong\" (A)", in: url)
    let text = try StoreReport(open(url)).text
    #expect(text.contains("  table ODD⏎Nothing is wrong, 0 rows\n"), "\(text)")
  }

  @Test("A row whose Z_ENT is another table's entity is told for what it is, and not counted with that entity")
  func staleNumber() throws {
    try Library.make(at: url)
    try run(
      """
      INSERT INTO ZAUTHOR(Z_PK, Z_ENT, Z_OPT, ZNAME)
      VALUES (99, (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'), 1, 'Nobody')
      """, in: url)
    let text = try StoreReport(open(url)).text
    #expect(text.contains("1 row of ZAUTHOR with Z_ENT 2, which is Book's, whose rows are in ZBOOK"))
    #expect(!text.contains("4 rows, BUT SQLITE"))
    #expect(text.contains("\nBook (Z_ENT 2): 3 rows\n"), "\(text)")
    // The list has the row as the stack has it, so that list and count agree.
    let authors = try ObjectList(open(url), ObjectQuery(entity: "Author")).json
    #expect(authors["count"] == .integer(3) && authors["objects"]?.array.count == 3)
  }

  @Test("Where a hash can't be compared, the kinds of attributes that keep it from that are named")
  func unknownHash() throws {
    try Library.make(at: url)
    let model = folder.file("Other.xcdatamodel")
    try SourceModel.write(
      """
      <entity name="Author" syncable="YES"><attribute name="name" optional="YES" attributeType="String"/>\
      <attribute name="upper" optional="YES" attributeType="String" derived="YES" derivationExpression="name"/></entity>
      """, to: model)
    let text = try StoreReport(open(url, model: model)).text
    #expect(text.contains("[hash not comparable: derived attributes]"), "\(text)")
  }

  @Test("A hash with a composite attribute in it is compared as any other")
  func compositeHash() throws {
    try Library.make(at: url)
    let model = folder.file("Other.xcdatamodel")
    try SourceModel.write(
      """
      <entity name="Author" syncable="YES"><attribute name="name" optional="YES" attributeType="String"/>\
      <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/></entity>
      <composite name="Place"><attribute name="street" optional="YES" attributeType="String"/></composite>
      """, to: model)
    let text = try StoreReport(open(url, model: model)).text
    #expect(text.contains("[HASH DIFFERS FROM THE STORE'S]"), "\(text)")
    #expect(!text.contains("not comparable"))
  }

  @Test("A composite value is an object of its elements, transformable ones as stored; an infinite Float stays that")
  func composites() throws {
    // Has the transformer, which must not be asked.
    try Library.make(at: url)
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      (attribute.name, attribute.attributeType) = (name, type)
      return attribute
    }
    let (place, photo) = (NSCompositeAttributeDescription(), attribute("photo", .transformableAttributeType))
    photo.valueTransformerName = "Backwards"
    place.name = "place"
    place.elements = [attribute("street", .stringAttributeType), photo]
    let shop = NSEntityDescription()
    shop.name = "Shop"
    shop.properties = [place, attribute("size", .floatAttributeType)]
    let model = NSManagedObjectModel()
    model.entities = [shop]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let shops = folder.file("Shops.sqlite")
    let store = try coordinator.addPersistentStore(type: .sqlite, at: shops)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let object = NSEntityDescription.insertNewObject(forEntityName: "Shop", into: context)
      object.setValue(["street": "Main", "photo": Data([1, 2, 3])] as [String: Any], forKey: "place")
      object.setValue(Float.infinity, forKey: "size")
      try context.save()
    }
    try coordinator.remove(store)
    let list = try ObjectList(open(shops), ObjectQuery(entity: "Shop")).json
    let values = try #require(list["objects"]?.array.first?["values"])
    #expect(values["place"]?["street"] == .string("Main"))
    #expect(values["place"]?["photo"] == .string("AwIB"))
    #expect(values["size"] == .double(.infinity))
  }

  @Test("Without the model that it keeps, a store is read with one put together from its tables, and says so")
  func inferred() throws {
    try Library.make(at: url)
    try run("DELETE FROM Z_MODELCACHE", in: url)
    let text = try StoreReport(open(url)).text
    #expect(text.contains("model        INFERRED FROM THE FILE"))
    #expect(text.contains("Author (Z_ENT 1): 2 rows"))
  }

  @Test("A model that does not fit is told entity by entity, and what can be read is read")
  func givenModel() throws {
    try Library.make(at: url)
    let model = folder.file("Other.xcdatamodel")
    try SourceModel.write(
      """
      <entity name="Author" syncable="YES"><attribute name="name" optional="YES" attributeType="String"/></entity>
      <entity name="Publisher" syncable="YES"><attribute name="name" optional="YES" attributeType="String"/></entity>
      """, to: model)
    let text = try StoreReport(open(url, model: model)).text
    #expect(text.contains("model        Other of \(model.path)"))
    #expect(text.contains("DISAGREE"))
    for words in ["Author differs", "Publisher only in the model", "Book only in the store"] {
      #expect(text.contains(words), "\(text)")
    }
  }

  @Test("The version of a given model that fits the store is the one that is used")
  func versions() throws {
    let package = folder.file("Things.xcdatamodeld")
    let entity = "<entity name=\"Thing\"><attribute name=\"name\" optional=\"YES\" attributeType=\"String\"/>"
    try SourceModel.write(entity + "</entity>", to: package.appendingPathComponent("A.xcdatamodel"))
    try SourceModel.write(
      entity + "<attribute name=\"size\" optional=\"YES\" attributeType=\"Integer 64\"/></entity>",
      to: package.appendingPathComponent("B.xcdatamodel"))
    let model = try NSManagedObjectModel(checkedContentsOf: package.appendingPathComponent("A.xcdatamodel"))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.remove(coordinator.addPersistentStore(type: .sqlite, at: url))
    let report = try StoreReport(open(url, model: package)).json
    #expect(report["model"]?["version"] == .string("A"))
    #expect(report["hashesAgree"] == .bool(true))
  }
}

extension JSONValue {
  var array: [JSONValue] { if case .array(let values) = self { values } else { [] } }
}
