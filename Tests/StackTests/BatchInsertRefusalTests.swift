import CoreData
import Foundation
import Testing

@Suite("What batch inserts refuse")
struct BatchInsertRefusalTests {
  private func text(_ body: () throws -> Void) -> String { failure(body)?.localizedDescription ?? "none" }

  @Test("Relationships, unknown keys, values of another type are refused by name and value; nothing is written")
  func values() throws {
    try withBatchStack { stack, context throws in
      func error(_ values: [String: Any]) -> String { text { try context.inserted("Book", [["title": "A"], values]) } }
      #expect(error(["author": "Kafka"]).contains("can't set author, which is a relationship, to \"Kafka\""))
      #expect(error(["tags": NSSet()]).contains("can't set tags, which is a relationship"))
      #expect(error(["nope": 5]).contains("Book can't be executed: it sets nope to 5, but the entity has no such"))
      #expect(error(["pages": "many"]).contains("pages of Book takes a NSNumber, not \"many\""))
      #expect(error(["pages": Int64.max]).contains("pages of Book takes a NSNumber, not 9223372036854775807"))
      #expect(error(["isbn": 1]).contains("isbn of Book takes a NSString, not 1"))
      #expect(try context.all("Book").isEmpty)
    }
  }

  @Test("A mandatory attribute without a value is error 1570, which names it; nothing is written")
  func mandatory() throws {
    let thing = entity("Thing", [attribute("name", optional: false), attribute("kind", optional: false, default: "k")])
    try withBatchStack(model([thing])) { stack, context throws in
      let missing = failure { try context.inserted("Thing", [["name": "a"], ["kind": "x"]]) }
      #expect(missing?.code == NSValidationMissingMandatoryPropertyError)
      #expect(missing?.localizedDescription == "name is a required value of Thing.")
      #expect(missing?.userInfo[NSValidationKeyErrorKey] as? String == "name")
      let taken = failure { try context.inserted("Thing", [["name": "a", "kind": NSNull()]]) }
      #expect(taken?.localizedDescription == "kind is a required value of Thing.")
      #expect(try context.all("Thing").isEmpty)
      try context.inserted("Thing", [["name": "a"]])
      #expect(try context.strings("Thing", "kind") == ["k"])
    }
  }

  @Test("Limits, patterns and mandatory relationships are not checked")
  func unchecked() throws {
    let short = attribute("name")
    short.setValidationPredicates([NSPredicate(format: "length < 3")], withValidationWarnings: [])
    let (thing, owner) = (entity("Thing", [short]), entity("Owner", [attribute("name")]))
    join(
      relate(thing, "owner", .one, to: owner, optional: false), relate(owner, "things", .many, to: thing))
    try withBatchStack(model([thing, owner])) { stack, context throws in
      try context.inserted("Thing", [["name": "much too long"]])
      #expect(try context.only("Thing").string("name") == "much too long")
    }
  }

  @Test("Transient and derived attributes are refused in dictionaries, and left out of objects")
  func notStored() throws {
    let hidden = attribute("hidden")
    hidden.isTransient = true
    let derived = NSDerivedAttributeDescription()
    derived.name = "folded"
    derived.attributeType = .stringAttributeType
    derived.derivationExpression = FoundationExpression(format: "canonical:(name)")
    try withBatchStack(model([entity("Thing", [attribute("name"), hidden, derived])])) { stack, context throws in
      func error(_ values: [String: Any]) -> String { text { try context.inserted("Thing", [values]) } }
      #expect(error(["hidden": "x"]).contains("can't set hidden, which is not stored, to \"x\""))
      #expect(error(["folded": "x"]).contains("can't set folded, which is derived, to \"x\""))
      var isDone = false
      try context.inserted(
        NSBatchInsertRequest(entityName: "Thing") { (thing: NSManagedObject) in
          defer { isDone = true }
          thing["hidden"] = "x"
          thing["name"] = "ÄB"
          return isDone
        })
      #expect(try context.only("Thing").string("folded") == "ab")
    }
  }

