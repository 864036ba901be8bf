import CoreData
import Testing

@Suite("Persistent history of batch requests")
struct HistoryBatchTests {
  @Test("A child's batch request has the author and the name of the nearest context above that has them")
  func child() throws {
    let stack = try tracked()
    let (root, child) = (stack.context, NSManagedObjectContext.child(of: stack.context))
    let grandchild = NSManagedObjectContext.child(of: child)
    root.transactionAuthor = "app"
    root.name = "root"
    func insert(_ context: NSManagedObjectContext) throws {
      try context.performAndWait {
        _ = try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": "a"]]))
      }
    }
    try insert(grandchild)
    child.transactionAuthor = "child"
    try insert(grandchild)
    grandchild.name = "list"
    try insert(grandchild)
    let found = try root.performAndWait { try root.transactions() }
    #expect(found.map(\.author) == ["app", "child", "child"])
    #expect(found.map(\.contextName) == ["root", "root", "list"])
  }

  private func recorded(
    _ stack: Stack, _ request: NSPersistentStoreRequest
  ) throws -> [NSPersistentHistoryTransaction] {
    let token = stack.coordinator.currentPersistentHistoryToken(fromStores: nil)
    return try stack.context.performAndWait {
      stack.context.transactionAuthor = "batch"
      _ = try stack.context.execute(request)
      let found = try stack.context.transactions(after: token)
      #expect(found.allSatisfy { $0.author == "batch" })
      return found
    }
  }

  @Test("A batch insert records every row, whatever its result says")
  func insert() throws {
    let stack = try tracked()
    let request = NSBatchInsertRequest(entityName: "Tag", objects: (0..<3).map { ["name": "\($0)"] })
    let found = try recorded(stack, request)
    #expect(found.map(\.words) == [["insert Tag", "insert Tag", "insert Tag"]])
    try stack.context.performAndWait {
      let all = try stack.context.all("Tag")
      #expect(Set(found[0].changes!.map(\.changedObjectID)) == Set(all.map(\.objectID)))
    }
    #expect(try recorded(stack, NSBatchInsertRequest(entityName: "Tag", objects: [])).isEmpty)
  }

  @Test("A batch insert that overwrites rows records them as updates of what was given")
  func merge() throws {
    let book = entity("Book", [attribute("isbn"), attribute("title"), attribute("pages", .integer16AttributeType)])
    book.uniquenessConstraints = [["isbn"]]
    let stack = try tracked(model([book]))
    try stack.context.performAndWait {
      stack.context.new("Book", ["isbn": "1", "title": "a"])
      try stack.context.save()
      stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    }
    let request = NSBatchInsertRequest(
      entityName: "Book", objects: [["isbn": "1", "title": "b"], ["isbn": "2"], ["isbn": "1", "pages": 3]])
    #expect(try recorded(stack, request).map(\.words) == [["insert Book", "update Book isbn,pages,title"]])
  }

  @Test("A batch update records the properties that it sets, for subentities too")
  func update() throws {
    let stack = try tracked()
    try stack.context.performAndWait {
      stack.context.new("Book", ["title": "a"])
      stack.context.new("Novel", ["title": "b"])
      try stack.context.save()
    }
    let request = NSBatchUpdateRequest(entityName: "Book")
    request.propertiesToUpdate = ["title": "x", "pages": NSExpression(format: "pages + 1")]
    #expect(try recorded(stack, request).map(\.words) == [["update Book pages,title", "update Novel pages,title"]])
    request.predicate = NSPredicate(value: false)
    #expect(try recorded(stack, request).isEmpty)
  }

  @Test("A batch delete records what its cascades delete and clear, and preserves values")
  func delete() throws {
    let library = library()
    library.entitiesByName["Book"]!.attributesByName["title"]!.preservesValueInHistoryOnDeletion = true
    let stack = try tracked(library)
    try stack.context.performAndWait {
      let author = stack.context.new("Author")
      author["passport"] = stack.context.new("Passport")
      stack.context.new("Book", ["title": "a", "author": author])
      stack.context.new("Novel", ["title": "b", "author": author])
      try stack.context.save()
    }
    let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSManagedObject>(entityName: "Author"))
    let found = try recorded(stack, request)
    #expect(
      found.map(\.words) == [["delete Author", "delete Book", "delete Novel", "update Passport holder"]])
    let titles = found[0].changes!.compactMap { $0.tombstone?["title"] as? String }
    #expect(titles.sorted() == ["a", "b"])
  }

  @Test("A batch request that fails leaves no trace")
  func failing() throws {
    let book = entity("Book", [attribute("isbn")])
    book.uniquenessConstraints = [["isbn"]]
    let stack = try tracked(model([book]))
    try stack.context.performAndWait {
      let request = NSBatchInsertRequest(entityName: "Book", objects: [["isbn": "1"], ["isbn": "1"]])
      #expect(throws: (any Error).self) { try stack.context.execute(request) }
      let found = try stack.context.transactions()
      #expect(found.isEmpty)
    }
  }
}
