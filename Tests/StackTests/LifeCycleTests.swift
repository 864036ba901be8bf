import CoreData
import Testing

/// An object that writes down every call of its life.
final class Diary: NSManagedObject {
  nonisolated(unsafe) static var lines: [String] = []

  static func model() -> NSManagedObjectModel {
    StackTests.model([
      StackTests.entity(
        "Diary", [StackTests.attribute("text", default: "blank"), StackTests.attribute("stamp")], class: Diary.self)
    ])
  }

  private func note(_ line: String) { Diary.lines.append(line) }

  override func awakeFromInsert() {
    super.awakeFromInsert()
    note("awakeFromInsert \(string("text") ?? "nil")")
    setValue("woken", forKey: "stamp")
  }
  override func awakeFromFetch() { note("awakeFromFetch \(string("text") ?? "nil")") }
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { note("awake \(flags.rawValue)") }
  override func prepareForDeletion() { note("prepareForDeletion \(isDeleted)") }
  override func willSave() { note("willSave") }
  override func didSave() { note("didSave \(objectID.isTemporaryID)") }
  override func willTurnIntoFault() { note("willTurnIntoFault \(isFault)") }
  override func didTurnIntoFault() { note("didTurnIntoFault \(isFault)") }
  override func validateForInsert() throws {
    note("validateForInsert")
    try super.validateForInsert()
  }
  override func validateForUpdate() throws {
    note("validateForUpdate")
    try super.validateForUpdate()
  }
  override func validateForDelete() throws {
    note("validateForDelete")
    try super.validateForDelete()
  }
}

@Suite("The life of an object", .serialized)
struct LifeCycleTests {
  private func lines(_ body: () throws -> Void) rethrows -> [String] {
    Diary.lines = []
    try body()
    return Diary.lines
  }

