import Foundation
import Testing

@testable import CoreData

private final class Story: NSManagedObject {}

/// The rules of fetch requests, one by one.
@Suite("Rules of fetch requests")
struct FetchRequestRuleTests {
  private func request<R: NSFetchRequestResult>(_ entity: String, _ type: R.Type) -> NSFetchRequest<R> {
    NSFetchRequest<R>(entityName: entity)
  }

  @Test("A new request has the documented defaults, and a copy every setting")
  func defaults() throws {
    let new = request("Book", NSManagedObject.self)
    #expect(new.entityName == "Book" && new.predicate == nil && new.sortDescriptors == nil)
    #expect(new.fetchLimit == 0 && new.fetchOffset == 0 && new.fetchBatchSize == 0)
    #expect(new.affectedStores == nil && new.resultType == .managedObjectResultType)
    #expect(new.includesSubentities && new.includesPropertyValues && new.returnsObjectsAsFaults)
    #expect(new.includesPendingChanges && !new.returnsDistinctResults && !new.shouldRefreshRefetchedObjects)
    #expect(new.propertiesToFetch == nil && new.propertiesToGroupBy == nil && new.havingPredicate == nil)
    #expect(new.relationshipKeyPathsForPrefetching ?? [] == [])
    new.predicate = NSPredicate(format: "pages > 1")
    new.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    (new.fetchLimit, new.fetchOffset, new.fetchBatchSize) = (1, 2, 3)
    new.resultType = .dictionaryResultType
    (new.includesSubentities, new.includesPropertyValues, new.returnsObjectsAsFaults) = (false, false, false)
    (new.includesPendingChanges, new.returnsDistinctResults, new.shouldRefreshRefetchedObjects) = (false, true, true)
    new.propertiesToFetch = ["title"]
    new.propertiesToGroupBy = ["title"]
    new.havingPredicate = NSPredicate(format: "title != nil")
    new.relationshipKeyPathsForPrefetching = ["author"]
    let copy = new.copy() as! NSFetchRequest<NSManagedObject>
    #expect(copy.predicate == new.predicate && copy.sortDescriptors == new.sortDescriptors)
    #expect(copy.fetchLimit == 1 && copy.fetchOffset == 2 && copy.fetchBatchSize == 3)
    #expect(copy.resultType == .dictionaryResultType && copy.havingPredicate == new.havingPredicate)
    #expect(!copy.includesSubentities && !copy.includesPropertyValues && !copy.returnsObjectsAsFaults)
    #expect(!copy.includesPendingChanges && copy.returnsDistinctResults && copy.shouldRefreshRefetchedObjects)
    #expect(copy.propertiesToFetch as? [String] == ["title"] && copy.propertiesToGroupBy as? [String] == ["title"])
    #expect(copy.relationshipKeyPathsForPrefetching == ["author"] && copy.entityName == "Book")
  }