  @Test(
    "Setting a relationship of the handler's object is refused; to another object, it is the misuse that it always is")
  func objectsWithRelationships() async throws {
    let node = entity("Node", [attribute("name")])
    relate(node, "next", .one, to: node)
    relate(node, "all", .many, to: node)
    try withBatchStack(model([node])) { stack, context throws in
      for (key, value) in [("next", { $0 }), ("all", { NSSet(object: $0) })] as [(String, (NSManagedObject) -> Any)] {
        let request = NSBatchInsertRequest(entityName: "Node") { (node: NSManagedObject) in
          node[key] = value(node)
          return false
        }
        #expect(text { try context.inserted(request) }.contains("it can't set \(key), which is a relationship"))
      }
      #expect(try context.all("Node").isEmpty)
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withBatchStack { stack, context throws in
        let author = context.new("Author")
        let request = NSBatchInsertRequest(entityName: "Book") { (book: NSManagedObject) in
          book["author"] = author
          return false
        }
        _ = try context.execute(request)
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("Illegal attempt to establish a relationship \"author\""))
  }

  @Test("Requests without entity or source, of abstract and of unknown entities are refused in a sentence")
  func requests() throws {
    let base = entity("Base", [attribute("name")])
    let kind = entity("Kind", [])
    base.isAbstract = true
    base.subentities = [kind]
    try withBatchStack(model([base, kind])) { stack, context throws in
      func error(_ request: NSBatchInsertRequest) -> String { text { _ = try context.execute(request) } }
      #expect(error(NSBatchInsertRequest()) == "The batch request can't be executed: it has no entity.")
      #expect(error(.init(entityName: "Nope", objects: [])).contains("the model has no entity of that name"))
      #expect(error(.init(entityName: "Base", objects: [[:]])).contains("Base can't be executed: the entity is abst"))
      let request = NSBatchInsertRequest(entityName: "Kind", objects: [])
      request.objectsToInsert = nil
      #expect(error(request).contains("neither objects nor a handler"))
      request.objectsToInsert = []
      request.dictionaryHandler = { _ in true }
      #expect(error(request).contains("more than one"))
    }
  }

  @Test("A store in memory and one that can't be written are refused, and no handler is called")
  func stores() throws {
    var calls = 0
    let request = NSBatchInsertRequest(entityName: "Book") { (_: NSMutableDictionary) in
      calls += 1
      return true
    }
    try withStack(.inMemory) { _, context in
      let error = failure { _ = try context.execute(request) }
      #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
      #expect(
        error?.localizedDescription == "A store of type InMemory can't execute an NSBatchInsertRequest.")
    }
    try withBatchStack { stack, context throws in
      context.new("Book")
      try context.save()
      let readOnly = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
      try readOnly.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: stack.url,
        options: [NSReadOnlyPersistentStoreOption: true])
      let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      reader.persistentStoreCoordinator = readOnly
      reader.performAndWait {
        #expect(failure { _ = try reader.execute(request) }?.code == CocoaError.Code.fileWriteNoPermission.rawValue)
      }
    }
    #expect(calls == 0)
  }

  @Test("A handler may read other contexts; one that saves to the store ends the program: it would wait for itself")
  func handlerThatSaves() async throws {
    try withBatchStack { stack, context throws in
      context.new("Tag", ["name": "old"])
      try context.save()
      var names: [String]?
      let reading = NSBatchInsertRequest(entityName: "Tag") { (dictionary: NSMutableDictionary) in
        dictionary["name"] = "new"
        if names != nil { return true }
        names = try? stack.elsewhere { try $0.strings("Tag", "name") }
        return false
      }
      #expect(try context.inserted(reading).count == 1)
      #expect(names == ["old"])
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.sqlite)
      try stack.context.performAndWait {
        let request = NSBatchInsertRequest(entityName: "Tag") { (_: NSMutableDictionary) in
          let other = stack.newContext()
          other.performAndWait {
            other.new("Tag")
            try? other.save()
          }
          return true
        }
        _ = try stack.context.execute(request)
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("A batch insert calls its handler while it writes to the store."))
  }
}