  @Test("Every callback comes, in its order, from insertion to deletion", keepsRows, arguments: StoreKind.withCustom)
  func order(_ kind: StoreKind) throws {
    try withStack(kind, Diary.model()) { stack, context in
      var object: NSManagedObject!
      #expect(lines { object = context.new("Diary") } == ["awakeFromInsert blank"])
      #expect(object.string("stamp") == "woken" && object.isInserted && !object.isUpdated)
      let save1 = try lines { try context.save() }
      #expect(save1 == ["willSave", "validateForInsert", "didSave false"])
      #expect(
        lines { context.refresh(object, mergeChanges: false) } == ["willTurnIntoFault false", "didTurnIntoFault true"])
      #expect(lines { object["text"] = "new" } == ["awakeFromFetch blank"])
      let save2 = try lines { try context.save() }
      #expect(save2 == ["willSave", "validateForUpdate", "didSave false"])
      object["text"] = "newer"
      #expect(lines { context.refresh(object, mergeChanges: true) } == ["awake 32"])
      #expect(lines { context.rollback() } == ["awake 16"])
      #expect(lines { context.delete(object) } == ["prepareForDeletion true"])
      #expect(object.isDeleted && object.managedObjectContext === context)
      let save3 = try lines { try context.save() }
      #expect(save3 == ["willSave", "validateForDelete", "didSave false"])
      #expect(!object.isDeleted && object.managedObjectContext == nil)
      #expect(object.isFault && object.string("text") == nil)
    }
  }

  @Test(
    "An object whose deletion was saved has its values while observers are told, and reads as empty from then on",
    arguments: StoreKind.withCustom)
  func savedDeletion(_ kind: StoreKind) throws {
    try withStack(kind, Diary.model()) { _, context in
      let object = context.new("Diary", ["text": "kept"])
      try context.save()
      context.delete(object)
      context.processPendingChanges()
      #expect(object.string("text") == "kept")
      nonisolated(unsafe) let deleted = object
      nonisolated(unsafe) var told: String?
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: context, queue: nil
      ) { _ in told = deleted.string("text") }
      defer { NotificationCenter.default.removeObserver(observer) }
      try context.save()
      #expect(told == "kept")
      #expect(object.string("text") == nil && object.committedValues(forKeys: ["text"])["text"] is NSNull)
      // What is set is lost with the object, unless a context gets it again.
      object["text"] = "set"
      #expect(object.string("text") == "set" && !object.hasChanges)
      context.insert(object)
      #expect(object.string("text") == "set" && object.isInserted)
      try context.save()
      #expect(try context.all("Diary").map { $0.string("text") } == ["set"])
      context.delete(object)
      try context.save()
      context.insert(object)
      #expect(object.string("text") == "set")
    }
  }

  @Test(
    "refresh(mergeChanges: true) makes an unchanged object a fault, which finds the newest row", keepsRows,
    arguments: StoreKind.withCustom)
  func refreshingUnchanged(_ kind: StoreKind) throws {
    try withStack(kind, Diary.model()) { stack, context in
      let object = context.new("Diary", ["text": "old"])
      try context.save()
      try stack.elsewhere { other in
        try other.all("Diary")[0]["text"] = "new"
        try other.save()
      }
      #expect(
        lines { context.refresh(object, mergeChanges: true) } == ["willTurnIntoFault false", "didTurnIntoFault true"])
      #expect(object.isFault && !object.hasChanges)
      #expect(lines { _ = object.string("text") } == ["awakeFromFetch new"])
      #expect(object.string("text") == "new")
      object["text"] = "newer"
      context.refresh(object, mergeChanges: true)
      #expect(!object.isFault && object.string("text") == "newer")
    }
  }

  @Test("An object without a context wakes when it is inserted, once", arguments: StoreKind.withCustom)
  func free(_ kind: StoreKind) throws {
    try withStack(kind, Diary.model()) { stack, context in
      let entity = try #require(stack.model.entitiesByName["Diary"])
      var object: NSManagedObject!
      #expect(lines { object = Diary(entity: entity, insertInto: nil) } == [])
      #expect(object.string("text") == "blank" && object.managedObjectContext == nil)
      #expect(!object.isInserted && !object.hasChanges)
      object["text"] = "written"
      #expect(context.registeredObjects.isEmpty)
      #expect(lines { context.insert(object) } == ["awakeFromInsert written"])
      #expect(object.isInserted && object.managedObjectContext === context)
      #expect(lines { context.insert(object) } == [])
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Diary", "text") } == ["written"])
    }
  }

  @Test("New objects without a context may be related, and go into a context together", arguments: StoreKind.withCustom)
  func freeRelated(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      func free(_ entity: String) throws -> NSManagedObject {
        NSManagedObject(entity: try #require(stack.model.entitiesByName[entity]), insertInto: nil)
      }
      let (author, first, second) = (try free("Author"), try free("Book"), try free("Book"))
      author["name"] = "Lem"
      first["title"] = "Solaris"
      second["title"] = "Eden"
      first["author"] = author
      author.mutableSetValue(forKey: "books").add(second)
      #expect(author["books"] as? Set<NSManagedObject> == [first, second])
      #expect(second["author"] as? NSManagedObject === author && !author.hasChanges)
      context.insert(first)
      #expect(context.insertedObjects == [author, first, second])
      #expect(author.managedObjectContext === context && second.isInserted)
      #expect(author["books"] as? Set<NSManagedObject> == [first, second])
      context.insert(author)
      try context.save()
      try stack.elsewhere { other in
        let saved = try #require(try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
        let books = try #require(saved["books"] as? Set<NSManagedObject>)
        #expect(Set(books.compactMap { $0["title"] as? String }) == ["Solaris", "Eden"])
        #expect(books.allSatisfy { $0["author"] as? NSManagedObject === saved })
      }
    }
  }

  @Test("Objects can be made of an entity that no model has, and of one whose model is gone")
  func entityWithoutModel() {
    func entity() -> NSEntityDescription {
      let name = NSAttributeDescription()
      (name.name, name.attributeType) = ("name", .stringAttributeType)
      let friend = NSRelationshipDescription()
      (friend.name, friend.maxCount) = ("friend", 1)
      let entity = NSEntityDescription()
      entity.name = "Person"
      entity.properties = [name, friend]
      friend.destinationEntity = entity
      return entity
    }
    func entityOfLostModel() -> NSEntityDescription {
      let (model, entity) = (NSManagedObjectModel(), entity())
      model.entities = [entity]
      return entity
    }
    for entity in [entity(), entityOfLostModel()] {
      let (first, second) = (
        NSManagedObject(entity: entity, insertInto: nil), NSManagedObject(entity: entity, insertInto: nil)
      )
      first["name"] = "Ada"
      first["friend"] = second
      #expect(first.string("name") == "Ada" && first["friend"] as? NSManagedObject === second)
      #expect(first.entity === entity && first.managedObjectContext == nil)
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.performAndWait {
        let third = NSManagedObject(entity: entity, insertInto: context)
        third["name"] = "Grace"
        #expect(third.string("name") == "Grace" && context.insertedObjects == [third])
      }
    }
  }

  @Test(
    "An entity may be put into a model after an object was made of it, and the object into the model's context",
    arguments: StoreKind.allCases)
  func entityBeforeItsModel(_ kind: StoreKind) throws {
    let person = entity("Person", [attribute("name")])
    let former = NSManagedObject(entity: person, insertInto: nil)
    former["name"] = "Ada"
    let model = model([person])
    #expect(person.managedObjectModel === model)
    try withStack(kind, model) { stack, context in
      let other = context.new("Person", ["name": "Grace"])
      try context.save()
      #expect(other.entity === person && former.entity === person && former.managedObjectContext == nil)
      #expect(former.string("name") == "Ada")
      former["name"] = "Mary"
      context.insert(former)
      try context.save()
      #expect(try stack.elsewhere { try $0.strings("Person", "name") } == ["Grace", "Mary"])
    }
  }

  @Test("An entity that there is an object of may not become a subentity of a model's entity")
  func subentityAfterItsObject() async {
    await #expect(processExitsWith: .failure) {
      let (person, author) = (entity("Person", [attribute("name")]), entity("Author"))
      let former = NSManagedObject(entity: author, insertInto: nil)
      let model = model([person])
      person.subentities = [author]
      withExtendedLifetime((former, model)) {}
    }
  }

  @Test("Objects live in a context without a coordinator, and are saved once it has one", arguments: StoreKind.allCases)
  func withoutCoordinator(_ kind: StoreKind) throws {
    let stack = try Stack(kind)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.undoManager = UndoManager()
    let entity = try #require(stack.model.entitiesByName["Book"])
    try context.performAndWait {
      let book = NSManagedObject(entity: entity, insertInto: context)
      book["title"] = "Solaris"
      let free = NSManagedObject(entity: entity, insertInto: nil)
      context.insert(free)
      context.processPendingChanges()
      #expect(context.hasChanges && context.insertedObjects == [book, free])
      #expect(book.objectID.isTemporaryID && context.object(with: book.objectID) === book)
      context.undo()
      #expect(context.insertedObjects.isEmpty)
      context.redo()
      context.delete(free)
      context.persistentStoreCoordinator = stack.coordinator
      try context.save()
      #expect(!book.objectID.isTemporaryID)
      #expect(try context.strings("Book", "title") == ["Solaris"])
    }
  }

  @Test("Inserting a deleted object takes the deletion back", arguments: StoreKind.withCustom)
  func undeletion(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let saved = context.new("Book", ["title": "Saved"])
      try context.save()
      let id = saved.objectID
      context.delete(saved)
      context.insert(saved)
      #expect(!saved.isDeleted && context.deletedObjects.isEmpty && context.insertedObjects.isEmpty)
      let new = context.new("Book", ["title": "New"])
      context.delete(new)
      #expect(new.isInserted && new.isDeleted && context.deletedObjects == [new])
      context.insert(new)
      #expect(context.insertedObjects == [new] && context.deletedObjects.isEmpty)
      try context.save()
      #expect(saved.objectID == id)
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["New", "Saved"])
    }
  }

  @Test("A new object that is deleted is inserted and deleted until the event ends", arguments: StoreKind.withCustom)
  func insertThenDelete(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let (gone, kept) = (context.new("Book", ["title": "gone"]), context.new("Book", ["title": "kept"]))
      context.delete(gone)
      #expect(gone.isDeleted && context.hasChanges && context.registeredObjects == [gone, kept])
      #expect(context.insertedObjects == [gone, kept] && context.deletedObjects == [gone])
      context.processPendingChanges()
      #expect(context.insertedObjects == [kept] && context.deletedObjects.isEmpty)
      #expect(gone.managedObjectContext == nil && context.registeredObjects == [kept])
      context.delete(kept)
      #expect(context.insertedObjects == [kept] && context.deletedObjects == [kept])
      try context.save()
      #expect(!context.hasChanges && context.registeredObjects.isEmpty)
      #expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty)
      #expect(try stack.elsewhere { try $0.all("Book").isEmpty })
    }
  }

  @Test(
    "An object that hears of saves does so whatever the others' classes are, and whatever it was saved for",
    arguments: StoreKind.withCustom)
  func hearingAmongOthers(_ kind: StoreKind) throws {
    let hearing = entity("Hearing", [attribute("name")], class: HearsAfter.self)
    let deaf = entity("Deaf", [attribute("name")], class: HearsNothing.self)
    try withStack(kind, model([hearing, deaf])) { _, context in
      let others = (0..<3).map { _ in context.new("Deaf") }
      let object = try #require(context.new("Hearing") as? HearsAfter)
      try context.save()
      #expect(object.heard == ["inserted"])
      others[0]["name"] = "A"
      object["name"] = "B"
      try context.save()
      #expect(object.heard == ["inserted", "updated"])
      others[1]["name"] = "C"
      try context.save()
      #expect(object.heard.count == 2 && !others[1].isUpdated && !others[1].hasChanges)
      context.delete(others[2])
      context.delete(object)
      try context.save()
      #expect(object.heard == ["inserted", "updated", "deleted"])
    }
  }

  @Test("What didSave changes is unsaved afterwards", arguments: StoreKind.withCustom)
  func changeInDidSave(_ kind: StoreKind) throws {
    let model = model([entity("Restless", [attribute("text")], class: Restless.self)])
    try withStack(kind, model) { stack, context in
      let object = context.new("Restless", ["text": "a"])
      try context.save()
      #expect(object.hasChanges && context.updatedObjects == [object])
      #expect(try stack.elsewhere { try $0.strings("Restless", "text") } == ["a"])
      try context.save()
      #expect(!object.hasChanges)
      #expect(try stack.elsewhere { try $0.strings("Restless", "text") } == ["a saved"])
    }
  }

  @Test("What didSave sets on a deleted object is forgotten", arguments: StoreKind.withCustom)
  func changeInDidSaveOfDeleted(_ kind: StoreKind) throws {
    let model = model([entity("Restless", [attribute("text")], class: Restless.self)])
    try withStack(kind, model) { stack, context in
      let object = context.new("Restless", ["text": "b"])
      try context.save()
      object["text"] = "a"
      context.delete(object)
      try context.save()
      #expect(!context.hasChanges && context.updatedObjects.isEmpty && object.managedObjectContext == nil)
      let log = NotificationLog(context)
      context.processPendingChanges()
      try context.save()
      #expect(log["didChange"] == nil)
      #expect(try stack.elsewhere { try $0.all("Restless").isEmpty })
    }
  }

  @Test("Objects that a deletion in willSave deletes or changes hear willSave as well", arguments: StoreKind.allCases)
  func deletionInWillSave(_ kind: StoreKind) throws {
    let leaving = entity("Leaving", [attribute("text")], class: Leaving.self)
    let (middle, hearing) = (entity("Middle"), entity("Hearing", class: Hearing.self))
    relate(leaving, "middle", .one, to: middle)
    relate(middle, "deleted", .one, to: hearing, rule: .cascadeDeleteRule)
    join(relate(middle, "kept", .one, to: hearing), relate(hearing, "middle", .one, to: middle))
    try withStack(kind, model([leaving, middle, hearing])) { stack, context in
      let (deleted, kept) = (context.new("Hearing"), context.new("Hearing"))
      let object = context.new(
        "Leaving", ["middle": context.new("Middle", ["deleted": deleted, "kept": kept])])
      try context.save()
      Hearing.heard = []
      object["text"] = "leave"
      try context.save()
      #expect(Hearing.heard.count == 2 && Set(Hearing.heard) == [deleted, kept])
      #expect(try stack.elsewhere { try $0.all("Hearing").count } == 1)
      Hearing.heard = []
    }
  }

  @Test(
    "What willSave deletes or inserts hears willSave once, though a fetch has ended the event meanwhile",
    arguments: StoreKind.allCases)
  func fetchInWillSave(_ kind: StoreKind) throws {
    let owner = entity("Owner", [attribute("name")], class: Replacing.self)
    let part = entity("Part", [attribute("name")], class: FetchingPart.self)
    join(relate(owner, "parts", .many, to: part), relate(part, "owner", .one, to: owner))
    try withStack(kind, model([owner, part])) { stack, context in
      let owner = context.new("Owner") as! Replacing
      let part = context.new("Part", ["owner": owner]) as! FetchingPart
      try context.save()
      part.willSaves = 0
      owner["name"] = "replace"
      try context.save()
      #expect(part.willSaves == 1 && part.managedObjectContext == nil)
      let new = try #require(owner.replacement as? FetchingPart)
      #expect(new.willSaves == 1)
      #expect(try stack.elsewhere { try $0.all("Part").count } == 1)
    }
  }

  @Test("willSave that changes its object every time is given up, by name")
  func restlessWillSave() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stack = try Stack(.inMemory, model([entity("Endless", [attribute("text")], class: Endless.self)]))
      try stack.context.performAndWait {
        stack.context.new("Endless")
        try stack.context.save()
      }
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(
      words.contains(
        "The context without a name gave up saving: willSave() kept changing objects for 1000 rounds."))
    #expect(words.contains("Compare before setting, or use setPrimitiveValue(_:forKey:)."))
  }

  @Test("Setting an equal value counts as a change, and not as a persistent one", arguments: StoreKind.withCustom)
  func equalValue(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book", ["title": "T"])
      try context.save()
      book["title"] = "T"
      #expect(book.hasChanges && book.isUpdated && !book.hasPersistentChangedValues)
      #expect(book.changedValues().isEmpty)
      book["title"] = "U"
      #expect(book.hasPersistentChangedValues)
      #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "T")
      #expect(context.new("Book").committedValues(forKeys: ["title"])["title"] == nil)
    }
  }

  @Test("changedValues fires no to-one's destination", arguments: StoreKind.withCustom)
  func changedRelationship(_ kind: StoreKind) throws {
    try withStack(kind) { stack, context in
      let author = context.new("Author", ["name": "A"])
      let book = context.new("Book")
      try context.save()
      context.forget()
      book["author"] = author
      #expect(author.isFault || author.hasChanges)
      let other = stack.newContext()
      try other.performAndWait {
        let mine = other.same(book)
        let passport = other.new("Passport", ["holder": other.same(author)])
        try other.save()
        other.forget()
        mine["pages"] = 3
        #expect(Set(mine.changedValues().keys) == ["pages"])
        #expect(other.same(author).isFault && passport.isFault)
      }
    }
  }

  @Test("faultingState is 0 for an object whose values are there", arguments: StoreKind.withCustom)
  func faultingState(_ kind: StoreKind) throws {
    try withStack(kind) { _, context in
      let book = context.new("Book")
      #expect(book.faultingState == 0)
      try context.save()
      context.refresh(book, mergeChanges: false)
      #expect(book.faultingState != 0 && book.isFault)
      book.willAccessValue(forKey: nil)
      #expect(book.faultingState == 0)
    }
  }

  @Test("What an observer of the coming save changes is told of the save once")
  func changedByObserver() throws {
    let model = model([entity("Note", [attribute("text"), attribute("stamp")], class: CountingNote.self)])
    try withStack(.inMemory, model) { _, context in
      let note = context.new("Note", ["text": "a"]) as! CountingNote
      try context.save()
      note.willSaves = 0
      nonisolated(unsafe) var new: [NSManagedObject] = []
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextWillSave, object: context, queue: nil
      ) { _ in
        for object in context.updatedObjects { object["stamp"] = "now" }
        new.append(context.new("Note", ["text": "b"]))
      }
      defer { NotificationCenter.default.removeObserver(observer) }
      note["text"] = "c"
      try context.save()
      #expect(note.willSaves == 1)
      #expect(new.map { ($0 as! CountingNote).willSaves } == [1])
    }
  }

  @Test(
    "In didSave objects still say whether the save has inserted, updated or deleted them, and no longer when it is told",
    arguments: StoreKind.withCustom, [false, true])
  func savedAs(_ kind: StoreKind, inChild: Bool) throws {
    let model = model([entity("Note", [attribute("text")], class: SavedNote.self)])
    try withStack(kind, model) { stack, context in
      let context = inChild ? NSManagedObjectContext.child(of: context) : context
      try context.performAndWait {
        let notes = (0..<2).map { context.new("Note", ["text": "\($0)"]) as! SavedNote }
        try context.save()
        #expect(notes.map(\.heard) == [["inserted"], ["inserted"]])
        notes[0]["text"] = "changed"
        context.delete(notes[1])
        let all = notes + [context.new("Note", ["text": "new"]) as! SavedNote]
        for note in all { note.others = all.filter { $0 !== note } }
        nonisolated(unsafe) var told: [String] = []
        let observer = NotificationCenter.default.addObserver(
          forName: .NSManagedObjectContextDidSave, object: context, queue: nil
        ) { _ in told = all.map(\.standing) }
        defer { NotificationCenter.default.removeObserver(observer) }
        try context.save()
        #expect(
          all.map { $0.heard.last } == [
            "updated, beside deleted, inserted", "deleted, beside updated, inserted",
            "inserted, beside updated, deleted",
          ])
        #expect(told == ["nothing", "nothing", "nothing"] && told == all.map(\.standing))
        all[2].reply = "again"
        all[2]["text"] = "a"
        try context.save()
        #expect(all[2].heard.last == "updated, beside nothing, nothing")
        #expect(all[2].standing == "updated" && all[2].hasChanges && context.updatedObjects == [all[2]])
        try context.save()
        #expect(all[2].standing == "nothing" && !context.hasChanges && all[2].string("text") == "again")
        for note in all { note.others = [] }
      }
    }
  }

  @Test(
    "An object that is set to what it has hears of the save from its beginning to its end, and so do observers",
    arguments: StoreKind.withCustom)
  func unchanged(_ kind: StoreKind) throws {
    let model = model([entity("Note", [attribute("text")], class: CountingNote.self)])
    try withStack(kind, model) { _, context in
      let note = context.new("Note", ["text": "a"]) as! CountingNote
      try context.save()
      (note.willSaves, note.didSaves) = (0, 0)
      let log = NotificationLog(context)
      note["text"] = "a"
      #expect(note.hasChanges)
      try context.save()
      #expect(note.willSaves == 1 && note.didSaves == 1)
      #expect(!note.hasChanges && !note.isUpdated)
      #expect(log["didSave"]?.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> == [note])
    }
  }

  @Test("A rollback awakes an object that was changed and deleted once")
  func rolledBackOnce() throws {
    let model = model([entity("Note", [attribute("text")], class: CountingNote.self)])
    try withStack(.inMemory, model) { _, context in
      let note = context.new("Note", ["text": "a"]) as! CountingNote
      try context.save()
      note["text"] = "b"
      context.delete(note)
      context.rollback()
      #expect(note.awakenings == [.rollback])
      #expect(note.string("text") == "a" && !note.isDeleted && !context.hasChanges)
    }
  }
}

