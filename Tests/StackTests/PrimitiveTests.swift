import Testing

@testable import CoreData

@Suite("Primitive values and announced changes")
struct PrimitiveTests {
  @Test("A primitive value is set without a change, and without word to the other side", arguments: StoreKind.allCases)
  func setting(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let (author, book) = (context.new("Author"), context.new("Book", ["title": "T"]))
      let log = NotificationLog(context)
      try context.save()
      log.clear()
      book.setPrimitiveValue("raw", forKey: "title")
      book.setPrimitiveValue(author, forKey: "author")
      author.setPrimitiveValue(NSSet(), forKey: "books")
      #expect(!context.hasChanges && !book.hasChanges && book.changedValues().isEmpty)
      #expect(book.primitiveValue(forKey: "title") as? String == "raw")
      #expect(book.string("title") == "raw" && book.object("author") === author)
      #expect(author.objects("books").isEmpty)
      context.processPendingChanges()
      #expect(log.names.isEmpty)
      author.setPrimitiveValue(NSSet(object: book), forKey: "books")
      #expect(author.objects("books") == [book])
      book.setPrimitiveValue(nil, forKey: "author")
      #expect(author.objects("books") == [book], "Nobody told the author.")
      context.reset()
    }
  }

  @Test("A primitive read of a fault reads it in", arguments: StoreKind.allCases)
  func reading(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["title": "T"])
      try context.save()
      context.refresh(book, mergeChanges: false)
      #expect(book.primitiveValue(forKey: "title") as? String == "T")
    }
  }

  @Test("Between willChange and didChange a primitive value is a change like any other", arguments: StoreKind.allCases)
  func announced(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "T"])
      try context.save()
      book.willChangeValue(forKey: "title")
      book.setPrimitiveValue("raw", forKey: "title")
      book.didChangeValue(forKey: "title")
      #expect(book.isUpdated && book.changedValues()["title"] as? String == "raw")
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["raw"])
    }
  }

  @Test(
    "An announced change of a set reaches both ends, whether or not the primitive set was changed",
    arguments: StoreKind.allCases, [true, false])
  func setMutation(_ kind: StoreKind, _ changesPrimitive: Bool) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author")
      let books = (0..<3).map { context.new("Book", ["title": "\($0)"]) }
      try context.save()
      func announce(
        _ mutation: NSKeyValueSetMutationKind, _ objects: [NSManagedObject], gives wanted: [NSManagedObject]
      ) {
        author.willChangeValue(forKey: "books", withSetMutation: mutation, using: Set(objects))
        if changesPrimitive { author.setPrimitiveValue(NSSet(array: wanted), forKey: "books") }
        author.didChangeValue(forKey: "books", withSetMutation: mutation, using: Set(objects))
        #expect(author.objects("books") == Set(wanted))
        for book in books { #expect((book.object("author") === author) == wanted.contains(book)) }
        #expect(context.brokenInvariants() == [])
      }
      announce(.union, [books[0], books[1]], gives: [books[0], books[1]])
      announce(.minus, [books[0]], gives: [books[1]])
      announce(.set, [books[0], books[2]], gives: [books[0], books[2]])
      announce(.intersect, [books[1], books[2]], gives: [books[2]])
      try context.save()
      #expect(
        try stack.elsewhere { try $0.only("Author").objects("books").compactMap { $0.string("title") } } == ["2"])
    }
  }

  @Test(
    "An announced change of an ordered set's primitive members reaches the other ends", arguments: StoreKind.allCases)
  func orderedMutation(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "T"])
      let chapters = (0..<3).map { context.new("Chapter", ["title": "\($0)"]) }
      try context.save()
      func announce(_ change: NSKeyValueChange, at index: Int, gives wanted: [NSManagedObject]) {
        book.willChange(change, valuesAt: IndexSet(integer: index), forKey: "chapters")
        book.setPrimitiveValue(NSOrderedSet(array: wanted), forKey: "chapters")
        book.didChange(change, valuesAt: IndexSet(integer: index), forKey: "chapters")
        #expect((book["chapters"] as? NSOrderedSet)?.array as? [NSManagedObject] == wanted)
        for chapter in chapters { #expect((chapter.object("book") === book) == wanted.contains(chapter)) }
        #expect(context.brokenInvariants() == [])
      }
      announce(.insertion, at: 0, gives: [chapters[1]])
      announce(.insertion, at: 0, gives: [chapters[0], chapters[1]])
      announce(.replacement, at: 1, gives: [chapters[0], chapters[2]])
      announce(.removal, at: 0, gives: [chapters[2]])
      announce(.insertion, at: 1, gives: [chapters[2], chapters[0]])
      try context.save()
      #expect(
        try stack.elsewhere {
          ((try $0.only("Book")["chapters"] as? NSOrderedSet)?.array as? [NSManagedObject])?.map { $0.string("title") }
        } == ["2", "0"])
    }
  }

  @Test("Announcing a change of what is not modelled leaves the object clean, unless its class wants otherwise")
  func unmodelled() throws {
    let model = model([
      entity("Plain", [attribute("text")]), entity("Minding", [attribute("text")], class: Minding.self),
    ])
    try withStack(.inMemory, model) { _, context in
      let (plain, minding) = (context.new("Plain"), context.new("Minding"))
      try context.save()
      for object in [plain, minding] {
        object.willChangeValue(forKey: "colour")
        object.didChangeValue(forKey: "colour")
      }
      #expect(!plain.hasChanges && minding.hasChanges)
    }
  }

  @Test("What a key depends on can be declared, and the model's properties don't notify by themselves")
  func dependentKeys() throws {
    let model = model([
      entity("Plain", [attribute("text")]), entity("Minding", [attribute("text")], class: Minding.self),
    ])
    try withStack(.inMemory, model) { _, context in
      let minding = context.new("Minding")
      #expect(type(of: minding).keyPathsForValuesAffectingValue(forKey: "capitals") == ["text"])
      #expect(type(of: minding).keyPathsForValuesAffectingValue(forKey: "text") == [])
      #expect(!Minding.automaticallyNotifiesObservers(forKey: "text"))
      #expect(Minding.automaticallyNotifiesObservers(forKey: "capitals"))
      context.reset()
    }
  }

  @Test(
    "What primitive accessors set on an object that is saved is saved, too, and reaches a parent",
    arguments: StoreKind.allCases, [false, true])
  func saved(_ kind: StoreKind, _ isChild: Bool) throws {
    try withStack(kind) { stack, context in
      let book = context.new("Book", ["title": "T", "pages": 1])
      try context.save()
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      let writer = isChild ? child : context
      try writer.performAndWait {
        let same = writer.same(book)
        same["title"] = "U"
        same.setPrimitiveValue(7, forKey: "pages")
        #expect(same.changedValues().keys.sorted() == ["title"])
        try writer.save()
        #expect(same.int("pages") == 7)
      }
      try context.save()
      try stack.elsewhere { other throws in
        let found = try other.only("Book")
        #expect(found.string("title") == "U" && found.int("pages") == 7)
      }
    }
  }

  @Test(
    "An announced change of a to-one relationship's primitive value reaches the other ends",
    arguments: StoreKind.allCases, ["author", "books"])
  func announcedDestination(_ kind: StoreKind, _ side: String) throws {
    try withStack(kind) { stack, context in
      let (former, author) = (context.new("Author", ["name": "former"]), context.new("Author", ["name": "A"]))
      let book = context.new("Book", ["title": "T", "author": former])
      try context.save()
      #expect(former.objects("books") == [book] && author.objects("books").isEmpty)
      let object = side == "author" ? book : author
      object.willChangeValue(forKey: side)
      object.setPrimitiveValue(side == "author" ? author : NSSet(object: book), forKey: side)
      object.didChangeValue(forKey: side)
      #expect(former.objects("books").isEmpty && author.objects("books") == [book])
      #expect(book.object("author") === author)
      try context.save()
      try stack.elsewhere { other throws in
        #expect(try other.only("Book").object("author")?.string("name") == "A")
      }
      // Where it agrees already, nothing happens.
      book.willChangeValue(forKey: "author")
      book["author"] = former
      book.didChangeValue(forKey: "author")
      #expect(former.objects("books") == [book] && author.objects("books").isEmpty)
    }
  }

  @Test("Values for a key that is named twice are one entry")
  func keyTwice() throws {
    try withStack(.inMemory) { _, context in
      let book = context.new("Book", ["title": "T"])
      #expect(book.dictionaryWithValues(forKeys: ["title", "title"]).count == 1)
    }
  }
}

