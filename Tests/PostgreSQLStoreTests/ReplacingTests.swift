import Foundation
import PostgreSQLTestServer
import Testing

@testable import CoreData
@testable import PostgreSQLStore

/// Writes headings in capitals.
final class LoudPolicy: NSEntityMigrationPolicy {
  override func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    let made = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [sInstance])
    made.first?.setValue((sInstance.value(forKey: "title") as? String)?.uppercased(), forKey: "heading")
  }
}

/// A library in two versions.
enum Versions {
  private static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
    let entity = NSEntityDescription()
    (entity.name, entity.properties) = (name, properties)
    return entity
  }

  static func first(countsBooks: Bool = false) -> NSManagedObjectModel {
    let title = attribute("title", .stringAttributeType) { $0.preservesValueInHistoryOnDeletion = true }
    return model(title, countsBooks ? [count("bookCount", "books.@count")] : [])
  }

  /// A title is a heading, there are accolades, numbered before authors, and authors know what they have written.
  static func second() -> NSManagedObjectModel {
    let heading = attribute("heading", .stringAttributeType) {
      $0.renamingIdentifier = "title"
      $0.preservesValueInHistoryOnDeletion = true
    }
    let model = model(heading, [count("bookCount", "books.@count"), count("pageSum", "books.pages.@sum")])
    model.entities.append(entity("Accolade", [attribute("name", .stringAttributeType)]))
    return model
  }

  private static func model(_ title: NSAttributeDescription, _ derived: [NSAttributeDescription])
    -> NSManagedObjectModel
  {
    let model = NSManagedObjectModel()
    let author = entity("Author", [attribute("name", .stringAttributeType)] + derived)
    let book = entity("Book", [attribute("pages", .integer16AttributeType), title])
    let novel = entity("Novel", [attribute("genre", .stringAttributeType)])
    book.subentities = [novel]
    let tag = entity("Tag", [attribute("name", .stringAttributeType)])
    tag.uniquenessConstraints = [["name"]]
    relate((author, "books", true, true), (book, "author", false, false))
    relate((book, "tags", true, false), (tag, "books", true, false))
    model.entities = [author, book, novel, tag]
    return model
  }

  private static func count(_ name: String, _ format: String) -> NSAttributeDescription {
    let attribute = NSDerivedAttributeDescription()
    (attribute.name, attribute.attributeType, attribute.isOptional) = (name, .integer64AttributeType, true)
    attribute.derivationExpression = NSExpression(format: format)
    return attribute
  }

  /// An author with two books, a tag at both, and a third that is deleted again. Returns the last token.
  @discardableResult
  static func fill(_ shelf: Shelf) throws -> NSPersistentHistoryToken? {
    try shelf.context.performAndWait {
      let author = shelf.context.new("Author", ["name": "Ann"])
      let tag = shelf.context.new("Tag", ["name": "red"])
      let books = ["a", "b", "gone"].enumerated().map { number, title in
        shelf.context.new(number == 1 ? "Novel" : "Book", ["title": title, "pages": 10 * (number + 1)])
      }
      author.setValue(NSOrderedSet(array: [books[1], books[0]]), forKey: "books")
      for book in books { book.setValue(NSSet(object: tag), forKey: "tags") }
      try shelf.context.save()
      books[0].setValue(11, forKey: "pages")
      shelf.context.delete(books[2])
      try shelf.context.save()
    }
    return shelf.coordinator.currentPersistentHistoryToken(fromStores: nil)
  }

  /// Checks a store of the second version, and that it takes new objects.
  static func check(_ shelf: Shelf, headings: [String]) throws {
    try shelf.context.performAndWait {
      let author = try shelf.context.all("Author")[0]
      let books = (author.value(forKey: "books") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
      #expect(books.map { $0.value(forKey: "heading") as? String } == headings)
      #expect(books.map(\.entity.name) == ["Novel", "Book"])
      #expect(author.value(forKey: "bookCount") as? Int == 2)
      #expect(author.value(forKey: "pageSum") as? Int == 31)
      let tag = try shelf.context.all("Tag", "name == 'red'")[0]
      #expect((tag.value(forKey: "books") as? NSSet)?.count == 2)
      shelf.context.new("Book", ["heading": "new", "pages": 100]).setValue(author, forKey: "author")
      shelf.context.new("Accolade", ["name": "first"])
      try shelf.context.save()
      shelf.context.refreshAllObjects()
      #expect(author.value(forKey: "pageSum") as? Int == 131)
      shelf.context.new("Tag", ["name": "red"])
      #expect(throws: (any Error).self) { try shelf.context.save() }
    }
  }
}

