import CoreData
import Foundation
import PostgreSQLTestServer
import Testing

@testable import PostgreSQLStore

@Suite("Migration of a PostgreSQL store", hasServer)
struct MigrationTests {
  static let automatic: [AnyHashable: Any] = [
    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
  ]

  private static func entity(
    _ name: String, was former: String? = nil, _ properties: [NSPropertyDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.renamingIdentifier = former
    entity.properties = properties
    return entity
  }

  private static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  /// Books of one author, tags, and what the second version no longer has.
  private static func first() -> NSManagedObjectModel {
    let author = entity("Author", [attribute("name", .stringAttributeType)])
    let book = entity(
      "Book",
      [
        attribute("title", .stringAttributeType), attribute("pages", .integer16AttributeType),
        attribute("shelf", .stringAttributeType), attribute("note", .stringAttributeType),
      ])
    let novel = entity("Novel", [attribute("genre", .stringAttributeType)])
    book.subentities = [novel]
    let tag = entity("Tag", [attribute("word", .stringAttributeType)])
    let draft = entity("Draft", [attribute("text", .stringAttributeType)])
    tag.uniquenessConstraints = [["word"]]
    relate((book, "author", false, false), (author, "books", true, false))
    relate((book, "tags", true, false), (tag, "books", true, false))
    relate((draft, "book", false, false), (book, "drafts", true, false))
    return model(author, book, novel, tag, draft)
  }

  /// Drafts are gone, so are notes; a label was a tag; authors are many; pages are a wide number; there are dates, a
  /// default and an entity that stands first by name, so that numbers of entities change.
  private static func second() -> NSManagedObjectModel {
    let award = entity("Award", [attribute("name", .stringAttributeType)])
    let author = entity("Author", [attribute("name", .stringAttributeType)])
    let book = entity(
      "Book",
      [
        attribute("heading", .stringAttributeType) { $0.renamingIdentifier = "title" },
        attribute("pages", .doubleAttributeType),
        attribute("shelf", .stringAttributeType, optional: false) { $0.defaultValue = "it's \"new\"" },
        attribute("added", .dateAttributeType) { $0.defaultValue = Date(timeIntervalSinceReferenceDate: 0.5) },
        attribute("code", .UUIDAttributeType),
        attribute("price", .decimalAttributeType, optional: false) {
          $0.defaultValue = NSDecimalNumber(string: "1.50")
        },
        attribute("cover", .binaryDataAttributeType, optional: false) { $0.defaultValue = Data([0, 255]) },
      ])
    let novel = entity("Novel", [attribute("genre", .stringAttributeType)])
    book.subentities = [novel]
    let label = entity("Label", was: "Tag", [attribute("word", .stringAttributeType)])
    label.uniquenessConstraints = [["word"]]
    book.uniquenessConstraints = [["heading"]]
    relate((book, "author", true, false), (author, "books", true, false))
    relate((book, "tags", true, false), (label, "books", true, false))
    relate((award, "winner", false, false), (author, "awards", true, true))
    return model(award, author, book, novel, label)
  }

  /// The second one with another attribute.
  private static func third() -> NSManagedObjectModel {
    let model = second()
    model.entitiesByName["Novel"]!.properties += [attribute("series", .stringAttributeType)]
    return model
  }

  private func filled(_ titles: [String] = ["a", "b", "c"]) throws -> URL {
    let shelf = try Shelf(Self.first())
    try shelf.context.performAndWait {
      let author = shelf.context.new("Author", ["name": "Ann"])
      let tag = shelf.context.new("Tag", ["word": "red"])
      for (number, title) in titles.enumerated() {
        let book = shelf.context.new(number == 2 ? "Novel" : "Book", ["title": title, "pages": 100 + number])
        book.setValue(author, forKey: "author")
        book.setValue(number == 1 ? "top" : nil, forKey: "shelf")
        book.setValue(NSSet(array: number < 2 ? [tag] : []), forKey: "tags")
        shelf.context.new("Draft", ["text": "t", "book": book])
      }
      try shelf.context.save()
    }
    return shelf.url
  }

  private func check(_ shelf: Shelf) throws {
    try shelf.context.performAndWait {
      let books = try shelf.context.all("Book", sort: "heading")
      #expect(books.map { $0.value(forKey: "heading") as? String } == ["a", "b", "c"])
      #expect(books.map { $0.value(forKey: "pages") as? Double } == [100, 101, 102])
      #expect(books.map { $0.value(forKey: "shelf") as? String } == ["it's \"new\"", "top", "it's \"new\""])
      #expect(books.map(\.entity.name) == ["Book", "Book", "Novel"])
      for book in books {
        #expect(book.value(forKey: "added") as? Date == Date(timeIntervalSinceReferenceDate: 0.5))
        #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "1.5"))
        #expect(book.value(forKey: "cover") as? Data == Data([0, 255]))
        #expect(book.value(forKey: "code") == nil)
        let authors = book.value(forKey: "author") as! Set<NSManagedObject>
        #expect(authors.map { $0.value(forKey: "name") as? String } == ["Ann"])
      }
      let label = try shelf.context.all("Label")
      #expect(label.map { $0.value(forKey: "word") as? String } == ["red"])
      #expect((label[0].value(forKey: "books") as! NSSet).count == 2)
    }
  }

  @Test("Entities, attributes, relationships and constraints become those of the new version, and objects stay")
  func everything() throws {
    let url = try filled()
    let shelf = try Shelf(Self.second(), at: url, options: Self.automatic)
    try check(shelf)
    try shelf.context.performAndWait {
      let context = shelf.context
      let author = try context.all("Author")[0]
      let award = context.new("Award", ["name": "first"])
      award.setValue(author, forKey: "winner")
      context.new("Book", ["heading": "d"])
      context.new("Label", ["word": "blue"])
      try context.save()
      let awards = author.value(forKey: "awards") as! NSOrderedSet
      #expect(awards.count == 1)
      context.new("Book", ["heading": "a"])
      #expect(throws: (any Error).self) { try context.save() }
    }
    // Opened without being asked to migrate, it is of this version.
    let again = try Shelf(Self.second(), at: url)
    let count = try again.context.performAndWait { try again.context.all("Book").count }
    #expect(count == 4)
  }

  @Test("Without the options a store of another version is not opened, and stays as it is")
  func unasked() throws {
    let url = try filled()
    let error = #expect(throws: NSError.self) { _ = try Shelf(Self.second(), at: url) }
    #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    let shelf = try Shelf(Self.first(), at: url)
    let count = try shelf.context.performAndWait { try shelf.context.all("Book").count }
    #expect(count == 3)
  }

  @Test("A migration that fails at any step leaves the old version whole", arguments: [0, 3, 9, 15])
  func failing(_ step: Int) throws {
    struct Stop: Error {}
    let url = try filled()
    ServerMigration.$willRun.withValue({ if $0 == step { throw Stop() } }) {
      _ = #expect(throws: (any Error).self) { _ = try Shelf(Self.second(), at: url, options: Self.automatic) }
    }
    let shelf = try Shelf(Self.first(), at: url)
    try shelf.context.performAndWait {
      let drafts = try shelf.context.all("Draft", "book.title == 'b'")
      #expect(drafts.count == 1)
      shelf.context.new("Draft")
      try shelf.context.save()
    }
    try check(Shelf(Self.second(), at: url, options: Self.automatic))
  }

  @Test("Rows that a new constraint does not allow are named, and nothing is changed")
  func constraint() throws {
    let url = try filled(["a", "a", "c"])
    let error = #expect(throws: NSError.self) {
      _ = try Shelf(Self.second(), at: url, options: Self.automatic)
    }
    #expect(error?.code == NSMigrationConstraintViolationError)
    let shelf = try Shelf(Self.first(), at: url)
    let count = try shelf.context.performAndWait { try shelf.context.all("Book", "title == 'a'").count }
    #expect(count == 2)
  }

