import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

/// A shop with two authors that counts how often it is searched.
private final class CountingStore: NSIncrementalStore {
  static let storeType = "FindOrCreateCounting"
  nonisolated(unsafe) static var searches = 0
  static let names = ["Jane Austen", "George Eliot"]

  override func loadMetadata() throws {
    metadata = [NSStoreTypeKey: Self.storeType, NSStoreUUIDKey: "find-or-create"]
  }

  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    guard let fetch = request as? NSFetchRequest<NSFetchRequestResult>, let entity = fetch.entity, let context else {
      throw CocoaError(.persistentStoreUnsupportedRequestType)
    }
    Self.searches += 1
    let found = Self.names.indices.filter { fetch.predicate?.evaluate(with: ["name": Self.names[$0]]) ?? true }
    if fetch.resultType == .countResultType { return [NSNumber(value: found.count)] }
    return found.map { context.object(with: newObjectID(for: entity, referenceObject: NSNumber(value: $0))) }
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    let number = (referenceObject(for: objectID) as? NSNumber)?.intValue ?? 0
    return NSIncrementalStoreNode(objectID: objectID, withValues: ["name": Self.names[number]], version: 1)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any { [NSManagedObjectID]() }
}

@MainActor @Suite("40 Find or create", .serialized)
struct FindOrCreateTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for name in ["Jane Austen", "George Eliot"] { Author(context: context).name = name }
    try context.save()
  }

  @Test("An author that the shop has is found, and not made again")
  func found() throws {
    let authors = try findOrCreateAuthors(named: ["Jane Austen"], in: context)
    #expect(authors["Jane Austen"]?.objectID.isTemporaryID == false)
    #expect(authors.count == 1, "the shop's other author was not asked for")
    #expect(context.insertedObjects.isEmpty)
  }

  @Test("An author that is missing is made, once, even if the name comes twice")
  func made() throws {
    let names = ["Bram Stoker", "Jane Austen", "Bram Stoker"]
    let authors = try findOrCreateAuthors(named: names, in: context)
    #expect(authors.keys.sorted() == ["Bram Stoker", "Jane Austen"])
    #expect(authors["Bram Stoker"]?.name == "Bram Stoker")
    #expect(context.insertedObjects.count == 1)
  }

  @Test("The store does the looking: an author who is not in the batch doesn't become an object")
  func noOthers() throws {
    let made = try bench.objects(of: "Author") { _ = try findOrCreateAuthors(named: ["Jane Austen"], in: $0) }
    #expect(made == 1, "\(made) objects were made for 1 author")
  }

  @Test("A batch costs one search of the store, however many names it has")
  func oneSearch() throws {
    NSPersistentStoreCoordinator.registerStoreClass(CountingStore.self, forStoreType: CountingStore.storeType)
    let counting = bench.makeContext(try bench.makeCoordinator(type: CountingStore.storeType))
    CountingStore.searches = 0
    let names = ["Jane Austen", "George Eliot"] + (0..<20).map { "New \($0)" }
    let authors = try findOrCreateAuthors(named: names, in: counting)
    #expect(authors.count == names.count)
    #expect(CountingStore.searches == 1, "the store was searched \(CountingStore.searches) times, not once")
  }
}
