import Foundation
import Inspection
import Testing

@testable import CoreData

/// What a batch delete of an entity's objects says, as ids.
private func deleted(
  _ entity: String, _ format: String? = nil, _ context: NSManagedObjectContext,
  _ change: (NSFetchRequest<NSFetchRequestResult>) -> Void = { _ in }
) throws -> [NSManagedObjectID] {
  let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
  fetch.predicate = format.map { NSPredicate(format: $0) }
  change(fetch)
  let request = NSBatchDeleteRequest(fetchRequest: fetch)
  request.resultType = .resultTypeObjectIDs
  let result = try #require(try context.execute(request) as? NSBatchDeleteResult)
  return try #require(result.result as? [NSManagedObjectID])
}

private func merge(_ key: String, _ ids: [NSManagedObjectID], _ context: NSManagedObjectContext) {
  NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [key: ids], into: [context])
}

@Suite("Batch deletes")
struct BatchDeleteTests {
  /// Saved books A, B, C.
  private func books(_ body: (Stack, NSManagedObjectContext, [NSManagedObject]) throws -> Void) throws {
    try withStack(.sqlite) { stack, context throws in
      let books = ["A", "B", "C"].map { context.new("Book", ["title": $0]) }
      try context.save()
      for book in books { book.read() }
      try body(stack, context, books)
      #expect(try StoreCheck(stack.url, stack.model).problems == [])
    }
  }

