import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

/// Five books with an author each, in a store that counts how often it is asked for the values of one author.
private final class CountedShop: NSIncrementalStore {
  static let storeType = "FetchPerRowCounting"
  nonisolated(unsafe) static var questions = 0

  override func loadMetadata() throws {
    metadata = [NSStoreTypeKey: Self.storeType, NSStoreUUIDKey: "fetch-per-row"]
  }

  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    guard let fetch = request as? NSFetchRequest<NSFetchRequestResult>, let entity = fetch.entity, let context else {
      throw CocoaError(.persistentStoreUnsupportedRequestType)
    }
    return (0..<5).map { context.object(with: newObjectID(for: entity, referenceObject: NSNumber(value: $0))) }
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    let number = referenceObject(for: objectID) as? NSNumber ?? 0
    guard objectID.entity.name == "Book", let author = objectID.entity.relationshipsByName["author"]?.destinationEntity
    else {
      Self.questions += 1
      return NSIncrementalStoreNode(objectID: objectID, withValues: ["name": "Author \(number)"], version: 1)
    }
    let values: [String: Any] = [
      "title": "Book \(number)", "author": newObjectID(for: author, referenceObject: number),
    ]
    return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: 1)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any { relationship.isToMany ? [NSManagedObjectID]() as Any : NSNull() }
}

@MainActor @Suite("25 A fetch per row", .serialized)
struct FetchPerRowTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    NSPersistentStoreCoordinator.registerStoreClass(CountedShop.self, forStoreType: CountedShop.storeType)
    context = bench.makeContext(try bench.makeCoordinator(type: CountedShop.storeType))
  }

  @Test("The table has all books, each with its author")
  func rows() throws {
    let books = try booksForTable(in: context)
    #expect(books.map(tableRow) == (0..<5).map { "Book \($0), Author \($0)" })
  }

  @Test("The books come by title")
  func order() throws {
    let shop = bench.makeContext(try bench.makeCoordinator())
    for title in ["Emma", "Dracula", "Villette"] { Book(context: shop).title = title }
    try shop.save()
    let books = try booksForTable(in: shop)
    #expect(books.map { $0.title ?? "" } == ["Dracula", "Emma", "Villette"])
  }

  @Test("When the list has been read, showing its rows asks the store nothing more")
  func noQuestions() throws {
    let books = try booksForTable(in: context)
    CountedShop.questions = 0
    _ = books.map(tableRow)
    #expect(CountedShop.questions == 0, "showing \(books.count) rows asked the store \(CountedShop.questions) times")
  }

  @Test("The authors are read together: none of them had to fire")
  func together() throws {
    let filling = bench.makeContext(try bench.makeCoordinator())
    for name in ["Jane Austen", "Bram Stoker"] {
      let book = Book(context: filling)
      book.author = Author(context: filling)
      book.author?.name = name
    }
    try filling.save()
    let reading = bench.makeContext(try bench.makeCoordinator())
    reading.retainsRegisteredObjects = true
    let fired = try booksForTable(in: reading).filter { $0.author?.isFault == false }.count
    #expect(fired == 0, "\(fired) authors have fired, each with a question of its own")
  }
}