@Suite("New versions of a PostgreSQL store that are made beside it", hasServer, .serialized)
struct ReplacingTests {
  private let server = TestServer.required

  /// Migrates by a mapping with a policy, as a bundle's mapping model would have it.
  private func migrate(_ url: URL, options: [AnyHashable: Any] = [:]) throws {
    let (source, destination) = (Versions.first(), Versions.second())
    let mapping = try NSMappingModel.inferredMappingModel(forSourceModel: source, destinationModel: destination)
    mapping.entityMappings = mapping.entityMappings.map { entity in
      if entity.sourceEntityName == "Book" || entity.sourceEntityName == "Novel" {
        entity.entityMigrationPolicyClassName = String(reflecting: LoudPolicy.self)
      }
      return entity
    }
    let metadata = try PostgreSQLStore.metadataForPersistentStore(with: url)
    try StoreMigration(
      storeClass: PostgreSQLStore.self, type: NSPostgreSQLStoreType, url: url, configuration: nil, options: options,
      metadata: metadata, destination: destination
    ).replaceStore(from: source, by: mapping)
  }

  private func leftovers() throws -> Int {
    try server.rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'z\\_migrating%'").count
  }

  @Test("By a mapping model with a policy objects are made in code; identity and metadata stay, history starts over")
  func mapping() throws {
    let shelf = try Shelf(Versions.first(), options: tracked)
    let token = try Versions.fill(shelf)
    let uuid = shelf.store.identifier
    shelf.coordinator.setMetadata(
      shelf.store.metadata.merging(["owner": "Ann"]) { $1 }, for: shelf.store)
    try shelf.context.performAndWait {
      shelf.context.new("Tag", ["name": "blue"])
      try shelf.context.save()
    }
    try migrate(shelf.url)
    let new = try Shelf(Versions.second(), at: shelf.url, options: tracked)
    #expect(new.store.identifier == uuid)
    #expect(new.store.metadata["owner"] as? String == "Ann")
    try Versions.check(new, headings: ["B", "A"])
    try new.context.performAndWait {
      let found1 = try new.context.history(after: nil)
      #expect(found1.count == 1)
      let error = #expect(throws: NSError.self) { _ = try new.context.history(after: token) }
      #expect(error?.code == NSPersistentHistoryTokenExpiredError)
    }
    #expect(try leftovers() == 0)
  }

  @Test("While it is made others read the old version, and who writes waits and is told of the other version")
  func concurrency() throws {
    let shelf = try Shelf(Versions.first(), options: [NSPersistentStoreTimeoutOption: 20])
    try Versions.fill(shelf)
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var late: NSError?
    let reading = { @Sendable (step: StoreMigration.ReplacingStep) in
      guard step == .filled else { return }
      shelf.context.performAndWait {
        #expect((try? shelf.context.all("Book").count) == 2)
      }
      Thread.detachNewThread {
        shelf.context.performAndWait {
          shelf.context.new("Author", ["name": "late"])
          do { try shelf.context.save() } catch { late = error as NSError }
        }
        done.signal()
      }
      Thread.sleep(forTimeInterval: 0.3)
    }
    try StoreMigration.$didReach.withValue(reading) { try migrate(shelf.url) }
    done.wait()
    #expect(late?.code == NSPersistentStoreIncompatibleVersionHashError)
    try Versions.check(Shelf(Versions.second(), at: shelf.url), headings: ["B", "A"])
  }

