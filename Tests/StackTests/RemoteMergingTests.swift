import CoreData
import Testing

@Suite("Merging remote saves")
struct RemoteMergingTests {
  @Test(
    "Ids under the inserted key refresh an object that the context has: a batch insert may have met its row", keepsRows)
  func upsert() throws {
    let stack = try Stack(.sqlite, constrained())
    try stack.context.performAndWait {
      let context = stack.context
      let tag = context.new("Tag", ["name": "a", "note": "old"])
      let fault = context.new("Tag", ["name": "b", "note": "old"])
      try context.save()
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      context.refresh(fault, mergeChanges: false)
      #expect(try context.all("Tag").count == 2 && fault.isFault)
      let request = NSBatchInsertRequest(
        entityName: "Tag", objects: [["name": "a", "note": "new"], ["name": "b", "note": "new"]])
      request.resultType = .objectIDs
      let result = try #require(try context.execute(request) as? NSBatchInsertResult)
      let log = NotificationLog(context)
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSInsertedObjectsKey: result.result as Any], into: [context])
      #expect(tag.string("note") == "new" && fault.string("note") == "new" && !context.hasChanges)
      #expect(log["didChange"]?.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [tag])
      #expect(try context.all("Tag").count == 2)
    }
  }

  private func constrained() -> NSManagedObjectModel {
    let tag = entity("Tag", [attribute("name"), attribute("note")])
    tag.uniquenessConstraints = [["name"]]
    return model([tag])
  }

  /// Two saved books in a context, one of them then changed and the other deleted elsewhere, and a third made there.
  private func story(
    _ kind: StoreKind,
    _ body: (
      Stack, _ changed: NSManagedObject, _ gone: NSManagedObject, _ new: NSManagedObjectID
    ) throws -> Void
  ) throws {
    let stack = try Stack(kind)
    let (changed, gone) = try stack.context.performAndWait {
      let books = ["A", "gone"].map { stack.context.new("Book", ["title": $0]) }
      try stack.context.save()
      books.forEach { $0.read() }
      return (books[0], books[1])
    }
    let new = try stack.elsewhere { other in
      other.same(changed)["title"] = "B"
      other.delete(other.same(gone))
      let new = other.new("Book", ["title": "new"])
      try other.save()
      return new.objectID
    }
    try body(stack, changed, gone, new)
  }

  enum Form: CaseIterable { case ids, uris, objectKeys }
  enum Collection: CaseIterable { case array, set, nsArray, nsSet }

  @Test(
    "The values are arrays or sets of ids or URIs, under the keys of objects or of ids", arguments: Form.allCases,
    Collection.allCases)
  func forms(_ form: Form, _ collection: Collection) throws {
    for kind in StoreKind.allCases {
      try story(kind) { stack, changed, gone, new in
        func value(_ id: NSManagedObjectID) -> Any {
          switch (form, collection) {
          case (.uris, .array): [id.uriRepresentation()]
          case (.uris, .set): Set([id.uriRepresentation()])
          case (.uris, .nsArray): NSArray(array: [id.uriRepresentation()])
          case (.uris, .nsSet): NSSet(array: [id.uriRepresentation()])
          case (_, .array): [id]
          case (_, .set): Set([id])
          case (_, .nsArray): NSArray(array: [id])
          case (_, .nsSet): NSSet(array: [id])
          }
        }
        let keys =
          form == .ids
          ? [NSInsertedObjectIDsKey, NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey]
          : [NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey]
        let context = stack.context
        let log = NotificationLog(context)
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: Dictionary(
            uniqueKeysWithValues: zip(keys, [new, changed.objectID, gone.objectID].map(value))),
          into: [context])
        context.performAndWait {
          #expect(changed.string("title") == "B")
          #expect(gone.managedObjectContext == nil && !context.hasChanges)
          #expect(log["didMergeIDs"]?.ids(NSInsertedObjectIDsKey) == [new])
          #expect(log["didMergeIDs"]?.ids(NSUpdatedObjectIDsKey) == [changed.objectID])
          #expect(log["didMergeIDs"]?.ids(NSDeletedObjectIDsKey) == [gone.objectID])
        }
      }
    }
  }

  @Test("Refreshed and invalidated ids are read anew as well", arguments: StoreKind.allCases)
  func otherKeys(_ kind: StoreKind) throws {
    for key in [
      NSRefreshedObjectsKey, NSRefreshedObjectIDsKey, NSInvalidatedObjectsKey, NSInvalidatedObjectIDsKey,
    ] {
      try story(kind) { stack, changed, _, _ in
        NSManagedObjectContext.mergeChanges(
          fromRemoteContextSave: [key: [changed.objectID]], into: [stack.context])
        stack.context.performAndWait { #expect(changed.string("title") == "B", "\(key)") }
      }
    }
  }

  @Test(
    "Several contexts take a remote save over, parents before their children however they are listed",
    arguments: StoreKind.allCases)
  func hierarchy(_ kind: StoreKind) throws {
    try story(kind) { stack, changed, gone, _ in
      let parent = stack.context
      let child = NSManagedObjectContext(.privateQueue)
      child.parent = parent
      let sibling = stack.newContext()
      // What the contexts hold is as it was before the save elsewhere.
      let mine = child.performAndWait { child.object(with: changed.objectID) }
      child.performAndWait { #expect(mine.string("title") == "A") }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [
          NSUpdatedObjectsKey: [changed.objectID], NSDeletedObjectsKey: [gone.objectID],
        ], into: [child, sibling, parent])
      child.performAndWait { #expect(mine.string("title") == "B") }
      parent.performAndWait { #expect(changed.string("title") == "B" && gone.managedObjectContext == nil) }
    }
  }

  @Test("Ids of other stores, of rows that are none, and what is no id are left out", arguments: StoreKind.allCases)
  func unknown(_ kind: StoreKind) throws {
    let far = try Stack(kind)
    let foreign = try far.context.performAndWait {
      let book = far.context.new("Book")
      try far.context.save()
      return book.objectID
    }
    try story(kind) { stack, changed, _, _ in
      let context = stack.context
      let log = NotificationLog(context)
      let never = URL(string: changed.objectID.uriRepresentation().absoluteString + "999")!
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [
          NSInsertedObjectsKey: [foreign], NSUpdatedObjectsKey: [foreign, never, "no id", 5],
          NSDeletedObjectsKey: [foreign.uriRepresentation(), never, URL(string: "https://example.org")!],
          "something else": [changed.objectID],
        ], into: [context])
      context.performAndWait {
        #expect(log.names.isEmpty && !context.hasChanges)
        #expect(context.registeredObject(for: foreign) == nil)
        #expect(changed.string("title") == "A")
      }
    }
  }

  // Another coordinator of the same file stands for another process.

  @Test(
    "What another coordinator wrote to the file is read, whatever rows the contexts share", arguments: [true, false])
  func otherCoordinator(isRemote: Bool) throws {
    let stack = try Stack(.sqlite)
    let context = stack.context
    let (author, book, gone) = try context.performAndWait {
      let author = context.new("Author", ["name": "Kafka"])
      let books = ["A", "gone"].map { context.new("Book", ["title": $0, "author": author]) }
      try context.save()
      #expect(author.objects("books").count == 2)
      return (author, books[0], books[1])
    }
    // A second context holds the rows as well, so that they stay in the cache.
    let second = stack.newContext()
    let (held, fault) = second.performAndWait {
      (second.object(with: book.objectID), second.object(with: gone.objectID))
    }
    second.performAndWait { #expect(held.string("title") == "A" && fault.isFault) }
    var notification: Notification?
    let far = try Stack(.sqlite, at: stack.url)
    try far.context.performAndWait {
      let token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSaveObjectIDs, object: far.context, queue: nil
      ) { notification = $0 }
      defer { NotificationCenter.default.removeObserver(token) }
      let books = try far.context.all("Book")
      books.first { $0.string("title") == "A" }!["title"] = "B"
      far.context.delete(books.first { $0.string("title") == "gone" }!)
      far.context.new("Book", ["title": "new", "author": try far.context.only("Author")])
      try far.context.save()
    }
    let told = try #require(notification)
    if isRemote {
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: told.userInfo!, into: [context, second])
    } else {
      for context in [context, second] {
        context.performAndWait { context.mergeChanges(fromContextDidSave: told) }
      }
    }
    context.performAndWait {
      #expect(book.string("title") == "B")
      #expect(gone.managedObjectContext == nil)
      #expect(Set(author.objects("books").map { $0.string("title") }) == ["B", "new"])
      #expect(!context.hasChanges)
    }
    try second.performAndWait {
      #expect(held.string("title") == "B" && fault.managedObjectContext == nil)
      held["title"] = "C"
      try second.save()
    }
    withExtendedLifetime(far) {}
  }
}
