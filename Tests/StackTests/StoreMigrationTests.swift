import Foundation
import Testing

@testable import CoreData

@Suite("Saving a store as another one")
struct StoreMigrationTests {
  private let folder = StoreFolder()

  /// Item: every kind of storage that is not a plain column, and relationships that no row says.
  private func model() -> NSManagedObjectModel {
    let blob = attribute("blob", .binaryDataAttributeType)
    blob.allowsExternalBinaryDataStorage = true
    let item = entity(
      "Item",
      [attribute("name"), blob, attribute("list", .transformableAttributeType), attribute("at", .dateAttributeType)])
    let special = entity("Special", [attribute("extra", .UUIDAttributeType)])
    item.subentities = [special]
    relate(item, "friends", .many, to: item)
    relate(item, "steps", .ordered, to: item)
    join(relate(item, "ranked", .ordered, to: item), relate(item, "rankedBy", .many, to: item))
    join(relate(item, "parent", .one, to: item), relate(item, "children", .ordered, to: item))
    return made([item, special])
  }

  private func made(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  private static let long = Data((0..<300_000).map { UInt8($0 % 251) })
  private static let id = UUID()

  private func fill(_ context: NSManagedObjectContext) throws {
    let items = ["a", "b", "c", "d"].map { context.new($0 == "d" ? "Special" : "Item", ["name": $0]) }
    items[0]["blob"] = StoreMigrationTests.long
    items[1]["list"] = ["x", "y"] as NSArray
    items[2]["at"] = Date(timeIntervalSinceReferenceDate: 12.5)
    items[3]["extra"] = StoreMigrationTests.id
    items[0]["friends"] = Set([items[1], items[3]])
    items[1]["steps"] = NSOrderedSet(array: [items[3], items[0]])
    items[2]["ranked"] = NSOrderedSet(array: [items[3], items[1], items[2]])
    items[0]["children"] = NSOrderedSet(array: [items[2], items[1], items[3]])
    try context.save()
    // Versions and keys that are not the first ones.
    items[0]["name"] = "A"
    context.delete(context.new("Item"))
    try context.save()
    items[0]["name"] = "a"
    try context.save()
  }

  private func named(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
    request.predicate = NSPredicate(format: "name == %@", name)
    return try #require(try context.fetch(request).first)
  }

  private func check(_ context: NSManagedObjectContext) throws {
    func names(_ list: Any?) -> [String] {
      (list as? NSOrderedSet)?.array.compactMap { ($0 as? NSManagedObject)?.string("name") } ?? []
    }
    let a = try named("a", context)
    #expect(try context.all("Item").count == 4)
    #expect(a["blob"] as? Data == StoreMigrationTests.long)
    #expect(Set(a.objects("friends").compactMap { $0.string("name") }) == ["b", "d"])
    #expect(names(a["children"]) == ["c", "b", "d"])
    let b = try named("b", context)
    #expect(b["list"] as? [String] == ["x", "y"])
    #expect(names(b["steps"]) == ["d", "a"])
    #expect(Set(b.objects("rankedBy").compactMap { $0.string("name") }) == ["c"])
    #expect(b.object("parent") == a)
    let c = try named("c", context)
    #expect(c["at"] as? Date == Date(timeIntervalSinceReferenceDate: 12.5))
    #expect(names(c["ranked"]) == ["d", "b", "c"])
    #expect(try named("d", context)["extra"] as? UUID == StoreMigrationTests.id)
    #expect(try context.only("Special").string("name") == "d")
  }

  @Test(
    "From any type to any other go all objects, relationships with their order, transformables and long data",
    arguments: StoreKind.allCases, StoreKind.allCases)
  func everything(_ from: StoreKind, _ to: StoreKind) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
    let old = try coordinator.addPersistentStore(
      ofType: from.type, configurationName: nil, at: folder.place(from, "old"))
    let context = coordinator.newContext()
    let url = folder.place(to, "new")
    try context.performAndWait {
      coordinator.setMetadata(["mine": "yes"], for: old)
      try fill(context)
      let kept = try named("a", context)
      kept.read()
      let uri = kept.objectID.uriRepresentation()
      kept["name"] = "changed"
      let new = try coordinator.migratePersistentStore(old, to: url, options: nil, withType: to.type)
      #expect(coordinator.persistentStores == [new] && new.type == to.type && new.url == url)
      #expect(old.persistentStoreCoordinator == nil)
      #expect(new.identifier != old.identifier)
      #expect(coordinator.metadata(for: new)["mine"] as? String == "yes")
      // The object, its unsaved change and its id are of the new store.
      #expect(kept.objectID.persistentStore === new)
      #expect(kept.objectID.uriRepresentation().host == new.identifier)
      #expect(kept.objectID.uriRepresentation().path == uri.path)
      #expect(coordinator.managedObjectID(forURIRepresentation: uri) == nil)
      try context.save()
      kept["name"] = "a"
      try context.save()
      let before = try context.all("Item").count
      context.delete(context.new("Item"))
      context.new("Item", ["name": "one more"])
      try context.save()
      #expect(try context.all("Item").count == before + 1)
      context.delete(try named("one more", context))
      try context.save()
      context.reset()
      try check(context)
      try coordinator.remove(new)
    }
    if to != .inMemory { try folder.open(to, "new", model()) { try check($1) } }
    if from != .inMemory { try folder.open(from, "old", model()) { try check($1) } }
  }

