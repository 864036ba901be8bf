import CSQLite
import Foundation
import Inspection
import TestFiles
import Testing

@testable import CoreData

@Suite("Opening a store")
struct OpeningTests {
  private let folder = TemporaryFolder()

  private func model(_ attributes: [String] = ["name"]) -> NSManagedObjectModel {
    let model = ModelBuilder()
    model.entity("Thing", attributes.map { attribute($0, .stringAttributeType) })
    return model.make()
  }

  private func error(_ model: NSManagedObjectModel, _ url: URL, _ options: [AnyHashable: Any]? = nil) -> NSError? {
    do {
      _ = try openStore(model, at: url, options: options)
      return nil
    } catch {
      return (error as? Failure)?.nsError ?? error as NSError
    }
  }

  @Test("A new file has Apple's settings and says what it is")
  func newFile() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url)
    let connection = try Connection(path: url.path, options: Connection.Options())
    #expect(try connection.pragma("page_size") == "4096")
    #expect(try connection.pragma("auto_vacuum") == "2")
    #expect(try connection.pragma("journal_mode") == "wal")
    let metadata = try SQLiteStore.metadataForPersistentStore(with: url)
    #expect(metadata[NSStoreUUIDKey] as? String == store.identifier)
    #expect(metadata[NSStoreTypeKey] as? String == "SQLite")
    #expect(metadata["NSPersistenceFrameworkVersion"] as? Int == 1344)
    #expect(metadata["NSStoreModelVersionHashesVersion"] as? Int == 3)
    #expect(metadata["_NSAutoVacuumLevel"] as? String == "2")
    #expect(metadata[NSStoreModelVersionHashesKey] as? [String: Data] == model.entityVersionHashesByName)
    #expect(metadata["NSStoreModelVersionChecksumKey"] as? String == model.versionChecksum)
    #expect(metadata["NSStoreModelVersionHashesDigest"] is String)
  }

  @Test("Changed metadata is written with the next save")
  func metadata() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url)
    store.metadata["mine"] = "yes"
    #expect(try SQLiteStore.metadataForPersistentStore(with: url)["mine"] == nil)
    try store.insert("Thing", [[:]])
    #expect(try SQLiteStore.metadataForPersistentStore(with: url)["mine"] as? String == "yes")
    try SQLiteStore.setMetadata(["other": 1], forPersistentStoreAt: url)
    let read = try SQLiteStore.metadataForPersistentStore(with: url)
    #expect(read["other"] as? Int == 1)
    #expect(read[NSStoreUUIDKey] as? String == store.identifier)
  }

  @Test("Another model is refused with what differs, and the files stay as they were")
  func otherModel() throws {
    let url = folder.file("A.sqlite")
    let old = model()
    var store: SQLiteStore? = try openStore(old, at: url)
    try store!.insert("Thing", [["name": .string("a")]])
    store = nil
    let before = try snapshot(of: folder.url)
    let new = model(["name", "colour"])
    let refused = error(new, url)
    #expect(refused?.code == 134100)
    #expect(refused?.localizedDescription.contains("Thing changed") == true)
    #expect((refused?.userInfo["metadata"] as? [String: Any])?[NSStoreTypeKey] as? String == "SQLite")
    #expect(try snapshot(of: folder.url) == before)
    #expect(error(new, url, ["NSIgnorePersistentStoreVersioningOption": true])?.code == 134020)
  }

  @Test("A log that is left behind survives a refused opening")
  func leftLog() throws {
    let url = folder.file("A.sqlite")
    let old = model()
    let store = try openStore(old, at: url)
    try store.insert("Thing", [["name": .string("a")]])
    let copy = folder.file("B.sqlite")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
    }
    let wal = try Data(contentsOf: folder.file("B.sqlite-wal"))
    #expect(!wal.isEmpty)
    #expect(error(model(["x"]), copy)?.code == 134100)
    #expect(try Data(contentsOf: folder.file("B.sqlite-wal")) == wal)
    withExtendedLifetime(store) {}
  }

  @Test("Files that are no stores")
  func noStores() throws {
    let model = model()
    let text = folder.file("text.sqlite")
    try Data("hello, this is no database at all".utf8).write(to: text)
    let notADatabase = error(model, text)
    #expect(notADatabase?.code == 259)
    #expect(notADatabase?.userInfo[NSSQLiteErrorDomain] as? Int == 26)
    #expect(error(model, folder.file("no/such/folder.sqlite"))?.code == 512)
    #expect(error(model, folder.url)?.code == 256)
    let readOnly = [NSReadOnlyPersistentStoreOption: true]
    #expect(error(model, folder.file("none.sqlite"), readOnly)?.code == 260)
    let empty = folder.file("empty.sqlite")
    try Data().write(to: empty)
    #expect(error(model, empty) == nil)
    let foreign = folder.file("foreign.sqlite")
    do {
      var options = Connection.Options()
      options.mayCreate = true
      try Connection(path: foreign.path, options: options).execute("CREATE TABLE t (a)")
    }
    #expect(error(model, foreign)?.code == 134020)
  }

  @Test("A new file has the page size and the vacuum that the program asks for", arguments: ["page_size", "PAGE_SIZE"])
  func filePragmas(_ pageSize: String) throws {
    let url = folder.file("A.sqlite")
    let pragmas = [pageSize: "8192", "auto_vacuum": "NONE"]
    _ = try openStore(model(), at: url, options: [NSSQLitePragmasOption: pragmas])
    let connection = try Connection(path: url.path, options: Connection.Options())
    #expect(try connection.pragma("page_size") == "8192")
    #expect(try connection.pragma("auto_vacuum") == "0")
    _ = try openStore(model(), at: folder.file("B.sqlite"), options: [NSSQLitePragmasOption: ["auto_vacuum": 1]])
    let other = try Connection(path: folder.file("B.sqlite").path, options: Connection.Options())
    #expect(try other.pragma("page_size") == "4096")
    #expect(try other.pragma("auto_vacuum") == "1")
  }

  @Test("Where a file can't have a write-ahead log it opens without one, with a warning; asking for one is an error")
  func noSharedMemory() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try openWithoutSharedMemory()
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    // The program has opened it twice.
    let warnings = words.components(separatedBy: "A.sqlite has no write-ahead log.\n  Journal mode: delete\n").count - 1
    #expect(warnings == 1, "\(words)")
  }

  @Test("Pragmas that SQLite does not know are refused, others are set")
  func pragmas() throws {
    let model = model()
    let bad = error(model, folder.file("A.sqlite"), [NSSQLitePragmasOption: ["journal_mode": "sideways"]])
    #expect(bad?.code == 256)
    #expect(bad?.userInfo[NSSQLiteErrorDomain] as? Int == 1)
    #expect(error(model, folder.file("B.sqlite"), [NSSQLitePragmasOption: ["synchronous": "'; DROP"]])?.code == 256)
    let url = folder.file("C.sqlite")
    let store = try openStore(
      model, at: url, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE", "cache_size": "77"]])
    try store.insert("Thing", [["name": .string("a")]])
    #expect(try store.all("Thing").count == 1)
    #expect(try store.pool.write { try $0.pragma("cache_size") } == "77")
    #expect(try store.pool.write { try $0.pragma("journal_mode") } == "delete")
    #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
  }

  @Test(
    "A table that another program has made again, in other words, is found with its columns",
    arguments: [
      "CREATE TABLE \"ZTHING\" (\"Z_PK\" INTEGER PRIMARY KEY, [Z_ENT] INTEGER, Z_OPT INTEGER, `ZNAME` VARCHAR)",
      "create table zthing (z_pk integer primary key, z_ent integer, z_opt integer, zname varchar)",
      "CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR /* a name */)",
      "CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR CHECK (ZNAME <> ','))",
      "CREATE TABLE ZTHING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER DEFAULT 1, Z_OPT INTEGER, ZNAME, UNIQUE (ZNAME))",
      "CREATE TABLE ZTHING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER );"
        + "ALTER TABLE ZTHING ADD COLUMN ZNAME VARCHAR(20)",
    ])
  func tableInOtherWords(_ statement: String) throws {
    let url = try storeWithTable(statement)
    let store = try openStore(model(), at: url)
    try store.insert("Thing", [["name": .string("a")]])
    #expect(try store.all("Thing").count == 1)
  }

  @Test("A column that only a comment or a text has in the table's statement is missing")
  func columnInComment() throws {
    for statement in [
      "CREATE TABLE ZTHING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER /* , ZNAME VARCHAR */ )",
      "CREATE TABLE ZTHING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER DEFAULT ', ZNAME VARCHAR' )",
    ] {
      #expect(error(model(), try storeWithTable(statement))?.code == NSPersistentStoreIncompatibleSchemaError)
    }
  }

  /// A store of `model` whose table was made again by a statement.
  private func storeWithTable(_ statement: String) throws -> URL {
    let url = folder.file("\(UUID().uuidString).sqlite")
    try openStore(model(), at: url).willRemove(from: nil)
    try Connection(path: url.path, options: Connection.Options()).execute("DROP TABLE ZTHING; " + statement)
    return url
  }

  @Test(
    "A read-only store leaves every byte as it was, the index of a log that nobody has open included",
    arguments: [[""], ["", "-wal"], ["", "-wal", "-shm"]])
  func readOnly(_ suffixes: [String]) throws {
    let model = model()
    let url = folder.file("A.sqlite")
    var store: SQLiteStore? = try openStore(model, at: url)
    try store!.insert("Thing", [["name": .string("a")], [:]])
    let target = folder.file("B.sqlite")
    if suffixes.count == 1 { store = nil }
    for suffix in suffixes {
      try FileManager.default.copyItem(atPath: url.path + suffix, toPath: target.path + suffix)
    }
    store = nil
    // The first connection to an index that nobody has open makes it anew, whatever it has.
    if suffixes.contains("-shm") { try Data(count: 32_768).write(to: URL(fileURLWithPath: target.path + "-shm")) }
    let before = try snapshot(of: folder.url)
    #expect(try SQLiteStore.metadataForPersistentStore(with: target)[NSStoreTypeKey] as? String == "SQLite")
    #expect(try StoredModel.read(at: target).hashes.keys.sorted() == ["Thing"])
    try DatabaseCopy.copy(DatabasePlace(target), to: folder.file("C.sqlite"))
    for suffix in ["", "-wal"] { try? FileManager.default.removeItem(at: folder.file("C.sqlite" + suffix)) }
    #expect(try snapshot(of: folder.url) == before)
    do {
      let reading = try openStore(model, at: target, options: [NSReadOnlyPersistentStoreOption: true])
      #expect(try reading.all("Thing").count == 2)
      #expect(throws: Failure.self) {
        var changes = ChangeSet()
        changes.inserted = [row(reading.layout("Thing"), key: 9)]
        return try reading.commit(changes)
      }
      reading.willRemove(from: nil)
    }
    #expect(try snapshot(of: folder.url) == before)
  }

  @Test("A read-only store reads a log in its place while a connection of SQLite's own has it open")
  func openIndex() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    try openStore(model, at: url).willRemove(from: nil)
    var handle: OpaquePointer?
    #expect(sqlite3_open(url.path, &handle) == SQLITE_OK)
    defer { sqlite3_close(handle) }
    let statement = "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1)"
    #expect(sqlite3_exec(handle, statement, nil, nil, nil) == SQLITE_OK)
    let reading = try openStore(model, at: url, options: [NSReadOnlyPersistentStoreOption: true])
    #expect(reading.quietFile?.copy == nil)
    #expect(try reading.all("Thing").count == 1)
    reading.willRemove(from: nil)
  }

  @Test("A store that another connection locks says so after its timeout")
  func locked() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url, options: [NSPersistentStoreTimeoutOption: 0])
    let other = try Connection(path: url.path, options: Connection.Options())
    try other.begin(.immediate)
    let failure = #expect(throws: Failure.self) { try store.insert("Thing", [[:]]) }
    guard case .sqlite(let code, _, _, let sql, _)? = failure else { throw TestFailure("\(failure as Any)") }
    #expect(code == 5)
    #expect(sql == "BEGIN EXCLUSIVE")
    try other.commit()
    try store.insert("Thing", [[:]])
  }

  @Test("A save that fails half way leaves nothing behind")
  func brokenSave() throws {
    let model = model()
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url)
    try store.insert("Thing", [["name": .string("a")]])
    // The file takes no second page more: SQLite reports a full disk in the middle of the transaction.
    try store.pool.write { connection in
      let pages = try connection.pragma("page_count") ?? "0"
      _ = try connection.rows("PRAGMA max_page_count = \(pages)")
    }
    let long = (0..<200).map { ["name": Value.string(String(repeating: "x", count: 3000) + "\($0)")] }
    let failure = #expect(throws: Failure.self) { try store.insert("Thing", long) }
    guard case .sqlite(let code, _, _, _, _)? = failure else { throw TestFailure("\(failure as Any)") }
    #expect(code == 13)
    #expect(try store.all("Thing").count == 1)
    #expect(try StoreCheck(url, model).problems == [])
  }

  @Test("The cached model is the model that made the file")
  func modelCache() throws {
    let model = model(["name", "colour"])
    let url = folder.file("A.sqlite")
    let store = try openStore(model, at: url)
    let bytes = try #require(try store.pool.write { try ModelCache.read(from: $0) })
    let file = folder.file("cached.mom")
    try Data(bytes).write(to: file)
    let cached = try NSManagedObjectModel(checkedContentsOf: file)
    #expect(cached.entityVersionHashesByName == model.entityVersionHashesByName)
  }
}

/// Opens a store through SQLite's way to files that has no shared memory, as on some network file systems. For a
/// process of its own: all its connections go that way.
private func openWithoutSharedMemory() throws {
  sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1)
  let folder = TemporaryFolder()
  let builder = ModelBuilder()
  builder.entity("Thing", [attribute("name", .stringAttributeType)])
  let model = builder.make()
  let url = folder.file("A.sqlite")
  for round in 1...2 {
    let store = try openStore(model, at: url)
    try store.insert("Thing", [["name": .string("a")]])
    guard try store.all("Thing").count == round else { throw TestFailure("a row is missing") }
    store.willRemove(from: nil)
  }
  guard try query("PRAGMA journal_mode", at: url) == ["delete"] else { throw TestFailure("there is a log") }
  do {
    _ = try openStore(model, at: url, options: [NSSQLitePragmasOption: ["journal_mode": "WAL"]])
  } catch {
    return
  }
  throw TestFailure("a log was asked for, and is not there")
}
