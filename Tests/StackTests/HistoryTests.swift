import Testing

@testable import CoreData

@Suite("Recording persistent history")
struct HistoryTests {
  @Test("Each save is one transaction, with its author, context, program, time and number")
  func transaction() throws {
    let stack = try tracked()
    let context = stack.context
    context.name = "view"
    try context.performAndWait {
      #expect(try context.transactions().isEmpty)
      let before = Date()
      context.new("Tag", ["name": "a"])
      try context.save(by: "me")
      context.new("Tag", ["name": "b"])
      context.new("Tag", ["name": "c"])
      try context.save(by: nil)
      try context.save()
      let found = try context.transactions()
      #expect(found.map(\.transactionNumber) == [1, 2])
      #expect(found.map(\.author) == ["me", nil])
      #expect(found.map(\.contextName) == ["view", "view"])
      #expect(found.map(\.processID) == Array(repeating: ProcessInfo.processInfo.processName, count: 2))
      #expect(found.allSatisfy { !$0.bundleID.isEmpty && $0.storeID == stack.store.identifier })
      #expect(found.allSatisfy { (before...Date()).contains($0.timestamp) })
      #expect(found.map(\.words) == [["insert Tag"], ["insert Tag", "insert Tag"]])
      #expect(found.flatMap { $0.changes ?? [] }.map(\.changeID) == [1, 2, 3])
      #expect(found[1].changes?.allSatisfy { $0.transaction === found[1] && $0.tombstone == nil } == true)
    }
  }

