import CSQLite
import CoreData
import Foundation
import Inspection
import Testing

/// Authors and books, with something of every kind.
enum Library {
  static func model() -> NSManagedObjectModel {
    func attribute(
      _ name: String, _ type: NSAttributeType, _ change: (NSAttributeDescription) -> Void = { _ in }
    )
      -> NSAttributeDescription
    {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      change(attribute)
      return attribute
    }
    func entity(_ name: String) -> NSEntityDescription {
      let entity = NSEntityDescription()
      entity.name = name
      return entity
    }
    let (author, book, audio) = (entity("Author"), entity("Book"), entity("AudioBook"))
    book.managedObjectClassName = "Elsewhere.Book"
    let books = NSRelationshipDescription()
    books.name = "books"
    books.destinationEntity = book
    books.deleteRule = .cascadeDeleteRule
    let toAuthor = NSRelationshipDescription()
    toAuthor.name = "author"
    toAuthor.destinationEntity = author
    toAuthor.maxCount = 1
    toAuthor.inverseRelationship = books
    books.inverseRelationship = toAuthor
    author.properties = [attribute("name", .stringAttributeType) { $0.isOptional = false }, books]
    author.uniquenessConstraints = [["name"]]
    book.properties = [
      attribute("title", .stringAttributeType),
      attribute("pages", .integer32AttributeType) { $0.defaultValue = 0 },
      attribute("bought", .dateAttributeType), attribute("cover", .binaryDataAttributeType),
      attribute("extras", .transformableAttributeType) { $0.valueTransformerName = "Backwards" }, toAuthor,
    ]
    audio.properties = [attribute("minutes", .doubleAttributeType)]
    book.subentities = [audio]
    let model = NSManagedObjectModel()
    model.entities = [author, book]
    model.versionIdentifiers = ["Library 1"]
    return model
  }

  /// Two authors, three books and an audio book. The store is closed at the end, unless `body` copies it
  /// before.
  static func make(at url: URL, whileOpen body: (NSManagedObjectContext) throws -> Void = { _ in }) throws {
    let model = model()
    ValueTransformer.setValueTransformer(Reversing(), forName: NSValueTransformerName("Backwards"))
    for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
    store.metadata["colour"] = "green"
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      // One save for each object gives each its key.
      func insert(_ entity: String, _ values: [String: Any?]) throws -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        try context.save()
        return object
      }
      let ada = try insert("Author", ["name": "Ada"])
      _ = try insert("Author", ["name": "Grace"])
      let bought = Date(timeIntervalSinceReferenceDate: 0.5)
      _ = try insert(
        "Book",
        [
          "title": "Notes", "pages": 66, "bought": bought, "cover": Data([1, 2, 3]), "extras": Data([4, 5]),
          "author": ada,
        ])
      _ = try insert("Book", ["title": String(repeating: "long ", count: 20), "pages": 7, "author": ada])
      _ = try insert("Book", ["title": "<b>\"Tags\"</b>\nand lines"])
      _ = try insert("AudioBook", ["title": "Heard", "minutes": 90.25, "author": ada])
      try body(context)
    }
    try coordinator.remove(store)
  }

  /// Whoever decodes the stored bytes with it gets others.
  private final class Reversing: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? { (value as? Data).map { Data($0.reversed()) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }
  }
}

/// Runs SQL in a file, without Core Data.
func run(_ sql: String, in url: URL) throws {
  var handle: OpaquePointer?
  defer { sqlite3_close(handle) }
  try #require(sqlite3_open(url.path, &handle) == SQLITE_OK)
  var message: UnsafeMutablePointer<CChar>?
  let code = sqlite3_exec(handle, sql, nil, nil, &message)
  try #require(code == SQLITE_OK, "\(message.map { String(cString: $0) } ?? "\(code)")")
}

/// Opens what is at a URL, as the command line does.
func open(_ url: URL, model: URL? = nil) throws -> StoreFile {
  let found = try FileKind.find(at: url)
  try #require(found.kind.isStore)
  return try StoreFile(kind: found.kind, url: found.url, modelURL: model)
}

/// The failure that `body` ends with.
func failure(_ body: () throws -> Void) -> InspectionFailure? {
  do {
    try body()
    return nil
  } catch { return error as? InspectionFailure }
}