final class Minding: NSManagedObject {
  override class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { false }
  override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
    key == "capitals" ? ["text"] : super.keyPathsForValuesAffectingValue(forKey: key)
  }
}

@Suite("Key-value coding over collections")
struct CollectionOperatorTests {
  @Test("Every collection operator gives what its name says")
  func operators() throws {
    try withStack(.inMemory) { _, context in
      let author = context.new("Author")
      let tags = (0..<3).map { context.new("Tag", ["name": "t\($0)"]) }
      for (index, pages) in [10, 30, 20, 20].enumerated() {
        let book = context.new("Book", ["title": "\(index)", "pages": pages, "author": author])
        book["tags"] = NSSet(array: [tags[index % 3], tags[0]])
      }
      func value(_ path: String) -> Any? { author.value(forKeyPath: path) }
      #expect(value("books.@count") as? Int == 4)
      #expect(value("books.@sum.pages") as? Int == 80)
      #expect(value("books.@avg.pages") as? Double == 20)
      #expect(value("books.@min.pages") as? Int == 10)
      #expect(value("books.@max.pages") as? Int == 30)
      #expect((value("books.@unionOfObjects.pages") as? [Int])?.sorted() == [10, 20, 20, 30])
      #expect((value("books.@distinctUnionOfObjects.pages") as? [Int])?.sorted() == [10, 20, 30])
      #expect((value("books.@unionOfSets.tags") as? [NSManagedObject])?.count == 6)
      #expect((value("books.@distinctUnionOfSets.tags") as? NSSet)?.count == 3)
      #expect((value("books.tags") as? NSSet)?.count == 3)
      let lists = [[1, 2], [2, 3]] as NSArray
      #expect((lists.value(forKeyPath: "@unionOfArrays.self") as? [Int]) == [1, 2, 2, 3])
      #expect((lists.value(forKeyPath: "@distinctUnionOfArrays.self") as? [Int]) == [1, 2, 3])
    }
  }

