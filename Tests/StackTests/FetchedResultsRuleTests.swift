import Testing

@testable import CoreData

/// Computes what its entity doesn't have, and fills what isn't stored.
final class LetteredWord: NSManagedObject {
  override func value(forKey key: String) -> Any? {
    key == "letter" ? string("name").map { String($0.prefix(1)) } : super.value(forKey: key)
  }
  override func awakeFromFetch() {
    super.awakeFromFetch()
    setPrimitiveValue(string("name")!.count, forKey: "length")
  }
}

/// Tells nobody what has changed.
final class SilentWord: NSManagedObject {
  override func changedValuesForCurrentEvent() -> [String: Any] { [:] }
}

private func dictionary(of type: NSManagedObject.Type = LetteredWord.self) -> NSManagedObjectModel {
  let length = attribute("length", .integer32AttributeType)
  length.isTransient = true
  return model([entity("Word", [attribute("name"), length], class: type)])
}

/// A wrapper as applications have it for their own streams of values.
private final class Values<Item: NSManagedObject>: NSObject, NSFetchedResultsControllerDelegate {
  private let controller: NSFetchedResultsController<Item>
  private let receive: ([Item]) -> Void

  init(
    _ request: NSFetchRequest<Item>, _ context: NSManagedObjectContext, _ receive: @escaping ([Item]) -> Void
  )
    throws
  {
    controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
    self.receive = receive
    super.init()
    controller.delegate = self
    try controller.performFetch()
    receive(controller.fetchedObjects ?? [])
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
    receive(controller.fetchedObjects as? [Item] ?? [])
  }
}

private final class Shouting: NSFetchedResultsController<NSManagedObject> {
  var fetches = 0
  override func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    sectionName.uppercased() + "!"
  }
  override func performFetch() throws {
    fetches += 1
    try super.performFetch()
  }
}

/// What lists do in contexts of all kinds, with predicates and classes of all kinds.
@Suite("Rules of fetched results")
struct FetchedResultsRuleTests {
  private func request(
    _ entity: String, by keys: String..., predicate: NSPredicate? = nil
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
    request.predicate = predicate
    return request
  }

