import CoreData
import Foundation
import PostgreSQLStore
import PostgreSQLTestServer
import Testing

@Suite("Batch requests to a PostgreSQL store", hasServer)
struct BatchTests {
  private func insert(
    _ entity: String, _ rows: [[String: Any]], _ context: NSManagedObjectContext
  ) throws -> [NSManagedObjectID] {
    let request = NSBatchInsertRequest(entityName: entity, objects: rows)
    request.resultType = .objectIDs
    return try context.performAndWait {
      (try context.execute(request) as? NSBatchInsertResult)?.result as? [NSManagedObjectID] ?? []
    }
  }

  private func titles(_ shelf: Shelf, _ format: String? = nil) throws -> [String] {
    let other = try shelf.elsewhere()
    return try other.context.performAndWait {
      try other.context.all("Book", format, sort: "title").map { $0.value(forKey: "title") as? String ?? "" }
    }
  }

  @Test("A batch insert of more rows than a portion has each row once, under the ids that it answers with")
  func insertion() throws {
    let shelf = try Shelf(libraryModel())
    let ids = try insert("Book", (0..<12_000).map { ["title": "b\($0)", "pages": $0 % 500] }, shelf.context)
    #expect(Set(ids).count == 12_000)
    let other = try shelf.elsewhere()
    try other.context.performAndWait {
      let count = try other.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
      #expect(count == 12_000)
      let found = try other.context.all("Book", "title == 'b11999'")
      #expect(found.map { $0.value(forKey: "pages") as? Int } == [499])
    }
    try shelf.context.performAndWait {
      let object = shelf.context.object(with: ids[7000])
      #expect(object.value(forKey: "title") as? String == "b7000")
      // Saves and batches give no key twice.
      shelf.context.new("Book", ["title": "one more"])
      try shelf.context.save()
      #expect(try shelf.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 12_001)
    }
  }

