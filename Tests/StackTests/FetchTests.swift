import CoreData
import Testing

/// An object whose class makes requests.
final class Leaf: NSManagedObject {}

@Suite("Fetching")
struct FetchTests {
  static let kinds = StoreKind.allCases

  private func books(_ context: NSManagedObjectContext) throws {
    let authors = ["Kafka", "Woolf"].map { context.new("Author", ["name": $0]) }
    for (index, title) in ["Amerika", "The Castle", "The Trial", "Orlando", "The Waves", "Flush"].enumerated() {
      context.new(
        index == 3 ? "Novel" : "Book",
        [
          "title": title, "pages": 100 * (index % 4), "author": authors[index / 3],
          "isbn": index == 5 ? NSNull() : "\(index)",
        ])
    }
  }

  private func request(
    _ format: String? = nil, _ arguments: Any?..., sort: String? = nil, ascending: Bool = true
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    if let format {
      request.predicate = NSPredicate(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
    }
    if let sort { request.sortDescriptors = [NSSortDescriptor(key: sort, ascending: ascending)] }
    return request
  }

  private func titles(_ context: NSManagedObjectContext, _ request: NSFetchRequest<NSManagedObject>) throws
    -> [String]
  {
    try context.fetch(request).map { $0.string("title")! }
  }

  /// Runs a body on saved books, on the same ones as unsaved objects, and on half and half.
  private func withBooks(_ kind: StoreKind, _ body: (NSManagedObjectContext) throws -> Void) throws {
    for mode in 0..<3 {
      try withStack(kind) { _, context in
        try books(context)
        if mode == 0 || mode == 2 { try context.save() }
        if mode == 2 {
          for book in try context.all("Book") {
            let title = book.string("title")!
            book["title"] = "x"
            book["title"] = title
          }
        }
        try body(context)
      }
    }
  }

  @Test("An object is found at the end of a path over many and then one", arguments: StoreKind.allCases)
  func contained(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let authors = ["a", "b"].map { context.new("Author", ["name": $0]) }
      for author in authors {
        let book = context.new("Book", ["author": author])
        context.new("Tag", ["name": "of " + author.string("name")!, "books": Set([book])])
      }
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
      request.predicate = NSPredicate(format: "books.author CONTAINS %@", authors[1])
      #expect(try context.fetch(request).map { $0.string("name") } == ["of b"])
      request.predicate = NSPredicate(format: "NOT books.author CONTAINS %@", authors[1])
      #expect(try context.fetch(request).map { $0.string("name") } == ["of a"])
    }
  }

