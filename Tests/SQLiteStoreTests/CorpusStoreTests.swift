import Foundation
import Testing

@testable import CoreData

/// Sample stores of public projects, found through COREDATA_CORPUS. Each is copied before it is opened.
enum StoreCorpus {
  static let root = ProcessInfo.processInfo.environment["COREDATA_CORPUS"].map {
    URL(fileURLWithPath: $0, isDirectory: true)
  }

  static func files(_ folder: String, _ accepts: (String) -> Bool) -> [URL] {
    guard let root else { return [] }
    let base = root.appendingPathComponent(folder)
    return (FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? [])
      .filter(accepts).sorted().map { base.appendingPathComponent($0) }
  }

  static var stores: [URL] {
    files("stores") { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.filter { url in
      guard let file = FileHandle(forReadingAtPath: url.path) else { return false }
      return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
    }
  }

  /// Every version of every model, by its hashes.
  static let models: [(hashes: [String: Data], url: URL)] = {
    let urls = files("models") { $0.hasSuffix(".xcdatamodel") }
      + files("models_at_store_commit") { $0.hasSuffix(".xcdatamodel") }
      + files("compiled") { $0.hasSuffix(".mom") }
    return urls.compactMap { url in
      NSManagedObjectModel(contentsOf: url).map { ($0.entityVersionHashesByName, url) }
    }
  }()
}

@Suite("Stores that Apple's framework wrote")
struct CorpusStoreTests {
  @Test("Each opens with its model, and every row is read")
  func open() throws {
    guard StoreCorpus.root != nil else {
      print("CorpusStoreTests: skipped all sample stores, COREDATA_CORPUS is not set")
      return
    }
    var opened = 0
    var withoutModel: [String] = []
    for source in StoreCorpus.stores {
      let folder = TemporaryFolder()
      let url = folder.file("Copy.sqlite")
      for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source.path + suffix) {
        try Data(contentsOf: URL(fileURLWithPath: source.path + suffix))
          .write(to: URL(fileURLWithPath: url.path + suffix))
      }
      let metadata = try SQLiteStore.metadataForPersistentStore(with: url)
      let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
      guard let found = StoreCorpus.models.first(where: { $0.hashes == hashes }),
        let model = NSManagedObjectModel(contentsOf: found.url)
      else {
        withoutModel.append(source.lastPathComponent)
        continue
      }
      try readEverything(url, model, source.lastPathComponent)
      try #expect(SQLiteStore.audit(url, model) == [], "\(source.lastPathComponent)")
      try writeSomething(url, model)
      try #expect(SQLiteStore.audit(url, model) == [], "\(source.lastPathComponent) after a save")
      opened += 1
    }
    print("CorpusStoreTests: opened \(opened) stores; no model for \(withoutModel.count): \(withoutModel)")
    #expect(opened > 0)
  }

  private func readEverything(_ url: URL, _ model: NSManagedObjectModel, _ name: String) throws {
    let before = try Data(contentsOf: url)
    let store = try openStore(model, at: url, options: [NSReadOnlyPersistentStoreOption: true])
    for layout in store.layouts.layouts where layout.isRoot {
      let rows = try store.all(layout.name)
      let table = store.schema.entity(at: layout.index).table
      let count = try store.pool.write { try $0.rows("SELECT COUNT(*) FROM \(table)")[0][0] }
      #expect("\(rows.count)" == count, "\(name) \(table)")
      for row in rows.prefix(50) {
        for property in store.layouts.layouts[row.entity].toMany {
          _ = try store.members(of: property, owner: row.reference)
        }
      }
      #expect(try store.rows(forKeys: rows.map(\.key), in: layout).count == rows.count)
    }
    store.willRemove(from: nil)
    #expect(try Data(contentsOf: url) == before, "\(name) was written to")
  }

  /// A row of each entity goes in and out again.
  private func writeSomething(_ url: URL, _ model: NSManagedObjectModel) throws {
    let store = try openStore(model, at: url)
    for layout in store.layouts.layouts where !layout.entity.isAbstract {
      let made = try store.insert(layout.name, [[:]])
      #expect(try store.rows(forKeys: [made[0].key], in: layout.root).count == 1)
      var changes = ChangeSet()
      changes.deleted = made
      guard case .saved = try store.commit(changes) else { throw TestFailure("conflict") }
    }
  }

  @Test("A new file has the tables that Apple's framework made for the same model")
  func tables() throws {
    guard StoreCorpus.root != nil else { return }
    var equal = 0
    for source in StoreCorpus.stores {
      let folder = TemporaryFolder()
      let url = folder.file("Copy.sqlite")
      for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source.path + suffix) {
        try Data(contentsOf: URL(fileURLWithPath: source.path + suffix))
          .write(to: URL(fileURLWithPath: url.path + suffix))
      }
      let metadata = try SQLiteStore.metadataForPersistentStore(with: url)
      let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
      // Frameworks before 866 spelled indexes and constraints in other ways.
      guard (metadata["NSPersistenceFrameworkVersion"] as? Int ?? 0) >= 866,
        let found = StoreCorpus.models.first(where: { $0.hashes == hashes }),
        let model = NSManagedObjectModel(contentsOf: found.url)
      else { continue }
      let plan = try SchemaPlanner.plan(ModelLayouts.of(model), configuration: nil, existing: nil)
      let ours = try plan.createStatements().filter { $0.hasPrefix("CREATE TABLE Z") }
      let theirs = try query("SELECT sql FROM sqlite_master WHERE type = 'table'", at: url)
      // A table that was migrated in place has its new columns at the end.
      let isMigrated = metadata["migrationManagerClass"] != nil
        || theirs.first?.contains("Z_PRIMARYKEY") == true
      for table in ours where !isMigrated {
        #expect(theirs.contains(table), "\(source.lastPathComponent): \(table)")
        equal += 1
      }
      let ourIndexes = Set(try plan.createIndexes())
      let theirIndexes = Set(try query("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL", at: url))
      if ourIndexes != theirIndexes {
        print("CorpusStoreTests: \(source.lastPathComponent): only ours \(ourIndexes.subtracting(theirIndexes)), "
          + "only theirs \(theirIndexes.subtracting(ourIndexes))")
      }
    }
    print("CorpusStoreTests: \(equal) tables equal")
  }
}