final class Restless: NSManagedObject {
  override func didSave() {
    if string("text") == "a" { setValue("a saved", forKey: "text") }
  }
}

final class Endless: NSManagedObject {
  private var count = 0
  override func willSave() {
    count += 1
    setValue("\(count)", forKey: "text")
  }
}

/// Counts what it is told.
final class CountingNote: NSManagedObject {
  nonisolated(unsafe) var willSaves = 0
  nonisolated(unsafe) var didSaves = 0
  nonisolated(unsafe) var awakenings: [NSSnapshotEventType] = []
  override func willSave() { willSaves += 1 }
  override func didSave() { didSaves += 1 }
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { awakenings.append(flags) }
}

/// Writes down what it and others are in `didSave`.
final class SavedNote: NSManagedObject {
  nonisolated(unsafe) var heard: [String] = []
  nonisolated(unsafe) var others: [SavedNote] = []
  /// What it sets in `didSave`, once.
  nonisolated(unsafe) var reply: String?

  var standing: String {
    let standing = [(isInserted, "inserted"), (isUpdated, "updated"), (isDeleted, "deleted")].filter(\.0).map(\.1)
    return standing.isEmpty ? "nothing" : standing.joined(separator: " and ")
  }

  override func didSave() {
    let beside = others.map(\.standing).joined(separator: ", ")
    heard.append(others.isEmpty ? standing : "\(standing), beside \(beside)")
    if hasChanges { heard.append("with changes") }
    if let reply { setValue(reply, forKey: "text") }
    reply = nil
  }
}

