import CSQLite
import CoreData
import Foundation
import Testing

/// Staged migrations that can't be done, fail, or are killed.
@Suite("Staged migrations that fail") struct StagedFailureTests {
  typealias Make = InferenceModels
  typealias Entity = InferenceModels.Entity

  private let versions = StagedVersionsOfBooks()
  private struct Oops: Error {}

  private func error(_ body: () throws -> Void) -> NSError? {
    do {
      try body()
      return nil
    } catch { return error as NSError }
  }

  @Test(
    "A handler that throws: error 134110 with its error; the store is as it was, and no copy is left",
    arguments: StagedTests.kinds, [true, false])
  func throwing(type: NSPersistentStore.StoreType, before: Bool) throws {
    let fixture = try StagedFixture(type)
    try fixture.add("Book", [["title": "Emma", "authorName": " Austen"]], model: versions.first)
    let stage = versions.split()
    let work = before ? stage.willMigrateHandler! : stage.didMigrateHandler!
    let failing = { (manager: NSStagedMigrationManager, stage: NSCustomMigrationStage) in
      try work(manager, stage)
      throw Oops()
    }
    if before { stage.willMigrateHandler = failing } else { stage.didMigrateHandler = failing }
    let error = error { _ = try fixture.migrate([stage], to: versions.second) }
    #expect(error?.code == NSMigrationError)
    #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.domain.contains("Oops") == true)
    #expect(error?.localizedDescription.contains("Authors") == true)
    #expect(try fixture.list("authorName", model: versions.first) == [" Austen"])
    #expect(try fixture.files() == ["books.store"])
  }

  @Test("A version that is in no stage: 134504; no stages at all, an end that is not the coordinator's model: 134505")
  func unknownVersion() throws {
    let fixture = try StagedFixture()
    let other = Make.model(Entity("Book", [Make.attribute("title"), Make.attribute("other")]))
    try fixture.add("Book", [["title": "Emma"]], model: other)
    let unknown = error { _ = try fixture.migrate([versions.split()], to: versions.second) }
    #expect(unknown?.code == NSManagedObjectModelReferenceNotFoundError)
    let sentence = try #require(unknown?.localizedDescription)
    #expect(sentence.hasPrefix("Cannot use staged migration with an unknown model version."))
    #expect(sentence.contains(other.versionChecksum) && sentence.contains(fixture.url.path))
    let none = error { _ = try fixture.migrate([], to: versions.second) }
    #expect(none?.code == NSStagedMigrationFrameworkVersionMismatchError)
    let elsewhere = error {
      _ = try fixture.migrate(
        [NSLightweightMigrationStage([other.versionChecksum]), versions.split()], to: versions.third)
    }
    #expect(elsewhere?.code == NSStagedMigrationFrameworkVersionMismatchError)
    #expect(elsewhere?.localizedDescription.contains(versions.third.versionChecksum) == true)
    #expect(try fixture.list("title", model: other) == ["Emma"])
  }

