import CoreData
import Testing

@Suite("Faults whose rows are gone")
struct InaccessibleFaultTests {
  @Test("A to-one leads to a fault even when its row is gone, which then reads as empty", arguments: StoreKind.allCases)
  func danglingToOne(_ kind: StoreKind) throws {
    let (owner, thing) = (entity("Owner", [attribute("name")]), entity("Thing", [attribute("name")]))
    relate(owner, "thing", .one, to: thing, rule: .noActionDeleteRule)
    try withStack(kind, model([owner, thing])) { stack, context in
      let owner = context.new("Owner", ["thing": context.new("Thing", ["name": "T"])])
      try context.save()
      context.reset()
      try stack.elsewhere { other in
        other.delete(try other.only("Thing"))
        try other.save()
      }
      let mine = try context.only("Owner")
      let thing = try #require(mine.object("thing"))
      #expect(thing.isFault && thing.objectID.entity.name == "Thing" && !thing.isDeleted)
      #expect(thing.string("name") == nil)
      #expect(thing.isDeleted)
      context.reset()
      _ = owner
    }
  }

  @Test(
    "Taking an object away from one whose row is gone can be saved, whether the ghost was read first or not",
    arguments: StoreKind.allCases, [false, true])
  func leavingAGhost(_ kind: StoreKind, readsFirst: Bool) throws {
    let (author, book) = (
      entity("Author", [attribute("name")]), entity("Book", [attribute("title")])
    )
    author.attributesByName["name"]?.isOptional = false
    let (books, back) = (
      relate(author, "books", .many, to: book, rule: .noActionDeleteRule), relate(book, "author", .one, to: author)
    )
    books.inverseRelationship = back
    back.inverseRelationship = books
    try withStack(kind, model([author, book])) { stack, context in
      let book = context.new("Book", ["author": context.new("Author", ["name": "A"])])
      try context.save()
      context.reset()
      try stack.elsewhere { other in
        other.delete(try other.only("Author"))
        try other.save()
      }
      let mine = try context.only("Book")
      let ghost = try #require(mine.object("author"))
      if readsFirst { #expect(ghost.string("name") == nil) }
      mine.setValue(nil, forKey: "author")
      try context.save()
      #expect(!context.hasChanges && mine.object("author") == nil)
      try stack.elsewhere { other in try #expect(other.only("Book").object("author") == nil) }
      _ = book
    }
  }

  @Test(
    "A context is asked what to do about it, with the object, its id and the property that was read",
    arguments: StoreKind.allCases)
  func hook(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let context = Asked(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = stack.coordinator
    let id = try stack.elsewhere { other in
      let book = other.new("Book")
      try other.save()
      return book.objectID
    }
    try context.performAndWait {
      let book = context.object(with: id)
      try stack.elsewhere { other in
        other.delete(other.object(with: id))
        try other.save()
      }
      #expect(throws: (any Error).self) { try context.existingObject(with: id) }
      #expect(context.asked.isEmpty, "existingObject throws, and asks nobody.")
      #expect(book.primitiveValue(forKey: "title") == nil)
      #expect(context.asked.map(\.id) == [id] && context.asked.first?.property == "title")
      #expect(book.isDeleted)
      let gone = failure { _ = try context.existingObject(with: id) }
      #expect(gone?.code == NSManagedObjectReferentialIntegrityError)
    }
  }

  @Test("existingObject with an id of a store that is not open is error 133000, with the id")
  func otherStore() throws {
    let (one, other) = (try Stack(.inMemory), try Stack(.inMemory))
    let id = try other.context.performAndWait {
      let book = other.context.new("Book")
      try other.context.save()
      return book.objectID
    }
    one.context.performAndWait {
      let error = failure { _ = try one.context.existingObject(with: id) }
      #expect(error?.domain == NSCocoaErrorDomain && error?.code == 133000)
      #expect(error?.userInfo["objectID"] as? NSManagedObjectID == id)
    }
  }
}

private final class Asked: NSManagedObjectContext, @unchecked Sendable {
  var asked: [(id: NSManagedObjectID, property: String?)] = []

  override func shouldHandleInaccessibleFault(
    _ fault: NSManagedObject, for oid: NSManagedObjectID, triggeredByProperty property: NSPropertyDescription?
  ) -> Bool {
    asked.append((oid, property?.name))
    return super.shouldHandleInaccessibleFault(fault, for: oid, triggeredByProperty: property)
  }
}
