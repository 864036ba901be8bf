import CoreData
import Foundation
import Testing

/// The stores that are files of the framework's own.
enum ManagerStore: String, CaseIterable, Sendable {
  case sqlite, xml, binary

  var type: NSPersistentStore.StoreType {
    switch self {
    case .sqlite: .sqlite
    case .xml: .xml
    case .binary: .binary
    }
  }
}

/// A folder of its own; it goes with the test.
final class ManagerFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("Manager-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func store(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Everything in it, hidden files too, but for the index of a log.
  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: url.path).filter { !$0.hasSuffix("-shm") }.sorted()
    }
  }
}

/// A stack over one store.
final class ManagerStack {
  let coordinator: NSPersistentStoreCoordinator
  let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  let store: NSPersistentStore

  init(
    _ kind: ManagerStore, _ model: NSManagedObjectModel, _ url: URL, options: [AnyHashable: Any] = [:]
  ) throws {
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    store = try coordinator.addPersistentStore(type: kind.type, at: url, options: options)
    context.persistentStoreCoordinator = coordinator
  }

  func close() throws { try coordinator.remove(store) }

  /// Makes a store, and closes it.
  static func fill(
    _ kind: ManagerStore, _ model: NSManagedObjectModel, _ url: URL,
    _ body: (NSManagedObjectContext) throws -> Void
  ) throws {
    let stack = try ManagerStack(kind, model, url)
    try stack.context.performAndWait {
      try body(stack.context)
      try stack.context.save()
    }
    try stack.close()
  }

  /// What a store has, and closes it.
  static func read<Result>(
    _ kind: ManagerStore, _ model: NSManagedObjectModel, _ url: URL,
    _ body: (NSManagedObjectContext) throws -> Result
  ) throws -> Result {
    let stack = try ManagerStack(kind, model, url)
    let result = try stack.context.performAndWait { try body(stack.context) }
    try stack.close()
    return result
  }
}

extension NSManagedObjectContext {
  @discardableResult
  func make(_ entity: String, _ values: [String: Any?] = [:]) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  /// All objects of an entity, by a key.
  func all(_ entity: String, by key: String) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
    return try fetch(request)
  }

  func number(of entity: String) throws -> Int {
    try count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
  }
}

extension NSManagedObject {
  func text(_ key: String) -> String? { value(forKey: key) as? String }

  func object(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }

  /// The texts that the members of a relationship have, in order, or sorted.
  func texts(_ relationship: String, _ key: String) -> [String] {
    let value = value(forKey: relationship)
    if let ordered = value as? NSOrderedSet {
      return ordered.array.compactMap { ($0 as? NSManagedObject)?.text(key) }
    }
    return ((value as? NSSet)?.allObjects ?? []).compactMap { ($0 as? NSManagedObject)?.text(key) }.sorted()
  }
}

/// Mapping models in few words.
enum ManagerMappings {
  static func model(_ mappings: NSEntityMapping...) -> NSMappingModel {
    let model = NSMappingModel()
    model.entityMappings = mappings
    return model
  }

  /// The mapping "SourceToDestination"; expressions by the name of the property.
  static func map(
    _ source: String?, _ destination: String?, _ attributes: [String: String] = [:],
    relationships: [String: String] = [:], type: NSEntityMappingType = .transformEntityMappingType,
    policy: NSEntityMigrationPolicy.Type? = nil
  ) -> NSEntityMapping {
    let mapping = NSEntityMapping()
    mapping.name = "\(source ?? "")To\(destination ?? "")"
    mapping.mappingType = policy == nil ? type : .customEntityMappingType
    mapping.sourceEntityName = source
    mapping.destinationEntityName = destination
    mapping.attributeMappings = properties(attributes)
    mapping.relationshipMappings = properties(relationships)
    mapping.entityMigrationPolicyClassName = policy.map { NSStringFromClass($0) }
    return mapping
  }

  private static func properties(_ expressions: [String: String]) -> [NSPropertyMapping] {
    expressions.sorted { $0.key < $1.key }.map { name, format in
      let mapping = NSPropertyMapping()
      mapping.name = name
      mapping.valueExpression = FoundationExpression(format: format)
      return mapping
    }
  }

  /// What a mapping has made of the objects of a source relationship.
  static func made(by mapping: String, of path: String) -> String {
    "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', '\(mapping)', $source.\(path))"
  }

  /// What all mappings have made of them.
  static func made(of relationship: String) -> String {
    "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', '\(relationship)', "
      + "$source.\(relationship))"
  }
}

/// Two versions of a library, and what maps one to the other.
enum ManagerLibrary {
  private typealias Models = InferenceModels

  static func old() -> NSManagedObjectModel {
    Models.model(
      .init(
        "Author",
        [Models.attribute("name", isOptional: false), Models.toMany("books", "Book", back: "author")]),
      .init(
        "Book",
        [
          Models.attribute("title", isOptional: false), Models.attribute("pages", .integer32AttributeType),
          Models.toOne("author", "Author", back: "books"), Models.toMany("tags", "Tag", back: "books"),
          Models.toMany("chapters", "Chapter", back: "book", isOrdered: true),
        ]),
      .init("Novel", of: "Book", [Models.attribute("genre")]),
      .init("Tag", [Models.attribute("name"), Models.toMany("books", "Book", back: "tags")]),
      .init("Chapter", [Models.attribute("title"), Models.toOne("book", "Book", back: "chapters")]),
      .init("Draft", [Models.attribute("text")]))
  }

