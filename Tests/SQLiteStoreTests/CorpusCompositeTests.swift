import DataModelFiles
import Foundation
import Inspection
import TestFiles
import Testing

@testable import CoreData

/// Stores with composite attributes that Apple's SwiftData wrote; each keeps its model.
@Suite("Stores with composite attributes that Apple's framework wrote")
struct CorpusCompositeTests {
  private func forEachStore(_ body: (SampleStore, NSManagedObjectModel) throws -> Void) throws -> Int {
    let stores = Corpus.files(in: "swiftdata") { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.filter { url in
      guard let file = FileHandle(forReadingAtPath: url.path) else { return false }
      return (try? file.read(upToCount: 15)) == Data("SQLite format 3".utf8)
    }
    for url in stores {
      let sample = try SampleStore(url)
      try body(sample, try #require(try sample.cachedModel(), "\(sample.name)"))
    }
    return stores.count
  }

  @Test("The hashes that follow from the cached model are those of the file")
  func hashes() throws {
    var compared = 0
    let count = try forEachStore { sample, model in
      let metadata = try SQLiteStore.metadataForPersistentStore(with: sample.url)
      let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
      model.forgetStatedHashes()
      #expect(model.entityVersionHashesByName == stored, "\(sample.name)")
      let (again, _) = try CompiledModelFiles.model(
        mom: CompiledModelFiles.mom(DataModel(model)), name: "again", file: sample.name)
      #expect(again.entityVersionHashes().mapValues { Data($0) } == stored, "\(sample.name), written again")
      compared += stored.count
    }
    print("CorpusCompositeTests: \(compared) entity hashes compared, in \(count) stores")
    if Corpus.root != nil { #expect(count > 0) }
  }

  @Test("A new file of the cached model, and of the model that it keeps in turn, has Apple's tables and indexes")
  func tables() throws {
    var compared = 0
    let count = try forEachStore { sample, model in
      let theirs = Set(
        try query(
          "SELECT sql FROM sqlite_master WHERE sql NOT NULL AND tbl_name LIKE 'Z%' AND tbl_name NOT LIKE 'Z\\_%' ESCAPE '\\'",
          at: sample.url))
      func statements(_ model: NSManagedObjectModel) throws -> Set<String> {
        Set(
          try SchemaPlanner.plan(ModelLayouts.of(model), configuration: nil, existing: nil).createStatements()
            .filter { !$0.contains(" Z_PRIMARYKEY ") && !$0.contains(" Z_METADATA ") && !$0.contains(" Z_MODELCACHE ") }
        )
      }
      let ours = try statements(model)
      #expect(ours.subtracting(theirs).sorted() == [], "\(sample.name): ours only")
      #expect(theirs.subtracting(ours).sorted() == [], "\(sample.name): Apple's only")
      compared += ours.intersection(theirs).count

      let fresh = sample.folder.file("Fresh.sqlite")
      try openStore(model, at: fresh).willRemove(from: nil)
      let kept = try NSManagedObjectModel(storedIn: fresh)
      #expect(kept.storeOrigin == .cached)
      #expect(try statements(kept) == ours, "\(sample.name): of its own cache")
    }
    print("CorpusCompositeTests: \(compared) tables and indexes equal, in \(count) stores")
  }

  @Test("Every object is read, and a save of some leaves the schema and the hashes as they were")
  func objects() throws {
    var (read, changed) = (0, 0)
    _ = try forEachStore { sample, model in
      let before = try sample.kept()
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: sample.url,
        options: [NSPersistentHistoryTrackingKey: true])
      func newContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
      }
      var expected: [NSManagedObjectID: [String: NSDictionary]] = [:]
      let context = newContext()
      try context.performAndWait {
        for entity in model.entities {
          for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name!)) {
            read += 1
            for name in entity.propertiesByName.keys { _ = object.value(forKey: name) }
            for (name, attribute) in entity.attributesByName where attribute is NSCompositeAttributeDescription {
              guard let value = object.value(forKey: name) as? [String: Any] else { continue }
              let changed = Self.changed(value)
              object.setValue(changed, forKey: name)
              expected[object.objectID, default: [:]][name] = changed as NSDictionary
            }
          }
        }
        changed += expected.count
        try context.save()
      }
      let other = newContext()
      try other.performAndWait {
        for (id, values) in expected {
          let object = try other.existingObject(with: id)
          for (name, value) in values {
            #expect(object.value(forKey: name) as? NSDictionary == value, "\(sample.name) \(name)")
          }
        }
      }
      try coordinator.remove(store)
      #expect(try sample.kept() == before, "\(sample.name)")
      #expect(try StoreCheck(sample.url, model).problems == [], "\(sample.name)")
    }
    print("CorpusCompositeTests: \(read) objects read, \(changed) changed")
    if Corpus.root != nil { #expect(changed > 0) }
  }

  /// The value with other texts, numbers and bytes, at any depth.
  private static func changed(_ value: [String: Any]) -> [String: Any] {
    value.mapValues { element -> Any in
      switch element {
      case let group as [String: Any]: changed(group)
      case let text as String: text + "!"
      case let bytes as Data: bytes + [0x20]
      case let number as NSNumber: NSNumber(value: number.int64Value % 2 == 0 ? 1 : 0)
      default: element
      }
    }
  }
}
