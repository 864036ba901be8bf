import Foundation
import Testing

@testable import CoreData

@Suite("Asynchronous fetches")
struct AsynchronousFetchTests {
  /// Executes a request and waits for its completion, which may come while this thread waits.
  private func completion<R: NSFetchRequestResult>(
    _ stack: Stack, _ fetch: NSFetchRequest<R>, in context: NSManagedObjectContext? = nil,
    estimate: Int = 0, started: (NSAsynchronousFetchResult<R>) -> Void = { _ in }
  ) throws -> NSAsynchronousFetchResult<R> {
    let context = context ?? stack.context
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var calls: [NSAsynchronousFetchResult<R>] = []
    // The results keep their request, and its block keeps the list.
    defer { calls = [] }
    nonisolated(unsafe) var wasOnQueue = false
    let request = NSAsynchronousFetchRequest(fetchRequest: fetch) { result in
      calls.append(result)
      wasOnQueue = QueueOwnership.isOwned(context.owner)
      done.signal()
    }
    request.estimatedResultCount = estimate
    let result = try context.performAndWait {
      let result = try #require(try context.execute(request) as? NSAsynchronousFetchResult<R>)
      #expect(result.finalResult == nil && result.operationError == nil, "It is returned at once.")
      #expect(result.managedObjectContext === context && result.fetchRequest === request)
      started(result)
      return result
    }
    #expect(done.wait(timeout: .now() + 60) == .success)
    context.performAndWait {}
    #expect(calls.count == 1 && calls.first === result, "Completion is called once, with the result.")
    #expect(wasOnQueue, "Completion is called on the context's queue.")
    return result
  }

  private func titles(_ stack: Stack, _ result: NSAsynchronousFetchResult<NSManagedObject>) -> [String]? {
    stack.context.performAndWait { result.finalResult?.map { $0.string("title") ?? "?" } }
  }

