import Foundation
import Inspection
import TestFiles
import Testing

@testable import CoreData

/// Sample stores of public projects. Each is copied before it is opened.
enum StoreCorpus {
  static var stores: [URL] {
    Corpus.files(in: "stores") { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.filter { url in
      guard let file = FileHandle(forReadingAtPath: url.path) else { return false }
      return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
    }
  }

  /// Every version of every model, by its hashes.
  static let models: [(hashes: [String: Data], url: URL)] = {
    let urls =
      Corpus.files(in: "models", extension: "xcdatamodel")
      + Corpus.files(in: "models_at_store_commit", extension: "xcdatamodel")
      + Corpus.files(in: "compiled", extension: "mom")
    return urls.compactMap { url in
      NSManagedObjectModel(contentsOf: url).map { ($0.entityVersionHashesByName, url) }
    }
  }()
}

/// A copy of a sample in a folder of its own, with its log.
final class SampleStore {
  let source: URL
  let folder = TemporaryFolder()
  var url: URL { folder.file("Copy.sqlite") }
  var name: String { source.pathComponents.suffix(2).joined(separator: "/") }

  init(_ source: URL) throws {
    self.source = source
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: source.path + suffix) {
      try Data(contentsOf: URL(fileURLWithPath: source.path + suffix))
        .write(to: URL(fileURLWithPath: url.path + suffix))
    }
  }

  /// The model of a sample file that has the store's hashes; nil when there is none.
  func publishedModel() throws -> NSManagedObjectModel? {
    let metadata = try SQLiteStore.metadataForPersistentStore(with: url)
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    return StoreCorpus.models.first { $0.hashes == hashes }.flatMap {
      NSManagedObjectModel(contentsOf: $0.url)
    }
  }

  /// The model in the file's cache; nil when it has none that fits.
  func cachedModel() throws -> NSManagedObjectModel? {
    let model = try NSManagedObjectModel(storedIn: url)
    return model.storeOrigin == .cached ? model : nil
  }

  /// The model that is put together when the cache is gone.
  func inferredModel() throws -> NSManagedObjectModel {
    let bare = try SampleStore(source)
    if try !query("SELECT name FROM sqlite_master WHERE name = 'Z_MODELCACHE'", at: bare.url).isEmpty {
      _ = try query("DELETE FROM Z_MODELCACHE", at: bare.url)
    }
    let model = try NSManagedObjectModel(storedIn: bare.url)
    #expect(model.storeOrigin == .inferred)
    return model
  }

  /// Name and bytes of every file in the folder.
  func files() throws -> [String: Data] { try snapshot(of: folder.url) }

  /// What a save has to leave alone: the text of every table, index and trigger, the metadata, the cached model, what
  /// stands in tables that no entity has.
  func kept() throws -> [String] {
    let schema = try query(
      "SELECT type, name, tbl_name, IFNULL(sql, '-') FROM sqlite_master ORDER BY rowid", at: url)
    let metadata = try SQLiteStore.metadataForPersistentStore(with: url)
    // A dictionary prints in any order.
    var kept =
      schema
      + metadata.map { key, value in
        let hashes = (value as? [String: Data])?.sorted { $0.key < $1.key }
        return "\(key) = "
          + (hashes.map { $0.map { "\($0.key) \($0.value.base64EncodedString())" }.joined() } ?? "\(value)")
      }.sorted()
    // A history's own rows come with its first transaction.
    kept += try query("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16001 ORDER BY Z_ENT", at: url)
    if schema.contains(where: { $0.hasPrefix("table|Z_MODELCACHE|") }) {
      kept += try query("SELECT HEX(Z_CONTENT) FROM Z_MODELCACHE", at: url)
    }
    return kept
  }
}

