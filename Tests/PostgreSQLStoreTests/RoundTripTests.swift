import CoreData
import Foundation
import PostgreSQLTestServer
import Testing

@testable import PostgreSQLStore

@Suite("Objects in a PostgreSQL store", hasServer)
struct RoundTripTests {
  private static let values: [String: Any] = [
    "title": "Straße \u{1F4DA} 'quoted' \"twice\"", "pages": Int16.min, "copies": Int32.max, "sold": Int64.min,
    "isRead": true, "weight": 0.1, "rating": Float(1.1), "added": Date(timeIntervalSinceReferenceDate: 0.1234567890123),
    "price": NSDecimalNumber(string: "-12345678901234567890.0123456789"),
    "id": UUID(uuidString: "7D444840-9DC0-11D1-B245-5FFDCE74FAD2")!, "link": URL(string: "https://a.example/1?b=c")!,
    "cover": Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0) }), "notes": ["a", "b"] as NSArray,
  ]

  @Test("Values of every type come back as they were, read by another coordinator")
  func types() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      shelf.context.new("Book", Self.values)
      shelf.context.new("Book")
      try shelf.context.save()
    }
    let other = try shelf.elsewhere()
    try other.context.performAndWait {
      let books = try other.context.all("Book", sort: "title")
      #expect(books.count == 2)
      for (key, value) in Self.values {
        #expect(books[0].value(forKey: key) == nil, "\(key)")
        #expect((books[1].value(forKey: key) as! NSObject).isEqual(value as! NSObject), "\(key)")
      }
    }
  }

  @Test(
    "Decimals keep all their digits",
    arguments: [
      "0", "1", "-1", "0.0001", "10000", "100000000", "99999999999999999999999999999999999999", "1e-100", "1e60",
      "-0.5", "123.4500",
    ])
  func decimals(_ text: String) throws {
    let decimal = Decimal(string: text)!
    let read = WireDecimal.bytes(of: decimal).withUnsafeBytes { WireDecimal.decimal($0) }
    #expect(read == decimal)
  }

  @Test("NaN is no value, as in a file: it breaks no constraint, meets no comparison, and a batch update sets nil")
  func notNumbers() throws {
    let measure = NSEntityDescription()
    measure.name = "Measure"
    measure.properties = [attribute("value", .doubleAttributeType), attribute("time", .dateAttributeType)]
    measure.uniquenessConstraints = [["value"]]
    let model = NSManagedObjectModel()
    model.entities = [measure]
    let shelf = try Shelf(model)
    try shelf.context.performAndWait {
      for value in [Double.nan, .nan, 1, 2] {
        shelf.context.new("Measure", ["value": value, "time": Date(timeIntervalSinceReferenceDate: value)])
      }
      try shelf.context.save()
      shelf.context.reset()
      for condition in ["value == nil", "time == nil"] {
        #expect(try shelf.context.all("Measure", condition).count == 2, "\(condition)")
      }
      for condition in ["value > 1", "time > CAST(1, 'NSDate')"] {
        #expect(try shelf.context.all("Measure", condition).count == 1, "\(condition)")
      }
      let request = NSBatchUpdateRequest(entityName: "Measure")
      request.propertiesToUpdate = ["value": Double.nan]
      _ = try shelf.context.execute(request)
      #expect(try shelf.context.all("Measure", "value == nil").count == 4)
    }
  }

  @Test("Decimals are compared by all their digits: alone, in lists among whole numbers, and by a batch delete")
  func exactDecimals() throws {
    let shelf = try Shelf(libraryModel())
    let prices = ["12345678901234567890.0123456788", "12345678901234567890.0123456789", "7", "0.5"]
      .map { NSDecimalNumber(string: $0) }
    try shelf.context.performAndWait {
      for price in prices + [.notANumber] { shelf.context.new("Book", ["price": price, "weight": 0.1, "sold": 7]) }
      try shelf.context.save()
      shelf.context.reset()
      func count(_ format: String, _ arguments: Any...) throws -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return try shelf.context.count(for: request)
      }
      for price in prices + [.notANumber] { #expect(try count("price == %@", price) == 1, "\(price)") }
      #expect(try count("price < %@", prices[1]) == 3)
      #expect(try count("price IN %@", [prices[0], prices[2], prices[3]]) == 3)
      #expect(try count("price IN %@", [prices[0], NSNumber(value: 7)] as [NSNumber]) == 2)
      #expect(try count("price BETWEEN %@", [prices[0], prices[0]]) == 1)
      // Beside columns of other numbers.
      #expect(try count("weight == %@", NSDecimalNumber(string: "0.1")) == 5)
      #expect(try count("sold == %@", NSDecimalNumber(string: "7.5")) == 0)
      #expect(try count("sold IN %@", [NSDecimalNumber(string: "7"), NSDecimalNumber(string: "7.5")]) == 5)
      let found = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
      found.predicate = NSPredicate(format: "price == %@", prices[1])
      _ = try shelf.context.execute(NSBatchDeleteRequest(fetchRequest: found))
      #expect(try shelf.context.all("Book").count == 4)
      #expect(try count("price == %@", prices[0]) == 1)
    }
  }

  @Test("The pages of dictionaries with equal sort values have each row once")
  func dictionaryPages() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      for number in 0..<60 { shelf.context.new("Book", ["title": "b\(number)", "pages": 7]) }
      try shelf.context.save()
      let request = NSFetchRequest<NSDictionary>(entityName: "Book")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["title"]
      request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
      request.fetchLimit = 10
      var titles: [String] = []
      for page in 0..<6 {
        request.fetchOffset = page * 10
        titles += try shelf.context.fetch(request).compactMap { $0["title"] as? String }
      }
      #expect(titles.count == 60 && Set(titles).count == 60)
      // Distinct results, groups and aggregates have no key to sort by.
      request.fetchOffset = 0
      request.propertiesToFetch = ["pages"]
      request.returnsDistinctResults = true
      #expect(try shelf.context.fetch(request) == [["pages": 7]])
      request.propertiesToGroupBy = ["pages"]
      request.returnsDistinctResults = false
      #expect(try shelf.context.fetch(request) == [["pages": 7]])
    }
  }

  @Test("A predicate may have a list of some hundred thousand numbers", .timeLimit(.minutes(1)))
  func longLists() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      for number in [7, 299_999, 300_000] as [Int64] { shelf.context.new("Book", ["sold": number]) }
      try shelf.context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.predicate = NSPredicate(format: "sold IN %@", argumentArray: [Array(0..<300_000)])
      #expect(try shelf.context.count(for: request) == 2)
    }
  }

  @Test("Relationships of all kinds come back, ordered ones in their order")
  func relationships() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let context = shelf.context
      let author = context.new("Author", ["name": "Ann"])
      let books = (0..<5).map { context.new($0 == 4 ? "Novel" : "Book", ["title": "b\($0)"]) }
      let tags = ["red", "blue"].map { context.new("Tag", ["name": $0]) }
      author.setValue(NSOrderedSet(array: books.reversed()), forKey: "books")
      author.setValue(books[4], forKey: "favourite")
      books[0].setValue(NSSet(array: tags), forKey: "tags")
      books[1].setValue(NSSet(array: [tags[1]]), forKey: "tags")
      try context.save()
      // Moved, taken away, added.
      author.setValue(NSOrderedSet(array: [books[2], books[4], books[0]]), forKey: "books")
      books[0].setValue(NSSet(array: [tags[0]]), forKey: "tags")
      try context.save()
    }
    let other = try shelf.elsewhere()
    try other.context.performAndWait {
      let author = try other.context.all("Author")[0]
      let titles = (author.value(forKey: "books") as! NSOrderedSet).array.map {
        ($0 as! NSManagedObject).value(forKey: "title") as! String
      }
      #expect(titles == ["b2", "b4", "b0"])
      let favourite = author.value(forKey: "favourite") as! NSManagedObject
      #expect(favourite.entity.name == "Novel")
      #expect(favourite.value(forKey: "title") as? String == "b4")
      let blue = try other.context.all("Tag", "name == 'blue'")[0]
      let tagged = (blue.value(forKey: "books") as! Set<NSManagedObject>).map { $0.value(forKey: "title") as! String }
      #expect(tagged == ["b1"])
      let found1 = try other.context.all("Novel").count
      #expect(found1 == 1)
      let found2 = try other.context.all("Book").count
      #expect(found2 == 5)
    }
  }

  @Test("Objects are changed and deleted, and deletion follows the relationships")
  func changes() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let context = shelf.context
      let author = context.new("Author", ["name": "Ann"])
      let books = (0..<300).map { context.new("Book", ["title": "b\($0)", "author": author]) }
      try context.save()
      for book in books { book.setValue(7, forKey: "pages") }
      context.delete(books[0])
      try context.save()
      context.delete(author)
      try context.save()
    }
    let other = try shelf.elsewhere()
    try other.context.performAndWait {
      let books = try other.context.all("Book")
      #expect(books.count == 299)
      #expect(books.allSatisfy { $0.value(forKey: "pages") as? Int == 7 && $0.value(forKey: "author") == nil })
    }
  }

  @Test("One object is written in one round trip, a thousand that changed in three")
  func trips() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let context = shelf.context
      let books = (0..<1000).map { context.new("Book", ["title": "b\($0)"]) }
      try context.save()
      books[0].setValue("once", forKey: "title")
      try context.save()
      books[0].setValue("again", forKey: "title")
      let found3 = try shelf.trips { try context.save() }
      #expect(found3 == 1)
      for book in books { book.setValue(1, forKey: "pages") }
      try context.save()
      for book in books { book.setValue(2, forKey: "pages") }
      let found4 = try shelf.trips { try context.save() }
      #expect(found4 == 3)
    }
  }

  @Test("Long values of several objects are sent in parts, of which the server takes each")
  func longSaves() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let context = shelf.context
      let books = (0..<3).map { _ in context.new("Book") }
      func set(_ byte: UInt8, count: Int) {
        for book in books { book.setValue(Data(repeating: byte, count: count), forKey: "cover") }
      }
      set(1, count: 6 << 20)
      try context.save()
      set(2, count: 10)
      try context.save()
      set(3, count: 10)
      let short = try shelf.trips { try context.save() }
      set(4, count: 6 << 20)
      let long = try shelf.trips { try context.save() }
      #expect(long == short + 1)
    }
    let other = try shelf.elsewhere()
    try other.context.performAndWait {
      let cover = Data(repeating: 4, count: 6 << 20)
      let same = try other.context.all("Book").filter { $0.value(forKey: "cover") as? Data == cover }
      #expect(same.count == 3)
    }
  }

  @Test("Prefetching asks once for each relationship, whatever the number of owners")
  func prefetching() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      for number in 0..<100 {
        let author = shelf.context.new("Author", ["name": "a\(number)"])
        for _ in 0..<3 { shelf.context.new("Book", ["author": author]) }
      }
      try shelf.context.save()
    }
    let other = try shelf.elsewhere()
    try other.context.performAndWait {
      func read() throws -> Int {
        other.context.reset()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.relationshipKeyPathsForPrefetching = ["books"]
        return try other.context.fetch(request).reduce(0) { $0 + ($1.value(forKey: "books") as! NSOrderedSet).count }
      }
      let found5 = try read()
      #expect(found5 == 300)
      // Now that statements are prepared.
      let trips = try other.trips { _ = try read() }
      #expect(trips == 2)
    }
  }

  @Test("Metadata that is set for a store that is not open leaves it its type and its UUID")
  func foreignMetadata() throws {
    let shelf = try Shelf(libraryModel())
    let uuid = try #require(shelf.store.identifier)
    try shelf.coordinator.remove(shelf.store)
    try NSPersistentStoreCoordinator.setMetadata(
      [NSStoreUUIDKey: UUID().uuidString, NSStoreTypeKey: NSSQLiteStoreType, "mine": 1],
      forPersistentStoreOfType: NSPostgreSQLStoreType, at: shelf.url)
    let again = try Shelf(libraryModel(), at: shelf.url)
    #expect(again.store.identifier == uuid && again.store.type == NSPostgreSQLStoreType)
    #expect(again.store.metadata["mine"] as? Int == 1)
  }

  @Test("Of the metadata each process writes the keys that it has changed, and sees those of others then")
  func sharedMetadata() throws {
    let first = try Shelf(libraryModel())
    func set(_ values: [String: Any?], of shelf: Shelf) throws {
      var metadata: [String: Any] = shelf.store.metadata
      for (key, value) in values { metadata[key] = value }
      shelf.coordinator.setMetadata(metadata, for: shelf.store)
      try shelf.context.performAndWait { try shelf.context.save() }
    }
    try set(["gone": 1, "kept": ["a": [1, 2]]], of: first)
    let second = try first.elsewhere()
    try set(["first": "a", "gone": nil], of: first)
    try set(["second": "b"], of: second)
    func words(_ metadata: [String: Any]?) -> [String] {
      ["first", "second", "gone", "kept"].filter { metadata?[$0] != nil }
    }
    #expect(words(second.store.metadata) == ["first", "second", "kept"])
    let stored = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSPostgreSQLStoreType, at: first.url)
    #expect(words(stored) == ["first", "second", "kept"])
    #expect(words(try first.elsewhere().store.metadata) == ["first", "second", "kept"])
  }

  @Test("Metadata that were read before a migration and are set after it leave the store its version")
  func metadataAcrossMigration() throws {
    let shelf = try Shelf(libraryModel())
    let before = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: NSPostgreSQLStoreType, at: shelf.url)
    let newer = libraryModel()
    newer.entitiesByName["Tag"]?.properties.append(attribute("color", .stringAttributeType))
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]
    let migrated = try Shelf(newer, at: shelf.url, options: options)
    try NSPersistentStoreCoordinator.setMetadata(
      before.merging(["mine": 1]) { $1 }, forPersistentStoreOfType: NSPostgreSQLStoreType, at: shelf.url)
    #expect(try migrated.elsewhere().store.metadata["mine"] as? Int == 1)
  }

  /// A coordinator whose model has one entity more, at the front.
  private final class OtherModel: NSPersistentStoreCoordinator {
    override var managedObjectModel: NSManagedObjectModel {
      let model = NSManagedObjectModel()
      let first = NSEntityDescription()
      first.name = "AAA"
      model.entities = [first] + libraryModel().entities.map { $0.copy() as! NSEntityDescription }
      return model
    }
  }

  @Test("Powers, exponentials and shifts are those of memory, however large, small or odd")
  func functions() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let numbers: [(Double, Int)] = [
        (0, -1), (10, 400), (-10, 401), (10, -400), (-8, 2), (0.5, -8), (800, 64), (-800, -64), (2, -1), (1.5, 63),
        (1, 9_000_000_000), (.greatestFiniteMagnitude, 1), (.infinity, -2),
      ]
      for (weight, sold) in numbers { shelf.context.new("Book", ["weight": weight, "sold": sold]) }
      try shelf.context.save()
      let books = try shelf.context.all("Book")
      let conditions: [(format: String, arguments: [Any])] = [
        ("raise:toPower:(weight, sold) > 1000000", []), ("raise:toPower:(weight, sold) < 0", []),
        ("raise:toPower:(weight, sold) == 0", []), ("raise:toPower:(weight, sold) == 64", []),
        ("raise:toPower:(sold, weight) == nil", []), ("raise:toPower:(weight, 0.5) == nil", []),
        ("exp:(weight) > 1000000", []), ("exp:(weight) == 0", []), ("exp:(sold) > 1000000", []),
        ("leftshift:by:(7, sold) == 0", []), ("leftshift:by:(sold, 64) == 0", []),
        ("leftshift:by:(sold, 2) == %@", [-32]), ("leftshift:by:(sold, %@) == 200", [-1]),
        ("rightshift:by:(%@, sold) == %@", [-7, -1]), ("rightshift:by:(sold, %@) < 0", [-1]),
        ("rightshift:by:(sold, 70) == %@", [-1]), ("rightshift:by:(sold, 1) == 200", []),
      ]
      for (format, arguments) in conditions {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        let inMemory = books.filter { request.predicate!.evaluate(with: $0) }
        #expect(try Set(shelf.context.fetch(request)) == Set(inMemory), "\(format)")
      }
    }
  }

  @Test("Functions of an earlier version are replaced where a store is opened to write it, while others are at work")
  func olderFunctions() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      shelf.context.new("Book", ["title": "Ａ"])
      try shelf.context.save()
    }
    func found(_ shelf: Shelf) throws -> Int {
      try shelf.context.performAndWait { try shelf.context.all("Book", "title ==[c] 'a'").count }
    }
    func version() throws -> Int64 { try shelf.store.pool.use { try StoreFunctions.madeVersion($0) } }
    #expect(try version() == StoreFunctions.version)
    #expect(try found(shelf) == 1)
    // The first version knew of no width, and had no number.
    try shelf.store.pool.use {
      _ = try $0.run(
        "DROP FUNCTION NSCoreDataVersion(); CREATE OR REPLACE FUNCTION NSCoreDataFoldWidth(text, bigint) RETURNS text "
          + "LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $f$ SELECT $1 $f$")
    }
    #expect(try version() == 1)
    let reader = try Shelf(libraryModel(), at: shelf.url, options: [NSReadOnlyPersistentStoreOption: true])
    #expect(try version() == 1)
    #expect(try found(shelf) == 0 && found(reader) == 0)
    try shelf.store.pool.use { busy in
      try busy.run("BEGIN; UPDATE ZBOOK SET ZPAGES = 1; SELECT NSCoreDataFold(ZTITLE, 257) FROM ZBOOK")
      let writer = try shelf.elsewhere()
      #expect(try version() == StoreFunctions.version)
      #expect(try found(writer) == 1 && found(shelf) == 1 && found(reader) == 1)
      try busy.run("COMMIT")
    }
  }

  @Test("Functions of an earlier version stay as long as another process makes or migrates tables, and nobody waits")
  func olderFunctionsMeanwhile() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.store.pool.use { busy in
      try busy.run("DROP FUNCTION NSCoreDataVersion()")
      try busy.run("BEGIN")
      try StoreOpening.takeLock(shelf.store.schemaName, busy)
      _ = try shelf.elsewhere()
      #expect(try StoreFunctions.madeVersion(busy) == 1)
      try busy.run("ROLLBACK")
      _ = try shelf.elsewhere()
      #expect(try StoreFunctions.madeVersion(busy) == StoreFunctions.version)
    }
  }

  @Test("A store is laid out by the model that the coordinator was made with, whatever a subclass returns")
  func otherModel() throws {
    let coordinator = OtherModel(managedObjectModel: libraryModel())
    try coordinator.addPersistentStore(
      ofType: NSPostgreSQLStoreType, configurationName: nil, at: TestServer.shared!.newStoreURL())
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      context.new("Author", ["name": "Ann"])
      try context.save()
      context.reset()
      #expect(try context.all("Author").map { $0.value(forKey: "name") as? String } == ["Ann"])
    }
    try coordinator.persistentStores.forEach(coordinator.remove)
  }
}