  @Test("Requests are equal if all their settings are, whatever type their results have")
  func equality() {
    func make() -> NSFetchRequest<NSManagedObject> {
      let new = request("Book", NSManagedObject.self)
      new.predicate = NSPredicate(format: "pages > %d", 1)
      new.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      new.fetchLimit = 3
      return new
    }
    let first = make()
    #expect(first == make() && first.hash == make().hash && Set([first, make()]).count == 1)
    #expect(first == first.copy() as! NSFetchRequest<NSManagedObject>)
    #expect(first != request("Book", NSManagedObject.self) && !first.isEqual("Book"))
    let untyped = request("Book", (any NSFetchRequestResult).self)
    untyped.predicate = first.predicate
    untyped.sortDescriptors = first.sortDescriptors
    untyped.fetchLimit = 3
    #expect(first.isEqual(untyped) && untyped.isEqual(first))
    let changes: [(NSFetchRequest<NSManagedObject>) -> Void] = [
      { $0.predicate = NSPredicate(format: "pages > 2") }, { $0.predicate = NSPredicate { _, _ in true } },
      { $0.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)] }, { $0.fetchLimit = 4 },
      { $0.fetchOffset = 1 }, { $0.fetchBatchSize = 1 }, { $0.resultType = .countResultType },
      { $0.includesSubentities = false }, { $0.includesPropertyValues = false },
      { $0.returnsObjectsAsFaults = false }, { $0.includesPendingChanges = false },
      { $0.returnsDistinctResults = true }, { $0.propertiesToFetch = ["title"] },
      { $0.propertiesToGroupBy = ["title"] }, { $0.havingPredicate = NSPredicate(value: true) },
      { $0.relationshipKeyPathsForPrefetching = ["author"] }, { $0.shouldRefreshRefetchedObjects = true },
      { $0.affectedStores = [] },
    ]
    for (index, change) in changes.enumerated() {
      let other = make()
      change(other)
      #expect(first != other && other == other, "change \(index)")
    }
    let blocks = (make(), make())
    blocks.0.predicate = NSPredicate { _, _ in true }
    blocks.1.predicate = NSPredicate { _, _ in true }
    #expect(blocks.0 != blocks.1)
  }

  @Test("A request's settings have keys: a number stands for each limit and switch, and an unknown key is a misuse")
  func keys() async throws {
    let books = request("Book", NSManagedObject.self)
    let order = [NSSortDescriptor(key: "title", ascending: true)]
    let settings: [String: Any] = [
      "predicate": NSPredicate(format: "pages > 1"), "sortDescriptors": order, "fetchLimit": 1,
      "fetchOffset": NSNumber(value: 2), "fetchBatchSize": Int16(3), "includesSubentities": false,
      "includesPropertyValues": 0, "returnsObjectsAsFaults": false, "includesPendingChanges": false,
      "returnsDistinctResults": true, "propertiesToFetch": ["title"], "propertiesToGroupBy": ["title"],
      "havingPredicate": NSPredicate(value: true), "relationshipKeyPathsForPrefetching": ["author"],
      "shouldRefreshRefetchedObjects": NSNumber(value: true),
      "resultType": NSFetchRequestResultType.dictionaryResultType,
    ]
    for (key, value) in settings { books.setValue(value, forKey: key) }
    #expect(books.predicate?.predicateFormat == "pages > 1" && books.sortDescriptors == order)
    #expect(books.fetchLimit == 1 && books.fetchOffset == 2 && books.fetchBatchSize == 3)
    #expect(!books.includesSubentities && !books.includesPropertyValues && !books.returnsObjectsAsFaults)
    #expect(!books.includesPendingChanges && books.returnsDistinctResults && books.shouldRefreshRefetchedObjects)
    #expect(books.propertiesToFetch as? [String] == ["title"] && books.propertiesToGroupBy as? [String] == ["title"])
    #expect(books.havingPredicate != nil && books.relationshipKeyPathsForPrefetching == ["author"])
    #expect(books.resultType == .dictionaryResultType)
    #expect(books.value(forKey: "entityName") as? String == "Book" && books.value(forKey: "fetchLimit") as? Int == 1)
    #expect(books.value(forKey: "resultType") as? UInt == 2)
    #expect(books.value(forKey: "includesSubentities") as? Bool == false && books.value(forKey: "entity") == nil)
    for key in settings.keys { #expect(books.value(forKey: key) != nil, "\(key)") }
    books.setValue(nil, forKey: "predicate")
    #expect(books.predicate == nil && books.value(forKey: "predicate") == nil)
    await #expect(processExitsWith: .failure) {
      NSFetchRequest<NSManagedObject>(entityName: "Book").setValue(1, forKey: "limit")
    }
    await #expect(processExitsWith: .failure) {
      NSFetchRequest<NSManagedObject>(entityName: "Book").setValue("many", forKey: "fetchLimit")
    }
  }

  @Test("Swift key paths of a request name its settings")
  func keyPaths() throws {
    let settings: [PartialKeyPath<NSFetchRequest<any NSFetchRequestResult>>: Any] = [
      \.returnsObjectsAsFaults: false, \.fetchLimit: 5,
    ]
    let books = request("Book", NSManagedObject.self)
    for (path, value) in settings { books.setValue(value, forKey: try #require(path._kvcKeyPathString)) }
    #expect(!books.returnsObjectsAsFaults && books.fetchLimit == 5)
  }

  @Test(
    "A request for objects of a class can be cast to one for any results, and to no other",
    arguments: StoreKind.allCases)
  func casts(_ kind: StoreKind) throws {
    try withStack(kind) { _, context throws in
      for title in ["a", "b"] { context.new("Book", ["title": title]) }
      try context.save()
      let typed = request("Book", NSManagedObject.self)
      typed.predicate = NSPredicate(format: "title > 'a'")
      let untyped = try #require((typed as AnyObject) as? NSFetchRequest<any NSFetchRequestResult>)
      #expect(untyped === typed)
      #expect(try context.fetch(untyped) as? [NSManagedObject] == context.fetch(typed))
      #expect(try context.count(for: untyped) == 1)
      let copy = untyped.copy() as AnyObject
      #expect(copy is NSFetchRequest<NSManagedObject> && copy is NSFetchRequest<any NSFetchRequestResult>)
      #expect(!((typed as AnyObject) is NSFetchRequest<NSDictionary>))
      let stories = request("Book", Story.self) as AnyObject
      #expect(stories is NSFetchRequest<NSManagedObject> && stories is NSFetchRequest<any NSFetchRequestResult>)
      #expect(!((typed as AnyObject) is NSFetchRequest<Story>))
      #expect(!(request("Book", (any NSFetchRequestResult).self) as AnyObject is NSFetchRequest<NSManagedObject>))
    }
  }

  @Test(
    "A request without an entity, or with an unknown one, is an error when it is executed",
    arguments: StoreKind.allCases)
  func entity(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let none = failure { _ = try context.fetch(NSFetchRequest<NSManagedObject>()) }
      #expect(none?.localizedDescription.contains("A fetch request must have an entity") == true)
      let unknown = failure { _ = try context.count(for: request("Boook", NSManagedObject.self)) }
      #expect(unknown?.localizedDescription.contains("Boook") == true)
    }
  }

  @Test("Limit and offset count for counts too; an offset behind the end finds nothing", arguments: StoreKind.allCases)
  func counts(_ kind: StoreKind) throws {
    try withStack(kind) { _, context throws in
      for number in 0..<7 { context.new("Book", ["title": "\(number)"]) }
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        let books = request("Book", NSNumber.self)
        books.resultType = .countResultType
        #expect(try context.fetch(books) == [7], "One element: the number.")
        books.fetchLimit = 3
        books.fetchOffset = 5
        #expect(try context.fetch(books) == [2])
        #expect(try context.count(for: books) == 2)
        books.fetchOffset = 20
        #expect(try context.count(for: books) == 0)
        let objects = request("Book", NSManagedObject.self)
        objects.fetchOffset = 20
        #expect(try context.fetch(objects).isEmpty)
      }
    }
  }

  @Test("shouldRefreshRefetchedObjects refreshes with a batch size as well", arguments: StoreKind.allCases)
  func refreshedBatches(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "A"])
      try context.save()
      book.read()
      try stack.elsewhere { other in
        other.same(book)["title"] = "B"
        try other.save()
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.fetchBatchSize = 10
      #expect(try context.fetch(request).first?.string("title") == "A" || Stress.isOn)
      request.shouldRefreshRefetchedObjects = true
      #expect(try context.fetch(request).first?.string("title") == "B")
    }
  }

  @Test("Nil comes first in an ascending order, saved or not", arguments: StoreKind.allCases)
  func order(_ kind: StoreKind) throws {
    try withStack(kind) { _, context throws in
      for isbn in ["b", nil, "a"] as [String?] { context.new("Book", isbn.map { ["isbn": $0] } ?? [:]) }
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        let books = request("Book", NSManagedObject.self)
        books.sortDescriptors = [NSSortDescriptor(key: "isbn", ascending: true)]
        #expect(try context.fetch(books).map { $0.string("isbn") } == [nil, "a", "b"])
        books.sortDescriptors = [NSSortDescriptor(key: "isbn", ascending: false)]
        #expect(try context.fetch(books).map { $0.string("isbn") } == ["b", "a", nil])
      }
    }
  }

  @Test("A fetch of an abstract entity finds objects of those that inherit from it", arguments: StoreKind.allCases)
  func abstract(_ kind: StoreKind) throws {
    let shape = AbstractModel.shapes()
    try withStack(kind, shape) { _, context throws in
      context.new("Circle", ["name": "c"])
      context.new("Square", ["name": "s"])
      try context.save()
      let shapes = request("Shape", NSManagedObject.self)
      shapes.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      #expect(try context.fetch(shapes).map(\.entity.name) == ["Circle", "Square"])
      shapes.includesSubentities = false
      #expect(try context.fetch(shapes).isEmpty)
    }
  }

  @Test("Without property values objects are faults without rows; ids keep their order", arguments: StoreKind.allCases)
  func propertyValues(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context throws in
      for number in 0..<5 { context.new("Book", ["title": "\(number)"]) }
      try context.save()
      context.reset()
      let books = request("Book", NSManagedObject.self)
      books.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
      books.includesPropertyValues = false
      let found = try context.fetch(books)
      #expect(found.allSatisfy { $0.isFault && $0.row == nil })
      let ids = request("Book", NSManagedObjectID.self)
      ids.resultType = .managedObjectIDResultType
      ids.includesPropertyValues = false
      ids.sortDescriptors = books.sortDescriptors
      #expect(try context.fetch(ids) == found.map(\.objectID))
      #expect(found.map { $0.string("title") } == ["4", "3", "2", "1", "0"])
    }
  }

  @Test("propertiesToFetch and returnsDistinctResults change nothing about objects", arguments: StoreKind.allCases)
  func objectsAreWhole(_ kind: StoreKind) throws {
    try withStack(kind) { _, context throws in
      for _ in 0..<2 { context.new("Book", ["title": "Same", "pages": 7]) }
      try context.save()
      context.reset()
      let books = request("Book", NSManagedObject.self)
      books.propertiesToFetch = ["title"]
      books.returnsDistinctResults = true
      #expect(try context.fetch(books).map { $0.int("pages") } == [7, 7])
    }
  }

  @Test(
    "Dictionaries have all attributes and the ids of to-one relationships, unless columns are named",
    arguments: StoreKind.allCases)
  func dictionaries(_ kind: StoreKind) throws {
    try withStack(kind) { _, context throws in
      let author = context.new("Author", ["name": "Kafka"])
      context.new("Book", ["title": "Amerika", "pages": 3, "author": author])
      try context.save()
      context.new("Book", ["title": "Not saved"])
      let books = request("Book", NSDictionary.self)
      books.resultType = .dictionaryResultType
      let rows = try context.fetch(books)
      #expect(rows.count == 1, "Unsaved changes don't take part.")
      #expect(Set(rows[0].allKeys as? [String] ?? []) == ["title", "pages", "author"], "Nil has no key.")
      #expect(rows[0]["author"] as? NSManagedObjectID == author.objectID)
      #expect(rows[0] as? [String: NSObject] != nil)
      books.fetchBatchSize = 1
      #expect(try context.fetch(books).count == 1, "Dictionaries come at once.")
      books.havingPredicate = NSPredicate(format: "pages > 1")
      let error = failure { _ = try context.fetch(books) }
      #expect(error?.localizedDescription.contains("having") == true)
    }
  }
}