/// Deletes what it leads to when it is saved.
final class Leaving: NSManagedObject {
  override func willSave() {
    if string("text") == "leave", let middle = object("middle"), !middle.isDeleted {
      managedObjectContext?.delete(middle)
    }
  }
}

/// Deletes its parts when it is saved, and makes another.
final class Replacing: NSManagedObject {
  nonisolated(unsafe) var replacement: NSManagedObject?

  override func willSave() {
    guard string("name") == "replace", let context = managedObjectContext else { return }
    setValue("replaced", forKey: "name")
    for part in objects("parts") { context.delete(part) }
    replacement = context.new("Part")
    _ = try? context.all("Part")
  }
}

/// Fetches when it prepares.
final class FetchingPart: NSManagedObject {
  nonisolated(unsafe) var willSaves = 0
  override func willSave() { willSaves += 1 }
  override func prepareForDeletion() { _ = try? managedObjectContext?.all("Part") }
}

final class Hearing: NSManagedObject {
  nonisolated(unsafe) static var heard: [NSManagedObject] = []

  override func willSave() { Hearing.heard.append(self) }
}

final class HearsNothing: NSManagedObject {
  override func awakeFromFetch() { setPrimitiveValue("read", forKey: "name") }
}

final class HearsBefore: NSManagedObject {
  override func willSave() { setPrimitiveValue("saved", forKey: "name") }
}

/// Writes down what it says of itself in `didSave`.
class HearsAfter: NSManagedObject {
  nonisolated(unsafe) var heard: [String] = []

  override func didSave() {
    if isInserted { heard.append("inserted") }
    if isUpdated { heard.append("updated") }
    if isDeleted { heard.append("deleted") }
  }
}

final class InheritsHearing: HearsAfter {}
