import Foundation
import Testing

@testable import CoreData

@Suite("Replacing a store by its new version")
struct ReplacingTests {
  let folder: ManagerFolder

  init() throws { folder = try ManagerFolder() }

  private var url: URL { folder.store("library.store") }

  private func migration(_ kind: ManagerStore) throws -> StoreMigration {
    StoreMigration(
      storeClass: try NSPersistentStoreCoordinator.storeClass(for: kind.type.rawValue), type: kind.type.rawValue,
      url: url, configuration: nil,
      options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true],
      metadata: try metadata(kind), destination: ManagerLibrary.new())
  }

  private func metadata(_ kind: ManagerStore) throws -> [String: Any] {
    try NSPersistentStoreCoordinator.metadataForPersistentStore(type: kind.type, at: url)
  }

  private func fill(_ kind: ManagerStore) throws {
    try ManagerStack.fill(kind, ManagerLibrary.old(), url, ManagerLibrary.fill)
    try NSPersistentStoreCoordinator.setMetadata(["note": "mine"], type: kind.type, at: url)
  }

  private func replace(_ kind: ManagerStore, _ mapping: NSMappingModel = ManagerLibrary.mapping()) throws {
    try publicErrors { try migration(kind).replaceStore(from: ManagerLibrary.old(), by: mapping) }
  }

  @Test("The new version has everything, the UUID and the client's metadata", arguments: ManagerStore.allCases)
  func replacing(_ kind: ManagerStore) throws {
    try fill(kind)
    let before = try metadata(kind)
    try replace(kind)
    let after = try metadata(kind)
    #expect(after["note"] as? String == "mine")
    #expect(after[NSStoreUUIDKey] as? String == before[NSStoreUUIDKey] as? String)
    try ManagerStack.read(kind, ManagerLibrary.new(), url) { try ManagerLibrary.check($0) }
    #expect(try folder.names == ["library.store"])
  }

  @Test("An open store's log is migrated, and a reader of the old version does not keep the new one out")
  func openStore() throws {
    let open = try ManagerStack(.sqlite, ManagerLibrary.old(), url)
    try open.context.performAndWait {
      ManagerLibrary.fill(open.context)
      try open.context.save()
    }
    try replace(.sqlite)
    try open.close()
    try ManagerStack.read(.sqlite, ManagerLibrary.new(), url) { try ManagerLibrary.check($0) }
  }

  @Test("Whatever stops it before the new version is in place leaves the old one", arguments: ManagerStore.allCases)
  func stopping(_ kind: ManagerStore) throws {
    try fill(kind)
    for step in [StoreMigration.ReplacingStep.folderMade, .filled, .checked] {
      let error = try StoreMigration.$didReach.withValue({ if $0 == step { throw NSError(domain: "stop", code: 1) } }) {
        managerError { try replace(kind) }
      }
      #expect(error?.code == NSMigrationError)
      #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain == "stop")
      #expect(error?.localizedDescription.contains(url.path) == true)
      #expect(try folder.names == ["library.store"])
      try ManagerStack.read(kind, ManagerLibrary.old(), url) {
        let found = try $0.number(of: "Book")
        #expect(found == 4)
      }
    }
  }

  @Test(
    "A process that is killed leaves the old version or the new one, and a folder that the next opening removes",
    arguments: ManagerStore.allCases)
  func killing(_ kind: ManagerStore) async throws {
    for step in StoreMigration.ReplacingStep.allCases {
      try? FileManager.default.removeItem(at: url)
      try fill(kind)
      let (path, type, name) = (url.path, kind.rawValue, "\(step)")
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, type = type as String, name = name as String] in
        let kind = ManagerStore(rawValue: type)!
        let url = URL(fileURLWithPath: path)
        try StoreMigration.$didReach.withValue({ if "\($0)" == name { kill(getpid(), SIGKILL) } }) {
          try StoreMigration(
            storeClass: NSPersistentStoreCoordinator.storeClass(for: kind.type.rawValue), type: kind.type.rawValue,
            url: url, configuration: nil, options: nil,
            metadata: NSPersistentStoreCoordinator.metadataForPersistentStore(type: kind.type, at: url),
            destination: ManagerLibrary.new()
          ).replaceStore(from: ManagerLibrary.old(), by: ManagerLibrary.mapping())
        }
      }
      let left = try folder.names
      #expect(left.contains { $0.hasSuffix(".migrating") })
      if step == .replaced {
        let stack = try ManagerStack(
          kind, ManagerLibrary.new(), url, options: [NSMigratePersistentStoresAutomaticallyOption: true])
        try stack.close()
        try ManagerStack.read(kind, ManagerLibrary.new(), url) { try ManagerLibrary.check($0) }
      } else {
        try ManagerStack.read(kind, ManagerLibrary.old(), url) {
          let found = try $0.number(of: "Book")
          #expect(found == 4)
        }
        try replace(kind)
        try ManagerStack.read(kind, ManagerLibrary.new(), url) { try ManagerLibrary.check($0) }
      }
      #expect(try folder.names == ["library.store"], "\(step)")
    }
  }

  @Test("A folder that is in use stays", arguments: ManagerStore.allCases)
  func foldersInUse(_ kind: ManagerStore) throws {
    try fill(kind)
    let used = try MigrationFolder(beside: url)
    try replace(kind)
    #expect(try folder.names == [used.url.lastPathComponent, "library.store"].sorted())
    used.remove()
  }

  @Test("What others write meanwhile is not lost: the migration is given up", arguments: ManagerStore.allCases)
  func writtenMeanwhile(_ kind: ManagerStore) throws {
    try fill(kind)
    let url = url
    let error = StoreMigration.$didReach.withValue({ step in
      guard step == .filled else { return }
      let other = try ManagerStack(kind, ManagerLibrary.old(), url)
      try other.context.performAndWait {
        other.context.make("Draft", ["text": "new"])
        try other.context.save()
      }
      try other.close()
    }) {
      managerError { try replace(kind) }
    }
    #expect(error?.code == NSMigrationError)
    try ManagerStack.read(kind, ManagerLibrary.old(), url) {
      let found = try $0.number(of: "Draft")
      #expect(found == 2)
    }
    #expect(try folder.names == ["library.store"])
  }

  @Test("A policy's error, a cancellation and a rule that is broken come as they are", arguments: ManagerStore.allCases)
  func failures(_ kind: ManagerStore) throws {
    try fill(kind)
    let refused = managerError { try replace(kind, ManagerLibrary.mapping(policy: RefusingPolicy.self)) }
    #expect(refused?.code == NSEntityMigrationPolicyError)
    let cancelled = managerError { try replace(kind, ManagerLibrary.mapping(policy: CancellingPolicy.self)) }
    #expect(cancelled?.domain == "cancelled")
    let broken = ManagerLibrary.mapping()
    broken.entityMappings.removeAll { $0.name == "AuthorToWriter" }
    let invalid = managerError { try replace(kind, broken) }
    #expect(invalid?.code == NSMigrationError)
    let underlying = invalid?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(underlying?.code == NSValidationMultipleErrorsError)
    #expect(try folder.names == ["library.store"])
    try ManagerStack.read(kind, ManagerLibrary.old(), url) {
      let found = try $0.number(of: "Book")
      #expect(found == 4)
    }
  }

  @Test(
    "A folder that can't be written is an error, and the store stays",
    .enabled(if: getuid() != 0, "root may write everywhere"), arguments: ManagerStore.allCases)
  func readOnlyFolder(_ kind: ManagerStore) throws {
    try fill(kind)
    chmod(folder.url.path, 0o500)
    defer { chmod(folder.url.path, 0o700) }
    let error = managerError { try replace(kind) }
    #expect(error?.code == NSMigrationError)
  }

  @Test("Files of long values are replaced with the store")
  func externalFiles() throws {
    typealias Models = InferenceModels
    func version(_ name: String) -> NSManagedObjectModel {
      let data = Models.attribute("data", .binaryDataAttributeType)
      data.allowsExternalBinaryDataStorage = true
      return Models.model(.init(name, [data]))
    }
    let (old, new) = (version("Thing"), version("Item"))
    try ManagerStack.fill(.sqlite, old, url) { context in
      for byte in 1...3 { context.make("Thing", ["data": Data(repeating: UInt8(byte), count: 200_000)]) }
    }
    let values = folder.url.appendingPathComponent(".library_SUPPORT/_EXTERNAL_DATA")
    let before = Set(try FileManager.default.contentsOfDirectory(atPath: values.path))
    try StoreMigration(
      storeClass: SQLiteStore.self, type: NSSQLiteStoreType, url: url, configuration: nil, options: nil, metadata: [:],
      destination: new
    ).replaceStore(
      from: old, by: ManagerMappings.model(ManagerMappings.map("Thing", "Item", ["data": "$source.data"])))
    let after = Set(try FileManager.default.contentsOfDirectory(atPath: values.path))
    #expect(before.count == 3 && after.count == 3 && before.isDisjoint(with: after))
    try ManagerStack.read(.sqlite, new, url) { context in
      let items = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Item"))
      #expect(Set(items.compactMap { ($0.value(forKey: "data") as? Data)?.first }) == [1, 2, 3])
    }
  }

  @Test(
    "XML and binary stores are migrated when they are added, by what the models imply",
    arguments: [ManagerStore.xml, .binary])
  func adding(_ kind: ManagerStore) throws {
    typealias Models = InferenceModels
    let old = Models.model(.init("Note", [Models.attribute("text")]))
    let new = Models.model(
      .init("Note", [Models.attribute("text"), Models.attribute("more", isOptional: false, default: "m")]))
    try ManagerStack.fill(kind, old, url) { $0.make("Note", ["text": "t"]) }
    let stack = try ManagerStack(
      kind, new, url,
      options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
    try stack.context.performAndWait {
      let note = try #require(stack.context.all("Note", by: "text").first)
      #expect(note.text("text") == "t" && note.text("more") == "m")
    }
    #expect(try folder.names == ["library.store"])
  }

  // Stores of other people's.

  private func notes(
    _ storeClass: ReplacingStore.Type, _ fields: Int, hasDefaults: Bool = true, options more: [AnyHashable: Any] = [:]
  ) throws -> (NSPersistentStoreCoordinator, NSPersistentStore) {
    NSPersistentStoreCoordinator.registerStoreClass(storeClass, forStoreType: storeClass.storeType)
    let model = InferenceModels.model(
      .init(
        "Note",
        [InferenceModels.attribute("text")]
          + (0..<fields).map {
            InferenceModels.attribute("field\($0)", isOptional: false, default: hasDefaults ? "\($0)" : nil)
          }))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]
    let store = try coordinator.addPersistentStore(
      ofType: storeClass.storeType, configurationName: nil, at: url, options: options.merging(more) { $1 })
    return (coordinator, store)
  }

  private func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test(
    "An atomic store of one's own is migrated if it tells its metadata, by its manager if it has one", .serialized,
    arguments: [ReplacingStore.self, ReplacingStoreWithManager.self])
  func customStores(_ storeClass: ReplacingStore.Type) throws {
    let (old, store) = try notes(storeClass, 0)
    let oldContext = context(old)
    try oldContext.performAndWait {
      for number in 0..<700 { oldContext.make("Note", ["text": "\(number)"]) }
      try oldContext.save()
    }
    try old.remove(store)
    let (new, _) = try notes(storeClass, 1)
    let migrations = ReplacingManager.migrations.withLock { $0[url.standardizedFileURL] }
    #expect(migrations == (storeClass == ReplacingStoreWithManager.self ? 1 : nil))
    let newContext = context(new)
    try newContext.performAndWait {
      let notes = try newContext.all("Note", by: "text")
      #expect(notes.count == 700)
      #expect(notes.allSatisfy { $0.text("field0") == "0" })
      #expect(Set(notes.compactMap { $0.text("text") }).count == 700)
    }
    #expect(try folder.names == ["library.store"])
  }

  @Test(
    "An atomic store of one's own keeps its configuration and its UUID", .serialized,
    arguments: [ReplacingStore.self, ReplacingStoreWithManager.self])
  func configuredCustomStores(_ storeClass: ReplacingStore.Type) throws {
    typealias Models = InferenceModels
    func open(_ names: [String]) throws -> (NSPersistentStoreCoordinator, NSPersistentStore) {
      NSPersistentStoreCoordinator.registerStoreClass(storeClass, forStoreType: storeClass.storeType)
      let model = Models.model(
        .init("Note", names.map { Models.attribute($0) }), .init("Tag", [Models.attribute("text")]))
      model.setEntities([model.entitiesByName["Note"]!], forConfigurationName: "Notes")
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let store = try coordinator.addPersistentStore(
        ofType: storeClass.storeType, configurationName: "Notes", at: url,
        options: [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true])
      return (coordinator, store)
    }
    let (old, store) = try open(["text"])
    let oldContext = context(old)
    try oldContext.performAndWait {
      oldContext.make("Note", ["text": "a"])
      try oldContext.save()
    }
    let uuid = store.identifier
    try old.remove(store)
    let (new, migrated) = try open(["text", "more"])
    #expect(migrated.identifier == uuid && uuid != nil)
    let newContext = context(new)
    try newContext.performAndWait { () throws in
      #expect(try newContext.all("Note", by: "text").map { $0.text("text") } == ["a"])
    }
  }

  @Test("A store that can't be opened without options is migrated with them, and refused with them for its objects")
  func neededOptions() throws {
    let options = ["key": "secret"]
    let (old, store) = try notes(ReplacingStoreWithKey.self, 0, options: options)
    let oldContext = context(old)
    try oldContext.performAndWait {
      oldContext.make("Note", ["text": "a"])
      try oldContext.save()
    }
    try old.remove(store)
    let error = managerError { _ = try notes(ReplacingStoreWithKey.self, 1, hasDefaults: false, options: options) }
    #expect(error?.code == NSMigrationError)
    #expect("\(error.map { "\($0.userInfo)" } ?? "")".contains("field0"))
    let (new, _) = try notes(ReplacingStoreWithKey.self, 1, options: options)
    let newContext = context(new)
    try newContext.performAndWait { () throws in
      #expect(try newContext.all("Note", by: "text").map { $0.text("field0") } == ["0"])
    }
  }

  @Test("A store of one's own that does not tell its metadata is refused with 134140, and stays")
  func withoutMetadata() throws {
    let (old, store) = try notes(ReplacingStoreWithoutMetadata.self, 0)
    let context = context(old)
    try context.performAndWait {
      context.make("Note", ["text": "a"])
      try context.save()
    }
    try old.remove(store)
    let before = try Data(contentsOf: url)
    let error = managerError { _ = try notes(ReplacingStoreWithoutMetadata.self, 1) }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    #expect(error?.localizedDescription.contains("metadataForPersistentStore(with:)") == true)
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("A policy that saves what it has made does not stand in the way", arguments: ManagerStore.allCases)
  func savingPolicy(_ kind: ManagerStore) throws {
    try fill(kind)
    try replace(kind, ManagerLibrary.mapping(policy: SavingPolicy.self))
    try ManagerStack.read(kind, ManagerLibrary.new(), url) { try ManagerLibrary.check($0) }
  }

  @Test("What a policy deletes by a batch request is gone from the new version")
  func batchDeletingPolicy() throws {
    try fill(.sqlite)
    try replace(.sqlite, ManagerLibrary.mapping(policy: BatchDeletingPolicy.self))
    try ManagerStack.read(.sqlite, ManagerLibrary.new(), url) { context in
      let (tags, chapters) = (try context.all("Tag", by: "name"), try context.number(of: "Chapter"))
      #expect(tags.map { $0.text("name") } == ["blue"] && chapters == 12)
    }
  }

  @Test("A store that is to lose its write-ahead log is migrated first")
  func losingTheLog() throws {
    try fill(.sqlite)
    let options: [AnyHashable: Any] = [
      NSSQLitePragmasOption: ["journal_mode": "DELETE"], NSPersistentStoreTimeoutOption: 1,
    ]
    let migration = StoreMigration(
      storeClass: try NSPersistentStoreCoordinator.storeClass(for: NSSQLiteStoreType), type: NSSQLiteStoreType,
      url: url, configuration: nil, options: options, metadata: try metadata(.sqlite),
      destination: ManagerLibrary.new())
    try publicErrors { try migration.replaceStore(from: ManagerLibrary.old(), by: ManagerLibrary.mapping()) }
    try ManagerStack.read(.sqlite, ManagerLibrary.new(), url) { try ManagerLibrary.check($0) }
  }

  @Test("Tokens of a history that a new version does not have expire, also when that has as many transactions")
  func history() throws {
    let tracking: [AnyHashable: Any] = [NSPersistentHistoryTrackingKey: true]
    let old = try ManagerStack(.sqlite, ManagerLibrary.old(), url, options: tracking)
    let token = try old.context.performAndWait {
      ManagerLibrary.fill(old.context)
      try old.context.save()
      return old.coordinator.currentPersistentHistoryToken(fromStores: nil)
    }
    try old.close()
    try replace(.sqlite)
    let new = try ManagerStack(.sqlite, ManagerLibrary.new(), url, options: tracking)
    try new.context.performAndWait {
      for _ in 0..<3 {
        new.context.make("Tag", ["name": "new"])
        try new.context.save()
        let error = managerError {
          _ = try new.context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        }
        #expect(error?.code == NSPersistentHistoryTokenExpiredError)
      }
    }
    try new.close()
  }
}

final class RefusingPolicy: NSEntityMigrationPolicy {
  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    throw NSError(domain: "policy", code: 1)
  }
}

final class CancellingPolicy: NSEntityMigrationPolicy {
  override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
    manager.cancelMigrationWithError(NSError(domain: "cancelled", code: 1))
  }
}

/// Deletes the red tag, past the context.
final class BatchDeletingPolicy: NSEntityMigrationPolicy {
  override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
    guard mapping.destinationEntityName == "Tag" else { return }
    let red = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
    red.predicate = NSPredicate(format: "name == 'red'")
    try manager.destinationContext.execute(NSBatchDeleteRequest(fetchRequest: red))
  }
}