  @Test("One sort descriptor may sort objects of two entities on several threads")
  func sharedDescriptor() throws {
    let stack = try Stack(.inMemory)
    let names = (0..<50).map { String(format: "%02d", $0) }
    try stack.context.performAndWait {
      for name in names.shuffled() {
        stack.context.new("Author", ["name": name])
        stack.context.new("Tag", ["name": name])
      }
      try stack.context.save()
    }
    let descriptors = [NSSortDescriptor(key: "name", ascending: true)]
    nonisolated(unsafe) let shared = descriptors
    nonisolated(unsafe) var failures = 0
    let lock = NSLock()
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      let context = stack.newContext()
      let isSorted = context.performAndWait {
        guard let objects = try? context.all(number.isMultiple(of: 2) ? "Author" : "Tag") else { return false }
        return (0..<20).allSatisfy { _ in
          let sorted = NSArray(array: objects.shuffled()).sortedArray(using: shared)
          return sorted.map { ($0 as! NSManagedObject).string("name") } == names
        }
      }
      if !isSorted { lock.withLock { failures += 1 } }
    }
    #expect(failures == 0)
  }

  @Test("A request for distinct or grouped dictionaries is counted by what it finds", arguments: StoreKind.allCases)
  func countedDictionaries(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for title in ["a", "a", "b"] { context.new("Book", ["title": title]) }
      try context.save()
      let request = NSFetchRequest<NSDictionary>(entityName: "Book")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["title"]
      #expect(try context.count(for: request) == 3)
      request.returnsDistinctResults = true
      #expect(try context.count(for: request) == 2)
      request.fetchLimit = 1
      #expect(try context.count(for: request) == 1)
      (request.fetchLimit, request.returnsDistinctResults) = (0, false)
      request.propertiesToGroupBy = ["title"]
      #expect(try context.count(for: request) == 2)
    }
  }

  @Test(
    "A predicate may have an element of a list, and members of an object's relationship by a condition of their own",
    arguments: StoreKind.allCases)
  func partsOfConstants(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author", ["name": "Ann"])
      for (title, pages) in [("a", 1), ("b", 20), ("c", 30)] {
        context.new("Book", ["title": title, "pages": pages, "author": author])
      }
      context.new("Book", ["title": "d", "pages": 40])
      try context.save()
      func titles(_ format: String, _ arguments: [Any] = []) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
          .withSubstitutionVariables(["author": author])
        return try context.fetch(request).compactMap { $0.string("title") }.sorted()
      }
      #expect(try titles("title == %@[1]", [["c", "b"]]) == ["b"])
      #expect(try titles("title IN {%@[FIRST], %@[LAST]}", [["c", "b"], ["d", "a"]]) == ["a", "c"])
      #expect(try titles("author == %@[0].author", [[author.objects("books").first!]]) == ["a", "b", "c"])
      #expect(try titles("SELF IN SUBQUERY($author.books, $b, $b.pages > 10)") == ["b", "c"])
      #expect(try titles("pages > 25 AND SUBQUERY($author.books, $b, $b.pages > 10).@count == 2") == ["c", "d"])
      #expect(try titles("SUBQUERY($author.books, $b, $b.pages > 50).@count > 0") == [])
    }
  }

  @Test("A request made by name has its entity after a fetch, in each model that it is used with", arguments: kinds)
  func entityOfName(_ kind: StoreKind) throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    for _ in 0..<2 {
      try withStack(kind) { stack, context in
        _ = try context.fetch(request)
        #expect(request.entity === stack.model.entitiesByName["Book"] && request.entityName == "Book")
        let listed = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        listed.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        #expect(listed.entity == nil)
        let controller = NSFetchedResultsController(
          fetchRequest: listed, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        try controller.performFetch()
        #expect(controller.fetchRequest.entity === stack.model.entitiesByName["Tag"])
      }
    }
  }

  @Test("A uniqueness constraint without attributes is none", arguments: kinds)
  func emptyConstraint(_ kind: StoreKind) throws {
    let thing = entity("Thing", [attribute("name")])
    thing.uniquenessConstraints = [[], ["name"], []]
    let free = entity("Free", [attribute("name")])
    free.uniquenessConstraints = [[]]
    try withStack(kind, model([thing, free])) { _, context in
      for name in ["Free", "Thing"] { for _ in 0..<2 { context.new(name, ["name": "a"]) } }
      #expect(failure { try context.save() }?.code == NSManagedObjectConstraintMergeError)
      try context.all("Thing").first.map(context.delete)
      try context.save()
      #expect(try context.all("Free").count == 2 && context.all("Thing").count == 1)
    }
  }

  @Test(
    "Objects are sorted by their ids, and by what a to-one relationship leads to, the unsaved ones last",
    arguments: kinds, [true, false])
  func sortedByIDs(_ kind: StoreKind, ascending: Bool) throws {
    try withStack(kind) { _, context in
      for number in 0..<12 {
        let author = context.new("Author", ["name": "\(number)"])
        context.new("Book", ["title": "\(number)", "author": author])
        if number < 10 { try context.save() }
      }
      let inOrder = (0..<12).map { "\($0)" }
      let wanted = ascending ? inOrder : inOrder.reversed()
      #expect(try titles(context, request(sort: "objectID", ascending: ascending)) == wanted)
      #expect(try titles(context, request(sort: "author", ascending: ascending)) == wanted)
      try context.save()
      #expect(try titles(context, request(sort: "author", ascending: ascending)) == wanted)
    }
  }

  @Test("Predicates choose, sort descriptors order, whether the objects are saved or not", arguments: kinds)
  func predicates(_ kind: StoreKind) throws {
    try withBooks(kind) { context in
      #expect(
        try titles(context, request("title BEGINSWITH %@", "The", sort: "title")) == [
          "The Castle", "The Trial", "The Waves",
        ])
      #expect(
        try titles(context, request("pages > %@", 100, sort: "pages", ascending: false)) == [
          "Orlando", "The Trial",
        ])
      #expect(try titles(context, request("author.name == %@ AND pages == 0", "Kafka")) == ["Amerika"])
      #expect(try titles(context, request("isbn == nil")) == ["Flush"])
      #expect(
        try titles(context, request("title IN %@", ["Flush", "Orlando"], sort: "title")) == [
          "Flush", "Orlando",
        ])
      let kafka = try #require(try context.all("Author").first { $0.string("name") == "Kafka" })
      #expect(
        try titles(context, request("author == %@", kafka, sort: "title")) == [
          "Amerika", "The Castle", "The Trial",
        ])
      #expect(try titles(context, request("author == %@", kafka.objectID, sort: "title")).count == 3)
      #expect(try titles(context, request("self IN %@", Array(kafka.objects("books")))).count == 3)
      #expect(
        try titles(context, request("SUBQUERY(author.books, $b, $b.pages > 200).@count > 0", sort: "title"))
          == ["Flush", "Orlando", "The Waves"])
      let authors = NSFetchRequest<NSManagedObject>(entityName: "Author")
      authors.predicate = NSPredicate(format: "ANY books.title == %@", "Flush")
      #expect(try context.fetch(authors).map { $0.string("name") } == ["Woolf"])
      authors.predicate = NSPredicate(format: "books.@count == 3")
      #expect(try context.fetch(authors).count == 2)
      let sorted = request(sort: "author.name", ascending: false)
      sorted.sortDescriptors?.append(NSSortDescriptor(key: "title", ascending: true))
      #expect(try titles(context, sorted).prefix(4) == ["Flush", "Orlando", "The Waves", "Amerika"])
    }
  }

  @Test("Limit and offset cut the sorted result, and count", arguments: kinds)
  func limits(_ kind: StoreKind) throws {
    try withBooks(kind) { context throws in
      let request = request(sort: "title")
      request.fetchLimit = 2
      #expect(try titles(context, request) == ["Amerika", "Flush"])
      request.fetchOffset = 1
      #expect(try titles(context, request) == ["Flush", "Orlando"])
      #expect(try context.count(for: request) == 2)
      request.fetchOffset = 5
      #expect(try context.count(for: request) == 1)
      request.fetchLimit = 0
      request.fetchOffset = 0
      #expect(try context.count(for: request) == 6)
    }
  }

  @Test("Ids, counts and dictionaries are other results of the same request", arguments: kinds)
  func resultTypes(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try books(context)
      try context.save()
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
      ids.resultType = .managedObjectIDResultType
      #expect(try Set(context.fetch(ids)) == Set(context.all("Book").map(\.objectID)))
      let count = NSFetchRequest<NSNumber>(entityName: "Book")
      count.resultType = .countResultType
      #expect(try context.fetch(count) == [6])
      let rows = NSFetchRequest<NSDictionary>(entityName: "Book")
      rows.resultType = .dictionaryResultType
      rows.propertiesToFetch = ["title", "pages", "author.name", "isbn"]
      rows.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      rows.fetchLimit = 2
      #expect(
        try context.fetch(rows) == [
          ["title": "Amerika", "pages": 0, "author.name": "Kafka", "isbn": "0"],
          ["title": "Flush", "pages": 100, "author.name": "Woolf"],
        ])
      rows.fetchLimit = 0
      rows.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
      rows.propertiesToFetch = ["pages"]
      rows.returnsDistinctResults = true
      #expect(try context.fetch(rows).compactMap { $0["pages"] as? Int } == [0, 100, 200, 300])
    }
  }

  @Test(
    "A request for objects whose resultType asks for ids finds the objects, as faults, unsaved ones among them",
    arguments: kinds)
  func idsOfObjects(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try books(context)
      try context.save()
      context.reset()
      let books = request(sort: "title")
      books.resultType = .managedObjectIDResultType
      let found = try context.fetch(books)
      #expect(found.count == 6 && found.allSatisfy { $0.isFault })
      #expect(found.first?.string("title") == "Amerika" && found.last?.string("title") == "The Waves")
      context.new("Book", ["title": "Zadig"])
      #expect(try titles(context, books).last == "Zadig")
      #expect(try books.execute().count == 7)
    }
  }

  @Test("A request whose resultType makes other results than its class says is an error", arguments: kinds)
  func otherResults(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try books(context)
      func check<Result: NSFetchRequestResult>(_ result: Result.Type, _ types: NSFetchRequestResultType...) {
        let request = NSFetchRequest<Result>(entityName: "Book")
        for type in types {
          request.resultType = type
          var errors = [
            failure { _ = try context.fetch(request) }, failure { _ = try request.execute() },
            failure { _ = try context.execute(NSAsynchronousFetchRequest(fetchRequest: request)) },
          ]
          if type == .managedObjectResultType { errors.append(failure { _ = try context.execute(request) }) }
          for error in errors {
            let words = error?.localizedDescription ?? "no error"
            #expect(words.contains("The request is for \(result)") && words.contains("set resultType"), "\(words)")
          }
        }
      }
      check(NSManagedObject.self, .dictionaryResultType, .countResultType)
      check(NSDictionary.self, .managedObjectResultType, .managedObjectIDResultType, .countResultType)
      check(NSNumber.self, .managedObjectResultType, .managedObjectIDResultType, .dictionaryResultType)
      check(NSManagedObjectID.self, .managedObjectResultType, .dictionaryResultType, .countResultType)
    }
  }

  @Test(
    "A context executes a request by its resultType, whatever results its class says, and the result is of their class",
    arguments: kinds)
  func executedResults(_ kind: StoreKind) throws {
    let leaves = model([entity("Leaf", [attribute("name")], class: Leaf.self)])
    try withStack(kind, leaves) { _, context throws in
      let leaf = context.new("Leaf", ["name": "a"])
      try context.save()
      func check<Result: NSFetchRequestResult>(_ result: Result.Type) throws {
        let request = NSFetchRequest<Result>(entityName: "Leaf")
        request.resultType = .countResultType
        let count = try context.execute(request)
        let found = (count as? NSAsynchronousFetchResult<any NSFetchRequestResult>)?.finalResult as? [NSNumber]
        #expect(found?.map(\.intValue) == [1])
        #expect((count as? NSAsynchronousFetchResult<NSNumber>)?.finalResult?.map(\.intValue) == [1])
        #expect(!(count is NSAsynchronousFetchResult<Leaf>) && !(count is NSAsynchronousFetchResult<NSManagedObject>))
        #expect(request.entity === leaf.entity && request.resultType == .countResultType)
        request.resultType = .dictionaryResultType
        let rows = try context.execute(request)
        #expect((rows as? NSAsynchronousFetchResult<any NSFetchRequestResult>)?.finalResult?.count == 1)
        let row = (rows as? NSAsynchronousFetchResult<NSDictionary>)?.finalResult?.first
        #expect(row?["name"] as? String == "a")
        request.resultType = .managedObjectIDResultType
        let ids = try context.execute(request)
        let erased = ids as? NSAsynchronousFetchResult<any NSFetchRequestResult>
        #expect(erased?.finalResult as? [NSManagedObjectID] == [leaf.objectID])
        #expect((ids as? NSAsynchronousFetchResult<NSManagedObjectID>)?.finalResult == [leaf.objectID])
      }
      try check(Leaf.self)
      try check(NSManagedObject.self)
      try check((any NSFetchRequestResult).self)
    }
  }

  @Test("An executed request for any objects or results has a result of the entity's class", arguments: kinds)
  func executedObjects(_ kind: StoreKind) throws {
    let leaves = model([entity("Leaf", [attribute("name")], class: Leaf.self)])
    try withStack(kind, leaves) { _, context throws in
      let leaf = try #require(context.new("Leaf", ["name": "a"]) as? Leaf)
      try context.save()
      let requests: [NSPersistentStoreRequest] = [
        NSFetchRequest<any NSFetchRequestResult>(entityName: "Leaf"),
        NSFetchRequest<NSManagedObject>(entityName: "Leaf"), NSFetchRequest<Leaf>(entityName: "Leaf"),
      ]
      for request in requests {
        let result = try context.execute(request)
        #expect((result as? NSAsynchronousFetchResult<Leaf>)?.finalResult?.first === leaf)
        #expect((result as? NSAsynchronousFetchResult<NSManagedObject>)?.finalResult?.first === leaf)
        let erased = result as? NSAsynchronousFetchResult<any NSFetchRequestResult>
        #expect(erased?.finalResult as? [Leaf] == [leaf])
      }
      let unknown = failure { _ = try context.execute(NSFetchRequest<any NSFetchRequestResult>(entityName: "Twig")) }
      #expect(unknown?.localizedDescription.contains("Twig") == true)
    }
  }

  @Test("A request that a class makes for any results has those of its resultType, also when it is executed")
  func anyResultsOfClass() throws {
    let leaves = model([entity("Leaf", [attribute("name")], class: Leaf.self)])
    let template = NSFetchRequest<Leaf>(entityName: "Leaf")
    template.resultType = .managedObjectIDResultType
    leaves.setFetchRequestTemplate(template, forName: "IDs")
    for kind in Self.kinds {
      try withStack(kind, leaves) { stack, context throws in
        let leaf = context.new("Leaf", ["name": "a"])
        try context.save()
        let filled = try #require(stack.model.fetchRequestFromTemplate(withName: "IDs", substitutionVariables: [:]))
        #expect(try context.fetch(filled) as? [NSManagedObjectID] == [leaf.objectID])
        let typed = NSFetchRequest<Leaf>(entityName: "Leaf")
        typed.resultType = .managedObjectIDResultType
        #expect(try stack.coordinator.execute(typed, with: context) as? [NSManagedObjectID] == [leaf.objectID])
        let request: NSFetchRequest<any NSFetchRequestResult> = Leaf.fetchRequest()
        request.resultType = .managedObjectIDResultType
        #expect(try context.fetch(request) as? [NSManagedObjectID] == [leaf.objectID])
        #expect(try request.execute() as? [NSManagedObjectID] == [leaf.objectID])
        #expect(try stack.coordinator.execute(request, with: context) as? [NSManagedObjectID] == [leaf.objectID])
        request.resultType = .dictionaryResultType
        #expect(try request.execute() as? [NSDictionary] == [["name": "a"]])
        let copy = try #require(request.copy() as? NSFetchRequest<any NSFetchRequestResult>)
        let completed = try context.execute(copy) as? NSAsynchronousFetchResult<any NSFetchRequestResult>
        #expect(completed?.finalResult as? [NSDictionary] == [["name": "a"]])
      }
    }
  }

  @Test("Dictionaries of groups and aggregates", arguments: kinds)
  func aggregates(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try books(context)
      try context.save()
      func column(_ name: String, _ function: String, _ key: String) -> NSExpressionDescription {
        let column = NSExpressionDescription()
        column.name = name
        column.expression = NSExpression(forFunction: function, arguments: [NSExpression(forKeyPath: key)])
        column.expressionResultType = .integer64AttributeType
        return column
      }
      let request = NSFetchRequest<NSDictionary>(entityName: "Book")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [
        column("sum", "sum:", "pages"), column("max", "max:", "pages"), column("count", "count:", "isbn"),
      ]
      #expect(try context.fetch(request) == [["sum": 700, "max": 300, "count": 5]])
      request.propertiesToFetch = [
        "author.name", column("sum", "sum:", "pages"), column("average", "average:", "pages"),
      ]
      request.propertiesToGroupBy = ["author.name"]
      request.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
      #expect(
        try context.fetch(request) == [
          ["author.name": "Kafka", "sum": 300, "average": 100],
          ["author.name": "Woolf", "sum": 400, "average": 133],
        ])
      request.havingPredicate = NSPredicate(format: "sum > 300")
      #expect(try context.fetch(request).map { $0["author.name"] as? String } == ["Woolf"])
    }
  }

  @Test("Unsaved changes take part: inserted, changed, deleted, and through relationships", arguments: kinds)
  func pending(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      try books(context)
      try context.save()
      let all = try context.all("Book")
      func book(_ title: String) -> NSManagedObject { all.first { $0.string("title") == title }! }
      let castle = book("The Castle")
      context.delete(book("The Trial"))
      castle["title"] = "Castle"
      context.new("Book", ["title": "The Burrow", "pages": 40])
      book("Flush")["title"] = "The Flush"
      #expect(
        try titles(context, request("title BEGINSWITH 'The'", sort: "title")) == [
          "The Burrow", "The Flush", "The Waves",
        ])
      #expect(try context.count(for: request("title BEGINSWITH 'The'")) == 3)
      try context.only("Novel").object("author")!["name"] = "Virginia"
      #expect(try context.count(for: request("author.name == 'Virginia'")) == 3)
      #expect(try context.count(for: request("author.name == 'Woolf'")) == 0)
      let limited = request(sort: "title")
      limited.fetchLimit = 2
      #expect(try titles(context, limited) == ["Amerika", "Castle"])
      limited.includesPendingChanges = false
      #expect(try context.fetch(limited).map(\.objectID).last != castle.objectID)
      #expect(try context.count(for: limited) == 2)
      context.rollback()
      #expect(try context.count(for: request("title BEGINSWITH 'The'")) == 3)
      #expect(try context.count(for: request("author.name == 'Woolf'")) == 3)
    }
  }

  @Test("What is wrong with a request is thrown, by name, even if there are no rows", arguments: kinds)
  func errors(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      func words(_ change: (NSFetchRequest<NSManagedObject>) -> Void) -> String? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        change(request)
        return failure { _ = try context.fetch(request) }?.localizedDescription
      }
      #expect(
        words { $0.predicate = NSPredicate(format: "titel == 'x'") }
          == "keypath titel not found in entity Book: there is no \"titel\". Did you mean \"title\"? It has "
          + "author, chapters, isbn, pages, tags, title.")
      #expect(
        words { $0.predicate = NSPredicate(format: "author.nmae == 'x'") }?.contains(
          "author.nmae not found in entity Book") == true)
      #expect(
        words { $0.sortDescriptors = [NSSortDescriptor(key: "wrong", ascending: true)] }?.contains(
          "keypath wrong") == true)
      #expect((words { $0.predicate = NSPredicate { _, _ in true } } != nil) == kind.makesSQL)
      let unknown = NSFetchRequest<NSManagedObject>(entityName: "Boook")
      #expect(failure { _ = try context.fetch(unknown) }?.localizedDescription.contains("Boook") == true)
      let wrongClass = NSFetchRequest<Counted>(entityName: "Book")
      #expect(failure { _ = try context.fetch(wrongClass) } != nil)
    }
  }

  @Test("NSFetchRequest.execute fetches in the context of the innermost block, also on a queue that is the caller's")
  @MainActor func executeOnOwnQueue() throws { try executeOnMainThread() }

  // Not the main actor's: its blocks would be too, and end the program on the private queue.
  private func executeOnMainThread() throws {
    let stack = try Stack(.sqlite)
    let main = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    main.persistentStoreCoordinator = stack.coordinator
    let tags = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    main.new("Tag")
    #expect(try main.performAndWait { try tags.execute().count } == 1)
    let counts = try stack.context.performAndWait {
      let outer = try tags.execute().count
      let inner = try main.performAndWait { try tags.execute().count }
      let again = try stack.context.performAndWait { try tags.execute().count }
      return [outer, inner, try tags.execute().count, again]
    }
    #expect(counts == [0, 1, 0, 0])
  }

  @Test("NSFetchRequest.execute fetches in the context of the perform block", arguments: StoreKind.allCases)
  func execute(_ kind: StoreKind) throws {
    try withStack(kind) { _, context throws in
      context.new("Tag")
      #expect(try NSFetchRequest<NSManagedObject>(entityName: "Tag").execute().count == 1)
    }
  }

  @Test("A list that contains a property is a list that it is in", arguments: StoreKind.allCases)
  func listContains(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for title in ["a", "b", "c"] { context.new("Book", ["title": title]) }
      try context.save()
      func titles(_ format: String) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format, argumentArray: [["a", "b"]])
        return try context.fetch(request).compactMap { $0.string("title") }.sorted()
      }
      #expect(try titles("%@ CONTAINS title") == ["a", "b"])
      #expect(try titles("NOT %@ CONTAINS title") == ["c"])
    }
  }

  @Test("A path from a variable's value, or from an argument, is what it leads to", arguments: StoreKind.allCases)
  func pathsOfConstants(_ kind: StoreKind) throws {
    try withBooks(kind) { context in
      let kafka = try #require(try context.all("Author").first { $0.string("name") == "Kafka" })
      let values: [String: Any] = [
        "BY": kafka, "NOBODY": NSNull(), "SOME": ["Orlando", "Flush"], "NONE": [String](),
      ]
      func found(_ format: String) throws -> [String] {
        let request = self.request(format, sort: "title")
        request.predicate = request.predicate?.withSubstitutionVariables(values)
        return try titles(context, request)
      }
      #expect(try found("author.name == $BY.name") == ["Amerika", "The Castle", "The Trial"])
      #expect(try found("author.name == $NOBODY.name").isEmpty)
      #expect(try found("SELF IN $BY.books AND pages > 0") == ["The Castle", "The Trial"])
      #expect(try found("pages / 100 == $BY.books.@count") == ["Orlando"])
      #expect(try found("$SOME.@count == 0 OR title IN $SOME") == ["Flush", "Orlando"])
      #expect(try found("$NONE.@count == 0 OR title IN $NONE").count == 6)
      #expect(try found("'Amerika' IN $BY.books.title AND pages == 300") == ["Orlando"])
      #expect(try found("NOT 'Flush' IN $SOME OR pages == 300") == ["Orlando"])
      #expect(try titles(context, request("author.name == %@.name AND pages == 0", kafka)) == ["Amerika"])
      #expect(throws: (any Error).self) { () throws in try found("author.name == $BY.nothing") }
    }
  }

  @Test("A predicate may ask whether an argument is nil, also of a new object or a list", arguments: StoreKind.allCases)
  func objectsBesideNil(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (saved, book) = (context.new("Author"), context.new("Book", ["title": "a"]))
      book["author"] = saved
      context.new("Book", ["title": "b"])
      try context.save()
      let new = context.new("Author")
      func titles(_ format: String, _ argument: Any?) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format, argumentArray: [argument, argument])
        request.includesPendingChanges = false
        return try context.fetch(request).compactMap { $0.string("title") }.sorted()
      }
      #expect(try titles("%@ == nil OR author == %@", nil) == ["a", "b"])
      #expect(try titles("%@ == nil OR author == %@", saved) == ["a"])
      #expect(try titles("%@ == nil OR author == %@", new).isEmpty)
      #expect(try titles("%@ != nil AND author != %@", new) == ["a", "b"])
      #expect(try titles("%@ == %@", new) == ["a", "b"])
      // A list that a program may not have.
      #expect(try titles("%@ == nil OR title IN %@", nil) == ["a", "b"])
      #expect(try titles("%@ == nil OR title IN %@", ["b", "c"]) == ["b"])
      #expect(try titles("%@ != nil AND NOT title IN %@", ["b", "c"]) == ["a"])
      #expect(try titles("ANY %@ == 'b' AND title IN %@", ["b", "c"]) == ["b"])
    }
  }

  @Test("An object is no number and no text, even where its key is that number", arguments: StoreKind.allCases)
  func objectsAndNumbers(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      context.new("Book", ["title": "a", "author": context.new("Author")])
      try context.save()
      func count(_ format: String, _ value: Any) throws -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format, argumentArray: [value])
        return try context.count(for: request)
      }
      for value in [1, "1"] as [Any] {
        #expect(try count("author == %@", value) == 0)
        #expect(try count("author != %@", value) == 1)
        #expect(try count("SELF == %@", value) == 0)
      }
      #expect(try count("SELF IN %@", [1, 2]) == 0)
    }
  }

  @Test("Letters of full and of half width are found where case or marks are ignored", arguments: StoreKind.allCases)
  func width(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for title in ["ＡＢＣ　ｘ", "ガラス", "ｶﾞﾗｽ", "abc x"] { context.new("Book", ["title": title]) }
      func found(_ format: String, _ text: String) throws -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format, text)
        return try context.count(for: request)
      }
      for _ in 0..<2 {
        #expect(try found("title CONTAINS[cd] %@", "bc X") == 2)
        #expect(try found("title BEGINSWITH[d] %@", "ガラ") == 2)
        #expect(try found("title ENDSWITH[c] %@", "ﾗｽ") == 2)
        #expect(try found("title ==[c] %@", "ABC X") == 2)
        #expect(try found("title CONTAINS %@", "bc") == 1)
        #expect(try found("title LIKE[c] %@", "＊") == 0, "a wide star is no wildcard")
        try context.save()
        context.reset()
      }
    }
  }

  @Test("An order that ignores case heeds the width of letters, in every store", arguments: StoreKind.allCases)
  func orderByWidth(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for title in ["ｂ", "c", "Ａ", "B", "ａ"] { context.new("Book", ["title": title, "pages": title == "ａ" ? 2 : 1]) }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      request.sortDescriptors = [
        NSSortDescriptor(key: "title", ascending: true, selector: "caseInsensitiveCompare:"),
        NSSortDescriptor(key: "pages", ascending: true),
      ]
      for _ in 0..<2 {
        #expect(try context.fetch(request).map { $0.string("title") } == ["B", "c", "Ａ", "ａ", "ｂ"])
        try context.save()
        context.reset()
      }
    }
  }

  @Test("A changed object that still matches keeps its place among its equals", arguments: StoreKind.allCases)
  func placeOfChanged(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      for number in 0..<4 { context.new("Book", ["title": "\(number)", "pages": number % 2]) }
      try context.save()
      let plain = NSFetchRequest<NSManagedObject>(entityName: "Book")
      let saved = try context.fetch(plain)
      saved[1]["isbn"] = "1"
      let new = context.new("Book", ["title": "4"])
      #expect(try context.fetch(plain) == saved + [new])
      plain.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: false)]
      plain.predicate = NSPredicate(format: "title != '4'")
      let sorted = try context.fetch(plain)
      sorted[0]["isbn"] = "2"
      #expect(try context.fetch(plain) == sorted)
      #expect(sorted.map { $0.int("pages") } == [1, 1, 0, 0])
    }
  }

  @Test("A request for dictionaries without a property asks for all of them", arguments: StoreKind.allCases)
  func noProperties(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      context.new("Tag", ["name": "a"])
      try context.save()
      let request = NSFetchRequest<NSDictionary>(entityName: "Tag")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = []
      #expect(try context.fetch(request).map { $0["name"] as? String } == ["a"])
    }
    try withStack(kind, model([entity("Mark")])) { _, context in
      let request = NSFetchRequest<NSDictionary>(entityName: "Mark")
      request.resultType = .dictionaryResultType
      let error = failure { _ = try context.fetch(request) }
      #expect(error?.localizedDescription.contains("this entity stores none") == true)
    }
  }
}