  @Test("The sum and the average of decimals are decimals, the sum of none too", arguments: StoreKind.allCases)
  func decimals(_ kind: StoreKind) throws {
    let (order, item) = (entity("Order"), entity("Item", [attribute("price", .decimalAttributeType)]))
    relate(order, "items", .many, to: item)
    try withStack(kind, model([order, item])) { _, context in
      let (full, empty) = (context.new("Order"), context.new("Order"))
      let items = ["0.1", "0.2"].map { context.new("Item", ["price": Decimal(string: $0)!]) }
      full["items"] = NSSet(array: items)
      func value(_ path: String) -> String? { (full.value(forKeyPath: path) as? NSDecimalNumber)?.stringValue }
      #expect(value("items.@sum.price") == "0.3" && value("items.@avg.price") == "0.15")
      #expect(value("items.@min.price") == "0.1" && value("items.@max.price") == "0.2")
      #expect((items as NSArray).value(forKeyPath: "@sum.price") as? NSDecimalNumber == NSDecimalNumber(string: "0.3"))
      #expect(empty.value(forKeyPath: "items.@sum.price") as? NSDecimalNumber == .zero)
      context.new("Item")
      full["items"] = NSSet(array: try context.all("Item"))
      #expect(value("items.@sum.price") == "0.3" && value("items.@avg.price") == "0.1")
    }
  }

  @Test("Decimals may be members of sets and keys, and are equal to other numbers of their value")
  func decimalsAsKeys() throws {
    try withStack(.inMemory, model([entity("Item", [attribute("price", .decimalAttributeType)])])) { _, context in
      let items = ["0.1", "0.2", "0.1", "5"].map { context.new("Item", ["price": Decimal(string: $0)!]) }
      #expect((NSSet(array: items).value(forKey: "price") as? NSSet)?.count == 3)
      let prices = items.compactMap { $0.value(forKey: "price") as? NSDecimalNumber }
      let groups = Dictionary(grouping: items) { $0.value(forKey: "price") as? NSNumber }
      #expect(Set(prices).count == 3 && groups.count == 3 && prices[3].hash == NSNumber(value: 5).hash)
      #expect(NSSet(array: prices).contains(NSDecimalNumber(string: "0.20")))
    }
  }