/// How many statements SQLite runs, and what is kept in memory.
@Suite("Fetches read no more than they need")
struct FetchEconomyTests {
  /// Authors with books, which have tags and chapters; and what SELECT statements a body runs.
  private func library(
    _ count: Int, _ body: (NSManagedObjectContext, _ selects: () -> [String]) throws -> Void
  ) throws {
    let stack = try Stack(.sqlite)
    let trace = StatementTrace(level: 1, isRecording: true)
    (stack.store as! SQLiteStore).trace = trace
    try stack.context.performAndWait {
      let context = stack.context
      let tags = (0..<3).map { context.new("Tag", ["name": "\($0)"]) }
      for number in 0..<count {
        let book = context.new("Book", ["title": String(format: "%04d", number), "pages": number])
        book["author"] = context.new("Author", ["name": "\(number)"])
        book["tags"] = NSSet(array: Array(tags.prefix(number % 4)))
        book["chapters"] = NSOrderedSet(array: (0..<2).map { context.new("Chapter", ["title": "\(number).\($0)"]) })
      }
      try context.save()
      context.reset()
      _ = trace.takeRecorded()
      try body(context) { trace.takeRecorded().filter { $0.hasPrefix("SELECT") } }
    }
  }

  @Test("Prefetching runs one statement for each relationship of up to 512 objects", keepsRows)
  func prefetching() throws {
    try prefetchAll(60) { prefetched in #expect(prefetched.count == 4, "\(prefetched)") }
  }

  @Test("Of more than 512 objects the members' keys are found first, and then each row is read once", keepsRows)
  func prefetchingMany() throws {
    try prefetchAll(600) { prefetched in
      let counts = ["ZBOOK", "ZAUTHOR", "ZTAG", "ZCHAPTER"].map { table in
        prefetched.count { $0.contains(" FROM \(table) ") }
      }
      #expect(counts == [1, 1, 1, 2], "600 authors; 3 tags; the keys of 1,200 chapters for 600 books, and their rows")
      #expect(prefetched.count == 6 && !prefetched.contains { $0.contains("JOIN") }, "\(prefetched)")
    }
  }

  @Test("Keys that follow each other are one range; where one is missing, lists take up to 512", keepsRows)
  func ranges() throws {
    try library(1_300) { context, selects in
      let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
      books.predicate = NSPredicate(format: "pages != 600")
      books.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
      books.includesPropertyValues = false
      books.relationshipKeyPathsForPrefetching = ["author"]
      let found = try context.fetch(books)
      let authors = selects().filter { $0.contains(" FROM ZAUTHOR ") }
      #expect(authors.map { $0.contains(" BETWEEN ? AND ?") } == [true, true], "\(authors)")
      let names: [String] = found.compactMap { $0.object("author")?.string("name") }
      let numbers: [Int] = Array(0..<600) + Array(601..<1_300)
      #expect(names == numbers.map { "\($0)" })
      #expect(selects().count { $0.contains(" FROM ZAUTHOR ") } == 0)
    }
  }

  /// Prefetches all relationships of so many books, hands over the statements that ran, and reads what was found.
  private func prefetchAll(_ count: Int, _ body: (_ prefetched: [String]) -> Void) throws {
    try library(count) { context, selects in
      let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
      books.relationshipKeyPathsForPrefetching = ["author", "tags", "chapters"]
      let found = try context.fetch(books)
      body(selects())
      for book in found {
        let number = book.int("pages")!
        #expect(book.object("author")?.string("name") == "\(number)")
        #expect(Set(book.objects("tags").map { $0.string("name") }) == Set((0..<(number % 4)).map(String.init)))
        #expect(book.list("chapters").map { $0.string("title") } == ["\(number).0", "\(number).1"])
      }
      #expect(selects() == [], "All of it was read.")
    }
  }

  @Test("A path is prefetched step by step", keepsRows)
  func paths() throws {
    try library(40) { context, selects in
      let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
      authors.relationshipKeyPathsForPrefetching = ["books.tags"]
      let found = try context.fetch(authors)
      #expect(selects().count == 3)
      let tags = found.flatMap { $0.objects("books") }.flatMap { $0.objects("tags") }
      #expect(tags.compactMap { $0.string("name") }.count == (0..<40).reduce(0) { $0 + $1 % 4 })
      #expect(selects() == [])
    }
  }

  @Test("Prefetching leaves unsaved changes of a relationship on top", arguments: StoreKind.allCases)
  func unsaved(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context throws in
      let book = context.new("Book", ["tags": NSSet(array: ["a", "b"].map { context.new("Tag", ["name": $0]) })])
      try context.save()
      context.reset()
      let tag = context.new("Tag", ["name": "new"])
      let mine = context.same(book)
      mine.mutableSetValue(forKey: "tags").add(tag)
      let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
      books.relationshipKeyPathsForPrefetching = ["tags", "chapters", "author.books"]
      #expect(Set(try context.fetch(books)[0].objects("tags").compactMap { $0.string("name") }) == ["a", "b", "new"])
      try context.save()
      context.reset()
      #expect(Set(try context.fetch(books)[0].objects("tags").compactMap { $0.string("name") }) == ["a", "b", "new"])
    }
  }