  /// Authors are writers, and each book must have one; books have a length; drafts are gone, shelves are new.
  static func new() -> NSManagedObjectModel {
    Models.model(
      .init(
        "Writer",
        [Models.attribute("fullName", isOptional: false), Models.toMany("works", "Book", back: "writer")]),
      .init(
        "Book",
        [
          Models.attribute("title", isOptional: false), Models.attribute("length", .integer64AttributeType),
          Models.toOne("writer", "Writer", back: "works", isOptional: false),
          Models.toMany("tags", "Tag", back: "books"),
          Models.toMany("chapters", "Chapter", back: "book", isOrdered: true),
        ]),
      .init("Novel", of: "Book", [Models.attribute("genre")]),
      .init("Tag", [Models.attribute("name"), Models.toMany("books", "Book", back: "tags")]),
      .init("Chapter", [Models.attribute("title"), Models.toOne("book", "Book", back: "chapters")]),
      .init("Shelf", [Models.attribute("place")]))
  }

  static func mapping(policy: NSEntityMigrationPolicy.Type? = nil) -> NSMappingModel {
    let relations = [
      "writer": ManagerMappings.made(by: "AuthorToWriter", of: "author"),
      "tags": ManagerMappings.made(by: "TagToTag", of: "tags"),
      "chapters": ManagerMappings.made(by: "ChapterToChapter", of: "chapters"),
    ]
    return ManagerMappings.model(
      ManagerMappings.map(
        "Book", "Book", ["title": "$source.title", "length": "$source.pages"], relationships: relations,
        policy: policy),
      ManagerMappings.map(
        "Novel", "Novel", ["title": "$source.title", "length": "$source.pages", "genre": "$source.genre"],
        relationships: relations, policy: policy),
      ManagerMappings.map(
        "Author", "Writer", ["fullName": "$source.name"],
        relationships: ["works": ManagerMappings.made(of: "books")], policy: policy),
      ManagerMappings.map(
        "Tag", "Tag", ["name": "$source.name"], relationships: ["books": ManagerMappings.made(of: "books")],
        type: .copyEntityMappingType, policy: policy),
      ManagerMappings.map(
        "Chapter", "Chapter", ["title": "$source.title"], type: .copyEntityMappingType, policy: policy),
      ManagerMappings.map("Draft", nil, type: .removeEntityMappingType),
      ManagerMappings.map(nil, "Shelf", type: .addEntityMappingType))
  }

  /// Two authors, four books of them, two of which are novels, two tags and some chapters.
  static func fill(_ context: NSManagedObjectContext) {
    let tags = ["red", "blue"].map { context.make("Tag", ["name": $0]) }
    for (number, name) in ["Ada", "Bo"].enumerated() {
      let author = context.make("Author", ["name": name])
      for (entity, title) in [("Book", "Facts of \(name)"), ("Novel", "Tales of \(name)")] {
        let book = context.make(entity, ["title": title, "pages": 100 + number, "author": author])
        if entity == "Novel" { book.setValue("crime", forKey: "genre") }
        book.setValue(NSSet(array: Array(tags.prefix(number + 1))), forKey: "tags")
        let chapters = ["z", "a", "m"].map { context.make("Chapter", ["title": "\(title) \($0)"]) }
        book.setValue(NSOrderedSet(array: chapters), forKey: "chapters")
      }
    }
    context.make("Draft", ["text": "…"])
  }

  /// Whether a store of the new model has all of it.
  static func check(_ context: NSManagedObjectContext, at location: SourceLocation = #_sourceLocation) throws {
    let writers = try context.all("Writer", by: "fullName")
    #expect(writers.compactMap { $0.text("fullName") } == ["Ada", "Bo"], sourceLocation: location)
    for (number, writer) in writers.enumerated() {
      let name = writer.text("fullName") ?? ""
      #expect(writer.texts("works", "title") == ["Facts of \(name)", "Tales of \(name)"], sourceLocation: location)
      for case let book as NSManagedObject in (writer.value(forKey: "works") as? NSSet)?.allObjects ?? [] {
        let title = book.text("title") ?? ""
        #expect(book.object("writer") === writer, sourceLocation: location)
        #expect(book.value(forKey: "length") as? Int == 100 + number, sourceLocation: location)
        #expect(book.texts("chapters", "title") == ["z", "a", "m"].map { "\(title) \($0)" }, sourceLocation: location)
        #expect(
          book.texts("tags", "name") == (number == 0 ? ["red"] : ["blue", "red"]), sourceLocation: location)
        if book.entity.name == "Novel" { #expect(book.text("genre") == "crime", sourceLocation: location) }
      }
    }
    try expect(context, 2, "Novel", at: location)
    try expect(context, 4, "Book", at: location)
    try expect(context, 12, "Chapter", at: location)
    try expect(context, 0, "Shelf", at: location)
  }
}

/// Expects that an entity has `number` objects.
func expect(
  _ context: NSManagedObjectContext, _ number: Int, _ entity: String, at location: SourceLocation = #_sourceLocation
) throws {
  let found = try context.number(of: entity)
  #expect(found == number, "\(entity)", sourceLocation: location)
}

/// What `body` throws, as the error that a program sees.
func managerError(_ body: () throws -> Void) -> NSError? {
  do {
    try body()
    return nil
  } catch { return error as NSError }
}
