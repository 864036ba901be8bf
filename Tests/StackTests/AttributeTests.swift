import CoreData
import Testing

/// One value of an attribute type, as it is set and as it comes back.
struct Sample: CustomTestStringConvertible, @unchecked Sendable {
  let type: NSAttributeType
  let value: Any
  let expected: AnyHashable

  init(_ type: NSAttributeType, _ value: Any, _ expected: AnyHashable? = nil) {
    self.type = type
    self.value = value
    self.expected = expected ?? value as! AnyHashable
  }

  /// `NSNumber` is no `Bool` to `AnyHashable`, nor `NSArray` an array.
  func agrees(with value: Any?) -> Bool {
    if let wanted = expected.base as? Bool { return value as? Bool == wanted }
    if let wanted = expected.base as? NSArray, let list = value as? [Any] {
      return wanted == NSArray(array: list)
    }
    return value as? AnyHashable == expected
  }

  var testDescription: String { "\(type): \(value)" }

  static let all: [Sample] = [
    Sample(.integer16AttributeType, Int16.min, Int(Int16.min)), Sample(.integer16AttributeType, 12),
    Sample(.integer32AttributeType, Int(Int32.max)), Sample(.integer32AttributeType, -1),
    Sample(.integer64AttributeType, Int.min), Sample(.integer64AttributeType, Int.max),
    Sample(.integer64AttributeType, 0),
    Sample(.booleanAttributeType, true), Sample(.booleanAttributeType, false),
    Sample(.doubleAttributeType, 0.1), Sample(.doubleAttributeType, -Double.greatestFiniteMagnitude),
    Sample(.doubleAttributeType, Double.infinity), Sample(.doubleAttributeType, 7, 7.0),
    Sample(.floatAttributeType, Float(0.1)), Sample(.floatAttributeType, 2.5, Float(2.5)),
    Sample(.stringAttributeType, ""), Sample(.stringAttributeType, "Größe 🦉 e\u{301}"),
    Sample(.stringAttributeType, String(repeating: "long ", count: 5000)),
    Sample(.stringAttributeType, "zero\u{0}inside"),
    Sample(.dateAttributeType, Date(timeIntervalSinceReferenceDate: 0)),
    Sample(.dateAttributeType, Date(timeIntervalSince1970: -12345.678)),
    Sample(.binaryDataAttributeType, Data()), Sample(.binaryDataAttributeType, Data([0, 255, 1])),
    Sample(.binaryDataAttributeType, Data(repeating: 7, count: 100_000)),
    Sample(.UUIDAttributeType, UUID()),
    Sample(.URIAttributeType, URL(string: "https://example.com/a%20b?c=d#e")!),
    Sample(.decimalAttributeType, Decimal(string: "0.1")!, NSDecimalNumber(string: "0.1")),
    Sample(.decimalAttributeType, NSDecimalNumber(string: "-123456789012.125")),
    Sample(.transformableAttributeType, ["a", "b"] as NSArray, ["a", "b"] as NSArray),
    Sample(.transformableAttributeType, ["a", "b"], ["a", "b"] as NSArray),
    Sample(.transformableAttributeType, ["key": 1] as NSDictionary, ["key": 1] as NSDictionary),
  ]
}

@Suite("Attributes")
struct AttributeTests {
  private func thing(_ type: NSAttributeType) -> NSManagedObjectModel {
    model([entity("Thing", [attribute("value", type), attribute("other", type)])])
  }

  @Test(
    "A value of every type comes back from the store as it was set", arguments: StoreKind.withCustom, Sample.all
  )
  func roundTrip(_ kind: StoreKind, _ sample: Sample) throws {
    try withStack(kind, thing(sample.type)) { stack, context in
      let object = context.new("Thing", ["value": sample.value])
      #expect(sample.agrees(with: object["value"]))
      #expect(object["other"] == nil)
      if kind.isOnServer, (sample.value as? String)?.contains("\u{0}") == true {
        #expect(failure { try context.save() }?.userInfo["SQLSTATE"] as? String == "22021")
        return
      }
      try context.save()
      #expect(sample.agrees(with: object["value"]))
      try stack.elsewhere { other throws in
        let twin = try other.only("Thing")
        #expect(sample.agrees(with: twin["value"]))
        #expect(twin["other"] == nil)
        twin["value"] = nil
        twin["other"] = sample.value
        try other.save()
      }
      context.refresh(object, mergeChanges: false)
      #expect(object["value"] == nil)
      #expect(sample.agrees(with: object["other"]))
    }
  }