@Suite("Stores that Apple's framework wrote")
struct CorpusStoreTests {
  /// Runs `body` with each sample and each model that it can be opened with: one of a model file, the cached one, the
  /// one that is put together.
  private func forEachModel(
    _ body: (SampleStore, NSManagedObjectModel, _ label: String) throws -> Void
  ) throws -> [String: Int] {
    guard Corpus.root != nil else {
      print("CorpusStoreTests: skipped all sample stores, COREDATA_CORPUS is not set")
      return [:]
    }
    var counts: [String: Int] = [:]
    for source in StoreCorpus.stores {
      let first = try SampleStore(source)
      let models = [
        ("published", try first.publishedModel()), ("cached", try first.cachedModel()),
        ("inferred", try first.inferredModel()),
      ]
      for case (let kind, let model?) in models {
        let sample = try SampleStore(source)
        try body(sample, model, "\(sample.name), \(kind) model")
        counts[kind, default: 0] += 1
      }
    }
    #expect(counts["inferred"] == StoreCorpus.stores.count)
    return counts
  }

  @Test("Each opens with its model, and every row is read")
  func open() throws {
    let counts = try forEachModel { sample, model, label in
      try readEverything(sample.url, model, label)
      try #expect(StoreCheck(sample.url, model).problems == [], "\(label)")
      try writeSomething(sample.url, model)
      try #expect(StoreCheck(sample.url, model).problems == [], "\(label) after a save")
    }
    print("CorpusStoreTests: opened with models \(counts.sorted { $0.key < $1.key })")
  }

  private func readEverything(_ url: URL, _ model: NSManagedObjectModel, _ name: String) throws {
    let before = try Data(contentsOf: url)
    let store = try openStore(model, at: url, options: [NSReadOnlyPersistentStoreOption: true])
    for layout in store.layouts.layouts {
      let rows = try store.all(layout.name)
      let entity = store.schema.entity(at: layout.index)
      // All rows of a table that one entity has alone are read, whichever entity they name.
      let numbers = layout.subtree.map { "\(store.schema.entity(at: $0).number)" }.joined(separator: ",")
      let condition = entity.sharesTable ? "WHERE Z_ENT IN (\(numbers))" : ""
      let count = try store.pool.write {
        try $0.rows("SELECT COUNT(*) FROM \(entity.table) \(condition)")[0][0]
      }
      #expect("\(rows.count)" == count, "\(name) \(layout.name)")
      for row in rows.prefix(50) {
        for property in store.layouts[row.entity].toMany {
          _ = try store.members(of: property, owner: row.reference)
        }
      }
      #expect(try store.rows(forKeys: rows.map(\.key), in: layout).count == rows.count)
    }
    // Every table with rows is some entity's.
    let tables = Set(store.schema.entities.compactMap { $0?.table })
    let others = try store.pool.write {
      try $0.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%' AND name NOT LIKE 'Z\\_%' ESCAPE '\\'"
      )
    }
    #expect(Set(others.compactMap { $0[0] }).subtracting(tables).isEmpty, "\(name)")
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