  @Test("A store of a later version than the model: 134506")
  func backward() throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", [["title": "Emma"]], model: versions.second)
    let error = error { _ = try fixture.migrate([versions.split()], to: versions.first) }
    #expect(error?.code == NSStagedMigrationBackwardMigrationError)
    #expect(try fixture.list("title", model: versions.second) == ["Emma"])
  }

  @Test("A reference to a model that is not there, or has another checksum: 134504, before anything is done")
  func references() throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", [["title": "Emma"]], model: versions.first)
    let missing = NSManagedObjectModelReference(
      fileURL: fixture.folder.appendingPathComponent("Nothing.momd"), versionChecksum: "missing")
    let changed = NSManagedObjectModelReference(model: versions.second, versionChecksum: "changed")
    for reference in [missing, changed] {
      let first = NSCustomMigrationStage(migratingFrom: versions.reference(versions.first), to: reference)
      first.willMigrateHandler = { _, _ in Issue.record("nothing is to be done") }
      let second = NSCustomMigrationStage(migratingFrom: reference, to: versions.reference(versions.third))
      let error = error { _ = try fixture.migrate([first, second], to: versions.third) }
      #expect(error?.code == NSManagedObjectModelReferenceNotFoundError)
      #expect(error?.localizedDescription.contains(reference === missing ? "Nothing.momd" : "changed") == true)
    }
    #expect(try fixture.list("title", model: versions.first) == ["Emma"])
  }

  @Test("A step that can't be inferred is told before anything is done")
  func notInferable() throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", [["title": "Emma"]], model: versions.first)
    let other = Make.model(Entity("Book", [Make.attribute("title", .dateAttributeType)]), Entity("Author"))
    let split = versions.split()
    split.willMigrateHandler = { _, _ in Issue.record("nothing is to be done") }
    let error = error {
      _ = try fixture.migrate([split, NSLightweightMigrationStage([other.versionChecksum])], to: other)
    }
    #expect(error?.code == NSMigrationMissingMappingModelError)
    #expect((error?.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == NSInferredMappingModelError)
  }

  @Test("An option that is no manager is an error with the option's name")
  func wrongOption() throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", [["title": "Emma"]], model: versions.first)
    let error = error { _ = try fixture.migrate("stages", to: versions.second) }
    #expect(error?.localizedDescription.contains(NSPersistentStoreStagedMigrationManagerOptionKey) == true)
  }

  @Test("Stages that name a version twice end the program")
  func duplicates() async {
    await #expect(processExitsWith: .failure) {
      _ = NSStagedMigrationManager([
        NSLightweightMigrationStage(["one", "two"]), NSLightweightMigrationStage(["one"]),
      ])
    }
    let joined = NSStagedMigrationManager([
      NSLightweightMigrationStage(["one", "two"]), NSLightweightMigrationStage(["two", "three"]),
    ])
    #expect(joined.stages.count == 2)
  }

  @Test(
    "Without handlers each step is done for good: one that fails leaves the version before it, and the next opening goes on"
  )
  func interrupted() throws {
    let models = [
      Make.model(Entity("Book", [Make.attribute("a2")])),
      Make.model(Entity("Book", [Make.attribute("title", was: "a2")])),
      Make.model(Entity("Book", unique: [["title"]], [Make.attribute("title")])),
    ]
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: models[1])
    defer { withExtendedLifetime(coordinator) {} }
    let fixture = try StagedFixture()
    try fixture.add("Book", [["a2": "Emma"], ["a2": "Emma"]], model: models[0])
    let stages: [NSMigrationStage] = [NSLightweightMigrationStage(models.map(\.versionChecksum))]
    let failure = error { _ = try fixture.migrate(stages, to: models[2]) }
    #expect(failure?.localizedDescription.contains("Emma") == true)
    #expect(try fixture.checksum() == models[1].versionChecksum)
    try fixture.with(models[1]) { context in
      let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      books[0].setValue("Persuasion", forKey: "title")
      try context.save()
    }
    #expect(try fixture.migrate(stages, to: models[2]) == ["Emma", "Persuasion"])
  }

  @Test("A program that is killed in a handler leaves the store as it was; its copy goes with the next migration")
  func killed() async throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", [["title": "Emma", "authorName": " Austen"]], model: versions.first)
    let path = fixture.url.path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let versions = StagedVersionsOfBooks()
      let stage = versions.split()
      let work = stage.didMigrateHandler!
      stage.didMigrateHandler = { manager, stage in
        try work(manager, stage)
        kill(getpid(), SIGKILL)
      }
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: versions.second)
      _ = try coordinator.addPersistentStore(
        type: .sqlite, at: URL(fileURLWithPath: path),
        options: [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])])
    }
    #expect(try fixture.files().count > 1)
    #expect(try fixture.list("authorName", model: versions.first) == [" Austen"])
    #expect(try fixture.migrate([versions.split()], to: versions.second, listing: "name", of: "Author") == ["Austen"])
    #expect(try fixture.files() == ["books.store"])
  }

  @Test("What another program saves while a handler runs is not lost: the migration fails instead")
  func otherWriter() throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", [["title": "Emma"]], model: versions.first)
    let stage = versions.split()
    stage.didMigrateHandler = { [versions] _, _ in
      try fixture.add("Book", [["title": "Persuasion"]], model: versions.first)
    }
    #expect(error { _ = try fixture.migrate([stage], to: versions.second) } != nil)
    #expect(try fixture.list("title", model: versions.first) == ["Emma", "Persuasion"])
  }

  @Test("A store that another program holds locked when its new version is complete: 134090, within the time-out given")
  func lockedByOther() throws {
    let fixture = try StagedFixture()
    let journal = [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]
    try fixture.with(versions.first, options: journal) { context in
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      book.setValue("Emma", forKey: "title")
      try context.save()
    }
    var other: OpaquePointer?
    try #require(sqlite3_open_v2(fixture.url.path, &other, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    defer { sqlite3_close(other) }
    let stage = versions.split()
    stage.didMigrateHandler = { [other] _, _ in
      #expect(sqlite3_exec(other, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
    }
    let options: [AnyHashable: Any] = [NSPersistentStoreTimeoutOption: 0.2]
    let failure = error { _ = try fixture.migrate([stage], to: versions.second, options: options) }
    #expect(failure?.domain == NSCocoaErrorDomain)
    #expect(failure?.code == NSPersistentStoreTimeoutError)
    #expect(failure?.userInfo[NSFilePathErrorKey] as? String == fixture.url.path)
    #expect(sqlite3_exec(other, "ROLLBACK", nil, nil, nil) == SQLITE_OK)
    #expect(try fixture.list("title", model: versions.first) == ["Emma"])
  }

  @Test("Values in files of their own come along")
  func externalFiles() throws {
    func model(_ names: [String]) -> NSManagedObjectModel {
      let image = Make.attribute("image", .binaryDataAttributeType)
      image.allowsExternalBinaryDataStorage = true
      return Make.model(Entity("Book", [image] + names.map { Make.attribute($0) }))
    }
    let (old, new) = (model([]), model(["title"]))
    let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let fixture = try StagedFixture()
    try fixture.add("Book", [["image": data]], model: old)
    let stage = NSCustomMigrationStage(migratingFrom: versions.reference(old), to: versions.reference(new))
    stage.didMigrateHandler = { manager, _ in
      let context = manager.container!.newBackgroundContext()
      try context.performAndWait {
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        book.setValue(Data(data.reversed()), forKey: "image")
        book.setValue("new", forKey: "title")
        try context.save()
      }
    }
    #expect(try fixture.migrate([stage], to: new) == ["new", "nil"])
    try fixture.with(new) { context in
      let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      #expect(Set(books.map { $0.value(forKey: "image") as? Data }) == [data, Data(data.reversed())])
    }
    #expect(try fixture.files() == [".books_SUPPORT", "books.store"])
  }
}