  @Test("Default values stand in new objects, and a nil set over them is kept", arguments: StoreKind.withCustom)
  func defaults(_ kind: StoreKind) throws {
    let model = model([
      entity(
        "Thing",
        [
          attribute("number", .integer16AttributeType, default: 5), attribute("text", default: "x"),
          attribute("flag", .booleanAttributeType, default: true),
        ])
    ])
    try withStack(kind, model) { stack, context in
      let object = context.new("Thing", ["text": NSNull()])
      #expect(object.int("number") == 5)
      #expect(object["flag"] as? Bool == true)
      #expect(object["text"] == nil)
      try context.save()
      try stack.elsewhere { other throws in
        let twin = try other.only("Thing")
        #expect(twin.int("number") == 5)
        #expect(twin["text"] == nil)
      }
    }
  }

  @Test("Numbers cast to every Swift number", arguments: StoreKind.withCustom)
  func numberCasts(_ kind: StoreKind) throws {
    try withStack(kind, thing(.integer16AttributeType)) { _, context in
      let object = context.new("Thing", ["value": 7])
      #expect(object["value"] as? Int == 7)
      #expect(object["value"] as? Int16 == 7)
      #expect(object["value"] as? Int64 == 7)
      #expect(object["value"] as? Double == 7)
      #expect(object["value"] is NSNumber)
    }
  }

  @Test(
    "A transformable's object stays the same one, and changes in it count once it is set again",
    arguments: StoreKind.withCustom)
  func transformableIdentity(_ kind: StoreKind) throws {
    try withStack(kind, thing(.transformableAttributeType)) { stack, context in
      let list = NSMutableArray(array: ["a"])
      let object = context.new("Thing", ["value": list])
      try context.save()
      context.refresh(object, mergeChanges: false)
      let read = object["value"] as? NSArray
      #expect(read == ["a"] as NSArray)
      #expect(object["value"] as? NSArray === read)
      #expect(!object.hasChanges)
      object["value"] = ["a", "b"] as NSArray
      try context.save()
      try stack.elsewhere { other throws in
        #expect(try other.only("Thing")["value"] as? NSArray == ["a", "b"] as NSArray)
      }
    }
  }

