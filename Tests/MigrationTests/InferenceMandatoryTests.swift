import CoreData
import Foundation
import Testing

/// Mandatory attributes without a default value.
@Suite("Inferred mappings: attributes that need a value") struct InferenceMandatoryTests {
  typealias Make = InferenceModels
  typealias Entity = InferenceModels.Entity

  // Kept, so that migrations find them.
  private nonisolated(unsafe) static let without = Make.model(Entity("Book", [Make.attribute("title")]))
  private nonisolated(unsafe) static let optional = Make.model(
    Entity("Book", [Make.attribute("title"), Make.attribute("isbn")]))
  private nonisolated(unsafe) static let mandatory = Make.model(
    Entity("Book", [Make.attribute("title"), Make.attribute("isbn", isOptional: false)]))

  /// The error of opening the store with the last model, and its cause.
  private func refusal(_ fixture: StagedFixture, _ model: NSManagedObjectModel) -> (code: Int, cause: NSError?) {
    let automatically: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]
    do {
      try fixture.with(model, options: automatically) { _ in }
      return (0, nil)
    } catch { return ((error as NSError).code, (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError) }
  }

  @Test("One that is new or was optional is inferred: the objects of a store decide")
  func models() {
    for old in [Self.without, Self.optional] { #expect(InferenceTests.refusal(old, Self.mandatory) == nil) }
  }

  @Test(
    "A store with an object that would have no value is refused, with the attribute's name, and stays as it is",
    arguments: StagedTests.kinds)
  func lacking(type: NSPersistentStore.StoreType) throws {
    for old in [Self.without, Self.optional] {
      let fixture = try StagedFixture(type)
      try fixture.add("Book", [["title": "Emma"]], model: old)
      let (code, cause) = refusal(fixture, Self.mandatory)
      #expect(code == NSMigrationError && cause?.code == NSMigrationError)
      #expect(cause?.userInfo["entity"] as? String == "Book" && cause?.userInfo["attribute"] as? String == "isbn")
      #expect(
        cause?.localizedFailureReason == "Validation error missing attribute values on mandatory destination attribute")
      #expect(try fixture.list("title", model: old) == ["Emma"])
    }
  }