  @Test("Updates name the properties that changed, inherited ones and relationships of both kinds")
  func updates() throws {
    let stack = try tracked()
    try stack.context.performAndWait {
      let context = stack.context
      let novel = context.new("Novel", ["title": "a", "genre": "b"])
      let author = context.new("Author", ["name": "x"])
      let tag = context.new("Tag")
      try context.save()
      let token = try #require(try context.transactions().last?.token)
      novel["genre"] = "c"
      novel["pages"] = 7
      try context.save()
      novel["author"] = author
      try context.save()
      novel.mutableSetValue(forKey: "tags").add(tag)
      try context.save()
      novel["title"] = "a"
      try context.save()
      #expect(
        try context.transactions(after: token).map(\.words) == [
          ["update Novel genre,pages"],
          ["update Author books", "update Novel author"],
          ["update Novel tags", "update Tag books"],
        ])
      let properties = try #require(try context.transactions(after: token)[0].changes?[0].updatedProperties)
      #expect(properties.contains(novel.entity.attributesByName["genre"]!))
    }
  }

  @Test("What a delete rule deletes or clears is recorded with the deletion")
  func cascades() throws {
    let stack = try tracked()
    try stack.context.performAndWait {
      let context = stack.context
      let author = context.new("Author")
      author["passport"] = context.new("Passport")
      for _ in 0..<2 { context.new("Book")["author"] = author }
      try context.save()
      let token = try context.transactions()[0].token
      context.delete(author)
      try context.save()
      let found = try context.transactions(after: token)
      #expect(found.map(\.words) == [["delete Author", "delete Book", "delete Book", "update Passport holder"]])
    }
  }

  @Test("A deletion preserves the attributes that ask for it, in the types that they have")
  func tombstones() throws {
    let kinds: [(String, NSAttributeType, Any)] = [
      ("text", .stringAttributeType, "Ä\"b"), ("number", .integer16AttributeType, Int16(-3)),
      ("flag", .booleanAttributeType, true), ("ratio", .doubleAttributeType, 0.1),
      ("price", .decimalAttributeType, NSDecimalNumber(string: "12.34")),
      ("date", .dateAttributeType, Date(timeIntervalSinceReferenceDate: 12.5)),
      ("id", .UUIDAttributeType, UUID()), ("link", .URIAttributeType, URL(string: "https://a.b/c")!),
      ("data", .binaryDataAttributeType, Data([1, 0, 2])),
      ("list", .transformableAttributeType, ["a", "b"]),
    ]
    let thing = entity("Thing", kinds.map { attribute($0.0, $0.1) } + [attribute("lost"), attribute("empty")])
    for name in kinds.map(\.0) + ["empty"] { thing.attributesByName[name]!.preservesValueInHistoryOnDeletion = true }
    let stack = try tracked(model([thing]))
    try stack.context.performAndWait {
      let context = stack.context
      let object = context.new("Thing", Dictionary(uniqueKeysWithValues: kinds.map { ($0.0, $0.2) }))
      object["lost"] = "x"
      let id = object
      try context.save()
      context.delete(object)
      try context.save()
      let change = try #require(try context.transactions().last?.changes?.first)
      #expect(change.changeType == .delete && change.changedObjectID == id.objectID)
      let tombstone = try #require(change.tombstone)
      #expect(Set(tombstone.keys.map { "\($0)" }) == Set(kinds.map(\.0)))
      for (name, _, value) in kinds {
        let kept = tombstone[name] ?? "nil"
        #expect(
          "\(kept)" == "\(value)" || kept as? Bool == value as? Bool && name == "flag"
            || kept as? [String] == value as? [String] && name == "list", "\(name)")
        #expect(name != "number" || tombstone[name] is Int16)
      }
    }
  }

  @Test("A save that fails, or that has nothing to write, leaves no trace")
  func nothing() throws {
    let stack = try tracked()
    try stack.context.performAndWait {
      let context = stack.context
      context.new("Book")["title"] = nil
      #expect(throws: (any Error).self) { try context.save() }
      context.rollback()
      let book = context.new("Book")
      try context.save()
      try stack.elsewhere { other in
        other.same(book)["pages"] = 1
        try other.save()
      }
      book.read()
      context.refreshAllObjects()
      #expect(try context.transactions().count == 2)
    }
  }

  @Test("A save that met a conflict records what the merge policy wrote in the end, once", .enabled(if: !Stress.isOn))
  func conflicts() throws {
    let stack = try tracked()
    try stack.context.performAndWait {
      let context = stack.context
      let book = context.new("Book", ["title": "a"])
      try context.save()
      book.read()
      try stack.elsewhere { other in
        other.same(book)["title"] = "b"
        try other.save()
      }
      book["title"] = "c"
      #expect(throws: (any Error).self) { try context.save() }
      #expect(try context.transactions().count == 2)
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      try context.save()
      #expect(try context.transactions().map(\.words).last == ["update Book title"])
      #expect(try context.transactions().count == 3)
    }
  }

  @Test("What was recorded is there when the store is opened again, and numbers go on")
  func reopening() throws {
    let stack = try tracked()
    try stack.context.performAndWait {
      stack.context.new("Tag")
      try stack.context.save(by: "one")
    }
    try stack.coordinator.remove(stack.store)
    let options = [NSPersistentHistoryTrackingKey: NSDictionary(dictionary: ["any": 1])]
    let again = try Stack(.sqlite, library(), at: stack.url, options: options)
    try again.context.performAndWait {
      again.context.new("Tag")
      try again.context.save(by: "two")
      let found = try again.context.transactions()
      #expect(found.map(\.author) == ["one", "two"])
      #expect(found.map(\.transactionNumber) == [1, 2])
      #expect(found.flatMap { $0.changes ?? [] }.map(\.changeID) == [1, 2])
    }
  }

  @Test("A flag or a dictionary asks for a history, any other value for none")
  func asking() {
    func asks(_ value: Any) -> Bool { ([NSPersistentHistoryTrackingKey: value] as [AnyHashable: Any]).tracksHistory }
    let yes: [Any] = [true, NSNumber(value: 1), ["any": 1], NSDictionary()]
    let no: [Any] = [false, NSNumber(value: 0), NSNull(), "history", Date()]
    #expect(yes.map(asks) == [true, true, true, true])
    #expect(no.map(asks) == [false, false, false, false, false])
    let none: [AnyHashable: Any] = [:]
    #expect(!none.tracksHistory)
  }

  @Test("A store that was not tracked begins its history when the option is first given")
  func beginning() throws {
    let stack = try Stack(.sqlite)
    try stack.context.performAndWait {
      stack.context.new("Tag", ["name": "old"])
      try stack.context.save()
    }
    try stack.coordinator.remove(stack.store)
    let again = try tracked(at: stack.url)
    try again.context.performAndWait {
      let tag = try again.context.only("Tag")
      tag["name"] = "new"
      try again.context.save()
      #expect(try again.context.transactions().map(\.words) == [["update Tag name"]])
    }
  }

  @Test("A tracked store that is opened without the option is read-only, until its history is deleted")
  func untracked() throws {
    let stack = try tracked()
    try stack.context.performAndWait {
      stack.context.new("Tag")
      try stack.context.save()
    }
    try stack.coordinator.remove(stack.store)
    let untracked = try Stack(.sqlite, library(), at: stack.url)
    #expect(untracked.store.isReadOnly)
    untracked.context.performAndWait {
      #expect((try? untracked.context.all("Tag").count) == 1)
      untracked.context.new("Tag")
      #expect(failure { try untracked.context.save() }?.code == CocoaError.Code.fileWriteNoPermission.rawValue)
    }
    try untracked.coordinator.remove(untracked.store)
    let again = try tracked(at: stack.url)
    try again.context.performAndWait { _ = try again.context.answer(.deleteHistory(before: Date.distantFuture)) }
    try again.coordinator.remove(again.store)
    let last = try Stack(.sqlite, library(), at: stack.url)
    #expect(!last.store.isReadOnly)
  }

  /// The number of an object's books.
  private func total() -> NSDerivedAttributeDescription {
    let total = NSDerivedAttributeDescription()
    total.name = "total"
    total.attributeType = .integer64AttributeType
    total.isOptional = true
    total.derivationExpression = NSExpression(format: "books.@count")
    return total
  }

  @Test("A derived attribute that a trigger changed in another object is recorded as that object's update")
  func derived() throws {
    let shelf = entity("Shelf")
    let book = entity("Book", [attribute("pages", .integer32AttributeType)])
    join(relate(shelf, "books", .many, to: book), relate(book, "shelf", .one, to: shelf))
    shelf.properties.append(total())
    let stack = try tracked(model([shelf, book]))
    try stack.context.performAndWait {
      let context = stack.context
      let new = context.new("Shelf")
      context.new("Book", ["shelf": new])
      try context.save()
      let token = try context.transactions()[0].token
      let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Book"))
      _ = try context.execute(request)
      #expect(try context.transactions(after: token).map(\.words) == [["delete Book", "update Shelf total"]])
    }
  }

  @Test("An object that is deleted has no update beside it, whatever triggers do to its row before")
  func derivedOfDeleted() throws {
    let tag = entity("Tag")
    let book = entity("Book")
    join(relate(tag, "books", .many, to: book), relate(book, "tags", .many, to: tag))
    tag.properties.append(total())
    let stack = try tracked(model([tag, book]))
    try stack.context.performAndWait {
      let context = stack.context
      let new = context.new("Tag")
      context.new("Book", ["tags": NSSet(object: new)])
      try context.save()
      let token = try context.transactions()[0].token
      context.delete(new)
      try context.save()
      let words = try context.transactions(after: token).map(\.words)
      #expect(words.joined().filter { $0.contains("Tag") } == ["delete Tag"], "\(words)")
    }
  }

  @Test("A token of a file that an older copy has replaced has expired")
  func olderCopy() throws {
    let stack = try tracked()
    let copy = StoreFolder()
    let token = try stack.context.performAndWait {
      stack.context.new("Tag")
      try stack.context.save()
      try stack.coordinator.replacePersistentStore(
        at: copy.file("Copy"), withPersistentStoreFrom: stack.url, type: .sqlite)
      for _ in 0..<3 {
        stack.context.new("Tag")
        try stack.context.save()
      }
      return stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
    }
    try stack.coordinator.remove(stack.store)
    try stack.coordinator.replacePersistentStore(
      at: stack.url, withPersistentStoreFrom: copy.file("Copy"), type: .sqlite)
    let again = try tracked(at: stack.url)
    try again.context.performAndWait {
      again.context.new("Tag")
      try again.context.save()
      #expect(
        failure { _ = try again.context.transactions(after: token) }?.code == NSPersistentHistoryTokenExpiredError)
    }
  }

  @Test("A deletion preserves a composite attribute that asks for it as a whole, and elements that ask by themselves")
  func compositeTombstones() throws {
    func group(_ name: String, _ elements: [NSAttributeDescription]) -> NSCompositeAttributeDescription {
      let group = NSCompositeAttributeDescription()
      group.name = name
      group.elements = elements
      return group
    }
    let home = group("home", [attribute("city"), group("at", [attribute("x", .integer16AttributeType)])])
    home.preservesValueInHistoryOnDeletion = true
    let other = group("other", [attribute("city"), attribute("zip")])
    other.elements[1].preservesValueInHistoryOnDeletion = true
    let stack = try tracked(model([entity("Person", [home, other])]))
    try stack.context.performAndWait {
      let context = stack.context
      let person = context.new("Person", [:])
      person.setValue(["city": "Bonn", "at": ["x": 3]], forKey: "home")
      person.setValue(["city": "Ulm", "zip": "89073"], forKey: "other")
      try context.save()
      context.delete(person)
      try context.save()
      let change = try #require(try context.transactions().last?.changes?.first)
      let tombstone = try #require(change.tombstone)
      #expect(tombstone as NSDictionary == ["home": ["city": "Bonn", "at": ["x": 3]], "other.zip": "89073"])
    }
  }
}