  @Test(
    "A mandatory transformable that can't be read is no missing value, but nil set in its place is",
    arguments: StoreKind.allCases, [false, true])
  func unreadableMandatory(_ kind: StoreKind, _ isRead: Bool) throws {
    let transformer = Breaking()
    let name = NSValueTransformerName("mandatory \(kind) \(isRead)")
    ValueTransformer.setValueTransformer(transformer, forName: name)
    defer { ValueTransformer.setValueTransformer(nil, forName: name) }
    let colour = attribute("colour", .transformableAttributeType, optional: false)
    colour.valueTransformerName = name.rawValue
    try withStack(kind, model([entity("Thing", [attribute("name"), colour])])) { stack, context in
      let object = context.new("Thing", ["colour": "red"])
      try context.save()
      context.refresh(object, mergeChanges: false)
      transformer.isBroken = true
      if isRead { #expect(object["colour"] == nil) }
      object["name"] = "a"
      try context.save()
      object["colour"] = nil
      #expect(failure { try context.save() }?.code == NSValidationMissingMandatoryPropertyError)
      context.rollback()
      transformer.isBroken = false
      #expect(try stack.elsewhere { try $0.only("Thing")["colour"] as? String } == "red")
    }
  }

  @Test(
    "A transformable is the object that it was, and not its data, in an object that is inserted again",
    arguments: StoreKind.allCases)
  func insertedAgain(_ kind: StoreKind) throws {
    try withStack(kind, thing(.transformableAttributeType)) { stack, context in
      let object = context.new("Thing", ["value": ["a"] as NSArray])
      try context.save()
      context.refresh(object, mergeChanges: false)
      object.read()
      context.delete(object)
      try context.save()
      context.insert(object)
      #expect(object["value"] as? NSArray == ["a"] as NSArray)
      try context.save()
      try stack.elsewhere { other throws in
        #expect(try other.only("Thing")["value"] as? NSArray == ["a"] as NSArray)
      }
    }
  }

  @Test(
    "A transformable that can't be read is still in the store when something else of its object was saved",
    arguments: StoreKind.allCases, [false, true])
  func unreadableTransformable(_ kind: StoreKind, throughChild: Bool) throws {
    let transformer = Breaking()
    let name = NSValueTransformerName("unreadable \(kind) \(throughChild)")
    ValueTransformer.setValueTransformer(transformer, forName: name)
    defer { ValueTransformer.setValueTransformer(nil, forName: name) }
    let colour = attribute("colour", .transformableAttributeType)
    colour.valueTransformerName = name.rawValue
    try withStack(kind, model([entity("Thing", [attribute("name"), colour])])) { stack, context in
      let object = context.new("Thing", ["colour": "red"])
      try context.save()
      context.refresh(object, mergeChanges: false)
      transformer.isBroken = true
      #expect(object["colour"] == nil)
      if throughChild {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = context
        try child.performAndWait {
          let same = child.object(with: object.objectID)
          #expect(same["colour"] == nil)
          same["name"] = "a"
          try child.save()
        }
      } else {
        object["name"] = "a"
      }
      try context.save()
      object["name"] = "b"
      try context.save()
      transformer.isBroken = false
      let found = try stack.elsewhere { other throws in
        let thing = try other.only("Thing")
        return [thing["colour"] as? String, thing.string("name")]
      }
      #expect(found == ["red", "b"])
    }
  }

  @Test(
    "Predicates ask a transformable's array for members, counts and sums, where they are evaluated in memory",
    arguments: [StoreKind.inMemory, .xml, .binary, .csv])
  func transformablePredicates(_ kind: StoreKind) throws {
    try withStack(kind, thing(.transformableAttributeType)) { _, context in
      let lists = [["sea", "sun"], ["sun", "sea", "sand"]].map { context.new("Thing", ["value": $0]) }
      let numbers = context.new("Thing", ["value": [1.0, 2, 6]])
      let empty = context.new("Thing")
      func found(_ format: String, _ arguments: Any...) throws -> Set<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: format, argumentArray: arguments)
        return Set(try context.fetch(request))
      }
      // Unsaved objects are asked by the context, saved ones by the store.
      for _ in 1...2 {
        #expect(try found("value[FIRST] == 'sea'") == [lists[0]] && found("value[LAST] == 'sand'") == [lists[1]])
        #expect(try found("value[1] == 'sun'") == [lists[0]] && found("value[SIZE] == 2") == [lists[0]])
        #expect(try found("count(value) == 3") == [lists[1], numbers] && found("value.@count == 2") == [lists[0]])
        #expect(try found("sum(value) == 9") == [numbers] && found("value.@max.self == 6") == [numbers])
        #expect(try found("ANY value == 'sand'") == [lists[1]] && found("ANY value == 'sun'") == Set(lists))
        #expect(try found("%@ IN value", "sand") == [lists[1]] && found("value CONTAINS %@", 6) == [numbers])
        #expect(try found("value == %@", ["sea", "sun"]) == [lists[0]] && found("value == nil") == [empty])
        try context.save()
        context.refreshAllObjects()
      }
    }
  }

  @Test("SQL refuses to look into a transformable's object, by the attribute's name; its bytes are compared")
  func refusedTransformablePredicates() throws {
    try withStack(.sqlite, thing(.transformableAttributeType)) { _, context in
      context.new("Thing", ["value": ["sea", "sun"]])
      context.new("Thing")
      try context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
      for format in [
        "ANY value == 'sea'", "value CONTAINS 'sea'", "'sea' IN value", "value.@count == 2", "value.@count > 0",
        "value == 'sea'", "value IN {'sea', 'sun'}", "value BEGINSWITH 'sea'", "NOT value LIKE 's*'",
      ] {
        request.predicate = NSPredicate(format: format)
        let error = failure { _ = try context.fetch(request) }
        let words = "\(error?.localizedDescription ?? "accepted") \(error?.localizedFailureReason ?? "")"
        #expect(words.contains("the transformable attribute value"), "\(format): \(words)")
      }
      for (format, count) in [("value == nil", 1), ("value != nil", 1), ("value == %@", 0), ("value IN {%@}", 0)] {
        request.predicate = NSPredicate(format: format, argumentArray: format.contains("%") ? [Data([1])] : [])
        #expect(try context.count(for: request) == count, "\(format)")
      }
    }
  }

  @Test(
    "A transient attribute is kept by its object through a save, and is not stored", keepsRows,
    arguments: StoreKind.withCustom)
  func transients(_ kind: StoreKind) throws {
    let model = model([
      entity(
        "Thing",
        [
          attribute("name"), transient("note", .stringAttributeType),
          transient("any", .undefinedAttributeType),
        ])
    ])
    try withStack(kind, model) { stack, context in
      let object = context.new("Thing", ["name": "a", "note": "n", "any": NSObject.self])
      try context.save()
      #expect(object.string("note") == "n")
      #expect(object["any"] != nil)
      #expect(object.string("name") == "a")
      try stack.elsewhere { other throws in #expect(try other.only("Thing")["note"] == nil) }
      object["note"] = "m"
      #expect(object.hasChanges)
      #expect(!object.hasPersistentChangedValues)
      try context.save()
      context.refresh(object, mergeChanges: false)
      #expect(object["note"] == nil)
    }
  }

  @Test("An entity with more than sixty-four attributes keeps them apart", arguments: StoreKind.withCustom)
  func wide(_ kind: StoreKind) throws {
    let names = (0..<150).map { "a\(1000 + $0)" }
    let model = model([entity("Wide", names.map { attribute($0, .integer32AttributeType) })])
    try withStack(kind, model) { stack, context in
      let object = context.new("Wide")
      for (index, name) in names.enumerated() where index % 3 != 0 { object[name] = index }
      try context.save()
      object[names[149]] = -1
      object[names[64]] = nil
      #expect(Set(object.changedValues().keys) == [names[149], names[64]])
      try context.save()
      try stack.elsewhere { other throws in
        let twin = try other.only("Wide")
        for (index, name) in names.enumerated() {
          let expected = index == 149 ? -1 : index == 64 || index % 3 == 0 ? nil : index
          #expect(twin.int(name) == expected)
        }
      }
    }
  }

  @Test(
    "A value of the wrong type is refused with a word about the property, and nothing is set",
    arguments: [
      (NSAttributeType.stringAttributeType, 5 as Any), (.integer16AttributeType, "5"),
      (.integer16AttributeType, 70000),
      (.dateAttributeType, "today"), (.UUIDAttributeType, "x"), (.booleanAttributeType, "yes"),
      (.URIAttributeType, "http://x"),
    ] as [(NSAttributeType, Any)])
  func wrongTypes(_ type: NSAttributeType, _ value: Any) throws {
    try withStack(.inMemory, thing(type)) { _, context in
      let object = context.new("Thing")
      let error = failure { try object.setValue(value, checkedForKey: "value") }
      #expect(error?.code == NSManagedObjectValidationError)
      #expect(error?.localizedDescription.contains("value of Thing takes a") == true)
      #expect(object["value"] == nil)
    }
  }

  @Test("The plain spelling traps for a wrong type, in Apple's words")
  func wrongTypeTrap() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      stack.context.performAndWait { stack.context.new("Author")["name"] = 5 }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      words.contains(
        "Unacceptable type of value for attribute: property = \"name\"; entity = Author; desired type = NSString; "
          + "given type = Int; value = 5."))
  }

  @Test("A key that the model lacks: the checked spelling throws, the plain one traps")
  func unknownKey() async throws {
    try withStack(.inMemory) { _, context in
      let author = context.new("Author")
      #expect(
        failure { _ = try author.value(checkedForKey: "nmae") }?.localizedDescription.contains("nmae") == true
      )
      #expect(failure { try author.setValue(1, checkedForKey: "nmae") } != nil)
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory)
      stack.context.performAndWait { _ = stack.context.new("Author")["nmae"] }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("The entity Author has no property \"nmae\"."))
  }

  @Test("changedValues and committedValues tell new from old", arguments: StoreKind.withCustom)
  func changedValues(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["title": "A", "isbn": "1"])
      try context.save()
      #expect(book.changedValues().isEmpty)
      let tag = context.new("Tag")
      book["title"] = "B"
      book["isbn"] = nil
      book.mutableSetValue(forKey: "tags").add(tag)
      #expect(Set(book.changedValues().keys) == ["title", "isbn", "tags"])
      #expect(book.changedValues()["title"] as? String == "B")
      #expect(book.changedValues()["isbn"] is NSNull)
      #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "A")
      #expect((book.committedValues(forKeys: ["tags"])["tags"] as? NSSet)?.count == 0)
      #expect(book.committedValues(forKeys: nil).keys.contains("chapters"))
      try context.save()
      #expect(book.changedValues().isEmpty)
      #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "B")
      #expect((book.committedValues(forKeys: ["tags"])["tags"] as? NSSet)?.count == 1)
    }
  }

  @Test("changedValues leaves out what was set to the value that it had", arguments: StoreKind.withCustom)
  func equalValues(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author", ["name": "A"])
      let book = context.new("Book", ["title": "A", "author": author])
      try context.save()
      for (key, value) in [("title", "A"), ("isbn", nil), ("author", author)] as [(String, Any?)] { book[key] = value }
      #expect(book.hasChanges && context.updatedObjects == [book])
      #expect(book.changedValues().isEmpty && !book.hasPersistentChangedValues)
      (book["title"], book["author"]) = ("B", nil)
      #expect(book.changedValues().keys.sorted() == ["author", "title"])
      (book["title"], book["author"]) = ("A", author)
      #expect(book.hasChanges && book.changedValues().isEmpty)
      // So that programs take such an object back before they save.
      for object in context.updatedObjects where object.changedValues().isEmpty {
        context.refresh(object, mergeChanges: false)
      }
      #expect(!context.hasChanges)
    }
  }

  @Test("What tells of changes leaves transient attributes out", arguments: StoreKind.allCases)
  func transientChanges(_ kind: StoreKind) throws {
    let shown = attribute("shown", .stringAttributeType)
    shown.isTransient = true
    try withStack(kind, model([entity("Thing", [attribute("value", .stringAttributeType), shown])])) { _, context in
      let object = context.new("Thing", ["value": "A", "shown": "a"])
      #expect(object.changedValues().keys.sorted() == ["value"])
      #expect(object.changedValuesForCurrentEvent().keys.sorted() == ["value"])
      try context.save()
      object["shown"] = "b"
      #expect(object.hasChanges && !object.hasPersistentChangedValues)
      #expect(object.changedValues().isEmpty && object.changedValuesForCurrentEvent().isEmpty)
      #expect(object.committedValues(forKeys: nil).keys.sorted() == ["value"])
      #expect(object.committedValues(forKeys: ["shown", "value"]).keys.sorted() == ["value"])
    }
  }

  @Test("Values over key paths", arguments: StoreKind.withCustom)
  func keyPaths(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author", ["name": "Kafka"])
      let books = [100, 50].map { context.new("Book", ["author": author, "pages": $0, "title": "T\($0)"]) }
      #expect(books[0].value(forKeyPath: "author.name") as? String == "Kafka")
      #expect(author.value(forKeyPath: "books.@count") as? Int == 2)
      #expect(author.value(forKeyPath: "books.@sum.pages") as? Int == 150)
      #expect(author.value(forKeyPath: "books.@avg.pages") as? Double == 75)
      #expect(author.value(forKeyPath: "books.@max.pages") as? Int == 100)
      #expect(author.value(forKeyPath: "books.@min.title") as? String == "T100")
      #expect(author.value(forKeyPath: "books.pages") as? NSSet == NSSet(array: [100, 50]))
      for title in ["One", "Two"] { context.new("Chapter", ["title": title, "book": books[0]]) }
      let titles = try #require(books[0].value(forKeyPath: "chapters.title") as? NSOrderedSet)
      #expect(titles.array as? [String] == ["One", "Two"])
      books[1].setValue("Franz", forKeyPath: "author.name")
      #expect(author.string("name") == "Franz")
      #expect(author.value(forKeyPath: "passport.number") == nil)
    }
  }

  @Test(
    "An expression of a key path over a relationship to many gives the set that key-value coding gives",
    arguments: StoreKind.withCustom)
  func expressionsOfPaths(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author", ["name": "Kafka"])
      let books = [100, 50].map { context.new("Book", ["author": author, "pages": $0, "title": "T\($0)"]) }
      for title in ["One", "Two"] { context.new("Chapter", ["title": title, "book": books[0]]) }
      func value(_ format: String, _ object: NSManagedObject) -> Any? {
        NSExpression(format: format).expressionValue(with: object, context: ["source": object])
      }
      for start in ["", "$source."] {
        #expect(value(start + "books", author) as? NSSet == NSSet(array: books))
        #expect(value(start + "author.books.pages", books[0]) as? NSSet == NSSet(array: [100, 50]))
        #expect((value(start + "chapters", books[0]) as? NSOrderedSet)?.count == 2)
        #expect((value(start + "chapters.title", books[0]) as? NSOrderedSet)?.array as? [String] == ["One", "Two"])
        #expect(value(start + "books.@count", author) as? Int == 2)
        #expect(value(start + "author.name", books[0]) as? String == "Kafka")
      }
    }
  }

  @Test("Nil reads as an empty collection where a transformable is declared without \"?\"")
  func emptyCollections() throws {
    let shelf = entity("Shelf", ["list", "map", "set"].map { attribute($0, .transformableAttributeType) })
    try withStack(.inMemory, model([shelf])) { _, context in
      let object = context.new("Shelf")
      let list: [String] = object.managedValue(ManagedKey("list"))
      let map: [String: Int] = object.managedValue(ManagedKey("map"))
      let set: Set<String> = object.managedValue(ManagedKey("set"))
      let none: [String]? = object.managedValue(ManagedKey("list"))
      #expect(list.isEmpty && map.isEmpty && set.isEmpty && none == nil)
      object.setManagedValue(["a"], ManagedKey("list"))
      #expect(object.managedValue(ManagedKey("list")) as [String] == ["a"])
    }
  }

  @Test("Nil reads as 0, or as nothing, where a number or an object of Foundation's is declared without \"?\"")
  func objectsForNil() throws {
    let attributes = [
      attribute("pages", .integer32AttributeType), attribute("price", .decimalAttributeType),
      attribute("day", .dateAttributeType), attribute("title", .stringAttributeType),
      attribute("cover", .binaryDataAttributeType), attribute("list", .transformableAttributeType),
    ]
    try withStack(.inMemory, model([entity("Offer", attributes)])) { _, context in
      let offer = context.new("Offer")
      func value<T: ManagedValue>(_ key: String, _ type: T.Type) -> T { offer.managedValue(ManagedKey(name: key)) }
      #expect(value("pages", NSNumber.self).intValue == 0)
      #expect(value("price", Decimal.self) == 0 && value("price", NSDecimalNumber.self).adding(.one) == .one)
      #expect(value("day", NSDate.self).timeIntervalSinceReferenceDate == 0)
      #expect(value("title", NSString.self).length == 0 && value("cover", NSData.self).length == 0)
      #expect(value("list", NSArray.self).count == 0 && value("list", NSMutableArray.self).count == 0)
      #expect(value("list", NSDictionary.self).count == 0 && value("list", NSSet.self).count == 0)
      let none: NSNumber? = offer.managedValue(ManagedKey("pages"))
      #expect(none == nil && offer["price"] == nil && offer["day"] == nil)
    }
  }
}
