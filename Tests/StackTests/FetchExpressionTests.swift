import CoreData
import Foundation
import Testing

@Suite("Fetches in predicates")
struct FetchExpressionTests {
  /// Kafka with two long books and one short, Musil with one of each, Rilke with none.
  private static func fill(_ context: NSManagedObjectContext) throws {
    let kafka = context.new("Author", ["name": "Kafka"])
    let musil = context.new("Author", ["name": "Musil"])
    context.new("Author", ["name": "Rilke"])
    context.new("Book", ["title": "The Trial", "pages": 200, "author": kafka, "isbn": "Musil"])
    context.new("Novel", ["title": "Amerika", "pages": 300, "author": kafka])
    context.new("Book", ["title": "Letters", "pages": 40, "author": kafka])
    context.new("Book", ["title": "Törless", "pages": 180, "author": musil, "isbn": "Rilke"])
    context.new("Book", ["title": "Essays", "pages": 60])
  }

  /// A fetch of books as an expression.
  private static func books(
    _ context: NSManagedObjectContext, _ format: String?, countOnly: Bool = false, limit: Int = 0,
    column: Any? = nil, sort: String? = nil
  ) -> NSExpression {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.fetchLimit = limit
    request.fetchOffset = 3
    if let column {
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [column]
    }
    if let sort { request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: false)] }
    return NSFetchRequestExpression.expression(
      forFetch: NSExpression(forConstantValue: request), context: NSExpression(forConstantValue: context),
      countOnly: countOnly)
  }

  private static func found(
    _ context: NSManagedObjectContext, _ entity: String, _ key: String, _ format: String, _ arguments: Any?...
  ) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = NSPredicate(format: format, argumentArray: arguments)
    let found = try context.fetch(request).compactMap { $0.string(key) }.sorted()
    #expect(try context.count(for: request) == found.count)
    return found
  }

  private static func names(
    _ context: NSManagedObjectContext, _ format: String, _ arguments: Any?...
  ) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = NSPredicate(format: format, argumentArray: arguments)
    let found = try context.fetch(request).compactMap { $0.string("name") }.sorted()
    #expect(try context.count(for: request) == found.count)
    return found
  }

  @Test(
    "The temporary id of an object that was saved since stands for the permanent one, within a FETCH too",
    arguments: StoreKind.allCases)
  func formerIDs(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try FetchExpressionTests.fill(context)
      let former = try #require(try context.all("Author").first { $0.string("name") == "Musil" }).objectID
      #expect(former.isTemporaryID)
      try context.save()
      let books = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      books.predicate = NSPredicate(format: "author == %@", former)
      let format = "SELF IN FETCH(%@, %@, NO)"
      #expect(try FetchExpressionTests.found(context, "Book", "title", format, books, context) == ["Törless"])
    }
  }

  @Test("The expression has its parts, prints, and is what the format language makes of FETCH")
  func parts() throws {
    try withStack(.inMemory) { _, context in
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      let expression = FetchExpressionTests.books(context, nil, countOnly: true)
      let fetch = try #require(expression as? NSFetchRequestExpression)
      #expect(fetch.isCountOnlyRequest)
      #expect(fetch.requestExpression.constantValue is NSFetchRequest<NSFetchRequestResult>)
      #expect(fetch.contextExpression.constantValue as AnyObject === context)
      let parsed = NSExpression(format: "FETCH(%@, %@, NO)", request, context)
      let same = try #require(parsed as? NSFetchRequestExpression)
      #expect(!same.isCountOnlyRequest && same.requestExpression.constantValue as AnyObject === request)
      #expect(same.description.hasPrefix("FETCH(<NSFetchRequest> (entity: Book"))
      let predicate = NSPredicate(format: "SELF IN FETCH($REQUEST, $CONTEXT, NO)")
        .withSubstitutionVariables(["REQUEST": request, "CONTEXT": context])
      let comparison = try #require(predicate as? NSComparisonPredicate)
      #expect(comparison.rightExpression == parsed)
    }
  }

  private static func checkObjects(_ context: NSManagedObjectContext) throws {
    let long = books(context, "pages > 100")
    #expect(try found(context, "Book", "title", "SELF IN %@", long) == ["Amerika", "The Trial", "Törless"])
    #expect(try found(context, "Book", "title", "NOT SELF IN %@", long) == ["Essays", "Letters"])
    #expect(try names(context, "ANY books IN %@", long) == ["Kafka", "Musil"])
    #expect(try names(context, "NOT ANY books IN %@", long) == ["Rilke"])
    #expect(
      try names(context, "SUBQUERY(books, $b, $b IN %@).@count > 1", long) == ["Kafka"])
    // Objects of another entity are never the same.
    #expect(try names(context, "SELF IN %@", long) == [])
    #expect(try names(context, "NOT SELF IN %@", long) == ["Kafka", "Musil", "Rilke"])
    // A fetch within a fetch.
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
    request.predicate = NSPredicate(format: "ANY books IN %@", books(context, "pages > 250"))
    #expect(
      try found(context, "Book", "title", "author IN FETCH(%@, %@, NO)", request, context)
        == ["Amerika", "Letters", "The Trial"])
  }

  /// Dictionaries have what is saved. Nil is in no collection.
  private static func checkColumns(_ context: NSManagedObjectContext) throws {
    #expect(try names(context, "name IN %@", books(context, nil, column: "isbn")) == ["Musil", "Rilke"])
    #expect(try names(context, "NOT name IN %@", books(context, nil, column: "isbn")) == ["Kafka"])
    #expect(try names(context, "SELF IN %@", books(context, "pages < 190", column: "author")) == ["Kafka", "Musil"])
    #expect(
      try found(context, "Book", "title", "author.name IN %@", books(context, "pages < 190", column: "author.name"))
        == ["Amerika", "Letters", "The Trial", "Törless"])
    // A constant in a fetch: for all or none.
    #expect(try names(context, "%@ IN %@", "Rilke", books(context, nil, column: "isbn")).count == 3)
    #expect(try names(context, "%@ IN %@", "Rilke", books(context, "pages > 190", column: "isbn")).isEmpty)
  }

  private static func checkCounts(_ context: NSManagedObjectContext) throws {
    func count(_ format: String?, limit: Int = 0) -> NSExpression {
      books(context, format, countOnly: true, limit: limit)
    }
    #expect(try names(context, "%@ > 2", count("pages > 100")).count == 3)
    #expect(try names(context, "%@ > 3", count("pages > 100")).isEmpty)
    #expect(try names(context, "books.@count == %@", count("author == nil")) == ["Musil"])
    #expect(try names(context, "books.@count == %@", count(nil, limit: 3)) == ["Kafka"])
    #expect(try found(context, "Book", "title", "pages > 100 * %@", count("pages > 190")) == ["Amerika"])
    // One object: the first that is found.
    #expect(
      try found(context, "Book", "title", "SELF == %@", books(context, "pages < 250", sort: "pages"))
        == ["The Trial"])
  }

  private static func checkColumnValues(_ context: NSManagedObjectContext) throws {
    let most = NSExpressionDescription()
    most.name = "most"
    most.expression = NSExpression(format: "max:(pages)")
    most.expressionResultType = .integer32AttributeType
    #expect(try found(context, "Book", "title", "pages == %@", books(context, nil, column: most)) == ["Amerika"])
    #expect(
      try found(context, "Book", "title", "pages < %@", books(context, nil, column: "pages", sort: "pages"))
        == ["Essays", "Letters", "The Trial", "Törless"])
    #expect(
      try found(context, "Book", "title", "author == %@", books(context, "pages > 900", column: "author"))
        == ["Essays"])
  }

  @Test("IN a fetch: objects, columns, through relationships, nested", arguments: StoreKind.allCases)
  func membership(kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try FetchExpressionTests.fill(context)
      // Unsaved, saved, and with an unsaved change beside.
      try FetchExpressionTests.checkObjects(context)
      try context.save()
      context.reset()
      try FetchExpressionTests.checkObjects(context)
      try FetchExpressionTests.checkColumns(context)
      context.new("Tag", ["name": "x"])
      try #require(try context.all("Author").first { $0.string("name") == "Rilke" })["name"] = "Rilke"
      try FetchExpressionTests.checkObjects(context)
      try FetchExpressionTests.checkColumns(context)
    }
  }

  @Test("Counts and first values compare as numbers and objects do", arguments: StoreKind.allCases)
  func values(kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try FetchExpressionTests.fill(context)
      try FetchExpressionTests.checkCounts(context)
      try context.save()
      context.reset()
      try FetchExpressionTests.checkCounts(context)
      try FetchExpressionTests.checkColumnValues(context)
    }
  }

  @Test("Unsaved changes of what is fetched inside count, unless its request says no", arguments: StoreKind.allCases)
  func pendingChanges(kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try FetchExpressionTests.fill(context)
      try context.save()
      let rilke = try #require(try context.all("Author").first { $0.string("name") == "Rilke" })
      context.new("Book", ["title": "Duino", "pages": 500, "author": rilke])
      let column = FetchExpressionTests.books(context, "pages > 400", column: "author.name")
      let objects = FetchExpressionTests.books(context, "pages > 400")
      #expect(try FetchExpressionTests.names(context, "ANY books IN %@", objects) == ["Rilke"])
      // Dictionaries come from the store.
      #expect(try FetchExpressionTests.names(context, "name IN %@", column) == [])
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      request.includesPendingChanges = false
      #expect(try FetchExpressionTests.names(context, "FETCH(%@, %@, YES) == 5", request, context).count == 3)
      request.includesPendingChanges = true
      #expect(try FetchExpressionTests.names(context, "FETCH(%@, %@, YES) == 6", request, context).count == 3)
    }
  }

  @Test("In a child context the fetch sees what the child sees", arguments: StoreKind.allCases)
  func children(kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try FetchExpressionTests.fill(context)
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait {
        let long = FetchExpressionTests.books(child, "pages > 100")
        #expect(try FetchExpressionTests.names(child, "ANY books IN %@", long) == ["Kafka", "Musil"])
        child.new(
          "Book",
          ["pages": 500, "author": try #require(try child.all("Author").first { $0.string("name") == "Rilke" })])
        #expect(try FetchExpressionTests.names(child, "ANY books IN %@", long) == ["Kafka", "Musil", "Rilke"])
      }
    }
  }

  @Test("An evaluation in memory executes the fetch in the context", arguments: StoreKind.allCases)
  func evaluation(kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try FetchExpressionTests.fill(context)
      let long = FetchExpressionTests.books(context, "pages > 100")
      let books = try context.all("Book")
      let found = (books as NSArray).filtered(using: NSPredicate(format: "SELF IN %@", long)) as! [NSManagedObject]
      #expect(Set(found.compactMap { $0.string("title") }) == ["Amerika", "The Trial", "Törless"])
      let count = FetchExpressionTests.books(context, nil, countOnly: true)
      #expect(count.expressionValue(with: nil, context: nil) as? Int == 5)
    }
  }

  /// With a delegate a controller follows changes.
  private final class Listener: NSObject, NSFetchedResultsControllerDelegate {
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
  }

  @Test("A fetched results controller lists by it, and follows", arguments: StoreKind.allCases)
  func controller(kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try FetchExpressionTests.fill(context)
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      request.predicate = NSPredicate(format: "ANY books IN %@", FetchExpressionTests.books(context, "pages > 100"))
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
      try controller.performFetch()
      #expect(controller.fetchedObjects?.compactMap { $0.string("name") } == ["Kafka", "Musil"])
      let listener = Listener()
      controller.delegate = listener
      try controller.performFetch()
      let rilke = try #require(try context.all("Author").first { $0.string("name") == "Rilke" })
      context.new("Book", ["title": "Duino", "pages": 500, "author": rilke])
      context.processPendingChanges()
      #expect(controller.fetchedObjects?.compactMap { $0.string("name") } == ["Kafka", "Musil", "Rilke"])
    }
  }

  @Test("Batch requests choose rows by it")
  func batches() throws {
    try withStack(.sqlite) { _, context in
      try FetchExpressionTests.fill(context)
      try context.save()
      let update = NSBatchUpdateRequest(entityName: "Author")
      update.predicate = NSPredicate(format: "ANY books IN %@", FetchExpressionTests.books(context, "pages > 190"))
      update.propertiesToUpdate = ["name": "K."]
      update.resultType = .updatedObjectsCountResultType
      #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 1)
      context.reset()
      #expect(try context.strings("Author", "name") == ["K.", "Musil", "Rilke"])
    }
  }

  @Test("What can't be executed is refused by name", arguments: StoreKind.allCases)
  func refused(kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      try FetchExpressionTests.fill(context)
      try context.save()
      func words(_ format: String, _ arguments: Any?...) -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return failure { _ = try context.fetch(request) }?.localizedDescription ?? "nothing"
      }
      #expect(words("SELF IN FETCH(%@, %@, NO)", "Book", context).contains("\"Book\" instead of a fetch request"))
      let other = stack.newContext()
      other.name = "other"
      #expect(words("SELF IN %@", FetchExpressionTests.books(other, nil)).contains("\"other\""))
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      request.resultType = .dictionaryResultType
      #expect(words("name IN FETCH(%@, %@, NO)", request, context).contains("one column"))
      #expect(words("name IN %@", FetchExpressionTests.books(context, nil, column: "titel")).contains("titel"))
      #expect(words("name IN %@", FetchExpressionTests.books(context, "pags > 3")).contains("pags"))
      #expect(
        words("FETCH(%@, %@, YES) > 1", NSFetchRequest<NSFetchRequestResult>(entityName: "Bok"), context).contains(
          "Bok"))
    }
  }

  @Test("Where a sub-select has no place, the SQLite store names the fetch")
  func untranslatable() throws {
    try withStack(.sqlite) { _, context in
      try FetchExpressionTests.fill(context)
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      request.predicate = NSPredicate(
        format: "uppercase(%@) == name", FetchExpressionTests.books(context, nil))
      let words = failure { _ = try context.fetch(request) }?.localizedDescription ?? ""
      #expect(words.contains("FETCH(<NSFetchRequest> (entity: Book") && words.contains("can't be translated into SQL"))
    }
  }
}