  @Test(
    "A text of another program that is not UTF-8 is repaired, and the new store opens", arguments: StoreKind.kept)
  func brokenText(_ kind: StoreKind) throws {
    try folder.open(.sqlite, "old", library()) { _, context in
      context.new("Tag", ["name": "a"])
      context.new("Tag", ["name": "b"])
      try context.save()
    }
    _ = try Connection(path: folder.file("old").path, options: Connection.Options())
      .rows("UPDATE ZTAG SET ZNAME = CAST(x'636166E9' || CASE ZNAME WHEN 'b' THEN x'01' ELSE x'' END AS TEXT)")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let old = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("old"))
    let url = folder.place(kind, "new")
    let new = try coordinator.migratePersistentStore(old, to: url, options: nil, withType: kind.type)
    try coordinator.remove(new)
    #expect(try folder.tags(kind, "new") == ["caf\u{FFFD}", "caf\u{FFFD}\u{1}"])
  }

  @Test("A SQLite store in memory is saved to a file, and a file to memory")
  func memory() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let nowhere = URL(fileURLWithPath: "/dev/null")
    let old = try coordinator.addPersistentStore(type: .sqlite, at: nowhere)
    let context = coordinator.newContext()
    try context.performAndWait {
      context.new("Tag", ["name": "a"])
      try context.save()
      let file = try coordinator.migratePersistentStore(old, to: folder.file("T"), type: .sqlite)
      try coordinator.migratePersistentStore(file, to: nowhere, type: .sqlite)
      #expect(try context.strings("Tag", "name") == ["a"])
      context.new("Tag", ["name": "b"])
      try context.save()
    }
    #expect(try folder.tags(.sqlite, "T") == ["a"])
  }

  @Test(
    "What stands at the place already stays, and so does the store", arguments: StoreKind.allCases, StoreKind.kept)
  func occupied(_ from: StoreKind, _ to: StoreKind) throws {
    let stack = try Stack(from)
    _ = try folder.make(to, "T", tag: "there")
    let error = failure {
      try stack.coordinator.migratePersistentStore(stack.store, to: folder.place(to, "T"), withType: to.type)
    }
    #expect(error?.code == CocoaError.Code.fileWriteFileExists.rawValue)
    #expect(error?.localizedDescription.contains(folder.place(to, "T").path) == true)
    #expect(stack.coordinator.persistentStores == [stack.store])
    try stack.context.performAndWait {
      stack.context.new("Tag")
      try stack.context.save()
    }
    #expect(try folder.tags(to, "T") == ["there"])
  }

  @Test("A failure leaves the old store open and no file behind", arguments: StoreKind.allCases)
  func failing(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try stack.context.performAndWait {
      let tag = stack.context.new("Tag", ["name": "a"])
      try stack.context.save()
      let bad = [NSSQLitePragmasOption: ["journal_mode": "sideways"]]
      let error = failure {
        try stack.coordinator.migratePersistentStore(
          stack.store, to: folder.file("T"), options: bad, withType: NSSQLiteStoreType)
      }
      #expect(error?.code == 256)
      #expect(
        failure {
          try stack.coordinator.migratePersistentStore(
            stack.store, to: folder.file("none/T"), options: nil, withType: NSSQLiteStoreType)
        } != nil)
      #expect(folder.names.filter { !$0.hasSuffix("T") } == [])
      #expect(stack.coordinator.persistentStores == [stack.store])
      #expect(tag.objectID.persistentStore === stack.store)
      tag["name"] = "b"
      try stack.context.save()
      #expect(try stack.context.strings("Tag", "name") == ["b"])
    }
    let unknown = failure {
      try stack.coordinator.migratePersistentStore(stack.store, to: folder.file("T"), withType: "Nonsense")
    }
    #expect(unknown?.code == NSPersistentStoreInvalidTypeError)
  }

  @Test("While a store is saved as another one, nobody else can open one at that place", arguments: StoreKind.kept)
  func reservedPlace(_ kind: StoreKind) throws {
    let stack = try Stack(.inMemory)
    try stack.context.performAndWait {
      stack.context.new("Tag", ["name": "a"])
      try stack.context.save()
    }
    let (coordinator, url, type) = (stack.coordinator, folder.place(kind, "T"), kind.type)
    nonisolated(unsafe) var refusal: NSError?
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreCoordinatorWillRemoveStore, object: stack.store, queue: nil
    ) { _ in
      refusal = failure {
        try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let new = try coordinator.migratePersistentStore(stack.store, to: url, options: nil, withType: type)
    #expect(refusal?.code == 134081)
    #expect(coordinator.persistentStores == [new])
    // Then the place is free for nobody, and after that for all.
    try coordinator.remove(new)
    #expect(try folder.tags(kind, "T") == ["a"])
    #expect(
      failure { try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url) } == nil)
  }

  @Test("A store in memory has no file: one that is at its URL stays when the migration fails")
  func failingToMemory() throws {
    let url = folder.file("mine")
    try Data("mine".utf8).write(to: url)
    let stack = try Stack(.inMemory)
    let error = failure {
      try stack.coordinator.migratePersistentStore(
        stack.store, to: url, options: [NSReadOnlyPersistentStoreOption: true], withType: NSInMemoryStoreType)
    }
    #expect(error?.code == CocoaError.Code.fileWriteNoPermission.rawValue)
    #expect(stack.coordinator.persistentStores == [stack.store])
    #expect(try Data(contentsOf: url) == Data("mine".utf8))
  }

  @Test("The new store takes the old one's place among several, and observers are told of both")
  func place() throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let first = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("1"))
    let second = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("2"))
    let log = StoreLog(coordinator, first)
    let new = try coordinator.migratePersistentStore(first, to: folder.file("3"), type: .sqlite)
    #expect(coordinator.persistentStores == [new, second])
    #expect(log.names == ["WillRemoveStore", "StoresDidChange", "StoresDidChange", "StoresDidChange"])
    #expect(log.stores(NSAddedPersistentStoresKey, in: 1) == [new])
    #expect(log.changed(in: 2)?.prefix(2).map { $0 as? NSPersistentStore } == [first, new])
    #expect(log.stores(NSRemovedPersistentStoresKey, in: 3) == [first])
    #expect(
      failure { try coordinator.migratePersistentStore(first, to: folder.file("4"), type: .sqlite) }?.code == 134070)
  }

  @Test("Observers get the ids of all migrated objects, each old one with the new one", arguments: StoreKind.allCases)
  func migratedIDs(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let old = try stack.context.performAndWait {
      let objects = [stack.context.new("Tag", ["name": "a"]), stack.context.new("Book", ["title": "b"])]
      try stack.context.save()
      return Set(objects.map { $0.objectID.uriRepresentation() })
    }
    let log = StoreLog(stack.coordinator)
    let new = try stack.coordinator.migratePersistentStore(stack.store, to: folder.file("T"), type: .sqlite)
    let ids = try #require(log.changed(in: 1)?.last as? [NSManagedObjectID])
    #expect(ids.count == 4)
    let (former, present) = ([ids[0], ids[2]], [ids[1], ids[3]])
    #expect(Set(former.map { $0.uriRepresentation() }) == old)
    #expect(zip(former, present).allSatisfy { $0.entity == $1.entity })
    #expect(present.allSatisfy { $0.persistentStore === new })
    try stack.context.performAndWait {
      for id in present {
        let object = try stack.context.existingObject(with: id)
        #expect(!object.isFault)
      }
    }
  }

  @Test("A configuration's store is saved with its entities only")
  func configuration() throws {
    let (a, b) = (entity("A", [attribute("name")]), entity("B", [attribute("name")]))
    let two = made([a, b])
    two.setEntities([a], forConfigurationName: "First")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: two)
    let store = try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: "First", at: nil)
    let context = coordinator.newContext()
    try context.performAndWait {
      context.new("A", ["name": "a"])
      try context.save()
      let new = try coordinator.migratePersistentStore(store, to: folder.file("T"), type: .sqlite)
      #expect(new.configurationName == "First")
      #expect((new.metadata[NSStoreModelVersionHashesKey] as? [String: Data])?.keys.sorted() == ["A"])
      #expect(try context.strings("A", "name") == ["a"])
    }
  }
}
