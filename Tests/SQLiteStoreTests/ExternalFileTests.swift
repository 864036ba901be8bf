import Foundation
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

  private func makeOrphan() throws -> String {
    let name = UUID().uuidString
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try long.write(to: files.appendingPathComponent(name))
    return name
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
    "Files that no row names, as a crash leaves them, go when the store is next opened to be written; no others"
  )
  func orphans() throws {
    try makeStore().willRemove(from: nil)
    let kept = names()
    #expect(kept.count == 1)
    let orphan = try makeOrphan()
    try Data("x".utf8).write(to: files.appendingPathComponent("notes.txt"))
    let reading = try openStore(model(), at: url, options: [NSReadOnlyPersistentStoreOption: true])
    #expect(names() == (kept + [orphan, "notes.txt"]).sorted())
    reading.willRemove(from: nil)
    let store = try openStore(model(), at: url)
    #expect(names() == (kept + ["notes.txt"]).sorted())
    let row = try store.all("Photo")[0]
    #expect(Data(row.tail(word: store.layout("Photo").property(named: "data")!.word)) == long)
  }

  @Test("While another connection writes they stay: its save may have just made them")
  func busy() throws {
    let writing = try makeStore()
    let orphan = try makeOrphan()
    try writing.pool.write { connection in
      try connection.begin(.exclusive)
      defer { connection.rollback() }
      let start = Date()
      try openStore(model(), at: url).willRemove(from: nil)
      #expect(names().contains(orphan))
      #expect(Date().timeIntervalSince(start) < 60)
    }
    writing.willRemove(from: nil)
    try openStore(model(), at: url).willRemove(from: nil)
    #expect(!names().contains(orphan))
  }

  @Test(
    "Rows that the model does not know keep their files, and so does a store of the same name beside this one"
  )
  func foreignRows() throws {
    try makeStore().willRemove(from: nil)
    let kept = names()
    // Another table that refers to a file of its own.
    let other = try makeOrphan()
    _ = try query("CREATE TABLE ZOTHER (Z_PK INTEGER PRIMARY KEY, ZBLOB BLOB)", at: url)
    let tag = "X'02' || CAST('\(other)' AS BLOB) || X'00'"
    _ = try query("INSERT INTO ZOTHER VALUES (1, CAST(\(tag) AS BLOB))", at: url)
    try openStore(model(), at: url).willRemove(from: nil)
    #expect(names() == (kept + [other]).sorted())
    let orphan = try makeOrphan()
    try FileManager.default.copyItem(at: url, to: folder.file("Photos.store"))
    try openStore(model(), at: url).willRemove(from: nil)
    #expect(names().contains(orphan))
    try FileManager.default.removeItem(at: folder.file("Photos.store"))
    try openStore(model(), at: url).willRemove(from: nil)
    #expect(!names().contains(orphan))
  }

  @Test("A save that fails leaves no file; one that succeeds leaves none that it replaced")
  func saves() throws {
    let store = try makeStore()
    let first = names()
    let layout = store.layout("Photo")
    var changed = SlotMask()
    changed.insert(layout.property(named: "data")!.slot)
    let base = try store.all("Photo")[0]
    func update(_ version: Int64) -> ChangeSet {
      var changes = ChangeSet()
      let stale = row(layout, key: 1, version: version, ["data": .data(long + [1])])
      changes.updated = [
        RowUpdate(
          row: row(layout, key: 1, version: version + 1, ["data": .data(long + [1])]),
          base: version == 1 ? base : stale,
          changed: changed)
      ]
      return changes
    }
    guard case .versionConflicts = try store.commit(update(5)) else { throw TestFailure("no conflict") }
    #expect(names() == first)
    guard case .saved = try store.commit(update(1)) else { throw TestFailure("conflict") }
    #expect(names().count == 1 && names() != first)
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
    let sql = try planner.select(fetch, .rows, query).fragment.sql
    #expect(sql.hasSuffix("t0.ZDATA IS NULL"), "\(sql)")
  }
}