  @Test("A reader that does not end keeps the old version, and another try makes the new one")
  func pinned() throws {
    let shelf = try Shelf(Versions.first())
    try Versions.fill(shelf)
    try shelf.context.performAndWait {
      shelf.context.reset()
      try shelf.context.setQueryGenerationFrom(.current)
      #expect(try shelf.context.all("Book").count == 2)
    }
    let error = #expect(throws: (any Error).self) {
      try migrate(shelf.url, options: [NSPersistentStoreTimeoutOption: 0.3])
    }
    #expect(error?.publicError.code == NSMigrationError)
    #expect(try leftovers() == 0)
    try shelf.context.performAndWait {
      try shelf.context.setQueryGenerationFrom(nil)
      shelf.context.new("Tag", ["name": "blue"])
      try shelf.context.save()
    }
    try migrate(shelf.url)
    try Versions.check(Shelf(Versions.second(), at: shelf.url), headings: ["B", "A"])
  }

  @Test(
    "A server that is killed at any step has the old version or the new one, and the next migration removes the rest")
  func killed() throws {
    let server = try TestServer()
    defer { server.stop() }
    for step in StoreMigration.ReplacingStep.allCases {
      let url = server.newStoreURL()
      do { try Versions.fill(Shelf(Versions.first(), at: url)) }
      let kill = { @Sendable (reached: StoreMigration.ReplacingStep) in
        if reached == step { try server.killAndStart() }
      }
      let isDone = StoreMigration.$didReach.withValue(kill) { (try? migrate(url)) != nil }
      #expect(isDone == (step == .replaced), "\(step)")
      if !isDone {
        do {
          let old = try Shelf(Versions.first(), at: url)
          let count = try old.context.performAndWait { try old.context.all("Book", "title == 'a'").count }
          #expect(count == 1, "\(step)")
        }
        try migrate(url)
      }
      try Versions.check(Shelf(Versions.second(), at: url), headings: ["B", "A"])
      let schemas = try server.rows("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'z\\_migrating%'")
      #expect(schemas.isEmpty, "\(step)")
    }
  }

  @Test("Handlers of a custom stage change both versions; a handler that throws leaves the old one; history stays")
  func stages() throws {
    let (first, second) = (Versions.first(), Versions.second())
    let shelf = try Shelf(first, options: tracked)
    let token = try Versions.fill(shelf)
    struct Stop: Error {}
    func open(failing: Bool) throws -> Shelf {
      let stage = NSCustomMigrationStage(
        migratingFrom: NSManagedObjectModelReference(model: first, versionChecksum: first.versionChecksum),
        to: NSManagedObjectModelReference(model: second, versionChecksum: second.versionChecksum))
      func change(_ manager: NSStagedMigrationManager, _ key: String, _ text: @escaping (String) -> String) throws {
        let context = manager.container!.newBackgroundContext()
        try context.performAndWait {
          for book in try context.all("Book") { book.setValue(text(book.value(forKey: key) as! String), forKey: key) }
          try context.save()
        }
      }
      stage.willMigrateHandler = { manager, _ in try change(manager, "title") { $0 + "1" } }
      stage.didMigrateHandler = { manager, _ in
        try change(manager, "heading") { $0 + "2" }
        if failing { throw Stop() }
      }
      return try Shelf(
        second, at: shelf.url,
        options: tracked.merging([
          NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([stage])
        ]) { $1 })
    }
    #expect(throws: (any Error).self) { _ = try open(failing: true) }
    do {
      let old = try Shelf(first, at: shelf.url, options: tracked)
      let count = try old.context.performAndWait { try old.context.all("Book", "title == 'a'").count }
      #expect(count == 1)
    }
    let new = try open(failing: false)
    try Versions.check(new, headings: ["b12", "a12"])
    try new.context.performAndWait {
      // What the handlers saved, and the check.
      let found2 = try new.context.history(after: token)
      #expect(found2.count == 3)
      let found3 = try new.context.history(after: nil)
      #expect(found3.count == 5)
    }
    #expect(try leftovers() == 0)
  }

  @Test(
    "A migration in place keeps the history: entities, changed properties and preserved values have their new names")
  func history() throws {
    let shelf = try Shelf(Versions.first(countsBooks: true), options: tracked)
    let token = try Versions.fill(shelf)
    let new = try Shelf(
      Versions.second(), at: shelf.url, options: tracked.merging(MigrationTests.automatic) { $1 })
    try new.context.performAndWait {
      let changes = try new.context.history(after: nil).last?.changes ?? []
      let update = changes.first { $0.changeType == .update && $0.changedObjectID.entity.name == "Book" }
      #expect(update?.updatedProperties?.map(\.name).contains("pages") == true)
      let deletion = changes.first { $0.changeType == .delete }
      #expect(deletion?.changedObjectID.entity.name == "Book")
      #expect(deletion?.tombstone?["heading"] as? String == "gone")
      let found4 = try new.context.history(after: token)
      #expect(found4.isEmpty)
    }
    try Versions.check(new, headings: ["b", "a"])
    let added = try new.context.performAndWait { try new.context.history(after: token).last?.changes ?? [] }
    #expect(Set(added.map { $0.changedObjectID.entity.name ?? "" }).isSuperset(of: ["Accolade", "Book"]))
  }

  @Test("Who has a store open that was destroyed saves nothing into another one that was made in its place")
  func otherStore() throws {
    let shelf = try Shelf(libraryModel())
    let counter = try shelf.context.performAndWait {
      let counter = shelf.context.new("Counter", ["count": 1])
      try shelf.context.save()
      return counter
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: libraryModel())
    try coordinator.destroyPersistentStore(at: shelf.url, ofType: NSPostgreSQLStoreType)
    let other = try shelf.elsewhere()
    try other.context.performAndWait {
      other.context.new("Counter", ["count": 5])
      try other.context.save()
    }
    shelf.context.performAndWait {
      counter.setValue(2, forKey: "count")
      let error = #expect(throws: NSError.self) { try shelf.context.save() }
      #expect(error?.code == NSPersistentStoreSaveError, "\(error as Any)")
      #expect(error?.localizedDescription.contains("Another store is in the place") == true, "\(error as Any)")
    }
    let counts = try server.rows("SELECT zcount FROM \"\(shelf.store.schemaName!)\".zcounter")
    #expect(counts == [["5"]])
  }

  @Test("Destroying a store drops what it has, leaves what others have in its schema, and a new one can be made there")
  func destroying() throws {
    let shelf = try Shelf(Versions.first(countsBooks: true), options: tracked)
    try Versions.fill(shelf)
    try shelf.store.pool.use { _ = try $0.run("CREATE TABLE notes (a int); CREATE TABLE z_1own (a int)") }
    let schema = shelf.store.schemaName!
    try shelf.coordinator.destroyPersistentStore(at: shelf.url, ofType: NSPostgreSQLStoreType)
    #expect(shelf.coordinator.persistentStores.isEmpty)
    let left = try server.rows(
      "SELECT relname FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace "
        + "UNION SELECT proname FROM pg_proc WHERE pronamespace = '\(schema)'::regnamespace ORDER BY 1")
    #expect(left == [["notes"], ["z_1own"]])
    try shelf.coordinator.destroyPersistentStore(at: shelf.url, ofType: NSPostgreSQLStoreType)
    let again = try Shelf(Versions.second(), at: shelf.url)
    let books = try again.context.performAndWait { try again.context.all("Book") }
    #expect(books.isEmpty)
  }

  @Test(
    "A store is replaced by a copy of another in the same database, with history and keys; another database is refused")
  func replacing() throws {
    let shelf = try Shelf(Versions.first(countsBooks: true), options: tracked)
    try Versions.fill(shelf)
    let other = try Shelf(Versions.second())
    try other.coordinator.replacePersistentStore(
      at: other.url, withPersistentStoreFrom: shelf.url, ofType: NSPostgreSQLStoreType)
    #expect(other.coordinator.persistentStores.isEmpty)
    let copy = try Shelf(Versions.first(countsBooks: true), at: other.url, options: tracked)
    #expect(copy.store.identifier == shelf.store.identifier)
    try copy.context.performAndWait {
      let found5 = try copy.context.history(after: nil)
      #expect(found5.count == 2)
      let author = try copy.context.all("Author")[0]
      #expect(author.value(forKey: "bookCount") as? Int == 2)
      copy.context.new("Book", ["title": "new"]).setValue(author, forKey: "author")
      try copy.context.save()
      #expect(try copy.context.all("Book").count == 3)
      let found6 = try copy.context.history(after: nil)
      #expect(found6.count == 3)
    }
    let books = try shelf.context.performAndWait { try shelf.context.all("Book") }
    #expect(books.count == 2)
    let elsewhere = try TestServer()
    defer { elsewhere.stop() }
    let error = #expect(throws: NSError.self) {
      try other.coordinator.replacePersistentStore(
        at: elsewhere.newStoreURL(), withPersistentStoreFrom: shelf.url, ofType: NSPostgreSQLStoreType)
    }
    #expect(error?.localizedDescription.contains("another database") == true)
  }
}
