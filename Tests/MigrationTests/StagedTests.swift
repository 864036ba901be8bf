import CoreData
import Foundation
import Testing

final class StagedVolume: NSManagedObject {}

/// Migrations in stages.
@Suite("Staged migrations") struct StagedTests {
  typealias Make = InferenceModels
  typealias Entity = InferenceModels.Entity

  static let kinds: [NSPersistentStore.StoreType] = [.sqlite, .binary, .xml]

  private let versions = StagedVersionsOfBooks()

  private let books: [[String: Any]] = [
    ["title": "Emma", "authorName": " Austen"], ["title": "Persuasion", "authorName": "Austen "],
    ["title": "Middlemarch", "authorName": "Eliot"], ["title": "Beowulf"],
  ]

  @Test(
    "Handlers make objects of a text: trimmed before the step, split after it, and then the text is dropped",
    arguments: kinds)
  func split(type: NSPersistentStore.StoreType) throws {
    let fixture = try StagedFixture(type)
    try fixture.add("Book", books, model: versions.first)
    let stages = [
      versions.split(), NSLightweightMigrationStage([versions.second, versions.third].map(\.versionChecksum)),
    ]
    let titles = try fixture.migrate(stages, to: versions.third)
    #expect(titles == ["Beowulf", "Emma", "Middlemarch", "Persuasion"])
    try fixture.with(versions.third) { context in
      let authors = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author"))
      let counts = authors.map { "\($0.value(forKey: "name")!) \(($0.value(forKey: "books") as! NSSet).count)" }
      #expect(counts.sorted() == ["Austen 2", "Eliot 1"])
    }
    #expect(try fixture.checksum() == versions.third.versionChecksum)
    #expect(try fixture.files() == ["books.store"])
  }

