import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

/// Five books with an author each, in a store that can be away, and counts what it is asked.
private final class TunnelStore: NSIncrementalStore {
  static let storeType = "BeforeTheTunnelStore"
  nonisolated(unsafe) static var questions = 0
  nonisolated(unsafe) static var isAway = false

  override func loadMetadata() throws {
    metadata = [NSStoreTypeKey: Self.storeType, NSStoreUUIDKey: "before-the-tunnel"]
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
    Self.questions += 1
    if Self.isAway { throw CocoaError(.persistentStoreOperation) }
    let number = referenceObject(for: objectID) as? NSNumber ?? 0
    guard objectID.entity.name == "Book", let author = objectID.entity.relationshipsByName["author"]?.destinationEntity
    else { return NSIncrementalStoreNode(objectID: objectID, withValues: ["name": "Author \(number)"], version: 1) }
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

@MainActor @Suite("71 Before the tunnel", .serialized)
struct BeforeTheTunnelTests {
  let bench: Bench
  let context: NSManagedObjectContext
  let books: [Book]

  init() throws {
    bench = try Bench()
    NSPersistentStoreCoordinator.registerStoreClass(TunnelStore.self, forStoreType: TunnelStore.storeType)
    context = bench.makeContext(try bench.makeCoordinator(type: TunnelStore.storeType))
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.includesPropertyValues = false
    books = try context.fetch(request)
    (TunnelStore.isAway, TunnelStore.questions) = (false, 0)
  }

  @Test("In the tunnel the table shows all books with their authors")
  func shown() throws {
    try readBeforeTheTunnel(books, in: context)
    TunnelStore.isAway = true
    #expect(books.map(tunnelRow) == (0..<5).map { "Book \($0), Author \($0)" })
  }

  @Test("Showing the rows asks the store nothing more")
  func noQuestions() throws {
    try readBeforeTheTunnel(books, in: context)
    TunnelStore.questions = 0
    _ = books.map(tunnelRow)
    #expect(TunnelStore.questions == 0, "showing \(books.count) rows asked the store \(TunnelStore.questions) times")
  }

  @Test("If the train is in the tunnel already, the caller gets the store's error")
  func away() throws {
    TunnelStore.isAway = true
    let error = #expect(throws: NSError.self) { try readBeforeTheTunnel(books, in: context) }
    #expect(error?.code == NSPersistentStoreOperationError)
  }
}
