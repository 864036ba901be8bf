import CoreData
import Foundation
import Testing

@Suite("Fetches over several stores")
struct SeveralStoresFetchTests {
  /// Two stores that both take every entity, with books whose titles alternate between them.
  private final class TwoStores {
    let stack: Stack
    let folder = StoreFolder()
    let store: NSPersistentStore

    init(_ kind: StoreKind, books: Int) throws {
      stack = try Stack(kind)
      store = try stack.coordinator.addPersistentStore(
        ofType: kind.type, configurationName: nil, at: folder.place(kind, "second"))
      let context = stack.context
      try context.performAndWait {
        for number in 0..<books {
          let book = context.new("Book", ["title": String(format: "%02d", number), "pages": number % 3])
          if number % 2 == 1 { context.assign(book, to: store) }
        }
        try context.save()
        context.reset()
      }
    }

    func run(_ body: (NSManagedObjectContext) throws -> Void) throws {
      try stack.context.performAndWait { try body(stack.context) }
    }
  }

  private func request(_ format: String? = nil, sorted: [(String, Bool)] = [("title", true)]) -> NSFetchRequest<
    NSManagedObject
  > {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = sorted.map { NSSortDescriptor(key: $0.0, ascending: $0.1) }
    return request
  }

  @Test("They are in one order, whichever store they are of", arguments: StoreKind.allCases)
  func sorted(_ kind: StoreKind) throws {
    let stores = try TwoStores(kind, books: 9)
    try stores.run { (context: NSManagedObjectContext) throws in
      #expect(try context.fetch(request()).map { $0.string("title") } == (0..<9).map { String(format: "%02d", $0) })
      let by = try context.fetch(request(sorted: [("pages", false), ("title", true)])).map { $0.string("title")! }
      #expect(by == ["02", "05", "08", "01", "04", "07", "00", "03", "06"])
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
      ids.resultType = .managedObjectIDResultType
      ids.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      #expect(
        try context.fetch(ids).map { context.object(with: $0).string("title") }
          == (0..<9).map { String(format: "%02d", $0) })
    }
  }

  @Test(
    "Limit and offset count over all stores together, with and without an order, also for counts",
    arguments: StoreKind.allCases)
  func limited(_ kind: StoreKind) throws {
    let stores = try TwoStores(kind, books: 9)
    try stores.run { (context: NSManagedObjectContext) throws in
      for (offset, limit) in [(0, 3), (2, 4), (7, 5), (9, 1), (4, 0), (20, 2)] {
        let request = request()
        request.fetchOffset = offset
        request.fetchLimit = limit
        let all = (0..<9).map { String(format: "%02d", $0) }
        let expected = Array(all.dropFirst(offset).prefix(limit == 0 ? 9 : limit))
        let found = try context.fetch(request).compactMap { $0.string("title") }
        let count = try context.count(for: request)
        #expect(found == expected && count == expected.count, "\(offset), \(limit)")
        request.fetchBatchSize = 2
        let batched = try context.fetch(request).compactMap { $0.string("title") }
        #expect(batched == expected, "\(offset), \(limit), in batches")
        request.sortDescriptors = nil
        let unordered = try context.fetch(request).count
        #expect(unordered == expected.count)
      }
    }
  }

  @Test("Unsaved changes take part in the common order", arguments: StoreKind.allCases)
  func pending(_ kind: StoreKind) throws {
    let stores = try TwoStores(kind, books: 4)
    try stores.run { (context: NSManagedObjectContext) throws in
      context.new("Book", ["title": "015"])
      try context.fetch(request("title == '03'"))[0]["title"] = "005"
      #expect(try context.fetch(request()).map { $0.string("title") } == ["00", "005", "01", "015", "02"])
      let limited = request()
      limited.fetchLimit = 3
      #expect(try context.fetch(limited).map { $0.string("title") } == ["00", "005", "01"])
    }
  }

  @Test("affectedStores chooses who is asked, in a fetch and in a count", arguments: StoreKind.allCases)
  func affected(_ kind: StoreKind) throws {
    let stores = try TwoStores(kind, books: 5)
    try stores.run { (context: NSManagedObjectContext) throws in
      let request = request()
      request.affectedStores = [stores.store]
      #expect(try context.fetch(request).map { $0.string("title") } == ["01", "03"])
      #expect(try context.count(for: request) == 2)
      request.affectedStores = [stores.stack.store]
      request.fetchLimit = 2
      #expect(try context.fetch(request).map { $0.string("title") } == ["00", "02"])
      request.affectedStores = []
      #expect(try context.fetch(request).isEmpty)
    }
  }

  @Test("affectedStores chooses among unsaved objects as well", arguments: StoreKind.allCases)
  func affectedUnsaved(_ kind: StoreKind) throws {
    let stores = try TwoStores(kind, books: 5)
    try stores.run { (context: NSManagedObjectContext) throws in
      let request = request()
      for book in try context.fetch(request) { book["pages"] = 9 }
      let new = context.new("Book", ["title": "99"])
      context.assign(new, to: stores.store)
      request.affectedStores = [stores.store]
      #expect(try context.fetch(request).map { $0.string("title") } == ["01", "03", "99"])
      #expect(try context.count(for: request) == 3)
      request.affectedStores = [stores.stack.store]
      #expect(try context.fetch(request).map { $0.string("title") } == ["00", "02", "04"])
      context.rollback()
    }
  }

  @Test("Limits and batches without end have no effect", arguments: StoreKind.allCases)
  func withoutEnd(_ kind: StoreKind) throws {
    let stores = try TwoStores(kind, books: 5)
    try stores.run { (context: NSManagedObjectContext) throws in
      let request = request()
      (request.fetchOffset, request.fetchLimit) = (1, .max)
      #expect(try context.fetch(request).map { $0.string("title") } == ["01", "02", "03", "04"])
      (request.fetchOffset, request.fetchLimit, request.fetchBatchSize) = (0, 0, .max)
      #expect(try context.fetch(request).map { $0.string("title") }.count == 5)
    }
  }

  @Test("Dictionaries come of all stores in one order, distinct and cut together", arguments: StoreKind.allCases)
  func dictionaries(_ kind: StoreKind) throws {
    let stores = try TwoStores(kind, books: 6)
    try stores.run { (context: NSManagedObjectContext) throws in
      let request = NSFetchRequest<NSDictionary>(entityName: "Book")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["title"]
      func titles() throws -> [String] { try context.fetch(request).compactMap { $0["title"] as? String } }
      #expect(Set(try titles()) == ["00", "01", "02", "03", "04", "05"])
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
      #expect(try titles() == ["05", "04", "03", "02", "01", "00"])
      (request.fetchOffset, request.fetchLimit) = (1, 3)
      #expect(try titles() == ["04", "03", "02"])
      // Sorted by what is no column, which stays none.
      request.sortDescriptors = [
        NSSortDescriptor(key: "pages", ascending: true), NSSortDescriptor(key: "title", ascending: true),
      ]
      #expect(try titles() == ["03", "01", "04"])
      #expect(try context.fetch(request).allSatisfy { $0.count == 1 })
      (request.fetchOffset, request.fetchLimit) = (0, 0)
      request.propertiesToFetch = ["pages"]
      request.returnsDistinctResults = true
      func pages() throws -> [Int] { try context.fetch(request).compactMap { $0["pages"] as? Int } }
      #expect(try pages() == [0, 1, 2])
      (request.fetchOffset, request.fetchLimit) = (1, 1)
      #expect(try pages() == [1])
      (request.fetchOffset, request.fetchLimit) = (0, 2)
      request.sortDescriptors = nil
      #expect(try pages().count == 2)
    }
  }

  @Test(
    "What is computed for each row comes of all stores; groups and sums over several are refused by name",
    arguments: StoreKind.allCases)
  func computed(_ kind: StoreKind) throws {
    let stores = try TwoStores(kind, books: 4)
    try stores.run { (context: NSManagedObjectContext) throws in
      let request = NSFetchRequest<NSDictionary>(entityName: "Book")
      request.resultType = .dictionaryResultType
      request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      func column(_ function: String, _ arguments: [NSExpression]) -> NSExpressionDescription {
        let column = NSExpressionDescription()
        column.name = "value"
        column.expression = NSExpression(forFunction: function, arguments: arguments)
        column.expressionResultType = .integer64AttributeType
        return column
      }
      let pages = NSExpression(forKeyPath: "pages")
      request.propertiesToFetch = [column("add:to:", [pages, NSExpression(forConstantValue: 10)])]
      #expect(try context.fetch(request).compactMap { $0["value"] as? Int } == [10, 11, 12, 10])
      request.propertiesToFetch = [column("sum:", [pages])]
      #expect(failure { _ = try context.fetch(request) }?.localizedDescription.contains("of several stores") == true)
      request.sortDescriptors = nil
      request.affectedStores = [stores.store]
      #expect(try context.fetch(request).first?["value"] as? Int == 1)
      request.affectedStores = nil
      request.propertiesToFetch = ["pages"]
      request.propertiesToGroupBy = ["pages"]
      #expect(failure { _ = try context.fetch(request) }?.localizedDescription.contains("of several stores") == true)
    }
  }

  @Test("An asynchronous fetch keeps the common order")
  func asynchronous() throws {
    let stores = try TwoStores(.sqlite, books: 6)
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var titles: [String?]?
    let fetch = request()
    fetch.fetchLimit = 5
    _ = try stores.stack.context.performAndWait {
      try stores.stack.context.execute(
        NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
          titles = result.finalResult?.map { $0.string("title") }
          done.signal()
        })
    }
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(titles == ["00", "01", "02", "03", "04"])
  }

  @Test("A list of one store's objects is not told of new ones that go to another store", arguments: StoreKind.allCases)
  func newInAnotherStore(_ kind: StoreKind) throws {
    let stores = try TwoStores(kind, books: 2)
    try stores.run { (context: NSManagedObjectContext) throws in
      let near = try ListScreen(context) { $0.affectedStores = [stores.stack.store] }
      let far = try ListScreen(context) { $0.affectedStores = [stores.store] }
      #expect(near.text == "00" && far.text == "01")
      context.assign(context.new("Book", ["title": "far"]), to: stores.store)
      context.new("Book", ["title": "near"])
      context.processPendingChanges()
      #expect(near.text == "00 near" && far.text == "01 far")
      try context.save()
      #expect(near.text == "00 near" && far.text == "01 far")
    }
  }

  @Test("A batch over stores of which one can't be written changes none of them")
  func readOnlyAmongThem() throws {
    let seed = try Stack(.sqlite)
    try seed.context.performAndWait {
      seed.context.new("Book", ["title": "kept"])
      try seed.context.save()
    }
    let stack = try Stack(.sqlite)
    try stack.coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: seed.url,
      options: [NSReadOnlyPersistentStoreOption: true])
    let context = stack.context
    try context.performAndWait {
      let book = context.new("Book", ["title": "own", "pages": 1])
      context.assign(book, to: stack.store)
      try context.save()
      let update = NSBatchUpdateRequest(entityName: "Book")
      update.propertiesToUpdate = ["pages": 9]
      #expect(throws: CocoaError.self) { try context.execute(update) }
      #expect(throws: CocoaError.self) {
        try context.execute(NSBatchDeleteRequest(fetchRequest: NSFetchRequest(entityName: "Book")))
      }
      context.refreshAllObjects()
      #expect(book.int("pages") == 1)
      // These are objects of one store.
      try context.execute(NSBatchDeleteRequest(objectIDs: [book.objectID]))
      #expect(try context.fetch(request()).map { $0.string("title") } == ["kept"])
    }
  }
}