  @Test("An array of values has NSNull in the places of members without one, a set leaves them out")
  func membersWithoutValue() throws {
    let book = entity("Book", [attribute("title"), attribute("weight", .doubleAttributeType)])
    try withStack(.inMemory, model([book])) { _, context in
      let books = [
        context.new("Book", ["title": "a", "weight": 3.0]), context.new("Book"),
        context.new("Book", ["title": "c", "weight": 6.0]),
      ]
      let list = books as NSArray
      #expect(list.value(forKeyPath: "@sum.weight") as? Double == 9)
      #expect(list.value(forKeyPath: "@avg.weight") as? Double == 3, "none counts as 0")
      let titles = list.value(forKeyPath: "title") as? [Any]
      #expect(titles?.count == 3 && titles?[1] is NSNull && titles?[2] as? String == "c")
      #expect((NSSet(array: books).value(forKeyPath: "title") as? NSSet)?.count == 2)
    }
  }

  @Test("Dictionaries give values by key and by path, and mutable ones take them, those of a batch insert among them")
  func dictionaries() throws {
    let library: NSDictionary = ["shelf": ["books": [["pages": 10], ["pages": 30]]]]
    #expect(library.value(forKeyPath: "shelf.books.@sum.pages") as? Int == 40)
    #expect((library.value(forKeyPath: "shelf.books.pages") as? [Int]) == [10, 30])
    #expect(library.value(forKeyPath: "lamp.books") == nil)
    let row = NSMutableDictionary()
    row.setValue("A", forKey: "title")
    #expect(row.value(forKey: "title") as? String == "A")
    row.setValue(nil, forKey: "title")
    #expect(row.count == 0)
    try withStack(.sqlite) { _, context in
      var names = ["b", "a"]
      let request = NSBatchInsertRequest(entityName: "Tag") { (row: NSMutableDictionary) in
        guard let name = names.popLast() else { return true }
        row.setValue(name, forKey: "name")
        return false
      }
      try context.execute(request)
      #expect(try context.strings("Tag", "name").sorted() == ["a", "b"])
    }
  }

  @Test("A mutable dictionary takes values along a path, in the dictionaries and on the objects that are there")
  func pathsOfDictionaries() throws {
    let json = NSMutableDictionary()
    json.setValue(NSMutableDictionary(), forKeyPath: "author")
    json.setValue(["city": "Lviv"], forKeyPath: "author.place")
    json.setValue("Lem", forKeyPath: "author.name")
    json.setValue(1, forKeyPath: "author.place.number")
    json.setValue("Kraków", forKeyPath: "author.place.city")
    json.setValue(nil, forKeyPath: "author.name")
    json.setValue("none", forKeyPath: "publisher.name")
    json.setValue("none", forKeyPath: "author.place.city.name")
    #expect(json.allKeys as? [String] == ["author"])
    #expect(json.value(forKeyPath: "author.name") == nil)
    #expect(json.value(forKeyPath: "author.place.city") as? String == "Kraków")
    #expect(json.value(forKeyPath: "author.place.number") as? Int == 1)
    try withStack(.inMemory) { _, context in
      json.setValue(context.new("Book", ["author": context.new("Author")]), forKey: "book")
      json.setValue("Lem", forKeyPath: "book.author.name")
      #expect(json.value(forKeyPath: "book.author.name") as? String == "Lem")
    }
  }

  @Test(
    "objectIDs(forRelationshipNamed:) gives the members' ids without reading the members", arguments: StoreKind.allCases
  )
  func ids(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author")
      let books = (0..<3).map { _ in context.new("Book", ["author": author]) }
      try context.save()
      let ids = Set(books.map(\.objectID))
      try stack.elsewhere { other in
        let mine = other.same(author)
        #expect(Set(mine.objectIDs(forRelationshipNamed: "books")) == ids)
        #expect(other.registeredObjects.allSatisfy { $0 === mine || $0.isFault })
      }
    }
  }
}