  @Test("A batched result holds rows of the portions alone that were used, one statement each", keepsRows)
  func batches() throws {
    try library(500) { context, selects in
      let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
      books.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      books.fetchBatchSize = 20
      let found = try context.fetch(books)
      #expect(found.count == 500 && found.allSatisfy { $0.row == nil })
      let first = selects()
      #expect(first.count == 1 && first[0].hasPrefix("SELECT t0.Z_ENT, t0.Z_PK FROM ZBOOK t0"), "\(first)")
      for book in found[100..<140] { #expect(book.int("pages") != nil) }
      #expect(selects().count == 2)
      #expect(found.filter { $0.row != nil }.count == 40)
    }
  }

  @Test("A fetch without batches brings objects and rows in one statement; reading them runs none", keepsRows)
  func plain() throws {
    try library(30) { context, selects in
      let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      #expect(found.allSatisfy { $0.isFault })
      #expect(found.reduce(0) { $0 + $1.int("pages")! } == 435)
      #expect(selects().count == 1)
    }
  }

  @Test("The portions of a batched result are still read together after another batched fetch", keepsRows)
  func twoBatchedResults() throws {
    try library(100) { context, selects in
      let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
      books.fetchBatchSize = 20
      books.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      let first = try context.fetch(books)
      books.predicate = NSPredicate(format: "pages < 10")
      let second = try context.fetch(books)
      _ = selects()
      #expect(first[20..<40].reduce(0) { $0 + $1.int("pages")! } == 590 && second[3].int("pages") == 3)
      #expect(selects().count == 2)
    }
  }

  @Test("The keys of a batched result go when another is fetched and nobody has its objects any more", keepsRows)
  func releasedBatches() throws {
    try library(100) { context, selects in
      let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
      books.fetchBatchSize = 20
      books.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      books.predicate = NSPredicate(format: "pages < 50")
      let kept = try context.fetch(books)
      for number in 50..<60 {
        books.predicate = NSPredicate(format: "pages >= %d", number)
        #expect(try context.fetch(books).count == 100 - number)
      }
      #expect(context.batches.count == 2)
      _ = selects()
      #expect(kept[20..<40].reduce(0) { $0 + $1.int("pages")! } == 590)
      #expect(selects().count == 1)
    }
  }

  @Test("With unsaved changes SQL still finds objects by their own values and by where they lead", keepsRows)
  func unsavedChanges() throws {
    try library(40) { context, selects in
      let author = try #require(try context.all("Author").first { $0.string("name") == "7" })
      author["name"] = "Seven"
      context.new("Author", ["name": "new"])
      let changed = try #require(try context.all("Book").first { $0.string("title") == "0003" })
      changed["author"] = author
      context.new("Book", ["title": "0041", "author": author])
      _ = selects()
      let books = NSFetchRequest<NSManagedObject>(entityName: "Book")
      books.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      books.predicate = NSPredicate(format: "author == %@ AND pages != 1", author)
      #expect(try context.fetch(books).compactMap { $0.string("title") } == ["0003", "0007", "0041"])
      #expect(try context.count(for: books) == 3)
      #expect(selects().allSatisfy { $0.contains("WHERE") })
      books.predicate = NSPredicate(format: "author.name == 'Seven'")
      #expect(try context.fetch(books).compactMap { $0.string("title") } == ["0003", "0007", "0041"])
      #expect(selects().contains { !$0.contains("WHERE") }, "a changed name may concern any book")
    }
  }

  @Test("With unsaved changes a limit still bounds what is read from the store", keepsRows)
  func limitOverChanges() throws {
    try library(40) { context, selects in
      let all = try context.all("Book")
      for book in all where ["0038", "0039"].contains(book.string("title")) { context.delete(book) }
      let moved = try #require(all.first { $0.string("title") == "0037" })
      moved["title"] = "00"
      context.new("Book", ["title": "9999"])
      context.processPendingChanges()
      _ = selects()
      let last = NSFetchRequest<NSManagedObject>(entityName: "Book")
      last.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
      last.fetchLimit = 2
      #expect(try context.fetch(last).compactMap { $0.string("title") } == ["9999", "0036"])
      last.fetchOffset = 1
      #expect(try context.fetch(last).compactMap { $0.string("title") } == ["0036", "0035"])
      let selected = selects()
      #expect(selected.count == 2 && selected.allSatisfy { $0.contains("LIMIT") }, "\(selected)")
    }
  }
}

/// An abstract entity and two that inherit from it.
private enum AbstractModel {
  static func shapes() -> NSManagedObjectModel {
    let shape = entity("Shape", [attribute("name")])
    shape.isAbstract = true
    let (circle, square) = (entity("Circle"), entity("Square"))
    shape.subentities = [circle, square]
    return model([shape, circle, square])
  }
}