  private func books(_ format: String? = nil) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return request
  }

  private func fill(_ stack: Stack, _ titles: [String]) throws {
    try stack.context.performAndWait {
      for (number, title) in titles.enumerated() { stack.context.new("Book", ["title": title, "pages": number]) }
      try stack.context.save()
      stack.context.reset()
    }
  }

  @Test("A fetch for the greatest value counts what was set before the rows arrive", arguments: StoreKind.allCases)
  func greatest(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["a", "b"])
    let result = try completion(stack, books("pages == max(pages)")) { _ in
      stack.context.new("Book", ["title": "c", "pages": 9])
    }
    #expect(result.operationError == nil)
    #expect(titles(stack, result) == ["c"])
  }

  @Test("Rows that a save of the context has overtaken are read anew", arguments: StoreKind.allCases)
  func overtaken(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["old"])
    let book = try stack.context.performAndWait { try stack.context.only("Book") }
    let request = books()
    request.shouldRefreshRefetchedObjects = true
    let result = try completion(stack, request) { _ in
      // By then the rows are read.
      usleep(50_000)
      book["title"] = "new"
      #expect(failure { try stack.context.save() } == nil)
    }
    try stack.context.performAndWait {
      #expect(result.finalResult == [book] && book.string("title") == "new")
      book["pages"] = 7
      try stack.context.save()
    }
  }

  @Test("An asynchronous request can be cast to one for any results, and to no other")
  func casts() {
    let request: AnyObject = NSAsynchronousFetchRequest(fetchRequest: books())
    #expect(request is NSAsynchronousFetchRequest<NSManagedObject>)
    #expect(request is NSAsynchronousFetchRequest<any NSFetchRequestResult>)
    #expect(!(request is NSAsynchronousFetchRequest<NSDictionary>))
  }

  @Test("An asynchronous request for objects of a class, and its result, can be cast to those for any objects")
  func castsOfClasses() throws {
    let fetch = NSFetchRequest<LetteredWord>(entityName: "Word")
    let request = NSAsynchronousFetchRequest(fetchRequest: fetch) as NSPersistentStoreRequest
    #expect(request is NSAsynchronousFetchRequest<LetteredWord>)
    let objects = try #require(request as? NSAsynchronousFetchRequest<NSManagedObject>)
    #expect(objects.fetchRequest === fetch)
    #expect(request is NSAsynchronousFetchRequest<any NSFetchRequestResult>)
    #expect(!(request is NSAsynchronousFetchRequest<SilentWord>))
    let dictionaries: AnyObject = NSAsynchronousFetchRequest(fetchRequest: NSFetchRequest<NSDictionary>())
    #expect(!(dictionaries is NSAsynchronousFetchRequest<NSManagedObject>))

    try withStack(.inMemory, model([entity("Word", [attribute("name")], class: LetteredWord.self)])) { _, context in
      let word = context.new("Word", ["name": "ant"])
      let result = try context.execute(fetch)
      #expect(result is NSAsynchronousFetchResult<LetteredWord>)
      let objects = try #require(result as? NSAsynchronousFetchResult<NSManagedObject>)
      #expect(objects.finalResult == [word])
      #expect(result is NSAsynchronousFetchResult<any NSFetchRequestResult>)
      #expect(!(result is NSAsynchronousFetchResult<SilentWord>))
    }
  }

  @Test("An ordinary fetch that a context executes is complete when it returns", arguments: StoreKind.allCases)
  func ordinaryFetch(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["Solaris", "Fiasco"])
    try stack.context.performAndWait {
      stack.context.new("Book", ["title": "Eden"])
      let result = try stack.context.execute(books("title != 'Fiasco'"))
      let fetched = try #require(result as? NSAsynchronousFetchResult<NSManagedObject>)
      #expect(fetched.finalResult?.map { $0.string("title") } == ["Eden", "Solaris"])
      #expect(fetched.operationError == nil && fetched.managedObjectContext === stack.context)
      #expect(fetched.progress?.isFinished == true)
      let erased = try #require(result as? NSAsynchronousFetchResult<any NSFetchRequestResult>)
      #expect(erased.finalResult?.count == 2)
      #expect(throws: CocoaError.self) { try stack.context.execute(books("nope == 1")) }

      let titles = NSFetchRequest<NSDictionary>(entityName: "Book")
      titles.resultType = .dictionaryResultType
      titles.propertiesToFetch = ["title"]
      titles.includesPendingChanges = false
      let rows = try #require(try stack.context.execute(titles) as? NSAsynchronousFetchResult<NSDictionary>)
      #expect(rows.finalResult?.count == 2)
    }
  }

  @Test(
    "The result comes later, on the context's queue, with all of the request's settings", arguments: StoreKind.allCases)
  func objects(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["C", "A", "B", "D"])
    let request = books("pages < 3")
    request.fetchLimit = 2
    request.fetchOffset = 1
    request.returnsObjectsAsFaults = false
    let result = try completion(stack, request)
    #expect(titles(stack, result) == ["B", "C"])
    #expect(result.operationError == nil)
    stack.context.performAndWait { #expect(result.finalResult?.contains { $0.isFault } == false) }
  }

  @Test("Ids, counts, dictionaries and batches are results as well", arguments: StoreKind.allCases)
  func resultTypes(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["C", "A", "B"])
    let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
    ids.resultType = .managedObjectIDResultType
    #expect(try completion(stack, ids).finalResult?.count == 3)
    let count = NSFetchRequest<NSNumber>(entityName: "Book")
    count.resultType = .countResultType
    #expect(try completion(stack, count).finalResult?.map(\.intValue) == [3])
    let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Book")
    dictionaries.resultType = .dictionaryResultType
    dictionaries.propertiesToFetch = ["title"]
    dictionaries.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
    #expect(try completion(stack, dictionaries).finalResult?.map { $0["title"] as? String } == ["C", "B", "A"])
    let batched = books()
    batched.fetchBatchSize = 2
    #expect(titles(stack, try completion(stack, batched)) == ["A", "B", "C"])
  }

  @Test("Where objects are expected and the resultType asks for ids, the objects come", arguments: StoreKind.allCases)
  func idsOfObjects(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["B", "A"])
    let request = books()
    request.resultType = .managedObjectIDResultType
    #expect(titles(stack, try completion(stack, request)) == ["A", "B"])
  }

  @Test(
    "A request for objects that was cast to one for any results has those of its resultType",
    arguments: StoreKind.allCases)
  func castRequests(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["A", "B"])
    let cast = try #require((books() as AnyObject) as? NSFetchRequest<any NSFetchRequestResult>)
    func results(_ type: NSFetchRequestResultType) throws -> [any NSFetchRequestResult]? {
      cast.resultType = type
      let done = DispatchSemaphore(value: 0)
      let request = NSAsynchronousFetchRequest<any NSFetchRequestResult>(fetchRequest: cast) { _ in done.signal() }
      let result = try stack.context.performAndWait {
        try stack.context.execute(request) as? NSAsynchronousFetchResult<any NSFetchRequestResult>
      }
      #expect(done.wait(timeout: .now() + 60) == .success)
      return stack.context.performAndWait { result?.finalResult }
    }
    let objects = try results(.managedObjectResultType) as? [NSManagedObject]
    #expect(objects?.count == 2)
    let ids = try results(.managedObjectIDResultType) as? [NSManagedObjectID]
    #expect(ids?.count == 2)
    let counts = try results(.countResultType) as? [NSNumber]
    #expect(counts?.map(\.intValue) == [2])
    let rows = try results(.dictionaryResultType) as? [NSDictionary]
    #expect(rows?.map { $0["title"] as? String } == ["A", "B"])
  }

  @Test("Unsaved changes take part, those made while it runs as well", arguments: StoreKind.allCases)
  func pendingChanges(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["A", "B"])
    stack.context.performAndWait { _ = stack.context.new("Book", ["title": "Before"]) }
    let result = try completion(stack, books()) { _ in stack.context.new("Book", ["title": "During"]) }
    #expect(titles(stack, result) == ["A", "B", "Before", "During"])
    let stored = books()
    stored.includesPendingChanges = false
    #expect(titles(stack, try completion(stack, stored)) == ["A", "B"])
  }

  @Test("A child context gets what its parent has", arguments: StoreKind.allCases)
  func child(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["A"])
    stack.context.performAndWait { _ = stack.context.new("Book", ["title": "Parent's"]) }
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = stack.context
    let result = try completion(stack, books(), in: child)
    #expect(child.performAndWait { result.finalResult?.map { $0.string("title") } } == ["A", "Parent's"])
    #expect(child.performAndWait { result.finalResult?.allSatisfy { $0.managedObjectContext === child } } == true)
  }

  @Test("A request that is changed after it was executed finds what it asked for then", arguments: StoreKind.allCases)
  func copied(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["A", "B"])
    let request = books("title == 'A'")
    let result = try completion(stack, request) { _ in request.predicate = nil }
    #expect(titles(stack, result) == ["A"])
  }

  @Test("A fetch that is done is freed with its result and its progress")
  func lifetime() throws {
    let stack = try Stack(.sqlite)
    try fill(stack, ["A"])
    weak var result: NSAsynchronousFetchResult<NSManagedObject>?
    weak var progress: Progress?
    func fetch() throws {
      let made = try completion(stack, books())
      (result, progress) = (made, made.progress)
    }
    try fetch()
    // The thread that has read may be about to end.
    for _ in 0..<500 where progress != nil { usleep(10_000) }
    #expect(result == nil && progress == nil)
  }

  @Test("What is wrong with the request is thrown at once; what goes wrong later is the result's error")
  func errors() throws {
    let stack = try Stack(.sqlite)
    try fill(stack, ["A"])
    let error = failure {
      try stack.context.performAndWait {
        _ = try stack.context.execute(NSAsynchronousFetchRequest(fetchRequest: books("nope == 1")))
      }
    }
    #expect(error?.localizedDescription.contains("keypath nope not found in entity Book") == true)
    // The SQLite store refuses ALL when it is asked.
    let result = try completion(stack, books("ALL tags.name == 'x'"))
    #expect(result.finalResult == nil)
    #expect(result.operationError?.localizedDescription.contains("ALL") == true)
  }

  @Test(
    "A cancelled fetch completes without objects, with the error of a user's cancellation",
    arguments: StoreKind.allCases)
  func cancelled(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["A", "B"])
    let result = try completion(stack, books()) { $0.cancel() }
    #expect(result.finalResult == nil)
    #expect((result.operationError as? CocoaError)?.code == .userCancelled)
    #expect(result.progress?.isCancelled == true)
    #expect(titles(stack, try completion(stack, books())) == ["A", "B"], "The store goes on working.")
  }

  @Test("Cancelling stops SQLite in the middle of a statement that would take minutes")
  func interrupted() throws {
    let stack = try Stack(.sqlite)
    try stack.context.performAndWait {
      let tags = (0..<100).map { stack.context.new("Tag", ["name": "\($0)"]) }
      for number in 0..<100 {
        stack.context.new("Book", ["title": "\(number)", "isbn": "none", "tags": NSSet(array: tags)])
      }
      try stack.context.save()
      stack.context.reset()
    }
    // Every book with every tag with every book with every tag with every book.
    let endless = books(
      """
      SUBQUERY(tags, $a, SUBQUERY($a.books, $b, SUBQUERY($b.tags, $c, SUBQUERY($c.books, $d, $d.isbn == title)\
      .@count > 0).@count > 0).@count > 0).@count > 0
      """)
    let result = try completion(stack, endless) { running in
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { running.cancel() }
    }
    #expect((result.operationError as? CocoaError)?.code == .userCancelled)
  }

  @Test(
    "The progress counts rows, ends at the number of objects, and is a part of the current one",
    arguments: StoreKind.allCases)
  func progress(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, (0..<3000).map(String.init))
    let parent = Progress(totalUnitCount: 10)
    parent.becomeCurrent(withPendingUnitCount: 10)
    let result = try completion(stack, books(), estimate: 4000) { running in
      parent.resignCurrent()
      #expect(running.progress?.totalUnitCount == 4000)
      #expect(running.progress?.isCancellable == true)
    }
    #expect(result.progress?.completedUnitCount == 3000)
    #expect(result.progress?.totalUnitCount == 3000)
    #expect(result.progress?.isFinished == true)
    #expect(parent.fractionCompleted == 1)
    let unknown = try completion(stack, books("title == 'none'")) { running in
      #expect(running.progress?.isIndeterminate == true)
    }
    #expect(unknown.finalResult?.isEmpty == true && unknown.progress?.isFinished == true)
  }

  @Test(
    "A watched fetch is told of rows while it runs, and stopped when it is called off", arguments: StoreKind.allCases)
  func watched(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, (0..<5000).map(String.init))
    let told = Told()
    let watch = FetchWatch { told.note($0) }
    var description = try FetchDescription(books("pages >= 0"), stack.context.owner.layouts)
    description.watch = watch
    #expect(try stack.coordinator.answers(to: description, for: stack.context, stores: nil, nil).count == 1)
    let counts = told.counts
    #expect(counts.count > 1 && counts == counts.sorted() && counts.last! <= 5000, "\(counts)")
    let stopping = FetchWatch()
    stopping.cancel()
    description.watch = stopping
    let error = failure { _ = try stack.coordinator.answers(to: description, for: stack.context, stores: nil, nil) }
    #expect(error?.code == CocoaError.Code.userCancelled.rawValue)
  }

  @Test("The context lives until completion", arguments: StoreKind.allCases)
  func lifetime(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["A"])
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var count: Int?
    do {
      let context = stack.newContext()
      let request = NSAsynchronousFetchRequest(fetchRequest: books()) { result in
        count = result.finalResult?.count
        done.signal()
      }
      _ = try context.performAndWait { try context.execute(request) }
    }
    #expect(done.wait(timeout: .now() + 60) == .success)
    #expect(count == 1)
  }

  @Test("A copy has fetch request, completion and estimate")
  func copies() {
    let request = NSAsynchronousFetchRequest(fetchRequest: books("pages > 3")) { _ in }
    request.estimatedResultCount = 7
    let copy = request.copy() as! NSAsynchronousFetchRequest<NSManagedObject>
    #expect(copy.fetchRequest !== request.fetchRequest)
    #expect(copy.fetchRequest.predicate?.predicateFormat == "pages > 3")
    #expect(copy.estimatedResultCount == 7 && copy.completionBlock != nil)
    #expect(request.requestType == .fetchRequestType)
  }

  @Test("shouldRefreshRefetchedObjects counts with a batch size as well", arguments: StoreKind.allCases)
  func refreshing(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    try fill(stack, ["old"])
    let known = try stack.context.performAndWait {
      let book = try stack.context.fetch(books())[0]
      #expect(book.string("title") == "old")
      return book
    }
    try stack.elsewhere { other in
      try other.fetch(books())[0]["title"] = "new"
      try other.save()
    }
    let request = books()
    request.fetchBatchSize = 20
    request.shouldRefreshRefetchedObjects = true
    #expect(try titles(stack, completion(stack, request)) == ["new"])
    #expect(stack.context.performAndWait { known.string("title") } == "new")
  }
}

/// What a watch was told, on any thread.
private final class Told: @unchecked Sendable {
  // `@unchecked Sendable`: `all` is only touched under `lock`.
  private let lock = NSLock()
  private var all: [Int] = []

  func note(_ count: Int) { lock.withLock { all.append(count) } }

  var counts: [Int] { lock.withLock { all } }
}
