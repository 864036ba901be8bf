import DurabilitySupport
import Foundation
import Testing

@testable import CoreData

/// Rows that the stack would never have written.
@Suite("Broken rows")
struct BrokenRowTests {
  private let folder: URL
  private let setup = StoreSetup("sqlite,delete")!

  /// A store of three saves, then some SQL.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("BrokenRowTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let coordinator = try setup.open(in: folder)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      book.setValue(author, forKey: "author")
      book.mutableSetValue(forKey: "tags").add(tag)
      try context.save()
    }
    try coordinator.removeAllStores()
  }

  private func change(_ sql: String) throws {
    try Connection(path: setup.url(in: folder).path, options: Connection.Options()).execute(sql)
  }

  private func withContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let coordinator = try setup.open(in: folder)
    defer { try? coordinator.removeAllStores() }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait { try body(context) }
  }

  private func all(_ entity: String, _ context: NSManagedObjectContext, prefetching key: String? = nil) throws
    -> [NSManagedObject]
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.returnsObjectsAsFaults = false
    if let key { request.relationshipKeyPathsForPrefetching = [key] }
    return try context.fetch(request)
  }

  @Test(
    "A foreign key that no row can have reads as no destination", arguments: ["0", "-5", "'text'", "x''", "-1e300"])
  func foreignKey(_ value: String) throws {
    try change("UPDATE ZBOOK SET ZAUTHOR = \(value)")
    try withContext { context in
      let book = try all("Book", context)[0]
      #expect(book.value(forKey: "author") == nil)
      book.setValue("name", forKey: "name")
      try context.save()
    }
  }

  @Test("A row with a key that no row can have is refused with the file's name", arguments: [0, -5, Int.min])
  func primaryKey(_ key: Int) throws {
    try change("UPDATE ZBOOK SET Z_PK = \(key)")
    try withContext { context in
      let error = try #require(failure { _ = try all("Book", context) })
      #expect(error.code == NSPersistentStoreIncompatibleSchemaError)
      #expect(names(folder, error))
    }
  }

  @Test("The greatest version is followed by another one")
  func version() throws {
    try change("UPDATE ZBOOK SET Z_OPT = 9223372036854775807")
    try withContext { context in
      let book = try all("Book", context)[0]
      for name in ["a", "b"] {
        book.setValue(name, forKey: "name")
        try context.save()
      }
    }
  }

  @Test(
    "A Z_MAX that leaves no keys fails the save with the file's name",
    arguments: ["9223372036854775807", "1e300"])
  func maximum(_ value: String) throws {
    try change("UPDATE Z_PRIMARYKEY SET Z_MAX = \(value)")
    try withContext { context in
      _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      let error = try #require(failure { try context.save() })
      #expect(error.code == NSPersistentStoreIncompatibleSchemaError)
      #expect(names(folder, error))
      #expect(context.insertedObjects.count == 1)
    }
  }

  @Test(
    "Metadata and numbers of entities that no store has are refused with the file's name",
    arguments: [
      "UPDATE Z_METADATA SET Z_UUID = x'FF80C0FFEE2F3A'", "UPDATE Z_METADATA SET Z_UUID = ''",
      "UPDATE Z_METADATA SET Z_UUID = 'a b/c'", "UPDATE Z_PRIMARYKEY SET Z_ENT = 0 WHERE Z_NAME = 'Tag'",
      "UPDATE Z_PRIMARYKEY SET Z_ENT = -3 WHERE Z_NAME = 'Tag'",
    ])
  func metadata(_ sql: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try change(sql)
    let error = try #require(failure { _ = try setup.open(in: folder) })
    #expect(error.code == NSPersistentStoreIncompatibleSchemaError)
    #expect(names(folder, error))
  }

  @Test(
    "A row of an unknown entity is no member of a relationship; asking for it by its id is an error that names the file"
  )
  func strangeEntity() throws {
    try change("UPDATE ZBOOK SET Z_ENT = 4294967296")
    try withContext { context in
      for author in try all("Author", context, prefetching: "books") {
        #expect((author.value(forKey: "books") as? Set<NSManagedObject>)?.contains { $0.entity.name == "Book" } != true)
      }
      let entity = context.persistentStoreCoordinator!.managedObjectModel.entitiesByName["Book"]!
      let store = context.persistentStoreCoordinator!.persistentStores[0]
      let uri = URL(string: "x-coredata://\(store.identifier!)/\(entity.name!)/p1")!
      let id = try #require(context.persistentStoreCoordinator!.managedObjectID(forURIRepresentation: uri))
      let other = try #require(failure { _ = try context.existingObject(with: id) })
      #expect(names(folder, other), "\(other)")
    }
  }

  @Test("Values of other storage classes are read as SQLite converts them")
  func storageClasses() throws {
    try change("UPDATE ZBOOK SET ZNUMBER = 'text', ZSTAMP = 1e300, ZNAME = x'FF80C0', ZCOVER = 'text'")
    try withContext { context in
      let book = try all("Book", context)[0]
      #expect(book.value(forKey: "number") as? Int == 0)
      #expect(book.value(forKey: "stamp") as? Int == Int.max)
      #expect(book.value(forKey: "name") is String)
      #expect(book.value(forKey: "cover") as? Data == Data("text".utf8))
    }
  }
}
