import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("Files of binary values")
struct ExternalFileTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("Photos.sqlite") }
  private var files: URL { ExternalFiles(store: url).folder }
  private let long = Data(repeating: 7, count: 200_000)

  private func model() -> NSManagedObjectModel {
    let data = attribute("data", .binaryDataAttributeType)
    data.allowsExternalBinaryDataStorage = true
    let builder = ModelBuilder()
    builder.entity("Photo", [data, attribute("name", .stringAttributeType)])
    return builder.make()
  }

  private func names() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: files.path)) ?? []).sorted()
  }

  /// A file of a value that no journal knows.
  private func makeFile() throws -> String {
    let name = UUID().uuidString
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try long.write(to: files.appendingPathComponent(name))
    return name
  }

  /// What a process leaves that ends in a save between the file and the commit: its storage goes without an answer.
  private func leaveFile(of uuid: String) throws -> String {
    let storage = ExternalStorage(ExternalFiles(store: url), uuid: uuid)
    return try long.withUnsafeBytes { try storage.makeFile($0) }
  }

  private func journals() -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: ExternalFiles(store: url).support.path)) ?? [])
      .filter { $0.hasPrefix("Pending-") }
  }

  /// A store with one long and one short value.
  private func makeStore() throws -> SQLiteStore {
    let store = try openStore(model(), at: url)
    try store.insert(
      "Photo",
      [
        ["data": .data(long), "name": .string("long")], ["data": .data(Data([9])), "name": .string("short")],
      ])
    return store
  }

  @Test(
    "What a process leaves that ends in the middle of a save goes when the store is next opened to be written; nothing else"
  )
  func crashes() throws {
    let uuid = try makeStore().closed()
    let kept = names()
    #expect(kept.count == 1 && journals() == [])
    let (left, other) = (try leaveFile(of: uuid), try makeFile())
    #expect(journals().count == 1)
    let reading = try openStore(model(), at: url, options: [NSReadOnlyPersistentStoreOption: true])
    #expect(names() == (kept + [left, other]).sorted())
    reading.willRemove(from: nil)
    let store = try openStore(model(), at: url)
    #expect(names() == (kept + [other]).sorted())
    #expect(journals() == [])
    #expect(try store.all("Photo")[0].data(store.layout("Photo").property(named: "data")!) == long)
  }

  @Test("What a save of tens of thousands of long values leaves goes as well, however long its journal is")
  func longJournals() throws {
    let uuid = try makeStore().closed()
    let kept = names()
    let left = try leaveFile(of: uuid)
    let journal = ExternalFiles(store: url).support.appendingPathComponent(try #require(journals().first))
    let others = (0..<40_000).map { _ in "+\(UUID().uuidString)\n" }.joined()
    try (Data(others.utf8) + Data(contentsOf: journal)).write(to: journal)
    #expect(names() == (kept + [left]).sorted())
    try openStore(model(), at: url).willRemove(from: nil)
    #expect(names() == kept && journals() == [])
  }

  @Test("A name in a journal is asked about: a file that a row has stays, in whatever table the row is")
  func questions() throws {
    let uuid = try makeStore().closed()
    let kept = names()
    let (first, second) = (try leaveFile(of: uuid), try leaveFile(of: uuid))
    _ = try query("CREATE TABLE \"Z\"\"OTHER\" (Z_PK INTEGER PRIMARY KEY, \"A B\" BLOB)", at: url)
    _ = try query(
      "INSERT INTO \"Z\"\"OTHER\" VALUES (1, CAST(X'02' || CAST('\(first)' AS BLOB) || X'00' AS BLOB))", at: url)
    try openStore(model(), at: url).willRemove(from: nil)
    #expect(names() == (kept + [first]).sorted())
    #expect(!names().contains(second) && journals() == [])
  }

  @Test("While another connection writes, what was left stays: its save may be what made it")
  func busy() throws {
    let writing = try makeStore()
    let left = try leaveFile(of: writing.identifier)
    try writing.pool.write { connection in
      try connection.begin(.exclusive)
      defer { connection.rollback() }
      let second = try openStore(model(), at: url)
      #expect(names().contains(left))
      second.willRemove(from: nil)
      #expect(names().contains(left) && journals().count == 2)
    }
    writing.willRemove(from: nil)
    try openStore(model(), at: url).willRemove(from: nil)
    #expect(!names().contains(left) && journals() == [])
  }

  @Test(
    "A journal speaks to the store that wrote it: not to another one in its place, nor beside a store of the same name")
  func strangers() throws {
    let uuid = try makeStore().closed()
    let left = try leaveFile(of: uuid)
    let aside = folder.file("aside")
    try FileManager.default.moveItem(at: url, to: aside)
    for _ in 0..<2 { try makeStore().closed() }
    #expect(names().contains(left))
    try FileManager.default.removeItem(at: url)
    // A copy is another file, though it has the same UUID.
    try FileManager.default.copyItem(at: aside, to: url)
    _ = try openStore(model(), at: url).closed()
    #expect(names().contains(left))
    try FileManager.default.removeItem(at: url)
    try FileManager.default.moveItem(at: aside, to: url)
    try Data().write(to: folder.file("Photos.store"))
    _ = try openStore(model(), at: url).closed()
    #expect(names().contains(left))
    try FileManager.default.removeItem(at: folder.file("Photos.store"))
    _ = try openStore(model(), at: url).closed()
    #expect(!names().contains(left))
  }

  @Test("A save that fails leaves no file; one that succeeds leaves none that it replaced")
  func saves() throws {
    let store = try makeStore()
    let first = names()
    let layout = store.layout("Photo")
    var changed = SlotMask()
    changed.insert(layout.property(named: "data")!.slot)
    var base = try store.all("Photo").first
    func update(_ version: Int64) -> ChangeSet {
      var changes = ChangeSet()
      let stale = row(layout, key: 1, version: version, ["data": .data(long + [1])])
      changes.updated = [
        RowUpdate(
          row: row(layout, key: 1, version: version + 1, ["data": .data(long + [1])]),
          base: version == 1 ? base ?? stale : stale,
          changed: changed)
      ]
      return changes
    }
    guard case .versionConflicts = try store.commit(update(5)) else { throw TestFailure("no conflict") }
    #expect(names() == first)
    guard case .saved = try store.commit(update(1)) else { throw TestFailure("conflict") }
    // The old row, which somebody still has, holds its file.
    #expect(names().count == 2)
    base = nil
    ExternalStorage.queue.sync {}
    #expect(names().count == 1 && names() != first)
  }

  @Test(
    "A transformable attribute's archive behind a tag, or in a file, as another framework keeps it, is its object; without the file it is nil, and an error in a dictionary"
  )
  func taggedArchives() throws {
    let list = attribute("list", .transformableAttributeType)
    list.allowsExternalBinaryDataStorage = true
    let builder = ModelBuilder()
    builder.entity("Photo", [list, attribute("name", .stringAttributeType)])
    let model = builder.make()
    let words = ["a", "b"] as NSArray
    func open<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws -> Result {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      let result = try context.performAndWait { try body(context) }
      try coordinator.remove(store)
      return result
    }
    try open { (context) throws in
      for name in ["file", "plain", "tag"] {
        let photo = NSEntityDescription.insertNewObject(forEntityName: "Photo", into: context)
        photo.setValue(name, forKey: "name")
        photo.setValue(words, forKey: "list")
      }
      try context.save()
    }
    let archive = try #require(try query("SELECT HEX(ZLIST) FROM ZPHOTO WHERE ZNAME = 'plain'", at: url).first)
    let file = try makeFile()
    let bytes = stride(from: 0, to: archive.utf8.count, by: 2).map { place in
      UInt8(archive.dropFirst(place).prefix(2), radix: 16)!
    }
    try Data(bytes).write(to: files.appendingPathComponent(file))
    _ = try query("UPDATE ZPHOTO SET ZLIST = X'01\(archive)' WHERE ZNAME = 'tag'", at: url)
    let name = file.utf8.map { String($0, radix: 16) }.joined()
    _ = try query("UPDATE ZPHOTO SET ZLIST = X'02\(name)00' WHERE ZNAME = 'file'", at: url)
    try open { (context) throws in
      let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
      let photos = try context.fetch(request)
      #expect(photos.map { $0.value(forKey: "list") as? NSArray } == [words, words, words])
      let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Photo")
      dictionaries.resultType = .dictionaryResultType
      dictionaries.propertiesToFetch = ["list"]
      #expect(try context.fetch(dictionaries).map { $0["list"] as? NSArray } == [words, words, words])
      // The columns stay as they are until the attribute is set.
      for photo in photos { photo.setValue("new", forKey: "name") }
      try context.save()
    }
    let firstBytes = "SELECT DISTINCT HEX(SUBSTR(ZLIST, 1, 1)) FROM ZPHOTO ORDER BY 1"
    #expect(try query(firstBytes, at: url) == ["01", "02", "62"])
    try FileManager.default.removeItem(at: files.appendingPathComponent(file))
    try open { (context) throws in
      let photos = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo"))
      #expect(photos.count == 3 && photos.filter { $0.value(forKey: "list") == nil }.count == 1)
      let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Photo")
      dictionaries.resultType = .dictionaryResultType
      dictionaries.propertiesToFetch = ["list"]
      let refused = #expect(throws: NSError.self) { _ = try context.fetch(dictionaries) }
      #expect(refused?.code == CocoaError.Code.fileReadNoSuchFile.rawValue)
      #expect(refused?.localizedDescription.contains("Photo.list") == true)
    }
    try open { (context) throws in
      for photo in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Photo")) {
        photo.setValue(["c"] as NSArray, forKey: "list")
      }
      try context.save()
    }
    #expect(try query(firstBytes, at: url) == ["62"])
  }

  @Test("Predicates, orders and dictionaries go by the bytes, wherever they are")
  func predicates() throws {
    let store = try makeStore()
    store.willRemove(from: nil)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { () throws -> Void in
      func names(_ format: String, _ arguments: [Any] = []) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        request.sortDescriptors = [NSSortDescriptor(key: "data", ascending: false)]
        return try context.fetch(request).map { $0.value(forKey: "name") as? String ?? "-" }
      }
      #expect(try names("data == %@", [Data([9])]) == ["short"])
      #expect(try names("data == %@", [long]) == ["long"])
      #expect(try names("data != %@", [long]) == ["short"])
      #expect(try names("data IN %@", [[Data([9]), Data([8])]]) == ["short"])
      #expect(try names("data != nil") == ["short", "long"])
      let request = NSFetchRequest<NSDictionary>(entityName: "Photo")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["data"]
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      #expect(try context.fetch(request).map { $0["data"] as? Data } == [long, Data([9])])
    }
    var fetch = FetchDescription(layout: store.layout("Photo"))
    fetch.predicate = try NSPredicate(format: "data == nil").node
    let planner = FetchPlanner(schema: store.schema, translator: PredicateTranslator(store: nil))
    let query = try store.queries.rowQuery(fetch.layout, includesSubentities: true)
    let sql = try planner.select(fetch, output: .rows, query).fragment.sql
    #expect(sql.hasSuffix("t0.ZDATA IS NULL"), "\(sql)")
  }
}

extension SQLiteStore {
  /// Closes the store, and says its UUID.
  @discardableResult
  fileprivate func closed() -> String {
    willRemove(from: nil)
    return identifier
  }
}