  @Test("Rows that a predicate chooses go; the objects in memory stay as they are, without a change")
  func predicate() throws {
    try books { stack, context, books throws in
      let ids = try deleted("Book", "title < 'C'", context)
      #expect(Set(ids) == Set(books[0...1].map(\.objectID)))
      #expect(books[0].string("title") == "A" && !books[0].isDeleted && !context.hasChanges)
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["C"])
    }
  }

  @Test("The result is a status, ids or a count")
  func results() throws {
    try books { _, context, books throws in
      #expect(NSBatchDeleteRequestResultType.resultTypeObjectIDs.rawValue == 1)
      #expect(NSBatchDeleteRequestResultType.resultTypeCount.rawValue == 2)
      let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
      fetch.fetchLimit = 1
      fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
      let request = NSBatchDeleteRequest(fetchRequest: fetch)
      #expect(request.fetchRequest.resultType == .managedObjectIDResultType)
      #expect(request.resultType == .resultTypeStatusOnly && request.requestType == .batchDeleteRequestType)
      let status = try #require(try context.execute(request) as? NSBatchDeleteResult)
      #expect(status.result as? Bool == true && status.resultType == .resultTypeStatusOnly)
      request.resultType = .resultTypeCount
      let second = try #require(request.copy() as? NSBatchDeleteRequest)
      #expect((try context.execute(second) as? NSBatchDeleteResult)?.result as? Int == 1)
      context.reset()
      // The last in the order went first.
      #expect(try context.strings("Book", "title") == ["A"])
    }
  }

  @Test("The fetch request is copied: it stays as it is, and may change or be a template of the model")
  func copiedRequest() throws {
    let model = library()
    let template = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    template.predicate = NSPredicate(format: "title == 'A'")
    model.setFetchRequestTemplate(template, forName: "OfA")
    try withStack(.sqlite, model) { stack, context throws in
      for title in ["A", "B", "C"] { context.new("Book", ["title": title]) }
      try context.save()
      let found = try #require(stack.coordinator.managedObjectModel.fetchRequestTemplate(forName: "OfA"))
      try context.execute(NSBatchDeleteRequest(fetchRequest: found))
      #expect(found.resultType == .managedObjectResultType)
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["B", "C"])

      let typed = NSFetchRequest<NSManagedObject>(entityName: "Book")
      typed.predicate = NSPredicate(format: "title == 'B'")
      let untyped = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      untyped.predicate = typed.predicate
      let requests = [NSBatchDeleteRequest(fetchRequest: typed), NSBatchDeleteRequest(fetchRequest: untyped)]
      (typed.predicate, untyped.predicate) = (nil, nil)
      for request in requests { try context.execute(request) }
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["C"])
      #expect(typed.resultType == .managedObjectResultType && untyped.resultType == .managedObjectResultType)
    }
  }

  @Test("By ids: only those, of one hierarchy, and saved")
  func byIDs() throws {
    try books { stack, context, books throws in
      let novel = context.new("Novel", ["title": "N"])
      let tag = context.new("Tag")
      try context.save()
      let request = NSBatchDeleteRequest(objectIDs: [books[1].objectID, novel.objectID])
      request.resultType = .resultTypeCount
      #expect((try context.execute(request) as? NSBatchDeleteResult)?.result as? Int == 2)
      // They are gone already.
      #expect((try context.execute(request) as? NSBatchDeleteResult)?.result as? Int == 0)
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["A", "C"])

      let mixed = failure {
        _ = try context.execute(NSBatchDeleteRequest(objectIDs: [books[0].objectID, tag.objectID]))
      }
      #expect(mixed?.localizedDescription.contains("of one entity, but there is one of Tag") == true)
      let unsaved = context.new("Book")
      let new = failure { _ = try context.execute(NSBatchDeleteRequest(objectIDs: [unsaved.objectID])) }
      #expect(new?.localizedDescription.contains("is new") == true)
      #expect(try stack.elsewhere { try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) } == 2)
      context.rollback()
    }
  }

  @Test("Subentities go along, unless the fetch leaves them out")
  func subentities() throws {
    try books { stack, context, _ throws in
      context.new("Novel", ["title": "N"])
      try context.save()
      #expect(try deleted("Book", nil, context) { $0.includesSubentities = false }.count == 3)
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["N"])
      let ids = try deleted("Book", nil, context)
      #expect(ids.map(\.entity.name) == ["Novel"])
    }
  }

  @Test("The temporary ids of objects that were saved since stand for their permanent ones, in batch updates, too")
  func formerIDs() throws {
    try withStack(.sqlite) { stack, context throws in
      let author = context.new("Author", ["name": "Kafka"])
      let book = context.new("Book", ["title": "A", "author": author])
      context.new("Book", ["title": "B"])
      let former = author.objectID
      #expect(former.isTemporaryID)
      try context.save()
      let byKafka = NSPredicate(format: "author == %@", former)
      let update = NSBatchUpdateRequest(entityName: "Book")
      update.predicate = byKafka
      update.propertiesToUpdate = ["title": "C"]
      update.resultType = .updatedObjectsCountResultType
      #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 1)
      #expect(try deleted("Book", nil, context) { $0.predicate = byKafka } == [book.objectID])
      try context.execute(NSBatchDeleteRequest(objectIDs: [former]))
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["B"])
      #expect(try stack.elsewhere { try $0.all("Author").isEmpty })
    }
  }

  @Test("Cascades take along what they lead to, and join rows go with their ends; ids name the chosen only")
  func cascade() throws {
    try withStack(.sqlite) { stack, context throws in
      let author = context.new("Author", ["name": "Kafka"])
      let other = context.new("Author", ["name": "Musil"])
      let tag = context.new("Tag", ["name": "old"])
      for (title, owner) in [("A", author), ("B", author), ("C", other)] {
        let book = context.new("Novel", ["title": title, "author": owner, "tags": NSSet(object: tag)])
        context.new("Chapter", ["title": title + "1", "book": book])
      }
      try context.save()
      #expect(try deleted("Author", "name == 'Kafka'", context) == [author.objectID])
      try stack.elsewhere { other throws in
        #expect(try other.strings("Book", "title") == ["C"])
        #expect(try other.strings("Chapter", "title") == ["C1"])
        #expect(try other.only("Tag").objects("books").count == 1)
        #expect(try other.only("Author").string("name") == "Musil")
      }
      #expect(try StoreCheck(stack.url, stack.model).problems == [])
    }
  }

  @Test("A cascade follows a tree to its leaves")
  func tree() throws {
    let node = entity("Node", [attribute("name")])
    join(
      relate(node, "children", .many, to: node, rule: .cascadeDeleteRule), relate(node, "parent", .one, to: node))
    try withStack(.sqlite, model([node])) { stack, context throws in
      context.new("Node", ["name": "alone"])
      for length in [20, 3, 300] {
        let root = context.new("Node", ["name": "root"])
        var last = root
        for depth in 0..<length { last = context.new("Node", ["name": "\(depth)", "parent": last]) }
        try context.save()
        #expect(try deleted("Node", "name == 'root'", context) == [root.objectID])
        #expect(try stack.elsewhere { try $0.strings("Node", "name") } == ["alone"])
      }
    }
  }

  @Test("Nullify clears what led to a deleted row, of one and of many; that row's version grows")
  func nullify() throws {
    try withStack(.sqlite) { stack, context throws in
      let passport = context.new("Passport", ["number": "1"])
      let author = context.new("Author", ["name": "Kafka", "passport": passport])
      let book = context.new("Book", ["title": "A", "author": author])
      try context.save()
      author.read()
      #expect(try deleted("Passport", nil, context) == [passport.objectID])
      try stack.elsewhere { other throws in
        #expect(try other.only("Author").object("passport") == nil)
        #expect(try other.only("Book").object("author") != nil)
      }
      // The author's row is another one now.
      author["name"] = "Franz Kafka"
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
      context.rollback()
      #expect(book.string("title") == "A")
    }
  }

  @Test("A relationship that has to lead somewhere refuses the deletion, and nothing is done")
  func mandatory() throws {
    let team = entity("Team", [attribute("name")])
    let player = entity("Player", [attribute("name")])
    join(
      relate(team, "players", .many, to: player), relate(player, "team", .one, to: team, optional: false))
    try withStack(.sqlite, model([team, player])) { stack, context throws in
      let owner = context.new("Team", ["name": "T"])
      context.new("Player", ["name": "P", "team": owner])
      context.new("Team", ["name": "empty"])
      try context.save()
      let error = failure { _ = try deleted("Team", nil, context) }
      #expect(error?.code == NSValidationMissingMandatoryPropertyError)
      #expect(error?.localizedDescription == "team is a required value of Player.")
      #expect(try stack.elsewhere { try $0.strings("Team", "name") } == ["T", "empty"])
      #expect(try deleted("Team", "name == 'empty'", context).count == 1)
    }
  }

  @Test("Deny refuses nothing, and no action leaves a fault that can't be fulfilled")
  func denyAndNoAction() throws {
    let team = entity("Team", [attribute("name")])
    let player = entity("Player", [attribute("name")])
    let fan = entity("Fan", [attribute("name")])
    join(
      relate(team, "players", .many, to: player, rule: .denyDeleteRule), relate(player, "team", .one, to: team))
    join(
      relate(team, "fans", .many, to: fan, rule: .noActionDeleteRule), relate(fan, "team", .one, to: team))
    try withStack(.sqlite, model([team, player, fan])) { stack, context throws in
      let owner = context.new("Team", ["name": "T"])
      context.new("Player", ["name": "P", "team": owner])
      context.new("Fan", ["name": "F", "team": owner])
      try context.save()
      #expect(try deleted("Team", nil, context).count == 1)
      try stack.elsewhere { other throws in
        #expect(try other.only("Player").object("team") == nil)
        let gone = try #require(try other.only("Fan").object("team"))
        #expect(failure { _ = try other.existingObject(with: gone.objectID) } != nil)
      }
    }
  }

  @Test("Members of ordered relationships and of those without inverse lose the owner and their place")
  func ownersOfOrder() throws {
    let list = entity("List", [attribute("name")])
    let item = entity("Item", [attribute("name")])
    join(relate(list, "items", .ordered, to: item), relate(item, "list", .one, to: list))
    relate(list, "marks", .many, to: item)
    try withStack(.sqlite, model([list, item])) { stack, context throws in
      let items = ["x", "y"].map { context.new("Item", ["name": $0]) }
      context.new("List", ["items": NSOrderedSet(array: items), "marks": NSSet(array: items)])
      try context.save()
      #expect(try deleted("List", nil, context).count == 1)
      try stack.elsewhere { other throws in
        #expect(try other.all("Item").allSatisfy { $0.object("list") == nil })
        let new = other.new("List", ["items": NSOrderedSet(array: try other.all("Item").reversed())])
        try other.save()
        other.forget()
        #expect(new.list("items").count == 2 && new.objects("marks").isEmpty)
      }
      #expect(try StoreCheck(stack.url, stack.model).problems == [])
    }
  }

  @Test("Files of long values are removed with their rows")
  func files() throws {
    let photo = attribute("photo", .binaryDataAttributeType)
    photo.allowsExternalBinaryDataStorage = true
    try withStack(.sqlite, model([entity("Picture", [photo])])) { stack, context throws in
      context.new("Picture", ["photo": Data(count: 300_000)])
      try context.save()
      let folder = ExternalFiles(store: stack.url).folder.path
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
      _ = try deleted("Picture", nil, context)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test("Merging the ids takes faults, realised and changed objects out, and relationships lose them")
  func merging() throws {
    try withStack(.sqlite) { stack, context throws in
      let author = context.new("Author", ["name": "Kafka"])
      let books = ["A", "B", "C", "D"].map { context.new("Book", ["title": $0, "author": author]) }
      try context.save()
      context.forget()
      #expect(author.objects("books").count == 4)
      books[1].read()
      books[2]["title"] = "C!"
      let ids = try deleted("Book", "title < 'D'", context)
      merge(NSDeletedObjectsKey, ids, context)
      #expect(books[0...2].allSatisfy { context.registeredObject(for: $0.objectID) == nil })
      #expect(!context.hasChanges)
      #expect(author.objects("books") == [books[3]])
      try context.save()
    }
  }

  @Test("Saving an object whose row a batch deleted is a conflict")
  func stale() throws {
    try books { _, context, books throws in
      _ = try deleted("Book", "title == 'A'", context)
      books[0]["title"] = "changed"
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
      context.rollback()
    }
  }

  @Test("A pinned context goes on reading what was there")
  func pinned() throws {
    try books { stack, context, _ throws in
      let other = stack.newContext()
      try other.performAndWait {
        try other.setQueryGenerationFrom(.current)
        #expect(try other.strings("Book", "title") == ["A", "B", "C"])
        #expect(try deleted("Book", nil, other).count == 3)
        other.forget()
        #expect(try other.strings("Book", "title") == ["A", "B", "C"])
        try other.setQueryGenerationFrom(nil)
        #expect(try other.strings("Book", "title") == [])
      }
    }
  }

  @Test("A child context's request goes to the stores")
  func child() throws {
    try books { stack, context, _ throws in
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      try child.performAndWait { () throws in #expect(try deleted("Book", nil, child).count == 3) }
    }
  }

  @Test("A store in memory, a store that can't be written and a fetch are refused in a sentence")
  func refusals() throws {
    try withStack(.inMemory) { _, context in
      context.new("Book")
      try context.save()
      let error = failure { _ = try deleted("Book", nil, context) }
      #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
      #expect(
        error?.localizedDescription == "A store of type InMemory can't execute an NSBatchDeleteRequest.")
      #expect(try context.all("Book").count == 1)
    }
    try books { stack, context, _ throws in
      let readOnly = NSPersistentStoreCoordinator(managedObjectModel: stack.model)
      try readOnly.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: stack.url,
        options: [NSReadOnlyPersistentStoreOption: true])
      let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      reader.persistentStoreCoordinator = readOnly
      reader.performAndWait {
        let error = failure { _ = try deleted("Book", nil, reader) }
        #expect(error?.code == CocoaError.Code.fileWriteNoPermission.rawValue)
      }
      #expect(failure { _ = try deleted("Nothing", nil, context) }?.localizedDescription.contains("Nothing") == true)
      #expect(failure { _ = try deleted("Book", "nope == 1", context) } != nil)
    }
  }

  @Test("The coordinator executes fetches and batch requests")
  func coordinator() throws {
    try books { stack, context, books throws in
      books[0]["title"] = "Z"
      let fetch = NSFetchRequest<NSManagedObject>(entityName: "Book")
      fetch.predicate = NSPredicate(format: "title == 'A'")
      let found = try stack.coordinator.execute(fetch, with: context) as? [NSManagedObject]
      #expect(found == [books[0]])
      fetch.resultType = .countResultType
      let counting = NSFetchRequest<NSNumber>(entityName: "Book")
      counting.resultType = .countResultType
      #expect(try stack.coordinator.execute(counting, with: context) as? [NSNumber] == [3])
      let request = NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Book"))
      request.resultType = .resultTypeCount
      let result = try stack.coordinator.execute(request, with: context) as? NSBatchDeleteResult
      #expect(result?.result as? Int == 3)
      context.rollback()
    }
  }
}