  @Test("The same by a manager: the reason, the entity and the attribute are those of a container")
  func byManager() throws {
    let fixture = try StagedFixture(.sqlite)
    try fixture.add("Book", [["title": "Emma"]], model: Self.without)
    let manager = NSMigrationManager(sourceModel: Self.without, destinationModel: Self.mandatory)
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: Self.without, destinationModel: Self.mandatory)
    let new = fixture.url.appendingPathExtension("new")
    let error = #expect(throws: NSError.self) {
      try manager.migrateStore(from: fixture.url, type: .sqlite, mapping: mapping, to: new, type: .sqlite)
    }
    #expect(error?.code == NSMigrationError)
    #expect(error?.userInfo["sourceURL"] as? URL == fixture.url)
    let reason = "Validation error missing attribute values on mandatory destination attribute"
    #expect(error?.userInfo["reason"] as? String == "Cannot migrate store in-place: " + reason)
    let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
    #expect(cause?.userInfo["entity"] as? String == "Book" && cause?.userInfo["attribute"] as? String == "isbn")
    #expect(!FileManager.default.fileExists(atPath: new.path))
  }

  @Test(
    "A to-one relationship that is new or was optional: an object without one is refused, others are migrated",
    arguments: StagedTests.kinds)
  func relationships(type: NSPersistentStore.StoreType) throws {
    func model(isOptional: Bool?) -> NSManagedObjectModel {
      let shelf = isOptional.map { Make.toOne("shelf", "Shelf", isOptional: $0) }
      return Make.model(Entity("Book", [Make.attribute("title")] + (shelf.map { [$0] } ?? [])), Entity("Shelf"))
    }
    let (none, optional, mandatory) = (model(isOptional: nil), model(isOptional: true), model(isOptional: false))
    for old in [none, optional] {
      #expect(InferenceTests.refusal(old, mandatory) == nil)
      let fixture = try StagedFixture(type)
      try fixture.add("Book", [["title": "Emma"]], model: old)
      let (code, cause) = refusal(fixture, mandatory)
      #expect(code == NSMigrationError && cause?.code == NSMigrationError)
      #expect(cause?.userInfo["entity"] as? String == "Book" && cause?.userInfo["relationship"] as? String == "shelf")
      #expect(try fixture.list("title", model: old) == ["Emma"])
      let empty = try StagedFixture(type)
      try empty.add("Shelf", [[:]], model: old)
      #expect(refusal(empty, mandatory).code == 0)
    }
    let full = try StagedFixture(type)
    try full.add("Shelf", [[:]], model: optional)
    try full.with(optional) { context in
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      book.setValue("Emma", forKey: "title")
      book.setValue(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first, forKey: "shelf")
      try context.save()
    }
    #expect(refusal(full, mandatory).code == 0)
    #expect(try full.list("title", model: mandatory) == ["Emma"])
  }

  @Test(
    "A store without objects, or whose objects have values already, is migrated, and keeps them",
    arguments: StagedTests.kinds)
  func filled(type: NSPersistentStore.StoreType) throws {
    let empty = try StagedFixture(type)
    try empty.add("Book", [], model: Self.without)
    try empty.with(Self.without) { context in
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      try context.save()
      context.delete(book)
      try context.save()
    }
    #expect(refusal(empty, Self.mandatory).code == 0)
    try empty.add("Book", [["isbn": "1"]], model: Self.mandatory)
    #expect(try empty.list("isbn", model: Self.mandatory) == ["1"])

    let full = try StagedFixture(type)
    try full.add("Book", [["title": "Emma", "isbn": "2"], ["isbn": "3"]], model: Self.optional)
    #expect(refusal(full, Self.mandatory).code == 0)
    #expect(try full.list("isbn", model: Self.mandatory) == ["2", "3"])
  }

  @Test(
    "One that only a child has for the first time is asked of the child's own objects", arguments: StagedTests.kinds)
  func inherited(type: NSPersistentStore.StoreType) throws {
    let old = Make.model(
      Entity("Base", isAbstract: true), Entity("One", of: "Base", [Make.attribute("name", isOptional: false)]),
      Entity("Two", of: "Base"))
    let new = Make.model(
      Entity("Base", isAbstract: true, [Make.attribute("name", isOptional: false)]), Entity("One", of: "Base"),
      Entity("Two", of: "Base"))
    #expect(InferenceTests.refusal(old, new) == nil)
    let fixture = try StagedFixture(type)
    try fixture.add("One", [["name": "a"]], model: old)
    try fixture.add("Two", [[:]], model: old)
    #expect(refusal(fixture, new).cause?.userInfo["entity"] as? String == "Two")
    let other = try StagedFixture(type)
    try other.add("One", [["name": "a"]], model: old)
    #expect(refusal(other, new).code == 0)
    #expect(try other.list("name", of: "Base", model: new) == ["a"])
  }

  @Test(
    "A to-one relationship that is new has the members of its inverse, and is not asked for others",
    arguments: StagedTests.kinds)
  func relationshipsOfInverses(type: NSPersistentStore.StoreType) throws {
    func model(_ name: String?) -> NSManagedObjectModel {
      let writer = name.map { Make.toOne($0, "Author", back: "books", isOptional: false) }
      return Make.model(
        Entity("Book", [Make.attribute("title")] + (writer.map { [$0] } ?? [])),
        Entity("Author", [Make.toMany("books", "Book", back: name)]))
    }
    for (old, new) in [(model("author"), model("writer")), (model(nil), model("author"))] {
      let fixture = try StagedFixture(type)
      try fixture.with(old) { context in
        let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        book.setValue("Emma", forKey: "title")
        author.setValue(NSSet(object: book), forKey: "books")
        try context.save()
      }
      #expect(refusal(fixture, new).code == 0)
      let name = new.entitiesByName["Book"]!.relationshipsByName.keys.first!
      let found = try fixture.with(new) { context in
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).map { $0.value(forKey: name) != nil }
      }
      #expect(found == [true])
    }
  }

  @Test(
    "A stage's handler gives the objects a value before the step, or takes them out and makes new ones after it",
    arguments: StagedTests.kinds)
  func handlers(type: NSPersistentStore.StoreType) throws {
    func stage(_ old: NSManagedObjectModel) -> NSCustomMigrationStage {
      NSCustomMigrationStage(
        migratingFrom: NSManagedObjectModelReference(model: old, versionChecksum: old.versionChecksum),
        to: NSManagedObjectModelReference(model: Self.mandatory, versionChecksum: Self.mandatory.versionChecksum))
    }
    func books(_ manager: NSStagedMigrationManager) throws -> (NSManagedObjectContext, [NSManagedObject]) {
      let context = try #require(manager.container?.newBackgroundContext())
      return (context, try context.performAndWait { try context.fetch(NSFetchRequest(entityName: "Book")) })
    }
    let filling = stage(Self.optional)
    filling.willMigrateHandler = { manager, _ in
      let (context, books) = try books(manager)
      try context.performAndWait {
        for book in books where book.value(forKey: "isbn") == nil { book.setValue("none", forKey: "isbn") }
        try context.save()
      }
    }
    let full = try StagedFixture(type)
    try full.add("Book", [["title": "Emma"], ["isbn": "1"]], model: Self.optional)
    #expect(try full.migrate([filling], to: Self.mandatory, listing: "isbn") == ["1", "none"])

    let emptying = stage(Self.without)
    var titles: [String] = []
    emptying.willMigrateHandler = { manager, _ in
      let (context, books) = try books(manager)
      try context.performAndWait {
        titles = books.compactMap { $0.value(forKey: "title") as? String }
        for book in books { context.delete(book) }
        try context.save()
      }
    }
    emptying.didMigrateHandler = { manager, _ in
      let (context, _) = try books(manager)
      try context.performAndWait {
        for title in titles {
          let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
          book.setValue(title, forKey: "title")
          book.setValue("of \(title)", forKey: "isbn")
        }
        try context.save()
      }
    }
    let empty = try StagedFixture(type)
    try empty.add("Book", [["title": "Emma"], ["title": "Ulysses"]], model: Self.without)
    #expect(try empty.migrate([emptying], to: Self.mandatory, listing: "isbn") == ["of Emma", "of Ulysses"])
  }
}
