import CoreData
import Testing

@Suite("New objects: refreshed, compared with what was saved, pushed to parents")
struct NewObjectTests {
  @Test(
    "Objects that were made with an equal model's entities belong to the context's model once they are inserted",
    arguments: StoreKind.allCases)
  func equalModel(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      var other: NSManagedObjectModel? = library()
      func free(_ entity: String) -> NSManagedObject {
        NSManagedObject(entity: other!.entitiesByName[entity]!, insertInto: nil)
      }
      let (book, author) = (free("Book"), free("Author"))
      book["title"] = "a"
      book["author"] = author
      context.insert(book)
      other = nil
      #expect(book.entity === context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Book"])
      #expect(author.objects("books") == [book] && author.managedObjectContext === context)
      try context.save()
      #expect(try stack.elsewhere { try $0.only("Author").objects("books").map { $0.string("title") } } == ["a"])
    }
  }

  @Test(
    "A new object that is refreshed without its changes is a fault, and starts again", arguments: StoreKind.allCases)
  func refreshed(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let author = context.new("Author", ["name": "A"])
      try context.save()
      let tag = context.new("Tag")
      let book = context.new("Book", ["title": "B", "pages": 5, "author": author, "tags": Set([tag])])
      context.refresh(book, mergeChanges: true)
      #expect(!book.isFault && book.int("pages") == 5)
      context.refresh(book, mergeChanges: false)
      #expect(book.isFault && book.isInserted && context.insertedObjects == [book, tag])
      #expect(author.objects("books").isEmpty && tag.objects("books").isEmpty)
      #expect(book.string("title") == "Untitled" && book.int("pages") == 0 && book.object("author") == nil)
      #expect(!book.isFault && book.objects("tags").isEmpty)
      book["pages"] = 6
      context.refresh(book, mergeChanges: false)
      book["author"] = author
      #expect(author.objects("books") == [book])
      try context.save()
      #expect(book.int("pages") == 0 && !book.isInserted)
    }
  }

  @Test("A new object that is a fault is validated and saved like any other", arguments: StoreKind.allCases)
  func saved(_ kind: StoreKind) throws {
    let shape = entity(
      "Shape", [attribute("name", optional: false), attribute("sides", .integer16AttributeType, default: 3)])
    try withStack(kind, model([shape])) { stack, context in
      let new = context.new("Shape", ["name": "a", "sides": 4])
      context.refresh(new, mergeChanges: false)
      #expect(failure { try context.save() }?.code == NSValidationMissingMandatoryPropertyError)
      context.refresh(new, mergeChanges: false)
      new["name"] = "b"
      try context.save()
      #expect(try stack.elsewhere { try $0.only("Shape").int("sides") } == 3)
    }
  }

  @Test("A child's new object can be refreshed without its changes", arguments: StoreKind.allCases)
  func child(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let child = NSManagedObjectContext.child(of: stack.context)
    try child.performAndWait {
      let book = child.new("Book", ["title": "B"])
      child.refresh(book, mergeChanges: false)
      #expect(book.isFault && book.string("title") == "Untitled")
      try child.save()
      #expect(book.string("title") == "Untitled")
    }
    _ = stack
  }

  @Test("A new object with its permanent id is refreshed like any other new object", arguments: StoreKind.allCases)
  func permanent(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author", ["name": "A"])
      try context.save()
      let screen = try ListScreen(context)
      let book = context.new("Book", ["title": "B", "author": author])
      try context.obtainPermanentIDs(for: [book])
      context.processPendingChanges()
      context.refresh(book, mergeChanges: false)
      #expect(book.isFault && book.isInserted && author.objects("books").isEmpty)
      #expect(try context.existingObject(with: book.objectID) === book)
      #expect(book.string("title") == "Untitled" && book.object("author") == nil)
      context.refresh(book, mergeChanges: false)
      context.processPendingChanges()
      #expect(screen.text == "Untitled")
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["Untitled"])
    }
  }

  @Test("A child sees its parent's new object that is a fault", arguments: StoreKind.allCases)
  func seenByChild(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["title": "B"])
      context.refresh(book, mergeChanges: false)
      let child = NSManagedObjectContext.child(of: context)
      let id = book.objectID
      let title = try child.performAndWait { try child.existingObject(with: id).string("title") }
      #expect(title == "Untitled")
    }
  }

  @Test(
    "changedValues of a new object has what primitive setters set, and no default values", arguments: StoreKind.allCases
  )
  func changed(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book")
      #expect(book.changedValues().isEmpty)
      book.setPrimitiveValue("P", forKey: "title")
      book.setPrimitiveValue(0, forKey: "pages")
      #expect(book.changedValues().keys.sorted() == ["title"])
      book["isbn"] = "1"
      #expect(book.changedValues()["title"] as? String == "P")
      #expect(book.changedValues().keys.sorted() == ["isbn", "title"])
      try context.save()
      #expect(book.changedValues().isEmpty)
    }
  }

  @Test("committedValues of a new object has no values", arguments: StoreKind.allCases)
  func committed(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["title": "B"])
      #expect(book.committedValues(forKeys: nil).isEmpty)
      #expect(book.committedValues(forKeys: ["title"])["title"] == nil)
      try context.save()
      #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "B")
      #expect(book.committedValues(forKeys: ["isbn"])["isbn"] is NSNull)
    }
  }

  @Test(
    "A child's save takes transient values to the parent, of new, changed and otherwise unchanged objects",
    arguments: StoreKind.allCases)
  func transients(_ kind: StoreKind) throws {
    let shape = entity(
      "Shape",
      [attribute("name"), transient("mark", .stringAttributeType), transient("any", .undefinedAttributeType)])
    let stack = try Stack(kind, model([shape]))
    let (parent, child) = (stack.context, NSManagedObjectContext.child(of: stack.context))
    let ids = try parent.performAndWait {
      let shapes = [parent.new("Shape", ["name": "1"]), parent.new("Shape", ["name": "2"])]
      try parent.save()
      return shapes.map(\.objectID)
    }
    let newID = try child.performAndWait {
      let new = child.new("Shape", ["name": "3", "mark": "new", "any": NSNumber(value: 3)])
      let changed = child.object(with: ids[0])
      changed["name"] = "4"
      changed["mark"] = "changed"
      let other = child.object(with: ids[1])
      other["mark"] = "alone"
      // Objects of the child are none of the parent's.
      other["any"] = changed
      try child.save()
      return new.objectID
    }
    parent.performAndWait {
      let new = parent.object(with: newID)
      #expect(new.string("mark") == "new" && new.int("any") == 3)
      #expect(parent.object(with: ids[0]).string("mark") == "changed")
      let other = parent.object(with: ids[1])
      #expect(other.string("mark") == "alone" && other["any"] == nil && other.isUpdated)
      #expect(failure { try parent.save() } == nil)
    }
    _ = stack
  }

  @Test("NSManagedObject() says what is missing, and makes an object without properties")
  func bare() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let object = NSManagedObject()
      precondition(object.managedObjectContext == nil && object.entity.properties.isEmpty && !object.hasChanges)
      precondition(object.description.contains("NSManagedObject"))
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("Failed to call designated initializer on NSManagedObject class 'NSManagedObject'."))
  }
}