  private func list(
    _ context: NSManagedObjectContext, _ request: NSFetchRequest<NSManagedObject>, sections: String? = nil
  ) -> NSFetchedResultsController<NSManagedObject> {
    NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil)
  }

  private final class Counter: NSObject, NSFetchedResultsControllerDelegate {
    var count = 0
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
      count += 1
    }
  }

  @Test(
    "Sections by a transient attribute are computed in memory, and so is every change",
    arguments: StoreKind.allCases)
  func transient(_ kind: StoreKind) throws {
    try withStack(kind, dictionary()) { _, context in
      for name in ["a", "b", "cc", "dd"] { context.new("Word", ["name": name]) }
      try context.save()
      context.forget()
      let controller = list(context, request("Word", by: "name"), sections: "length")
      let counter = Counter()
      controller.delegate = counter
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["1", "2"])
      #expect(controller.sections?.map(\.numberOfObjects) == [2, 2])
      context.new("Word", ["name": "eee", "length": 3])
      context.processPendingChanges()
      #expect(controller.sections?.map(\.name) == ["1", "2", "3"] && counter.count == 1)
    }
  }

  @Test("Sections by numbers with fractions have the numbers' descriptions as names", arguments: StoreKind.allCases)
  func fractions(_ kind: StoreKind) throws {
    let things = entity(
      "Thing",
      [
        attribute("name"), attribute("double", .doubleAttributeType), attribute("float", .floatAttributeType),
        attribute("exact", .decimalAttributeType),
      ])
    try withStack(kind, model([things])) { _, context in
      for (name, number) in [("a", 2), ("b", 0.1), ("c", -1.25), ("d", 1e20)] {
        context.new(
          "Thing", ["name": name, "double": number, "float": Float(number), "exact": NSDecimalNumber(value: number)])
      }
      try context.save()
      context.forget()
      for (key, last) in [("double", "1e+20"), ("float", "1e+20"), ("exact", "100000000000000000000")] {
        let controller = list(context, request("Thing", by: "name"), sections: key)
        try controller.performFetch()
        #expect(controller.sections?.map(\.name) == ["2", "0.1", "-1.25", last])
      }
    }
  }

  @Test("Dictionaries, ids and a count are listed as they were fetched", arguments: StoreKind.allCases)
  func otherResults(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for (title, pages) in [("a", 1), ("b", 1), ("c", 2)] { context.new("Book", ["title": title, "pages": pages]) }
      try context.save()
      let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
      rows.resultType = .dictionaryResultType
      rows.propertiesToFetch = ["title", "pages"]
      rows.sortDescriptors = [
        NSSortDescriptor(key: "pages", ascending: true), NSSortDescriptor(key: "title", ascending: false),
      ]
      let controller = NSFetchedResultsController(
        fetchRequest: rows, managedObjectContext: context, sectionNameKeyPath: "pages", cacheName: nil)
      let counter = Counter()
      controller.delegate = counter
      try controller.performFetch()
      #expect(controller.fetchedObjects?.map { $0["title"] as? String } == ["b", "a", "c"])
      #expect(controller.sections?.map(\.name) == ["1", "2"] && controller.sectionIndexTitles == ["1", "2"])
      #expect(controller.sections?.map(\.numberOfObjects) == [2, 1])
      #expect((controller.sections?[1].objects?[0] as? NSDictionary)?["title"] as? String == "c")
      let second = controller.object(at: IndexPath(item: 1, section: 0))
      #expect(second["title"] as? String == "a")
      #expect(controller.indexPath(forObject: second) == IndexPath(item: 1, section: 0))
      #expect(controller.indexPath(forObject: ["title": "x"]) == nil)
      context.new("Book", ["title": "d", "pages": 3])
      try context.save()
      #expect(counter.count == 0 && controller.fetchedObjects?.count == 3)
      try controller.performFetch()
      #expect(controller.fetchedObjects?.count == 4)
      rows.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      rows.predicate = NSPredicate(format: "title != 'b'")
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["1", "2", "3"])

      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
      ids.resultType = .managedObjectIDResultType
      ids.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      let list = NSFetchedResultsController(
        fetchRequest: ids, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
      try list.performFetch()
      let titles = list.fetchedObjects?.map { context.object(with: $0).string("title") }
      #expect(titles == ["a", "b", "c", "d"] && list.sections?.count == 1)

      let count = NSFetchRequest<NSNumber>(entityName: "Book")
      count.resultType = .countResultType
      count.sortDescriptors = []
      let total = NSFetchedResultsController(
        fetchRequest: count, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
      try total.performFetch()
      #expect(total.fetchedObjects == [4])
    }
  }

  private final class Kinds: NSObject, NSFetchedResultsControllerDelegate {
    var kinds: [NSFetchedResultsChangeType] = []
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
      kinds.append(type)
    }
  }

  @Test(
    "An object whose sort key changed in the event is told as moved, whatever its class says of its changes",
    arguments: [LetteredWord.self, SilentWord.self] as [NSManagedObject.Type])
  func placedAnew(_ type: NSManagedObject.Type) throws {
    try withStack(.inMemory, dictionary(of: type)) { _, context in
      let words = ["a", "z"].map { context.new("Word", ["name": $0]) }
      try context.save()
      let controller = list(context, request("Word", by: "name"))
      let delegate = Kinds()
      controller.delegate = delegate
      try controller.performFetch()
      #expect(controller.fetchedObjects == words)
      words[0].setValue("ant", forKey: "name")
      context.processPendingChanges()
      #expect(delegate.kinds == [.move])
    }
  }

  @Test("A controller without a request lists nothing; a subclass shows its own list, and delegates are told of either")
  func withoutRequest() throws {
    final class OwnList: NSFetchedResultsController<NSManagedObject> {
      let objects: [NSManagedObject]
      init(_ objects: [NSManagedObject]) {
        self.objects = objects
        super.init()
      }
      override var fetchedObjects: [NSManagedObject]? { objects }
    }
    let empty = NSFetchedResultsController<any NSFetchRequestResult>()
    #expect(empty.fetchedObjects == nil && empty.sections == nil && empty.sectionIndexTitles.isEmpty)
    #expect(empty.fetchRequest.entityName == nil && empty.sectionNameKeyPath == nil && empty.cacheName == nil)
    #expect(throws: (any Error).self) { try empty.performFetch() }
    let counter = Counter()
    empty.delegate = counter
    counter.controllerDidChangeContent(empty)
    #expect(counter.count == 1)
    try withStack(.inMemory) { _, context in
      let book = context.new("Book", ["title": "Solaris"])
      let list = OwnList([book])
      list.delegate = counter
      #expect(list.fetchedObjects == [book])
    }
  }

  @Test("A controller of objects of a class can be cast to one of any results, and to no other")
  func casts() throws {
    try withStack(.inMemory, dictionary()) { _, context in
      let request = NSFetchRequest<LetteredWord>(entityName: "Word")
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      let words = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
      let word = context.new("Word", ["name": "ant"])
      context.processPendingChanges()
      try words.performFetch()
      let list: AnyObject = words
      let untyped = try #require(list as? NSFetchedResultsController<any NSFetchRequestResult>)
      let objects = try #require(list as? NSFetchedResultsController<NSManagedObject>)
      #expect(untyped === words && objects.fetchedObjects == [word] && untyped.fetchedObjects?.count == 1)
      let counter = Counter()
      untyped.delegate = counter
      context.new("Word", ["name": "bee"])
      context.processPendingChanges()
      #expect(counter.count == 1 && words.fetchedObjects?.count == 2)
      #expect(!(list is NSFetchedResultsController<SilentWord>) && !(list is NSFetchedResultsController<NSDictionary>))
      let own: AnyObject = Shouting()
      #expect(own is NSFetchedResultsController<any NSFetchRequestResult>)
      #expect(!(own is NSFetchedResultsController<LetteredWord>))
      let none: AnyObject = NSFetchedResultsController<any NSFetchRequestResult>()
      #expect(!(none is NSFetchedResultsController<NSManagedObject>))
    }
  }

  @Test("Sorting by a transient attribute is an error of the SQLite store that names it")
  func transientOrder() throws {
    try withStack(.sqlite, dictionary()) { _, context in
      let error = failure { try list(context, request("Word", by: "length")).performFetch() }
      #expect(error?.localizedDescription.contains("length") == true)
    }
  }

  @Test(
    "Sections by a computed property: what the class answers in value(forKey:)", arguments: StoreKind.allCases
  )
  func computed(_ kind: StoreKind) throws {
    try withStack(kind, dictionary()) { _, context in
      for name in ["Ant", "Ape", "Bee"] { context.new("Word", ["name": name]) }
      try context.save()
      let controller = list(context, request("Word", by: "name"), sections: "letter")
      let counter = Counter()
      controller.delegate = counter
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["A", "B"])
      controller.fetchedObjects?[0].setValue("Cat", forKey: "name")
      context.processPendingChanges()
      #expect(controller.sections?.map(\.name) == ["A", "B", "C"] && counter.count == 1)
    }
  }

  @Test(
    "Controllers of different requests are all told of one event, each of what concerns it",
    arguments: StoreKind.allCases)
  func several(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let requests = [
        request("Book", by: "title"), request("Author", by: "name"), request("Novel", by: "title"),
        request("Book", by: "title", predicate: NSPredicate(format: "author.name == 'Kafka'")),
        request("Tag", by: "name"),
      ]
      let controllers = requests.map { list(context, $0) }
      let counters = controllers.map { _ in Counter() }
      for (controller, counter) in zip(controllers, counters) {
        controller.delegate = counter
        try controller.performFetch()
      }
      let kafka = context.new("Author", ["name": "Kafka"])
      context.new("Novel", ["title": "Amerika", "author": kafka])
      try context.save()
      #expect(counters.map(\.count) == [1, 1, 1, 1, 0])
      #expect(controllers.map { $0.fetchedObjects!.count } == [1, 1, 1, 1, 0])
    }
  }

  @Test("A list of a kind of book is told of this kind alone", arguments: StoreKind.allCases)
  func subentity(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let novels = list(context, request("Novel", by: "genre", "title"), sections: "genre")
      let counter = Counter()
      novels.delegate = counter
      try novels.performFetch()
      context.new("Book", ["title": "B"])
      context.processPendingChanges()
      #expect(counter.count == 0)
      context.new("Novel", ["title": "N", "genre": "crime"])
      context.processPendingChanges()
      #expect(counter.count == 1 && novels.sections?.map(\.name) == ["crime"])
    }
  }

  @Test(
    "Predicates over to-many relationships, and subqueries, are evaluated for what changed",
    arguments: StoreKind.allCases)
  func toMany(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let tag = context.new("Tag", ["name": "new"])
      let book = context.new("Book", ["title": "A"])
      let chapter = context.new("Chapter", ["title": "Alpha"])
      try context.save()
      let tagged = list(
        context, request("Book", by: "title", predicate: NSPredicate(format: "ANY tags.name == 'new'")))
      let long = list(
        context,
        request(
          "Book", by: "title",
          predicate: NSPredicate(format: "SUBQUERY(chapters, $c, $c.title BEGINSWITH 'A').@count > 0")))
      let counters = [Counter(), Counter()]
      for (controller, counter) in zip([tagged, long], counters) {
        controller.delegate = counter
        try controller.performFetch()
      }
      #expect(tagged.fetchedObjects == [] && long.fetchedObjects == [])
      book["tags"] = NSSet(object: tag)
      context.processPendingChanges()
      #expect(tagged.fetchedObjects == [book] && long.fetchedObjects == [])
      chapter["book"] = book
      context.processPendingChanges()
      #expect(long.fetchedObjects == [book])
      tag["name"] = "old"
      context.processPendingChanges()
      #expect(tagged.fetchedObjects == [book], "Only a related object changed.")
      book["isbn"] = "1"
      context.processPendingChanges()
      #expect(tagged.fetchedObjects == [] && counters.map(\.count) == [3, 2])
    }
  }

  @Test(
    "The first fetch keeps to the batch size: rows are read when objects are used",
    arguments: StoreKind.allCases)
  func batches(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for index in 0..<6 { context.new("Book", ["title": "\(index)"]) }
      try context.save()
      context.reset()
      let all = request("Book", by: "title")
      all.fetchBatchSize = 2
      let controller = list(context, all)
      let counter = Counter()
      controller.delegate = counter
      try controller.performFetch()
      let objects = controller.fetchedObjects!
      #expect(objects.count == 6 && objects.allSatisfy { $0.isFault && $0.row == nil })
      objects[3]["title"] = "9"
      context.processPendingChanges()
      #expect(
        counter.count == 1 && controller.indexPath(forObject: objects[3]) == IndexPath(item: 5, section: 0))
      #expect(objects[0].isFault)
    }
  }

  @Test(
    "A controller of a child context follows the child; its parent's follows when the child saves",
    arguments: StoreKind.allCases)
  func child(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let above = try stack.context.performAndWait {
      stack.context.new("Book", ["title": "A"])
      try stack.context.save()
      return try ListScreen(stack.context)
    }
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = stack.context
    try child.performAndWait {
      let below = try ListScreen(child)
      child.new("Book", ["title": "B"])
      child.processPendingChanges()
      #expect(below.text == "A B")
      stack.context.performAndWait { #expect(above.text == "A") }
      try child.save()
      #expect(below.text == "A B" && below.told == ["will", "insert B - 0.1", "did"])
    }
    stack.context.performAndWait {
      stack.context.processPendingChanges()
      #expect(above.text == "A B")
    }
  }

  @Test("On the main queue", arguments: StoreKind.allCases)
  @MainActor func mainQueue(_ kind: StoreKind) async throws {
    let stack = try Stack(kind)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = stack.coordinator
    let screen = try ListScreen(context)
    context.new("Book", ["title": "A"])
    #expect(screen.told == [])
    await withCheckedContinuation { next in DispatchQueue.main.async { next.resume() } }
    #expect(screen.text == "A")
  }

  @Test("On the main queue a refresh is told at the end of the event", arguments: StoreKind.allCases, ["one", "all"])
  @MainActor func mainQueueRefresh(_ kind: StoreKind, _ way: String) async throws {
    let stack = try Stack(kind)
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = stack.coordinator
    let books = ["A", "B"].map { context.new("Book", ["title": $0]) }
    try context.save()
    let screen = try ListScreen(context)
    books.forEach { $0.read() }
    try stack.elsewhere { other in
      other.same(books[0])["title"] = "C"
      try other.save()
    }
    // The event of the insertions is over.
    await withCheckedContinuation { next in DispatchQueue.main.async { next.resume() } }
    if way == "one" { context.refresh(books[0], mergeChanges: true) } else { context.refreshAllObjects() }
    await withCheckedContinuation { next in DispatchQueue.main.async { next.resume() } }
    #expect(screen.text == "B C")
  }

  @Test("A context that merges saves by itself tells its lists of them", arguments: StoreKind.allCases)
  func automaticMerging(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let context = stack.context
    context.automaticallyMergesChangesFromParent = true
    let screen = try context.performAndWait {
      for title in ["A", "C"] { context.new("Book", ["title": title]) }
      try context.save()
      let screen = try ListScreen(context)
      screen.shown[0].objects.forEach { $0.read() }
      return screen
    }
    try stack.elsewhere { other in
      let books = try other.all("Book")
      books.first { $0.string("title") == "A" }?["title"] = "D"
      other.new("Book", ["title": "B"])
      try other.save()
    }
    context.performAndWait {
      context.processPendingChanges()
      #expect(screen.text == "B C D")
    }
  }

  @Test("A batch delete shows when its ids are merged")
  func batchDelete() throws {
    try withStack(.sqlite) { _, context in
      for title in ["A", "B", "C"] { context.new("Book", ["title": title]) }
      try context.save()
      let screen = try ListScreen(context)
      let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      fetch.predicate = NSPredicate(format: "title != 'B'")
      let delete = NSBatchDeleteRequest(fetchRequest: fetch)
      delete.resultType = .resultTypeObjectIDs
      let result = try context.execute(delete) as? NSBatchDeleteResult
      #expect(screen.told == [])
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: result?.result as! [NSManagedObjectID]], into: [context])
      context.processPendingChanges()
      #expect(screen.text == "B")
    }
  }

  @Test(
    "A delegate that is set after the fetch is told from then on; without one nothing is told",
    arguments: StoreKind.allCases)
  func delegates(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let controller = list(context, request("Book", by: "title"))
      try controller.performFetch()
      let counter = Counter()
      controller.delegate = counter
      context.new("Book")
      context.processPendingChanges()
      #expect(counter.count == 1 && controller.fetchedObjects?.count == 1)
      controller.delegate = nil
      context.new("Book")
      context.processPendingChanges()
      #expect(counter.count == 1 && controller.fetchedObjects?.count == 1)
    }
  }

  @Test("A subclass may give index titles, and override what it likes", arguments: StoreKind.allCases)
  func subclass(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      context.new("Book", ["title": "ab"])
      let controller = Shouting(
        fetchRequest: request("Book", by: "title"), managedObjectContext: context,
        sectionNameKeyPath: "title",
        cacheName: nil)
      let counter = Counter()
      controller.delegate = counter
      try controller.performFetch()
      #expect(controller.sectionIndexTitles == ["AB!"] && controller.fetches == 1)
      #expect(controller.section(forSectionIndexTitle: "AB!", at: 0) == 0)
    }
  }

  @Test("A generic wrapper hands on the objects of each change", arguments: StoreKind.allCases)
  func wrapper(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      var received: [[String]] = []
      let values = try Values(request("Tag", by: "name"), context) { tags in
        received.append(tags.map { $0.string("name")! })
      }
      for name in ["b", "a"] {
        context.new("Tag", ["name": name])
        context.processPendingChanges()
      }
      #expect(received == [[], ["b"], ["a", "b"]])
      withExtendedLifetime(values) {}
    }
  }

  @Test("When the store is removed nothing is told", arguments: StoreKind.allCases)
  func storeRemoval(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      context.new("Book", ["title": "A"])
      try context.save()
      let screen = try ListScreen(context)
      try stack.coordinator.remove(stack.store)
      context.processPendingChanges()
      #expect(screen.told == [])
    }
  }

  @Test("A list with an aggregate over all rows has what a fetch finds", arguments: StoreKind.allCases)
  func aggregateOfRows(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try stack.context.performAndWait {
      for (title, pages) in [("a", 1), ("b", 2), ("c", 2)] {
        stack.context.new("Book", ["title": title, "pages": pages])
      }
      try stack.context.save()
      let screen = try ListScreen(stack.context, predicate: NSPredicate(format: "pages == max(pages)"))
      func titles() -> [String?]? { screen.controller.fetchedObjects?.map { $0.string("title") } }
      #expect(titles() == ["b", "c"])
      let new = stack.context.new("Book", ["title": "d", "pages": 3])
      stack.context.processPendingChanges()
      #expect(titles() == ["d"])
      try stack.context.save()
      stack.context.delete(new)
      try stack.context.save()
      #expect(titles() == ["b", "c"])
    }
  }
}