  @Test("A row that breaks a constraint is named, with the row that has its values, and nothing is written")
  func conflict() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let red = shelf.context.new("Tag", ["name": "red"])
      try shelf.context.save()
      let error = #expect(throws: NSError.self) {
        _ = try insert("Tag", [["name": "blue"], ["name": "red"]], shelf.context)
      }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
      #expect(conflicts?.first?.constraint == ["name"])
      #expect(conflicts?.first?.databaseObject?.objectID == red.objectID)
      let twice = #expect(throws: NSError.self) {
        _ = try insert("Tag", [["name": "blue"], ["name": "blue"]], shelf.context)
      }
      #expect(twice?.code == NSManagedObjectConstraintMergeError)
      #expect(try shelf.context.all("Tag").count == 1)
    }
  }

  @Test("With a merge policy a row takes the values of one that breaks a constraint, or stays, and its members do")
  func merging() throws {
    let shelf = try Shelf(libraryModel())
    try shelf.context.performAndWait {
      let red = shelf.context.new("Tag", ["name": "red"])
      red.setValue(Set([shelf.context.new("Book", ["title": "b"])]), forKey: "books")
      try shelf.context.save()
      for policy in [NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite] {
        shelf.context.mergePolicy = policy
        _ = try insert("Tag", [["name": "red"], ["name": "blue"], ["name": "blue"]], shelf.context)
        let other = try shelf.elsewhere()
        try other.context.performAndWait {
          let tags = try other.context.all("Tag", sort: "name")
          #expect(tags.map { $0.value(forKey: "name") as? String } == ["blue", "red"])
          #expect((tags[1].value(forKey: "books") as? Set<NSManagedObject>)?.count == 1)
        }
      }
    }
  }

  @Test("A batch update changes the rows of its predicate to constants and to what expressions give, of all types")
  func update() throws {
    let shelf = try Shelf(libraryModel())
    _ = try insert("Book", (0..<10).map { ["title": "b\($0)", "pages": $0] }, shelf.context)
    try shelf.context.performAndWait {
      let request = NSBatchUpdateRequest(entityName: "Book")
      request.predicate = NSPredicate(format: "pages >= 5")
      let id = UUID()
      let date = Date(timeIntervalSinceReferenceDate: 123.456789)
      request.propertiesToUpdate = [
        "title": "new", "pages": NSExpression(format: "pages + 100"), "price": NSDecimalNumber(string: "12.3456789"),
        "id": id, "added": date, "isRead": true, "weight": 1.5, "cover": Data([1, 2]),
      ]
      request.resultType = .updatedObjectIDsResultType
      let result = try shelf.context.execute(request) as? NSBatchUpdateResult
      #expect((result?.result as? [NSManagedObjectID])?.count == 5)
      let books = try shelf.context.all("Book", "title == 'new'", sort: "pages")
      #expect(books.map { $0.value(forKey: "pages") as? Int } == [105, 106, 107, 108, 109])
      #expect(books[0].value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "12.3456789"))
      #expect(books[0].value(forKey: "id") as? UUID == id)
      #expect(books[0].value(forKey: "added") as? Date == date)
      #expect(books[0].value(forKey: "cover") as? Data == Data([1, 2]))
    }
  }

  @Test("A batch update takes three round trips, whatever the number of rows and of constraints")
  func updateTrips() throws {
    let shelf = try Shelf(libraryModel())
    _ = try insert("Tag", (0..<500).map { ["name": "t\($0)"] }, shelf.context)
    try shelf.context.performAndWait {
      let request = NSBatchUpdateRequest(entityName: "Tag")
      request.predicate = NSPredicate(format: "name BEGINSWITH 't' AND books.@count == 0")
      request.propertiesToUpdate = ["name": NSExpression(format: "uppercase(name)")]
      request.resultType = .updatedObjectsCountResultType
      _ = try shelf.context.execute(request)
      request.predicate = NSPredicate(format: "name BEGINSWITH 'T'")
      request.propertiesToUpdate = ["name": NSExpression(format: "lowercase(name)")]
      var count: Int?
      _ = try shelf.context.execute(request)
      request.propertiesToUpdate = ["name": NSExpression(format: "uppercase(name)")]
      request.predicate = NSPredicate(format: "name BEGINSWITH 't' AND books.@count == 0")
      let trips = try shelf.trips {
        count = (try shelf.context.execute(request) as? NSBatchUpdateResult)?.result as? Int
      }
      #expect(count == 500)
      #expect(trips == 3)
    }
  }

  @Test("A batch update that breaks a constraint changes nothing and names it")
  func updateConflict() throws {
    let shelf = try Shelf(libraryModel())
    _ = try insert("Tag", [["name": "red"], ["name": "blue"]], shelf.context)
    try shelf.context.performAndWait {
      let request = NSBatchUpdateRequest(entityName: "Tag")
      request.propertiesToUpdate = ["name": "same"]
      let error = #expect(throws: NSError.self) { try shelf.context.execute(request) }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      let names = try shelf.context.all("Tag", sort: "name").map { $0.value(forKey: "name") as? String }
      #expect(names == ["blue", "red"])
    }
  }

  @Test("A batch update that breaks one of two constraints names it, though the other's name begins with its name")
  func updateConflictOfTwo() throws {
    let model = libraryModel()
    model.entitiesByName["Author"]?.properties.append(attribute("number", .integer64AttributeType))
    model.entitiesByName["Author"]?.uniquenessConstraints = [["number", "name"], ["number"]]
    let shelf = try Shelf(model)
    _ = try insert("Author", [["name": "Ann", "number": 1], ["name": "Bob", "number": 2]], shelf.context)
    try shelf.context.performAndWait {
      let request = NSBatchUpdateRequest(entityName: "Author")
      request.propertiesToUpdate = ["number": 3]
      let error = #expect(throws: NSError.self) { try shelf.context.execute(request) }
      let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSConstraintConflict]
      #expect(conflicts?.map(\.constraint) == [["number"]])
    }
  }

  @Test("A batch delete follows the delete rules: links go, cascades go along, other owners lose the object")
  func deletion() throws {
    let model = libraryModel()
    model.entitiesByName["Author"]?.relationshipsByName["books"]?.deleteRule = .cascadeDeleteRule
    let shelf = try Shelf(model)
    try shelf.context.performAndWait {
      let ann = shelf.context.new("Author", ["name": "Ann"])
      let bob = shelf.context.new("Author", ["name": "Bob"])
      let tag = shelf.context.new("Tag", ["name": "red"])
      for number in 0..<3 {
        let book = shelf.context.new(number == 0 ? "Novel" : "Book", ["title": "b\(number)"])
        book.setValue(number < 2 ? ann : bob, forKey: "author")
        book.setValue(Set([tag]), forKey: "tags")
        if number == 0 { bob.setValue(book, forKey: "favourite") }
      }
      try shelf.context.save()
      let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
      fetch.predicate = NSPredicate(format: "name == 'Ann'")
      let request = NSBatchDeleteRequest(fetchRequest: fetch)
      request.resultType = .resultTypeObjectIDs
      let result = try shelf.context.execute(request) as? NSBatchDeleteResult
      #expect(result?.result as? [NSManagedObjectID] == [ann.objectID])
    }
    #expect(try titles(shelf) == ["b2"])
    let other = try shelf.elsewhere()
    try other.context.performAndWait {
      let tag = try other.context.all("Tag")[0]
      #expect((tag.value(forKey: "books") as? Set<NSManagedObject>)?.count == 1)
      let bob = try other.context.all("Author")[0]
      #expect(bob.value(forKey: "favourite") == nil)
      let ids = try other.context.all("Book").map(\.objectID)
      _ = try other.context.execute(NSBatchDeleteRequest(objectIDs: ids))
    }
    #expect(try titles(shelf) == [])
  }

  @Test(
    "A batch update whose request or answer is lost is in the database once",
    arguments: [Relay.Cut.beforeRequest, .beforeAnswer])
  func lost(_ cut: Relay.Cut) throws {
    let relay = try Relay(to: #require(TestServer.shared))
    let shelf = try Shelf(libraryModel(), at: relay.url(schema: "batch\(cut)"))
    try shelf.context.performAndWait {
      shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
      let request = NSBatchUpdateRequest(entityName: "Counter")
      request.propertiesToUpdate = ["count": NSExpression(format: "count + 1")]
      _ = try shelf.context.execute(request)
      for _ in 1...6 {
        relay.cutNext(cut)
        _ = try shelf.context.execute(request)
        #expect(relay.hasCut)
      }
      shelf.context.reset()
      let found = try shelf.context.all("Counter")[0].value(forKey: "count") as? Int
      #expect(found == 7)
    }
  }
}
