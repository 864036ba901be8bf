import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

/// A shop with three books that counts how often it is searched.
private final class CountingShelf: NSIncrementalStore {
  static let storeType = "InTheOrderAskedCounting"
  nonisolated(unsafe) static var searches = 0
  static let books = [("101", "Emma"), ("102", "Persuasion"), ("103", "Dracula")]

  override func loadMetadata() throws {
    metadata = [NSStoreTypeKey: Self.storeType, NSStoreUUIDKey: "in-the-order-asked"]
  }

  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    guard let fetch = request as? NSFetchRequest<NSFetchRequestResult>, let entity = fetch.entity, let context else {
      throw CocoaError(.persistentStoreUnsupportedRequestType)
    }
    Self.searches += 1
    let found = Self.books.indices.filter { fetch.predicate?.evaluate(with: ["isbn": Self.books[$0].0]) ?? true }
    if fetch.resultType == .countResultType { return [NSNumber(value: found.count)] }
    return found.map { context.object(with: newObjectID(for: entity, referenceObject: NSNumber(value: $0))) }
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    let book = Self.books[(referenceObject(for: objectID) as? NSNumber)?.intValue ?? 0]
    return NSIncrementalStoreNode(objectID: objectID, withValues: ["isbn": book.0, "title": book.1], version: 1)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any { relationship.isToMany ? [NSManagedObjectID]() : NSNull() }
}

@Suite("14 In the order asked", .serialized)
@MainActor struct InTheOrderAskedTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for (isbn, title) in [("101", "Emma"), ("102", "Persuasion"), ("103", "Dracula")] {
      let book = Book(context: context)
      (book.isbn, book.title) = (isbn, title)
    }
    Book(context: context).title = "A book without a number"
    try context.save()
  }

  private func titles(_ isbns: [String]) throws -> [String] {
    try books(isbns: isbns, in: context).compactMap(\.title)
  }

  @Test("The books come in the order of their numbers in the list")
  func order() throws {
    let titles = try titles(["103", "101", "102"])
    #expect(titles == ["Dracula", "Emma", "Persuasion"])
  }

  @Test("A number that no book has is left out")
  func missing() throws {
    let titles = try titles(["102", "999", "101"])
    #expect(titles == ["Persuasion", "Emma"])
  }

  @Test("No numbers, no books: the one without a number isn't found either")
  func empty() throws {
    let titles = try titles([])
    #expect(titles == [])
  }

  @Test("However many numbers are asked for, the store is searched once, and for these books only")
  func oneSearch() throws {
    NSPersistentStoreCoordinator.registerStoreClass(CountingShelf.self, forStoreType: CountingShelf.storeType)
    let counting = bench.makeContext(try bench.makeCoordinator(type: CountingShelf.storeType))
    counting.retainsRegisteredObjects = true
    CountingShelf.searches = 0
    let found = try books(isbns: ["103", "999", "101"], in: counting)
    #expect(found.compactMap(\.title) == ["Dracula", "Emma"])
    #expect(CountingShelf.searches == 1, "the store was searched \(CountingShelf.searches) times, not once")
    #expect(counting.registeredObjects.count == 2, "\(counting.registeredObjects.count) objects were made for 2 books")
  }
}
