import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("Migration in place: what is put off")
struct InPlaceDeferredTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("store.sqlite") }
  private let key = NSPersistentStoreDeferredLightweightMigrationOptionKey

  private func model(_ version: Int) -> NSManagedObjectModel {
    let thing = InPlace.entity("Thing", [InPlace.attribute("name"), InPlace.attribute("kept")])
    if version < 2 { thing.properties += [InPlace.attribute("first"), InPlace.attribute("second")] }
    if version > 2 { thing.properties.append(InPlace.attribute("first", .integer16AttributeType, default: 3)) }
    let gone = InPlace.entity("Gone", [InPlace.attribute("name")])
    if version < 2 {
      InPlace.join(InPlace.relate(thing, "gone", .many, gone), InPlace.relate(gone, "things", .many, thing))
    }
    return version == 2 ? InPlace.model(thing) : InPlace.model(thing, gone)
  }

  private func fill() throws {
    try InPlace.open(url, model(1)) { context in
      for number in 0..<5 {
        let gone = InPlace.new(context, "Gone", ["name": "g\(number)"])
        InPlace.new(
          context, "Thing",
          ["name": "n\(number)", "first": "f", "second": "s", "kept": "k", "gone": NSSet(object: gone)])
      }
      try context.save()
    }
  }

  private func deferred() throws -> [String] {
    try DeferredNames.dropStatements(Connection(path: url.path, options: Connection.Options()))
  }

  @Test("Columns and tables that go are put aside, saves leave them alone, and finishing drops them")
  func finish() throws {
    try fill()
    try InPlace.migrate(url, to: model(2), [key: true]) { context in
      let coordinator = try #require(context.persistentStoreCoordinator)
      let store = try #require(coordinator.persistentStores.first)
      #expect(coordinator.metadata(for: store)[key] as? Bool == true)
      #expect(
        try deferred() == [
          "DROP TABLE DEFERRED_1_ZGONE", "DROP TABLE DEFERRED_1_Z_1THINGS",
          "ALTER TABLE ZTHING DROP COLUMN DEFERRED_1_ZFIRST", "ALTER TABLE ZTHING DROP COLUMN DEFERRED_1_ZSECOND",
        ])
      let things = try InPlace.by(context, "Thing", "name")
      things["n1"]?.setValue("changed", forKey: "kept")
      InPlace.new(context, "Thing", ["name": "new"])
      try context.save()
      // A piece, then all.
      try coordinator.finishDeferredLightweightMigrationTask()
      #expect(try deferred().count == 3)
      #expect(coordinator.metadata(for: store)[key] as? Bool == true)
      try coordinator.finishDeferredLightweightMigration()
      #expect(try deferred() == [])
      #expect(coordinator.metadata(for: store)[key] == nil)
      things["n2"]?.setValue("after", forKey: "kept")
      try context.save()
      // Nothing is left to do.
      try coordinator.finishDeferredLightweightMigration()
      try coordinator.finishDeferredLightweightMigrationTask()
    }
    try InPlace.check(url, model(2))
    try InPlace.open(url, model(2)) { context in
      #expect(context.persistentStoreCoordinator?.persistentStores.first?.metadata[key] == nil)
      let things = try InPlace.by(context, "Thing", "name")
      #expect(things.count == 6)
      #expect(things["n1"]?.value(forKey: "kept") as? String == "changed")
      #expect(things["n2"]?.value(forKey: "kept") as? String == "after")
    }
  }

  @Test("A later migration carries on what was put aside, and may use the names again")
  func later() throws {
    try fill()
    try InPlace.migrate(url, to: model(2), [key: true]) { _ in }
    try InPlace.migrate(url, to: model(3), [key: true]) { context in
      let things = try InPlace.by(context, "Thing", "name")
      #expect(things["n1"]?.value(forKey: "first") as? Int == 3)
      InPlace.new(context, "Gone", ["name": "again"])
      try context.save()
    }
    try InPlace.migrate(url, to: model(2), [key: true]) { context in
      #expect(try deferred().count == 6)
      try context.persistentStoreCoordinator?.finishDeferredLightweightMigration()
      #expect(try deferred() == [])
    }
    try InPlace.check(url, model(2))
  }

  @Test("The mark stays in a store in which another framework has put things aside", arguments: [true, false])
  func foreignMark(isOne: Bool) throws {
    try fill()
    var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    metadata[key] = true
    try NSPersistentStoreCoordinator.setMetadata(metadata, type: .sqlite, at: url)
    try InPlace.open(url, model(1)) { context in
      let coordinator = try #require(context.persistentStoreCoordinator)
      if isOne {
        try coordinator.finishDeferredLightweightMigrationTask()
      } else {
        try coordinator.finishDeferredLightweightMigration()
      }
      #expect(coordinator.persistentStores.first?.metadata[key] as? Bool == true)
    }
    metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    #expect(metadata[key] as? Bool == true)
  }

  @Test("Without the option nothing is put aside")
  func atOnce() throws {
    try fill()
    try InPlace.migrate(url, to: model(2)) { context in
      #expect(context.persistentStoreCoordinator?.persistentStores.first?.metadata[key] == nil)
    }
    #expect(try deferred() == [])
  }

  @Test("Finishing removes the files of the values that it drops")
  func longValues() throws {
    func model(_ hasImage: Bool) -> NSManagedObjectModel {
      InPlace.model(
        InPlace.entity("Photo", [InPlace.attribute("name")] + (hasImage ? [InPlace.external("image")] : [])))
    }
    try InPlace.open(url, model(true)) { context in
      InPlace.new(context, "Photo", ["name": "a", "image": Data(repeating: 1, count: 200_000)])
      try context.save()
    }
    let files = ExternalFiles(store: url).folder.path
    func count() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: files))?.count ?? 0 }
    try InPlace.open(url, model(false), InPlace.options.merging([key: true]) { $1 }) { context in
      #expect(count() == 1)
      try #require(context.persistentStoreCoordinator).finishDeferredLightweightMigration()
    }
    #expect(count() == 0)
  }

  @Test("What was put aside is no column of the kept model, which a later migration may need")
  func keptModel() throws {
    func model(_ version: Int) -> NSManagedObjectModel {
      let thing = InPlace.entity("Thing", [InPlace.attribute("name")])
      if version == 1 { thing.properties.append(InPlace.attribute("first")) }
      if version == 3 { thing.properties.append(InPlace.attribute("third")) }
      return InPlace.model(thing)
    }
    try InPlace.open(url, model(1)) { context in
      InPlace.new(context, "Thing", ["name": "a", "first": "f"])
      try context.save()
    }
    try InPlace.migrate(url, to: model(2), [key: true]) { _ in }
    #expect(try deferred().count == 1)
    // As where another framework has hashed what we hash differently: then the columns decide.
    var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: url)
    metadata[NSStoreModelVersionHashesKey] = ["Thing": Data(repeating: 7, count: 32)]
    let plist = try PropertyListSerialization.data(fromPropertyList: metadata, format: .binary, options: 0)
    let hex = plist.map { String(format: "%02x", $0) }.joined()
    try InPlace.run(url, "UPDATE Z_METADATA SET Z_PLIST = X'\(hex)'")
    #expect(try NSManagedObjectModel(storedIn: url).storeOrigin == .cached)
    try InPlace.migrate(url, to: model(3)) { (context) throws in
      #expect(try InPlace.by(context, "Thing", "name").keys.sorted() == ["a"])
    }
  }
}