  @Test(
    "A lightweight stage goes through its versions one by one: a name changes twice, and the value stays",
    arguments: kinds)
  func lightweight(type: NSPersistentStore.StoreType) throws {
    let models = [
      Make.model(Entity("Book", [Make.attribute("a1")])),
      Make.model(Entity("Book", [Make.attribute("b1", was: "a1")])),
      Make.model(Entity("Book", [Make.attribute("title", was: "b1")])),
    ]
    // Known to the program, since a coordinator has it.
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: models[1])
    defer { withExtendedLifetime(coordinator) {} }
    let fixture = try StagedFixture(type)
    try fixture.add("Book", [["a1": "Emma"]], model: models[0])
    let stage = NSLightweightMigrationStage(models.map(\.versionChecksum))
    #expect(stage.versionChecksums.count == 3)
    #expect(try fixture.migrate([stage], to: models[2]) == ["Emma"])
  }

  @Test(
    "A version of a lightweight stage whose model is found nowhere is passed over",
    arguments: kinds)
  func passedOver(type: NSPersistentStore.StoreType) throws {
    let models = [
      Make.model(Entity("Book", [Make.attribute("title")])),
      Make.model(Entity("Book", [Make.attribute("title"), Make.attribute("neverSeen")])),
      Make.model(Entity("Book", [Make.attribute("title"), Make.attribute("more")])),
    ]
    let fixture = try StagedFixture(type)
    try fixture.add("Book", [["title": "Emma"]], model: models[0])
    #expect(
      try fixture.migrate([NSLightweightMigrationStage(models.map(\.versionChecksum))], to: models[2]) == ["Emma"])
  }

  @Test(
    "Custom stages follow each other, each begins where the one before ends; handlers are called in order, in between the step"
  )
  func order() throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", books, model: versions.first)
    var calls: [String] = []
    func stage(_ name: String, _ from: NSManagedObjectModel, _ to: NSManagedObjectModel) -> NSCustomMigrationStage {
      let stage = NSCustomMigrationStage(migratingFrom: versions.reference(from), to: versions.reference(to))
      stage.label = name
      func handler(_ when: String) -> (NSStagedMigrationManager, NSCustomMigrationStage) -> Void {
        { manager, stage in
          let names = manager.container!.managedObjectModel.entitiesByName
          let keys = names["Book"]!.propertiesByName.keys.sorted().joined(separator: ",")
          calls.append("\(when) \(stage.label!): \(keys)")
        }
      }
      stage.willMigrateHandler = handler("will")
      stage.didMigrateHandler = handler("did")
      return stage
    }
    let stages = [
      stage("one", versions.first, versions.second), stage("two", versions.second, versions.third),
    ]
    let manager = NSStagedMigrationManager(stages)
    #expect(manager.stages == stages)
    #expect(stages[0].currentModel.resolvedModel === versions.first)
    #expect(stages[1].nextModel.resolvedModel === versions.third)
    #expect(try fixture.migrate(manager, to: versions.third).count == 4)
    #expect(
      calls == [
        "will one: authorName,title", "did one: author,authorName,title", "will two: author,authorName,title",
        "did two: author,title",
      ])
    #expect(manager.container == nil)
  }

  @Test("A store in the middle of the way begins there; one that has arrived calls nothing")
  func middle() throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", books, model: versions.second)
    let split = versions.split()
    split.willMigrateHandler = { _, _ in Issue.record("the store is past this stage") }
    split.didMigrateHandler = { _, _ in Issue.record("the store is past this stage") }
    let last = NSCustomMigrationStage(
      migratingFrom: versions.reference(versions.second), to: versions.reference(versions.third))
    var count = 0
    last.didMigrateHandler = { _, _ in count += 1 }
    #expect(try fixture.migrate([split, last], to: versions.third).count == 4)
    #expect(count == 1)
    #expect(try fixture.migrate([split, last], to: versions.third).count == 4)
    #expect(count == 1)
  }

  @Test("A stage may begin at a later version than the one before ended: between them is what the models imply")
  func gap() throws {
    let fixture = try StagedFixture()
    let zero = Make.model(Entity("Book", [Make.attribute("title")]))
    try fixture.add("Book", [["title": "Emma"]], model: zero)
    let stages = [NSLightweightMigrationStage([zero.versionChecksum]), versions.split()]
    #expect(try fixture.migrate(stages, to: versions.second) == ["Emma"])
  }

  @Test(
    "The container of a handler has the store under its type and options; a container's description takes the manager"
  )
  func container() throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", books, model: versions.first)
    let stage = versions.split()
    let work = stage.didMigrateHandler!
    stage.didMigrateHandler = { manager, stage in
      let container = manager.container!
      #expect(container === manager.container)
      #expect(container.persistentStoreDescriptions.map(\.type) == [NSSQLiteStoreType])
      #expect(container.persistentStoreCoordinator.persistentStores.count == 1)
      #expect(container.viewContext.persistentStoreCoordinator === container.persistentStoreCoordinator)
      #expect(container.persistentStoreDescriptions[0].options[NSPersistentHistoryTrackingKey] != nil)
      container.loadPersistentStores { #expect(($1 as NSError?)?.code == 134081, "It is loaded already.") }
      try work(manager, stage)
    }
    let container = NSPersistentContainer(name: "Books", managedObjectModel: versions.second)
    let description = NSPersistentStoreDescription(url: fixture.url)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setOption(
      NSStagedMigrationManager([stage]), forKey: NSPersistentStoreStagedMigrationManagerOptionKey)
    container.persistentStoreDescriptions = [description]
    var errors: [any Error] = []
    container.loadPersistentStores { _, error in if let error { errors.append(error) } }
    #expect(errors.isEmpty)
    let context = container.newBackgroundContext()
    let names = try context.performAndWait { try StagedFixture.list("name", of: "Author", in: context) }
    #expect(names == ["Austen", "Eliot"])
  }

  @Test("What a handler does not save is not kept")
  func unsaved() throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", books, model: versions.first)
    let stage = versions.split()
    stage.willMigrateHandler = { manager, _ in
      let context = manager.container!.newBackgroundContext()
      context.performAndWait {
        _ = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      }
    }
    stage.didMigrateHandler = nil
    #expect(try fixture.migrate([stage], to: versions.second).count == 4)
  }

  @Test("A store of a configuration is found by the part of the hashes that it has")
  func configuration() throws {
    func model(_ names: [String]) -> NSManagedObjectModel {
      let model = Make.model(
        Entity("Book", names.map { Make.attribute($0) }), Entity("Note", [Make.attribute("text")]))
      model.setEntities([model.entitiesByName["Book"]!], forConfigurationName: "Library")
      model.setEntities([model.entitiesByName["Note"]!], forConfigurationName: "Notes")
      return model
    }
    let (old, new) = (model(["title"]), model(["title", "subtitle"]))
    let fixture = try StagedFixture()
    try fixture.add("Book", [["title": "Emma"]], model: old, configuration: "Library")
    let stage = NSCustomMigrationStage(migratingFrom: versions.reference(old), to: versions.reference(new))
    stage.didMigrateHandler = { manager, _ in
      let context = manager.container!.newBackgroundContext()
      try context.performAndWait {
        for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
          book.setValue("A novel", forKey: "subtitle")
        }
        try context.save()
      }
    }
    let subtitles = try fixture.migrate([stage], to: new, listing: "subtitle", configuration: "Library")
    #expect(subtitles == ["A novel"])
  }

  @Test("The manager alone asks for its migration; options that say no are heard")
  func asking() throws {
    let fixture = try StagedFixture()
    try fixture.add("Book", books, model: versions.first)
    let manager = NSStagedMigrationManager([versions.split()])
    let refused = #expect(throws: NSError.self) {
      try fixture.migrate(manager, to: versions.second, nil, [NSMigratePersistentStoresAutomaticallyOption: false])
    }
    #expect(refused?.code == NSPersistentStoreIncompatibleVersionHashError)
    let alone: [AnyHashable: Any] = [NSPersistentStoreStagedMigrationManagerOptionKey: manager]
    let names = try fixture.with(versions.second, options: alone) {
      try StagedFixture.list("name", of: "Author", in: $0)
    }
    #expect(names == ["Austen", "Eliot"])
  }

  @Test("After a migration a class has the entity of the model in use, though a stage still has the earlier model")
  func entityOfClass() throws {
    func model(_ names: [String]) -> NSManagedObjectModel {
      let model = Make.model(Entity("Volume", names.map { Make.attribute($0) }))
      model.entitiesByName["Volume"]?.managedObjectClassName = NSStringFromClass(StagedVolume.self)
      return model
    }
    let (old, new) = (model(["title"]), model(["title", "subtitle"]))
    let fixture = try StagedFixture()
    try fixture.add("Volume", [["title": "Emma"]], model: old)
    let stage = NSCustomMigrationStage(migratingFrom: versions.reference(old), to: versions.reference(new))
    stage.willMigrateHandler = { _, _ in }
    let options: [AnyHashable: Any] = [
      NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])
    ]
    try fixture.with(new, options: options) { (context) throws in
      #expect(StagedVolume.entity() === new.entitiesByName["Volume"])
      #expect(try context.fetch(StagedVolume.fetchRequest()).count == 1)
    }
    #expect(old.entities.count == 1)
  }

  @Test("A version between without the store's configuration keeps what the store has")
  func versionsWithoutConfiguration() throws {
    func model(_ names: [String], _ configuration: [String]?) -> NSManagedObjectModel {
      let model = Make.model(
        Entity("Book", names.map { Make.attribute($0) }), Entity("Note", names.map { Make.attribute($0) }))
      if let configuration {
        model.setEntities(configuration.map { model.entitiesByName[$0]! }, forConfigurationName: "Library")
      }
      return model
    }
    let first = model(["title"], ["Book"])
    let (second, third) = (model(["title", "a"], nil), model(["title", "a", "b"], ["Book"]))
    let fixture = try StagedFixture()
    try fixture.add("Book", [["title": "Emma"]], model: first, configuration: "Library")
    let stages = [(first, second), (second, third)].map {
      NSCustomMigrationStage(migratingFrom: versions.reference($0), to: versions.reference($1))
    }
    #expect(try fixture.migrate(stages, to: third, configuration: "Library") == ["Emma"])
    #expect(stages.count == 2)
  }
}