  @Test(
    "A save through a context is there after reopening, and leaves the schema, the metadata and the hashes as they were"
  )
  func keep() throws {
    _ = try forEachModel { sample, model, label in
      let before = try sample.kept()
      let counts = try inContext(sample.url, model) { context in
        var counts: [String: Int] = [:]
        for entity in model.entities where !entity.isAbstract {
          guard let name = entity.name else { continue }
          let request = NSFetchRequest<NSManagedObject>(entityName: name)
          // One is changed, two are added.
          if let object = try context.fetch(request).first, let (key, value) = value(for: entity) {
            object.setValue(value, forKey: key)
          }
          for _ in 0..<2 { fill(NSManagedObject(entity: entity, insertInto: context)) }
        }
        // What the model does not allow is another test's.
        for object in context.insertedObjects where (try? object.validateForInsert()) == nil {
          context.delete(object)
        }
        for object in context.updatedObjects where (try? object.validateForUpdate()) == nil {
          context.refresh(object, mergeChanges: false)
        }
        try context.save()
        for entity in model.entities {
          counts[entity.name ?? ""] = try context.count(
            for: NSFetchRequest<NSManagedObject>(entityName: entity.name ?? ""))
        }
        return counts
      }
      #expect(try sample.kept() == before, "\(label)")
      let again = try inContext(sample.url, model) { context in
        try counts.keys.reduce(into: [:]) { counts, name in
          counts[name] = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: name)).count
        }
      }
      #expect(again == counts, "\(label)")
      #expect(try StoreCheck(sample.url, model).problems == [], "\(label)")
    }
  }

  private func inContext<Result>(
    _ url: URL, _ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    defer { try? coordinator.remove(store) }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return try context.performAndWait { try body(context) }
  }

  /// Gives an object a value for each attribute, none of them twice.
  private func fill(_ object: NSManagedObject) {
    for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
      if let value = sampleValue(attribute) { object.setValue(value, forKey: name) }
    }
  }

  private func value(for entity: NSEntityDescription) -> (String, Any)? {
    entity.attributesByName.sorted { $0.key < $1.key }.lazy.filter { !$0.value.isTransient }
      .compactMap { name, attribute in sampleValue(attribute).map { (name, $0) } }.first
  }

  private func sampleValue(_ attribute: NSAttributeDescription) -> Any? {
    if attribute is NSDerivedAttributeDescription { return nil }
    let number = Int.random(in: 1...30_000)
    switch attribute.attributeType {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return NSNumber(value: number)
    case .doubleAttributeType, .floatAttributeType: return NSNumber(value: Double(number))
    case .booleanAttributeType: return NSNumber(value: number % 2 == 0)
    case .decimalAttributeType: return NSDecimalNumber(value: number)
    case .stringAttributeType: return UUID().uuidString
    case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(number))
    case .binaryDataAttributeType: return Data(UUID().uuidString.utf8)
    case .UUIDAttributeType: return UUID()
    case .URIAttributeType: return URL(string: "http://x/\(UUID())")
    default: return nil
    }
  }

  @Test(
    "Reading leaves every file as it was, beside them nothing new, even where the folder can't be written")
  func untouched() throws {
    guard Corpus.root != nil else { return }
    for source in StoreCorpus.stores {
      let sample = try SampleStore(source)
      let before = try sample.files()
      let manager = FileManager.default
      // Means nothing to the superuser; then listing and bytes alone tell.
      try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: sample.folder.url.path)
      defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sample.folder.url.path) }
      let model = try NSManagedObjectModel(storedIn: sample.url)
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: sample.url,
        options: [NSReadOnlyPersistentStoreOption: true])
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait {
        for entity in model.entities {
          _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name!))
        }
      }
      #expect(try sample.files() == before, "\(sample.name) while open")
      try coordinator.remove(store)
      #expect(try sample.files() == before, "\(sample.name)")
    }
  }

  @Test("A new file has the tables that Apple's framework made for the same model")
  func tables() throws {
    guard Corpus.root != nil else { return }
    var equal = 0
    for source in StoreCorpus.stores {
      let sample = try SampleStore(source)
      let url = sample.url
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
      let isMigrated =
        metadata["migrationManagerClass"] != nil
        || theirs.first?.contains("Z_PRIMARYKEY") == true
      for table in ours where !isMigrated {
        #expect(theirs.contains(table), "\(source.lastPathComponent): \(table)")
        equal += 1
      }
      let ourIndexes = Set(try plan.createIndexes())
      let theirIndexes = Set(
        try query("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL", at: url))
      if ourIndexes != theirIndexes {
        print(
          "CorpusStoreTests: \(source.lastPathComponent): only ours \(ourIndexes.subtracting(theirIndexes)), "
            + "only theirs \(theirIndexes.subtracting(ourIndexes))")
      }
    }
    print("CorpusStoreTests: \(equal) tables equal")
  }

  @Test("A new store of a model that Xcode compiled has the indexes of the file that Apple's framework made of it")
  func compiledIndexes() throws {
    guard Corpus.root != nil else { return }
    let indexes = "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL ORDER BY sql"
    var compared = 0
    for source in StoreCorpus.stores where source.lastPathComponent.hasPrefix("Bookmarks_V") {
      let sample = try SampleStore(source)
      let theirs = try query(indexes, at: sample.url)
      let bytes = try ModelCache.read(from: Connection(path: sample.url.path, options: Connection.Options()))
      let mom = sample.folder.file("Compiled.mom")
      try Data(try #require(bytes)).write(to: mom)
      let fresh = sample.folder.file("Fresh.sqlite")
      try openStore(NSManagedObjectModel(checkedContentsOf: mom), at: fresh).willRemove(from: nil)
      #expect(try query(indexes, at: fresh) == theirs, "\(sample.name)")
      compared += theirs.count
    }
    print("CorpusStoreTests: \(compared) indexes of compiled models compared")
    #expect(compared > 0)
  }
}
