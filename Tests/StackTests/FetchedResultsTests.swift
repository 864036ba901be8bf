import CoreData
import Testing

/// What a fetched results controller has after a fetch.
@Suite("Fetched results controllers")
struct FetchedResultsTests {
  private func request(_ keys: String...) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = keys.map { NSSortDescriptor(key: $0, ascending: true) }
    return request
  }

  private func list(
    _ context: NSManagedObjectContext, _ request: NSFetchRequest<NSManagedObject>, sections: String? = nil
  ) -> NSFetchedResultsController<NSManagedObject> {
    NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil)
  }

  private func fill(_ context: NSManagedObjectContext) throws {
    for (title, pages) in [("Emma", 2), ("Amok", 1), ("Dune", 2), ("Bones", 10)] {
      context.new("Book", ["title": title, "pages": pages])
    }
    try context.save()
    context.new("Novel", ["title": "Crash", "pages": 1])
  }

  @Test("Before the first fetch there is nothing", arguments: StoreKind.allCases)
  func beforeFetch(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book")
      let controller = list(context, request("title"))
      #expect(controller.fetchedObjects == nil && controller.sections == nil)
      #expect(controller.sectionIndexTitles == [] && controller.indexPath(forObject: book) == nil)
      #expect(controller.cacheName == nil && controller.managedObjectContext === context)
    }
  }

  @Test("A list without section names is one section, even when it is empty", arguments: StoreKind.allCases)
  func oneSection(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let controller = list(context, request("title"))
      try controller.performFetch()
      #expect(controller.sections?.count == 1 && controller.sections?[0].numberOfObjects == 0)
      #expect(controller.fetchedObjects == [])
      try fill(context)
      try controller.performFetch()
      #expect(
        controller.fetchedObjects?.map { $0.string("title") } == ["Amok", "Bones", "Crash", "Dune", "Emma"])
      #expect(controller.sections?.count == 1 && controller.sections?[0].name == "")
      #expect(controller.object(at: IndexPath(row: 3, section: 0)).string("title") == "Dune")
      let first = controller.object(at: IndexPath(item: 0, section: 0))
      #expect(controller.indexPath(forObject: first) == IndexPath(item: 0, section: 0))
    }
  }

  @Test("Sections are cut where the value of the key path changes", arguments: StoreKind.allCases)
  func sections(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try fill(context)
      let controller = list(context, request("pages", "title"), sections: "pages")
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["1", "2", "10"])
      #expect(controller.sections?.map(\.numberOfObjects) == [2, 2, 1])
      let titles = controller.sections?.map { ($0.objects as! [NSManagedObject]).map { $0.string("title")! } }
      #expect(titles == [["Amok", "Crash"], ["Dune", "Emma"], ["Bones"]])
      let emma = try #require(controller.fetchedObjects?.first { $0.string("title") == "Emma" })
      #expect(controller.indexPath(forObject: emma) == IndexPath(item: 1, section: 1))
      #expect(controller.object(at: IndexPath(item: 1, section: 1)) === emma)
    }
  }

  @Test("A section's name goes over relationships; nil is the empty name", arguments: StoreKind.allCases)
  func relatedNames(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author", ["name": "Kafka"])
      context.new("Book", ["title": "The Trial", "author": author])
      context.new("Book", ["title": "Beowulf"])
      let controller = list(context, request("author.name", "title"), sections: "author.name")
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["", "Kafka"])
    }
  }

  @Test(
    "An order that scatters a section is an error that names the object and the keys",
    arguments: StoreKind.allCases)
  func scattered(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try fill(context)
      let controller = list(context, request("title"), sections: "pages")
      let error = failure { try controller.performFetch() }
      let words = try #require(error?.localizedDescription)
      #expect(words.contains("at index 2") && words.contains("\"1\""))
      #expect(words.contains("\"title\"") && words.contains("\"pages\""))
      #expect(controller.sections == nil)
    }
  }

  @Test("A request without order, or for other results, can't be fetched", arguments: StoreKind.allCases)
  func refused(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let controller = list(context, request("title"))
      controller.fetchRequest.sortDescriptors = nil
      #expect(
        failure { try controller.performFetch() }?.localizedDescription.contains("sort descriptors") == true)
      controller.fetchRequest.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      controller.fetchRequest.resultType = .managedObjectIDResultType
      #expect(failure { try controller.performFetch() }?.localizedDescription.contains("resultType") == true)
      func check<Result: NSFetchRequestResult>(_ result: Result.Type) {
        let request = NSFetchRequest<Result>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        let words = failure { try controller.performFetch() }?.localizedDescription ?? "no error"
        #expect(words.contains("set resultType") && controller.fetchedObjects == nil, "\(words)")
      }
      check(NSDictionary.self)
      check(NSManagedObjectID.self)
    }
  }

  @Test("Making a controller without sort descriptors is a misuse")
  func withoutOrder() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      _ = NSFetchedResultsController(
        fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book"),
        managedObjectContext: stack.context,
        sectionNameKeyPath: nil, cacheName: nil)
    }
    let words = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(words.contains("requires a fetch request with sort descriptors") && words.contains("Book"))
  }

  @Test("An index path that leads to nothing is a misuse that tells the counts")
  func wrongIndexPath() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      try stack.context.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let controller = NSFetchedResultsController(
          fetchRequest: request, managedObjectContext: stack.context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        _ = controller.object(at: IndexPath(item: 0, section: 0))
      }
    }
    let words = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(words.contains("no object at index path") && words.contains("[0]"))
  }

  @Test("Index titles are the first letters of the names, as capitals", arguments: StoreKind.allCases)
  func indexTitles(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for title in ["ape", "bee", "bug"] { context.new("Book", ["title": title]) }
      let controller = list(context, request("title"), sections: "title")
      try controller.performFetch()
      #expect(controller.sectionIndexTitles == ["A", "B", "B"])
      #expect(controller.sections?.map(\.indexTitle) == ["A", "B", "B"])
      #expect(controller.sectionIndexTitle(forSectionName: "zoo") == "Z")
      #expect(controller.section(forSectionIndexTitle: "B", at: 2) == 2)
      #expect(controller.section(forSectionIndexTitle: "B", at: 0) == 1)
    }
  }

  private final class Titles: NSObject, NSFetchedResultsControllerDelegate {
    func controller(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>,
      sectionIndexTitleForSectionName sectionName: String
    ) -> String? { "(\(sectionName))" }
  }

  @Test("The delegate may give other index titles", arguments: StoreKind.allCases)
  func delegateTitles(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try fill(context)
      let controller = list(context, request("pages"), sections: "pages")
      let titles = Titles()
      controller.delegate = titles
      try controller.performFetch()
      #expect(controller.sectionIndexTitles == ["(1)", "(2)", "(10)"])
    }
  }

  @Test(
    "A changed request counts from the next fetch on",
    arguments: StoreKind.allCases)
  func changedRequest(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try fill(context)
      let controller = list(context, request("title"))
      try controller.performFetch()
      controller.fetchRequest.predicate = NSPredicate(format: "pages > 1")
      #expect(controller.fetchedObjects?.count == 5)
      try controller.performFetch()
      #expect(controller.fetchedObjects?.count == 3)
    }
  }

  @Test("Without a delegate the list stays as it was fetched", arguments: StoreKind.allCases)
  func noTracking(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try fill(context)
      let controller = list(context, request("title"))
      try controller.performFetch()
      context.new("Book", ["title": "Faust"])
      context.processPendingChanges()
      #expect(controller.fetchedObjects?.count == 5)
      try controller.performFetch()
      #expect(controller.fetchedObjects?.count == 6)
    }
  }

  @Test("The controller keeps its context, nobody keeps the controller", arguments: StoreKind.allCases)
  func memory(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    weak var controller: NSFetchedResultsController<NSManagedObject>?
    weak var context: NSManagedObjectContext?
    weak var screen: ListScreen?
    do {
      let other = stack.newContext()
      context = other
      try other.performAndWait {
        var first: ListScreen? = try ListScreen(other)
        controller = first?.controller
        screen = first
        other.new("Book", ["title": "Emma"])
        other.processPendingChanges()
        #expect(first?.text == "Emma")
        first = nil
        #expect(screen == nil && controller == nil)
        other.new("Book")
        other.processPendingChanges()
      }
    }
    #expect(context == nil)
    var kept: NSFetchedResultsController<NSManagedObject>? = list(stack.newContext(), request("title"))
    context = kept?.managedObjectContext
    #expect(context != nil)
    kept = nil
    #expect(context == nil)
  }
}