  @Test("Of coordinators that open an old store at the same time one migrates it, and all open it")
  func together() throws {
    let url = try filled()
    let failures = Failures()
    DispatchQueue.concurrentPerform(iterations: 6) { _ in
      do { try check(Shelf(Self.second(), at: url, options: Self.automatic)) } catch { failures.note(error) }
    }
    #expect(failures.all.isEmpty)
  }

  @Test("A process that has the old version open saves nothing into the new one")
  func oldWriter() throws {
    let url = try filled()
    let old = try Shelf(Self.first(), at: url)
    try old.context.performAndWait {
      old.context.new("Book", ["title": "before"])
      try old.context.save()
    }
    let new = try Shelf(Self.second(), at: url, options: Self.automatic)
    old.context.performAndWait {
      old.context.new("Author", ["name": "late"])
      let error = #expect(throws: NSError.self) { try old.context.save() }
      #expect(error?.code == NSPersistentStoreIncompatibleVersionHashError)
    }
    let authors = try new.context.performAndWait { try new.context.all("Author").count }
    #expect(authors == 1)
  }

  @Test("A migration waits for a pinned context as long as the time-out says, then fails with nothing changed")
  func pinned() throws {
    let url = try filled()
    let old = try Shelf(Self.first(), at: url)
    try old.context.performAndWait {
      try old.context.setQueryGenerationFrom(.current)
      let count = try old.context.all("Book").count
      #expect(count == 3)
    }
    let impatient = Self.automatic.merging([NSPersistentStoreTimeoutOption: 0.2]) { $1 }
    let error = #expect(throws: NSError.self) { _ = try Shelf(Self.second(), at: url, options: impatient) }
    #expect(error?.code == NSMigrationError)
    try old.context.performAndWait {
      let draft = try old.context.all("Draft")[0]
      #expect(draft.value(forKeyPath: "book.title") != nil)
      try old.context.setQueryGenerationFrom(nil)
    }
    try check(Shelf(Self.second(), at: url, options: impatient.merging([NSPersistentStoreTimeoutOption: 30]) { $1 }))
  }

  @Test("A container's descriptions migrate as they do for files, there and back, by the model that the store keeps")
  func container() throws {
    let url = try filled()
    for (round, model) in [Self.second(), Self.third(), Self.second()].enumerated() {
      let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
      container.persistentStoreDescriptions = [NSPersistentStoreDescription(postgreSQL: url)]
      var problem: (any Error)?
      container.loadPersistentStores { problem = $1 }
      #expect(problem == nil, "\(round)")
      let count = try container.viewContext.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
      #expect(count == 3, "\(round)")
      for store in container.persistentStoreCoordinator.persistentStores {
        try container.persistentStoreCoordinator.remove(store)
      }
    }
  }

  @Test("Lightweight stages are gone through")
  func stages() throws {
    let (first, second) = (Self.first(), Self.second())
    let url = try filled()
    let light = NSLightweightMigrationStage([first.versionChecksum, second.versionChecksum])
    let options = [NSPersistentStoreStagedMigrationManagerOptionKey: NSStagedMigrationManager([light])]
    try check(Shelf(second, at: url, options: options))
  }

  /// What went wrong on several threads.
  private final class Failures: @unchecked Sendable {
    // `@unchecked Sendable`: `errors` is only touched under `lock`.
    private let lock = NSLock()
    private var errors: [any Error] = []

    func note(_ error: any Error) { lock.withLock { errors.append(error) } }
    var all: [any Error] { lock.withLock { errors } }
  }
}
