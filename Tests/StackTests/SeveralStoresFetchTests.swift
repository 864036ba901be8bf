import Foundation
import Testing

@testable import CoreData

@Suite("Fetches over several stores")
struct SeveralStoresFetchTests {
  /// Two stores that both take every entity, with books whose titles alternate between them.
  private final class TwoStores {
    let stack: Stack
    let second: Stack
    let store: NSPersistentStore

    init(_ kind: StoreKind, books: Int) throws {
      stack = try Stack(kind)
      // Lends its file, which goes with it.
      second = try Stack(.inMemory)
      store = try stack.coordinator.addPersistentStore(ofType: kind.type, configurationName: nil, at: second.url)
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

  private func request(_ format: String? = nil, sorted: [(String, Bool)] = [("title", true)]) -> NSFetchRequest<NSManagedObject> {
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
      #expect(try context.fetch(ids).map { context.object(with: $0).string("title") } == (0..<9).map { String(format: "%02d", $0) })
    }
  }

  @Test("Limit and offset count over all stores together, with and without an order, also for counts", arguments: StoreKind.allCases)
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

  @Test("Plain dictionaries come of all stores; orders, limits, groups and sums over several are refused by name", arguments: StoreKind.allCases)
  func dictionaries(_ kind: StoreKind) throws {
    let stores = try TwoStores(kind, books: 4)
    try stores.run { (context: NSManagedObjectContext) throws in
      let request = NSFetchRequest<NSDictionary>(entityName: "Book")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["title"]
      #expect(Set(try context.fetch(request).compactMap { $0["title"] as? String }) == ["00", "01", "02", "03"])
      request.fetchLimit = 1
      #expect(failure { _ = try context.fetch(request) }?.localizedDescription.contains("over several stores") == true)
      request.fetchLimit = 0
      let sum = NSExpressionDescription()
      sum.name = "sum"
      sum.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "pages")])
      sum.expressionResultType = .integer64AttributeType
      request.propertiesToFetch = [sum]
      #expect(failure { _ = try context.fetch(request) }?.localizedDescription.contains("over several stores") == true)
      request.affectedStores = [stores.store]
      #expect(try context.fetch(request).first?["sum"] as? Int == 1)
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
}
