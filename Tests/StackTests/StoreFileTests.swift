import Foundation
import Testing

@testable import CoreData

@Suite("Stores as files")
struct StoreFileTests {
  private let folder = StoreFolder()
  private let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())

  private func destroy(_ name: String, _ kind: StoreKind = .sqlite, options: [AnyHashable: Any]? = nil) -> NSError? {
    failure { try coordinator.destroyPersistentStore(at: folder.file(name), ofType: kind.type, options: options) }
  }

  private func replace(
    _ name: String, by source: String, _ kind: StoreKind = .sqlite, options: [AnyHashable: Any]? = nil
  ) -> NSError? {
    failure {
      try coordinator.replacePersistentStore(
        at: folder.file(name), destinationOptions: options, withPersistentStoreFrom: folder.file(source),
        sourceOptions: nil, ofType: kind.type)
    }
  }

  private let impatient: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0]

  /// A model whose entity Item has a long value, which lives in a file.
  private func longModel() -> NSManagedObjectModel {
    let blob = attribute("blob", .binaryDataAttributeType)
    blob.allowsExternalBinaryDataStorage = true
    return model([entity("Item", [blob])])
  }

  private func makeLong(_ name: String, _ byte: UInt8) throws {
    try folder.open(.sqlite, name, longModel()) { _, context in
      context.new("Item", ["blob": Data(repeating: byte, count: 200_000)])
      try context.save()
    }
  }

  private func long(_ name: String) throws -> [UInt8?] {
    try folder.open(.sqlite, name, longModel()) { _, context in
      try context.all("Item").map { ($0["blob"] as? Data)?.last }
    }
  }

  private func externalFiles(_ name: String) -> [String] {
    folder.names.filter { $0.hasPrefix(".\(name)_SUPPORT/_EXTERNAL_DATA/") }
  }

  @Test("The folder of a group of programs is the user's, and is made; what names no folder has none")
  func groupFolder() throws {
    func folder(_ name: String) -> URL? {
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: name)
    }
    let name = "group.strata.\(UUID().uuidString)"
    let group = try #require(folder(name))
    defer { try? FileManager.default.removeItem(at: group) }
    let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
    #expect(group == support.appendingPathComponent(name, isDirectory: true))
    #expect(FileManager.default.fileExists(atPath: group.path))
    for wrong in ["", ".", "..", "a/b", "a\0b", String(repeating: "g", count: 256)] { #expect(folder(wrong) == nil) }
  }

  // Destroying.

  @Test(
    "Destroying empties a SQLite file, which is then a new store; the file of any other type goes",
    aboutFiles, arguments: StoreKind.kept)
  func destroying(_ kind: StoreKind) throws {
    let former = try folder.make(kind, "T", tag: "a")
    #expect(destroy("T", kind) == nil)
    #expect(folder.names == (kind == .sqlite ? ["T"] : []))
    #expect(destroy("T", kind) == nil)
    #expect(destroy("none", kind) == nil)
    #expect(!folder.names.contains("none"))
    let new = try folder.make(kind, "T", tag: "b")
    #expect(new != former)
    #expect(try folder.tags(kind, "T") == ["b"])
  }

  @Test("Destroying a SQLite store in a folder that doesn't exist is an error, as opening one there is")
  func destroyingNowhere() {
    let opening = failure {
      _ = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("none/T"))
    }
    #expect(opening != nil && destroy("none/T")?.code == opening?.code)
    #expect(destroy("none/T", options: [NSPersistentStoreForceDestroyOption: true])?.code == opening?.code)
    #expect(folder.names == [])
  }

  @Test("A removed store has let go of its file, also when a reader was just about to end")
  func letsGo() throws {
    for round in 0..<60 {
      do {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
        let store = try coordinator.addPersistentStore(
          ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("T"))
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try context.performAndWait {
          let book = context.new("Book", ["title": "T"])
          try context.save()
          context.refresh(book, mergeChanges: false)
          #expect(book.string("title") == "T")
        }
        // The reader's transaction ends after 5 ms.
        usleep(UInt32(4_000 + round * 50))
        try coordinator.remove(store)
      }
      #expect(folder.names == ["T"], "round \(round)")
    }
  }

  @Test("An emptied file has no table, and gets Apple's settings again")
  func emptied() throws {
    _ = try folder.make(.sqlite, "T", tag: "a")
    #expect(destroy("T") == nil)
    #expect(try Data(contentsOf: folder.file("T")).count <= 4096)
    _ = try folder.make(.sqlite, "T", tag: "b")
    let connection = try Connection(path: folder.file("T").path, options: Connection.Options())
    #expect(try connection.pragma("page_size") == "4096")
    #expect(try connection.pragma("auto_vacuum") == "2")
    #expect(try connection.pragma("journal_mode") == "wal")
  }

  @Test(
    "A store of the coordinator's is removed, destroyed, and may be added again", aboutFiles,
    arguments: StoreKind.allCases)
  func destroyingOwn(_ kind: StoreKind) throws {
    let url = folder.file("T")
    for round in 0..<3 {
      let store = try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
      let context = coordinator.newContext()
      try context.performAndWait {
        #expect(try context.all("Tag").isEmpty, "\(round)")
        context.new("Tag")
        try context.save()
      }
      if kind == .inMemory { try coordinator.remove(store) }
      try coordinator.destroyPersistentStore(at: url, type: .init(rawValue: kind.type))
      #expect(coordinator.persistentStores.isEmpty)
    }
  }

  @Test("What is left of a destroyed SQLite store has metadata without a version, by force or not")
  func metadataOfDestroyed() throws {
    for options in [[:], [NSPersistentStoreForceDestroyOption: true]] as [[AnyHashable: Any]] {
      _ = try folder.make(.sqlite, "T", tag: "a")
      #expect(destroy("T", options: options) == nil)
      let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
        ofType: NSSQLiteStoreType, at: folder.file("T"))
      #expect(metadata[NSStoreTypeKey] as? String == NSSQLiteStoreType && metadata[NSStoreUUIDKey] is String)
      #expect(metadata[NSStoreModelVersionHashesKey] == nil && metadata[NSStoreModelVersionIdentifiersKey] == nil)
      #expect(!library().isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    }
    #expect(folder.names == ["T"])
  }

  @Test("Long values go with their store")
  func destroyingLong() throws {
    try makeLong("T", 1)
    #expect(externalFiles("T").count == 1)
    #expect(destroy("T") == nil)
    #expect(folder.names == ["T"])
  }

  @Test("A locked store is neither destroyed nor replaced, unless by force")
  func locked() throws {
    _ = try folder.make(.sqlite, "T", tag: "a")
    _ = try folder.make(.sqlite, "S", tag: "s")
    var lock: Connection? = try folder.lock("T")
    for error in [destroy("T", options: impatient), replace("T", by: "S", options: impatient)] {
      #expect(error?.code == NSPersistentStoreTimeoutError)
      #expect(error?.userInfo[NSSQLiteErrorDomain] as? Int == 5)
      #expect(error?.localizedDescription.contains(folder.file("T").path) == true)
    }
    lock = nil
    #expect(try folder.tags(.sqlite, "T") == ["a"])
    lock = try folder.lock("T")
    let force: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0, NSPersistentStoreForceDestroyOption: true]
    #expect(replace("T", by: "S", options: force) == nil)
    #expect(try folder.tags(.sqlite, "T") == ["s"])
    lock = try folder.lock("T")
    #expect(destroy("T", options: force) == nil)
    #expect(try Data(contentsOf: folder.file("T")).isEmpty)
    withExtendedLifetime(lock) {}
  }

  @Test("A store that could not be replaced by force keeps its log, and with it what was saved last")
  func failedForce() throws {
    _ = try folder.make(.sqlite, "S", tag: "s")
    // A copy of an open store, as after a crash: its rows are in the log.
    try folder.open(.sqlite, "O", library()) { _, context in
      context.new("Tag", ["name": "a"])
      try context.save()
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(at: folder.file("O\(suffix)"), to: folder.file("T\(suffix)"))
      }
    }
    func files() -> [String] { folder.names.filter { $0.contains("T") } }
    let log = try Data(contentsOf: folder.file("T-wal"))
    #expect(!log.isEmpty)
    let force: [AnyHashable: Any] = [NSPersistentStoreForceDestroyOption: true]
    for failing in ["T", "T-wal"] {
      let isLog = failing == "T-wal"
      let error = StoreFiles.$willRename.withValue({ url in
        // The log's new name ends as the log's own.
        if isLog ? url.lastPathComponent.hasSuffix("-wal") : url.lastPathComponent == "T" {
          throw CocoaError(.fileWriteNoPermission)
        }
      }) {
        replace("T", by: "S", options: force)
      }
      #expect(error?.code == CocoaError.fileWriteNoPermission.rawValue)
      #expect(files() == ["T", "T-wal"])
      #expect(try Data(contentsOf: folder.file("T-wal")) == log)
    }
    #expect(try folder.tags(.sqlite, "T") == ["a"])
    #expect(replace("T", by: "S", options: force) == nil)
    #expect(files() == ["T"])
    #expect(try folder.tags(.sqlite, "T") == ["s"])
  }

  @Test("A store that another coordinator has open, and does not use, is emptied under it")
  func destroyedElsewhere() throws {
    let stack = try Stack(.sqlite, library(), at: folder.file("T"))
    try stack.context.performAndWait {
      stack.context.new("Tag")
      try stack.context.save()
      #expect(destroy("T") == nil)
      #expect(failure { _ = try stack.context.all("Tag") }?.code == NSSQLiteError)
    }
    #expect(FileManager.default.fileExists(atPath: folder.file("T").path))
  }

  @Test("What is no database is emptied, and replaced, all the same")
  func garbage() throws {
    _ = try folder.make(.sqlite, "S", tag: "s")
    let text = Data("hello, this is no database at all".utf8)
    try text.write(to: folder.file("T"))
    #expect(replace("T", by: "S") == nil)
    #expect(try folder.tags(.sqlite, "T") == ["s"])
    try text.write(to: folder.file("U"))
    #expect(destroy("U") == nil)
    #expect(try Data(contentsOf: folder.file("U")).isEmpty)
    #expect(replace("S", by: "U")?.code == 260)
    try text.write(to: folder.file("U"))
    #expect(replace("S", by: "U")?.code == 259)
    #expect(try folder.tags(.sqlite, "S") == ["s"])
  }

  // Replacing.

  @Test("A store is put in the place of another, or where there is none", aboutFiles, arguments: StoreKind.kept)
  func replacing(_ kind: StoreKind) throws {
    let uuid = try folder.make(kind, "S", tag: "s")
    _ = try folder.make(kind, "T", tag: "t")
    for name in ["T", "new"] {
      #expect(replace(name, by: "S", kind) == nil)
      #expect(try folder.tags(kind, name) == ["s"])
      #expect(
        try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: kind.type, at: folder.file(name))[
          NSStoreUUIDKey] as? String == uuid)
    }
    #expect(try folder.tags(kind, "S") == ["s"])
    #expect(replace("T", by: "none", kind)?.code == 260)
    #expect(try folder.tags(kind, "T") == ["s"])
    #expect(replace("T", by: "T", kind) == nil)
    #expect(try folder.tags(kind, "T") == ["s"])
    #expect(replace("no/folder", by: "S", kind) != nil)
  }

  @Test("What is still in the source's log is copied, while somebody has it open, and the source stays as it was")
  func replacingOpen() throws {
    let stack = try Stack(.sqlite, library(), at: folder.file("S"))
    try stack.context.performAndWait {
      stack.context.new("Tag", ["name": "in the log"])
      try stack.context.save()
    }
    let log = try Data(contentsOf: folder.file("S-wal"))
    #expect(!log.isEmpty)
    let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("T"))
    #expect(replace("T", by: "S") == nil)
    #expect(store.persistentStoreCoordinator == nil && coordinator.persistentStores.isEmpty)
    #expect(try folder.tags(.sqlite, "T") == ["in the log"])
    #expect(try Data(contentsOf: folder.file("S-wal")) == log)
  }

  @Test("Stores whose names differ by the extension share a folder: neither loses its long values to the other")
  func sharedFolder() throws {
    try makeLong("T.a", 1)
    try makeLong("T.b", 2)
    #expect(externalFiles("T").count == 2)
    #expect(replace("T.b", by: "T.a")?.localizedDescription.contains("in the same folder") == true)
    #expect(try long("T.b") == [2])
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: longModel())
    let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("T.a"))
    let new = try coordinator.migratePersistentStore(store, to: folder.file("T.c"), type: .sqlite)
    try coordinator.remove(new)
    #expect(externalFiles("T").count == 3)
    #expect(destroy("T.a") == nil)
    #expect(try long("T.b") == [2])
    #expect(try long("T.c") == [1])
    try makeLong("S", 3)
    #expect(replace("T.b", by: "S") == nil)
    #expect(try long("T.b") == [3])
    #expect(try long("T.c") == [1])
  }

  @Test("Long values are replaced with their store")
  func replacingLong() throws {
    try makeLong("S", 1)
    try makeLong("T", 2)
    let former = externalFiles("T")
    #expect(replace("T", by: "S") == nil)
    #expect(try long("T") == [1])
    #expect(try long("S") == [1])
    #expect(externalFiles("T").count == 1 && externalFiles("T") != former)
    try makeLong("U", 3)
    let lock = try folder.lock("U")
    let before = externalFiles("U")
    #expect(replace("U", by: "S", options: impatient)?.code == NSPersistentStoreTimeoutError)
    #expect(externalFiles("U") == before)
    withExtendedLifetime(lock) {}
  }

  // Moving.

  @Test("A SQLite store that was copied goes on with the copy; the old file stays as it was")
  func moving() throws {
    let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("T"))
    let context = coordinator.newContext()
    try context.performAndWait {
      let tag = context.new("Tag", ["name": "a"])
      try context.save()
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(atPath: folder.file("T").path + suffix, toPath: folder.file("U").path + suffix)
      }
      #expect(coordinator.setURL(folder.file("U"), for: store))
      #expect(store.url == folder.file("U"))
      #expect(coordinator.persistentStore(for: folder.file("U")) === store)
      tag["name"] = "b"
      context.new("Tag", ["name": "c"])
      try context.save()
      context.reset()
      #expect(try context.strings("Tag", "name") == ["b", "c"])
    }
    try coordinator.remove(store)
    #expect(try folder.tags(.sqlite, "T") == ["a"])
    #expect(try folder.tags(.sqlite, "U") == ["b", "c"])
  }

  @Test("A place where the store can't go on is refused, and it goes on where it was")
  func notMoving() throws {
    let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("T"))
    _ = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("other"))
    try folder.open(.sqlite, "another", longModel()) { _, _ in }
    for name in ["none", "other", "another"] {
      #expect(!coordinator.setURL(folder.file(name), for: store), "\(name)")
      #expect(store.url == folder.file("T"))
    }
    #expect(!folder.names.contains("none"))
    let context = coordinator.newContext()
    try context.performAndWait {
      context.new("Tag", ["name": "a"])
      try context.save()
      #expect(try context.strings("Tag", "name") == ["a"])
    }
  }

  @Test("A place with another store of the same model gives this one its UUID, and observers are told")
  func movingToOther() throws {
    let uuid = try folder.make(.sqlite, "U", tag: "u")
    let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("T"))
    let log = StoreLog(coordinator)
    #expect(coordinator.setURL(folder.file("U"), for: store))
    #expect(store.identifier == uuid && store.metadata[NSStoreUUIDKey] as? String == uuid)
    #expect(log.stores(NSUUIDChangedPersistentStoresKey, in: 0) == [store, store])
    let context = coordinator.newContext()
    let names = try context.performAndWait { try context.strings("Tag", "name") }
    #expect(names == ["u"])
  }

  @Test("After a move, predicates look for long values beside the new file")
  func movingLongValues() throws {
    let image = attribute("image", .binaryDataAttributeType)
    image.allowsExternalBinaryDataStorage = true
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model([entity("Photo", [image])]))
    let (from, to) = (folder.file("T"), folder.file("Moved"))
    let store = try coordinator.addPersistentStore(type: .sqlite, at: from)
    let context = coordinator.newContext()
    let data = Data(repeating: 7, count: 200_000)
    try context.performAndWait {
      context.new("Photo", ["image": data])
      try context.save()
      try coordinator.replacePersistentStore(at: to, withPersistentStoreFrom: from, type: .sqlite)
      #expect(coordinator.setURL(to, for: store))
      try FileManager.default.removeItem(at: ExternalFiles(store: from).support)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Photo")
      request.predicate = NSPredicate(format: "image == %@", data as NSData)
      #expect(try context.count(for: request) == 1)
    }
  }

  @Test("After a move to a store with more objects, or with fewer, new ones get keys behind those", arguments: [0, 40])
  func movingKeys(_ count: Int) throws {
    let other = folder.file("U")
    try folder.open(.sqlite, "U", library()) { _, context in
      for number in 0..<count { context.new("Tag", ["name": "\(number)"]) }
      try context.save()
    }
    let store = try coordinator.addPersistentStore(type: .sqlite, at: folder.file("T"))
    let context = coordinator.newContext()
    try context.performAndWait {
      // So many small saves that keys are kept for the next.
      for number in 0..<30 {
        context.new("Tag", ["name": "old \(number)"])
        try context.save()
      }
      context.reset()
      #expect(coordinator.setURL(other, for: store))
      context.new("Tag", ["name": "new"])
      try context.save()
    }
    let rows = try Connection(path: other.path, options: Connection.Options()).rows(
      "SELECT (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'), MAX(Z_PK), COUNT(*) FROM ZTAG")
    #expect(rows.first?.compactMap { $0 } == ["\(count + 1)", "\(count + 1)", "\(count + 1)"])
  }

  @Test("Metadata that is set without version hashes leaves the store one that opens", arguments: StoreKind.kept)
  func metadataWithoutHashes(_ kind: StoreKind) throws {
    try folder.open(kind, "T", library()) { store, context in
      store.persistentStoreCoordinator?.setMetadata(["mine": 1], for: store)
      context.new("Tag", ["name": "a"])
      try context.save()
    }
    #expect(try folder.tags(kind, "T") == ["a"])
    try NSPersistentStoreCoordinator.setMetadata(
      ["yours": 2], forPersistentStoreOfType: kind.type, at: folder.place(kind, "T"))
    try folder.open(kind, "T", library()) { store, _ in
      #expect(store.metadata["mine"] == nil && store.metadata["yours"] as? Int == 2)
    }
  }

  @Test("Metadata of files is read and replaced, in both spellings", arguments: StoreKind.kept)
  func metadata(_ kind: StoreKind) throws {
    let uuid = try folder.make(kind, "T", tag: "a")
    let url = folder.place(kind, "T")
    let type = NSPersistentStore.StoreType(rawValue: kind.type)
    var metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: url)
    #expect(metadata[NSStoreUUIDKey] as? String == uuid && metadata[NSStoreTypeKey] as? String == kind.type)
    metadata["mine"] = 1
    try NSPersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreOfType: kind.type, at: url)
    metadata["yours"] = 2
    try NSPersistentStoreCoordinator.setMetadata(metadata, type: type, at: url)
    let store = try coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: url)
    #expect(coordinator.metadata(for: store)["mine"] as? Int == 1)
    #expect(coordinator.metadata(for: store)["yours"] as? Int == 2)
    #expect(
      failure {
        _ = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: folder.place(kind, "none"))
      }?
      .code == (kind.isOnServer ? NSPersistentStoreIncompatibleSchemaError : 260))
  }
}
