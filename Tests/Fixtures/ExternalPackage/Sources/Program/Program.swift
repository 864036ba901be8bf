import Colours
import CoreData
import Foundation
import Shelf

/// Of a model built in code.
final class Note: NSManagedObject {
  @NSManaged var text: String
  @NSManaged var count: Int64
  @NSManaged var blob: Decimal
}

@main
struct Program {
  static func main() throws {
    guard let url = Bundle.main.url(forResource: "Shelf", withExtension: "momd") else {
      fatalError("Shelf.momd is not found beside the program")
    }
    guard let model = NSManagedObjectModel(contentsOf: url) else { fatalError("\(url.path) does not load") }
    check(model.entities.count == 3, "the current version has three entities")
    check(
      model.entitiesByName["Book"]?.managedObjectClassName == "Shelf.Book",
      "the class is known with its module")

    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    context.persistentStoreCoordinator = coordinator

    let book = Book(context: context)
    book.title = "Middlemarch"
    book.title2 = "A Study"
    book.isRead = true
    book.pages = 800
    book.pages += 4
    book.rating = 4.5
    book.weight = 1.25
    book.mood = .wild
    book.added = Date(timeIntervalSinceReferenceDate: 12)
    book.cover = Data([1, 2, 3])
    let key = UUID()
    book.key = key
    book.link = URL(string: "https://example.org/m")
    book.price = NSDecimalNumber(string: "12.50")
    book.stock = 7
    book.colour = Colour(hue: 9)
    book.hide("it is a secret")
    check(book.title == "Middlemarch" && book.title2 == "A Study", "strings")
    check(book.isRead && book.pages == 804 && book.rating == 4.5 && book.weight == 1.25, "scalars")
    check(book.mood == .wild, "an enum of another module")
    check(book.revealed == "it is a secret begun", "a private property and an internal enum")
    check(book.added?.timeIntervalSinceReferenceDate == 12 && book.cover?.count == 3, "date and data")
    check(book.key == key && book.link?.host == "example.org", "UUID and URL")
    check(book.price == NSDecimalNumber(string: "12.5") && book.stock == 7, "numbers")
    check(book.colour?.hue == 9, "a transformable class of another module")

    let author = Author(context: context)
    author.name = "George Eliot"
    check(author.rank == 3, "a default value of a generated class")
    author.id = UUID()
    book.author = author
    check(author.books?.count == 1, "the inverse of a to-one")
    let tag = Tag(context: context)
    tag.label = "novel"
    book.addToTags(tag)
    check(book.tags.count == 1 && book.tags.first?.label == "novel", "a typed set")
    check((tag.books as? Set<Book>)?.first === book, "the inverse of a to-many")
    book.removeFromTags(NSSet(object: tag))
    check(book.tags.isEmpty, "members are removed")
    tag.addToBooks(book)
    check(book.tags.contains(tag), "a generated accessor")

    let second = Book(context: context)
    author.insertIntoDrafts(book, at: 0)
    author.insertIntoDrafts(second, at: 0)
    check(author.drafts?.array.first as? Book === second, "an ordered insertion")
    author.replaceDrafts(at: 0, with: book)
    author.removeFromDrafts(at: 0)
    author.addToDrafts(NSOrderedSet(array: [second, book]))
    check(author.drafts?.count == 2, "an ordered set is added")
    author.removeFromDrafts(at: NSIndexSet(index: 1))
    author.insertIntoDrafts([book], at: NSIndexSet(index: 0))
    check(author.drafts?.array.first as? Book === book, "an insertion at indexes")

    try context.save()
    let found = try context.fetch(Author.fetchRequest())
    check(found.first?.name == "George Eliot", "a generated fetchRequest()")

    let note = NSEntityDescription()
    note.name = "Note"
    note.managedObjectClassName = NSStringFromClass(Note.self)
    note.properties = [
      attribute("text", .stringAttributeType, ""), attribute("count", .integer64AttributeType, 0),
      attribute("blob", .decimalAttributeType, NSDecimalNumber(string: "1.5")),
    ]
    let built = NSManagedObjectModel()
    built.entities = [note]
    let other = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    other.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: built)
    try other.persistentStoreCoordinator?.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    let object = Note(context: other)
    object.text = "hello"
    object.count = 5
    object.count -= 1
    check(object.text == "hello" && object.count == 4 && object.blob == Decimal(1.5), "a model built in code")
    try checkMapping(to: model, at: url)
    print("external package: all checks passed")
  }

  /// The mapping model that the plugin has compiled is found for the two versions, and a store is migrated by it.
  static func checkMapping(to model: NSManagedObjectModel, at url: URL) throws {
    guard let first = NSManagedObjectModel(contentsOf: url.appendingPathComponent("Shelf.mom")) else {
      fatalError("the first version does not load")
    }
    check(Bundle.main.url(forResource: "Titles", withExtension: "cdm") != nil, "Titles.cdm is beside the program")
    guard let mapping = NSMappingModel(from: nil, forSourceModel: first, destinationModel: model) else {
      fatalError("no mapping model is found")
    }
    check(mapping.entityMappings.map(\.name) == ["BookToBook"], "the mapping model's content")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("store.sqlite")
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: first)
    context.persistentStoreCoordinator = coordinator
    let old = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: store, options: nil)
    NSEntityDescription.insertNewObject(forEntityName: "Book", into: context).setValue("Emma", forKey: "title")
    try context.save()
    try coordinator.remove(old)
    let migrated = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    migrated.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try migrated.persistentStoreCoordinator?.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: store,
      options: [NSMigratePersistentStoresAutomaticallyOption: true])
    let books = try migrated.fetch(NSFetchRequest<Book>(entityName: "Book"))
    check(books.map(\.title) == ["Emma"], "a store is migrated")
  }

  static func attribute(_ name: String, _ type: NSAttributeType, _ value: Any) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.defaultValue = value
    return attribute
  }

  static func check(_ condition: Bool, _ what: String) {
    if !condition { fatalError("external package: failed: \(what)") }
  }
}
