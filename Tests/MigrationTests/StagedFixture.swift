import CoreData
import Foundation

/// A store in a folder of its own, and what staged migrations make of it.
final class StagedFixture {
  let folder: URL
  let type: NSPersistentStore.StoreType
  var url: URL { folder.appendingPathComponent("books.store") }

  init(_ type: NSPersistentStore.StoreType = .sqlite) throws {
    self.type = type
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("staged-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Opens the store without any migration.
  func with<Value>(
    _ model: NSManagedObjectModel, options: [AnyHashable: Any] = [:], configuration: String? = nil,
    _ body: (NSManagedObjectContext) throws -> Value
  ) throws -> Value {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      type: type, configuration: configuration, at: url, options: options)
    defer { try? coordinator.remove(store) }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return try context.performAndWait { try body(context) }
  }

  /// Makes objects of an entity with these values, and saves.
  func add(
    _ entity: String, _ values: [[String: Any]], model: NSManagedObjectModel, configuration: String? = nil
  ) throws {
    try with(model, configuration: configuration) { context in
      for value in values {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in value { object.setValue(value, forKey: key) }
      }
      try context.save()
    }
  }

  /// Opens the store with its migration, and lists an attribute of an entity in order.
  func migrate(
    _ stages: [NSMigrationStage], to model: NSManagedObjectModel, listing key: String = "title",
    of entity: String = "Book", configuration: String? = nil, options: [AnyHashable: Any] = [:]
  ) throws -> [String] {
    try migrate(NSStagedMigrationManager(stages), to: model, listing: key, of: entity, configuration, options)
  }

  func migrate(
    _ manager: Any, to model: NSManagedObjectModel, listing key: String = "title", of entity: String = "Book",
    _ configuration: String? = nil, _ more: [AnyHashable: Any] = [:]
  ) throws -> [String] {
    var options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
      NSPersistentStoreStagedMigrationManagerOptionKey: manager,
    ]
    options.merge(more) { $1 }
    return try with(model, options: options, configuration: configuration) { try Self.list(key, of: entity, in: $0) }
  }

  static func list(_ key: String, of entity: String, in context: NSManagedObjectContext) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    return try context.fetch(request).map { $0.value(forKey: key) as? String ?? "nil" }.sorted()
  }

  func list(_ key: String, of entity: String = "Book", model: NSManagedObjectModel) throws -> [String] {
    try with(model) { try Self.list(key, of: entity, in: $0) }
  }

  /// The checksum of the version that the store is of.
  func checksum() throws -> String? {
    try NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: url)["NSStoreModelVersionChecksumKey"]
      as? String
  }

  /// Everything in the folder but SQLite's companions.
  func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
  }
}

/// Versions of a model of books: authors are words of a book at first, and objects later.
struct StagedVersionsOfBooks {
  typealias Make = InferenceModels
  typealias Entity = InferenceModels.Entity

  /// title, author as a text
  let first = Make.model(Entity("Book", [Make.attribute("title"), Make.attribute("authorName")]))
  /// …and authors as objects
  let second = Make.model(
    Entity(
      "Book",
      [Make.attribute("title"), Make.attribute("authorName"), Make.toOne("author", "Author", back: "books")]),
    Entity("Author", [Make.attribute("name"), Make.toMany("books", "Book", back: "author")]))
  /// …as objects only
  let third = Make.model(
    Entity("Book", [Make.attribute("title"), Make.toOne("author", "Author", back: "books")]),
    Entity("Author", [Make.attribute("name"), Make.toMany("books", "Book", back: "author")]))

  func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
    NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
  }

  /// Names are trimmed in the first version, and become authors in the second.
  func split() -> NSCustomMigrationStage {
    let stage = NSCustomMigrationStage(migratingFrom: reference(first), to: reference(second))
    stage.label = "Authors"
    stage.willMigrateHandler = { manager, _ in
      let context = manager.container!.newBackgroundContext()
      try context.performAndWait {
        for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
          let name = book.value(forKey: "authorName") as? String
          book.setValue(name?.trimmingCharacters(in: .whitespaces), forKey: "authorName")
        }
        try context.save()
      }
    }
    stage.didMigrateHandler = { manager, _ in
      let context = manager.container!.newBackgroundContext()
      try context.performAndWait {
        var authors: [String: NSManagedObject] = [:]
        for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
          guard let name = book.value(forKey: "authorName") as? String else { continue }
          let author = authors[name] ?? NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
          author.setValue(name, forKey: "name")
          authors[name] = author
          book.setValue(author, forKey: "author")
        }
        try context.save()
      }
    }
    return stage
  }
}
