import CoreData
import Testing

/// How a list with a delegate follows its context. `ListScreen` replays each change and compares.
@Suite("Changes of fetched results")
struct FetchedResultsChangeTests {
  /// Books A, C, E of 1, 2, 3 pages, saved.
  func withBooks(
    _ kind: StoreKind, _ body: (Stack, NSManagedObjectContext, [String: NSManagedObject]) throws -> Void
  ) throws {
    try withStack(kind) { stack, context in
      var books: [String: NSManagedObject] = [:]
      for (index, title) in ["A", "C", "E"].enumerated() {
        books[title] = context.new("Book", ["title": title, "pages": index + 1])
      }
      try context.save()
      try body(stack, context, books)
    }
  }

  @Test("An inserted object is told with its new place", arguments: StoreKind.allCases)
  func insert(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, _ in
      let screen = try ListScreen(context)
      context.new("Novel", ["title": "B"])
      context.processPendingChanges()
      #expect(screen.told == ["will", "insert B - 0.1", "did"] && screen.text == "A B C E")
      screen.clear()
      try context.save()
      #expect(screen.told == [])
    }
  }

  @Test("A deleted object is told with its old place", arguments: StoreKind.allCases)
  func delete(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      let screen = try ListScreen(context)
      context.delete(books["C"]!)
      try context.save()
      #expect(screen.told == ["will", "delete  0.1 -", "did"] && screen.text == "A E")
    }
  }

  @Test(
    "A change of a sort key is a move, any other an update, each with both places",
    arguments: StoreKind.allCases)
  func moveAndUpdate(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      let screen = try ListScreen(context)
      books["A"]!["title"] = "D"
      books["E"]!["isbn"] = "1"
      context.processPendingChanges()
      #expect(screen.told == ["will", "move D 0.0 0.1", "update E 0.2 0.2", "did"] && screen.text == "C D E")
      screen.clear()
      books["C"]!["title"] = "CC"
      context.processPendingChanges()
      #expect(screen.told == ["will", "move CC 0.0 0.0", "did"])
    }
  }

  @Test(
    "An object that comes to meet the predicate comes, one that ceases to goes", arguments: StoreKind.allCases
  )
  func predicate(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      let screen = try ListScreen(context, predicate: NSPredicate(format: "pages > 1"))
      books["A"]!["pages"] = 9
      books["C"]!["pages"] = 0
      context.processPendingChanges()
      #expect(screen.told == ["will", "delete  0.0 -", "insert A - 0.0", "did"] && screen.text == "A E")
    }
  }

  @Test(
    "An object that gains members is told as changed, and its other members are not read",
    arguments: StoreKind.allCases)
  func members(_ kind: StoreKind) throws {
    try withBooks(kind) { stack, context, books in
      for book in books.values {
        book["author"] = context.new("Author", ["name": "Kafka"])
        for number in 0..<3 { context.new("Chapter", ["title": "\(number)", "book": book]) }
      }
      try context.save()
      context.refreshAllObjects()
      let screen = try ListScreen(context)
      let book = books["C"]!
      for number in 1...2 {
        context.new("Chapter", ["title": "new", "book": book])
        context.processPendingChanges()
        #expect(screen.told == ["will", "update C 0.1 0.1", "did"])
        #expect(book.hasFault(forRelationshipNamed: "chapters"))
        #expect(context.registeredObjects.count { $0.entity.name == "Chapter" } == number)
        screen.clear()
      }
    }
  }

  @Test("What does not concern the list is not told", arguments: StoreKind.allCases)
  func unconcerned(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      let screen = try ListScreen(context, predicate: NSPredicate(format: "pages > 1")) {
        $0.includesSubentities = false
      }
      context.new("Author", ["name": "Kafka"])
      context.new("Novel", ["title": "B", "pages": 7])
      books["A"]!["isbn"] = "1"
      let passing = context.new("Book", ["title": "D", "pages": 7])
      context.delete(passing)
      try context.save()
      #expect(screen.told == [])
    }
  }

  @Test("Sections come and go with their objects, and are told first", arguments: StoreKind.allCases)
  func sections(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      let screen = try ListScreen(context, by: ["pages", "title"], sections: "pages")
      #expect(screen.text == "1: A | 2: C | 3: E")
      books["A"]!["pages"] = 3
      context.delete(books["C"]!)
      context.new("Book", ["title": "B", "pages": 2])
      context.new("Book", ["title": "F", "pages": 4])
      context.processPendingChanges()
      #expect(screen.text == "2: B | 3: A E | 4: F")
      #expect(
        screen.told == [
          "will", "delete section 1 at 0", "insert section 4 at 2", "delete  1.0 -", "insert B - 0.0",
          "insert F - 2.0",
          "move A 0.0 1.0", "did",
        ])
      screen.clear()
      for book in try context.all("Book") { context.delete(book) }
      context.processPendingChanges()
      #expect(
        screen.told.prefix(4) == [
          "will", "delete section 4 at 2", "delete section 3 at 1", "delete section 2 at 0",
        ])
      #expect(screen.shown.isEmpty)
    }
  }

  @Test(
    "Names that differ in their scalars only are sections of their own where others come between them",
    arguments: StoreKind.allCases)
  func scalars(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (apart, whole) = ("e\u{301}", "\u{E9}")
      for title in [apart, "f", whole] { context.new("Book", ["title": title, "pages": 1]) }
      try context.save()
      let screen = try ListScreen(context, by: ["title", "pages"], sections: "title")
      #expect(screen.shown.map(\.name.unicodeScalars.count) == [2, 1, 1])
      for title in [apart, whole] { context.new("Book", ["title": title, "pages": 2]) }
      context.processPendingChanges()
      #expect(screen.shown.map(\.objects.count) == [2, 1, 2])
      try screen.controller.performFetch()
      #expect((screen.listed == screen.shown) == true)
    }
  }

  @Test(
    "A section whose objects all move goes where they belong, whatever it is named by", arguments: StoreKind.allCases)
  func movedSection(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      let screen = try ListScreen(context, by: ["pages", "title"], sections: "title")
      #expect(screen.text == "A: A | C: C | E: E")
      books["A"]!["pages"] = 9
      context.processPendingChanges()
      #expect(screen.text == "C: C | E: E | A: A")
      #expect(
        screen.told == [
          "will", "delete section A at 0", "insert section A at 2", "move A 0.0 2.0", "did",
        ])
      screen.clear()
      books["E"]!["pages"] = 4
      context.processPendingChanges()
      #expect(screen.told == ["will", "move E 1.0 1.0", "did"])
      books["C"]!["pages"] = 20
      books["E"]!["pages"] = 1
      books["A"]!["pages"] = 0
      context.processPendingChanges()
      #expect(screen.text == "A: A | E: E | C: C")
      let shown = screen.listed.map(\.name)
      try screen.controller.performFetch()
      #expect(screen.listed.map(\.name) == shown)
    }
  }

  @Test(
    "Another context's save, merged, is told: new, gone, moved by its place", arguments: StoreKind.allCases)
  func merged(_ kind: StoreKind) throws {
    try withBooks(kind) { stack, context, books in
      let screen = try ListScreen(context)
      books.values.forEach { $0.read() }
      let other = stack.newContext()
      let log = NotificationLog(other)
      try other.performAndWait {
        other.same(books["A"]!)["title"] = "F"
        other.delete(other.same(books["E"]!))
        other.new("Book", ["title": "B"])
        try other.save()
      }
      context.mergeChanges(fromContextDidSave: try #require(log["didSave"]))
      context.processPendingChanges()
      #expect(screen.text == "B C F")
      #expect(screen.told.filter { $0.hasPrefix("move") } == ["move F 0.0 0.2"])
    }
  }

  @Test("Rollback and undo are followed", arguments: StoreKind.allCases)
  func rollback(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      context.undoManager = UndoManager()
      let screen = try ListScreen(context)
      context.delete(books["C"]!)
      books["A"]!["title"] = "Z"
      context.new("Book", ["title": "B"])
      context.processPendingChanges()
      #expect(screen.text == "B E Z")
      context.rollback()
      #expect(screen.text == "A C E")
      context.delete(books["E"]!)
      context.processPendingChanges()
      #expect(screen.text == "A C")
      context.undo()
      context.processPendingChanges()
      #expect(screen.text == "A C E")
    }
  }

  @Test("Refreshed objects whose rows are gone leave", arguments: StoreKind.allCases)
  func rowsGone(_ kind: StoreKind) throws {
    try withBooks(kind) { stack, context, books in
      let screen = try ListScreen(context)
      try stack.elsewhere { other in
        other.delete(other.same(books["C"]!))
        try other.save()
      }
      context.refreshAllObjects()
      context.processPendingChanges()
      #expect(screen.text == "A E")
    }
  }

  @Test("After a reset nothing is told until the next fetch", arguments: StoreKind.allCases)
  func reset(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, _ in
      let screen = try ListScreen(context)
      context.reset()
      context.new("Book", ["title": "B"])
      context.processPendingChanges()
      #expect(screen.told == [])
      try screen.controller.performFetch()
      #expect(screen.controller.fetchedObjects?.map { $0.string("title") } == ["A", "B", "C", "E"])
      #expect(screen.told == [])
    }
  }

  @Test("A limit counts for the fetch, not for what comes later", arguments: StoreKind.allCases)
  func limit(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, _ in
      let screen = try ListScreen(context) { $0.fetchLimit = 2 }
      #expect(screen.text == "A C")
      context.new("Book", ["title": "B"])
      context.processPendingChanges()
      #expect(screen.text == "A B C")
      try screen.controller.performFetch()
      #expect(screen.controller.fetchedObjects?.count == 2)
    }
  }

  @Test("What the delegate changes is told when it has been told", arguments: StoreKind.allCases)
  func nested(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, _ in
      let screen = try ListScreen(context)
      screen.onChange = { [unowned screen] in
        screen.onChange = nil
        context.new("Book", ["title": "D"])
        context.processPendingChanges()
      }
      context.new("Book", ["title": "B"])
      context.processPendingChanges()
      #expect(screen.told == ["will", "insert B - 0.1", "did", "will", "insert D - 0.3", "did"])
    }
  }

  @Test("Several controllers follow one context", arguments: StoreKind.allCases)
  func several(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      let screens = [
        try ListScreen(context), try ListScreen(context, by: ["-title"]),
        try ListScreen(context, by: ["-pages", "title"], sections: "pages"),
      ]
      context.new("Book", ["title": "B", "pages": 2])
      context.delete(books["E"]!)
      context.processPendingChanges()
      #expect(screens.map(\.text) == ["A B C", "C B A", "2: B C | 1: A"])
    }
  }

  private final class Differences: NSObject, NSFetchedResultsControllerDelegate {
    var titles: [NSManagedObjectID] = []
    var count = 0
    func controller(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>,
      didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {
      titles = titles.applying(diff)!
      count += 1
    }
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
      count += 100
    }
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
      count += 100
    }
  }

  @Test(
    "A delegate that takes differences is told by them alone, if there are no sections",
    arguments: StoreKind.allCases)
  func difference(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      let controller = try ListScreen(context).controller
      let delegate = Differences()
      controller.delegate = delegate
      delegate.titles = controller.fetchedObjects!.map(\.objectID)
      for round in 1...2 {
        books["A"]!["title"] = "X\(round)"
        books["E"]!["isbn"] = "\(round)"
        try context.obtainPermanentIDs(for: [context.new("Book", ["title": "B\(round)"])])
        context.processPendingChanges()
        #expect(delegate.titles == controller.fetchedObjects!.map(\.objectID))
        #expect(delegate.count == round)
      }
    }
  }

  @Test(
    "A delegate that takes differences is told the permanent ids of new objects by another one, at the save",
    arguments: StoreKind.allCases)
  func differenceOfSave(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      let controller = try ListScreen(context).controller
      let delegate = Differences()
      controller.delegate = delegate
      delegate.titles = controller.fetchedObjects!.map(\.objectID)
      for title in ["B", "D"] { context.new("Book", ["title": title]) }
      try context.save()
      #expect(delegate.count == 2 && delegate.titles == controller.fetchedObjects!.map(\.objectID))
      #expect(delegate.titles.allSatisfy { !$0.isTemporaryID })
    }
  }

  @Test(
    "A list sorted by what related objects have follows when the listed objects change",
    arguments: StoreKind.allCases)
  func related(_ kind: StoreKind) throws {
    try withBooks(kind) { _, context, books in
      let (kafka, austen) = (
        context.new("Author", ["name": "Kafka"]), context.new("Author", ["name": "Austen"])
      )
      for book in books.values { book["author"] = kafka }
      let screen = try ListScreen(context, by: ["author.name", "title"], sections: "author.name")
      #expect(screen.text == "Kafka: A C E")
      books["C"]!["author"] = austen
      context.processPendingChanges()
      #expect(screen.text == "Austen: C | Kafka: A E")
      screen.clear()
      kafka["name"] = "Aa"
      context.processPendingChanges()
      #expect(screen.told == [])
    }
  }

  @Test("What an object held before is not read where a list isn't sorted by it", arguments: StoreKind.allCases)
  func otherValues(_ kind: StoreKind) throws {
    let transformer = CountingReads()
    let name = NSValueTransformerName("counting reads of \(kind)")
    ValueTransformer.setValueTransformer(transformer, forName: name)
    defer { ValueTransformer.setValueTransformer(nil, forName: name) }
    let cover = attribute("cover", .transformableAttributeType)
    cover.valueTransformerName = name.rawValue
    try withStack(kind, model([entity("Book", [attribute("title"), cover])])) { _, context in
      let book = context.new("Book", ["title": "A", "cover": "red"])
      context.new("Book", ["title": "B", "cover": "blue"])
      try context.save()
      context.refreshAllObjects()
      let screen = try ListScreen(context)
      let before = transformer.count
      book["cover"] = "green"
      context.processPendingChanges()
      #expect(screen.told == ["will", "update A 0.0 0.0", "did"] && transformer.count == before)
    }
  }
}

/// Counts how often a value is made of its data.
private final class CountingReads: ValueTransformer, @unchecked Sendable {
  private(set) var count = 0

  override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { Data($0.utf8) } }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    count += 1
    return (value as? Data).map { String(decoding: $0, as: UTF8.self) }
  }
}
