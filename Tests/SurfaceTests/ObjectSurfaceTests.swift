import CoreData
import Testing

/// Managed objects as application code uses them, over both stores.
@Suite("Objects as applications use them", .serialized)
struct ObjectSurfaceTests {
  @Test("Properties of every type go through a save and another context", arguments: Storage.allCases)
  func properties(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      let link = URL(string: "https://example.org/a?b=c")!
      let id = try context.performAndWait { () -> NSManagedObjectID in
        let note = Note(context: context)
        note.title = "types"
        note.isPinned = true
        note.keywords = ["a", "b"]
        note.link = link
        note.price = NSDecimalNumber(string: "12.34")
        note.priority = 7
        note.rating = 4.5
        note.thumbnail = Data([1, 2, 3])
        note.wordCount = 1 << 40
        note.mood = .happy
        let tag = Tag(context: context)
        tag.name = "red"
        note.tags = [tag]
        let attachment = NSManagedObject.create(Attachment.self, in: context)
        note.addToAttachments(attachment)
        let notebook = Notebook(name: "Book", insertInto: context)
        notebook.addToNotes(note)
        try context.save()
        return note.objectID
      }
      let other = stack.newDerivedContext()
      try other.performAndWait {
        let note = try #require(try other.existingObject(with: id) as? Note)
        #expect(note.title == "types" && note.isPinned && note.wordCount == 1 << 40)
        #expect(note.keywords == ["a", "b"])
        #expect(note.link == link)
        #expect(note.price == NSDecimalNumber(string: "12.34"))
        #expect(note.priority?.intValue == 7)
        #expect(note.rating == 4.5)
        #expect(note.thumbnail == Data([1, 2, 3]))
        #expect(note.mood == .happy)
        #expect(note.id != nil && note.createdAt != nil && note.updatedAt != nil)
        #expect(note.tags.first?.name == "red")
        #expect((note.attachments?.anyObject() as? Attachment)?.fileName == "untitled")
        #expect(note.notebook?.allNotes.first === note)
        #expect(note.fetchedTimes == 1)
      }
    }
  }

  @Test("Generic helpers make, find and count objects", arguments: Storage.allCases)
  func helpers(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        let todo = try #require(NSManagedObject.insert(type: Todo.self, named: "Todo", in: context))
        todo.title = "do it"
        let made = Notebook.findOrCreate(in: context, matching: NSPredicate(format: "name == %@", "N")) {
          $0.name = "N"
        }
        let found = Notebook.findOrCreate(in: context, matching: NSPredicate(format: "name == %@", "N")) {
          _ in
          Issue.record("A second notebook was made.")
        }
        #expect(made === found)
        #expect(context.saveOrRollback())
        #expect(Notebook.count(in: context) == 1)
        #expect(Notebook.fetch(in: context) { $0.predicate = NSPredicate(value: true) }.count == 1)
        #expect(try context.fetch(Notebook.sortedFetchRequest).first?.name == "N")
        let all: [Note] = try Note.all(in: context)
        #expect(all == [todo])
        #expect(try context.fetchFirst(Note.self, "title BEGINSWITH %@", "do") === todo)
        let there = stack.newDerivedContext()
        there.performAndWait {
          let twin = todo.inContext(Todo.self, there)
          #expect(twin?.objectID == todo.objectID && twin !== todo)
        }
        try Note.deleteAll(in: context)
        try context.saveIfNeeded()
        #expect(try context.count(for: Note.fetchRequest() as NSFetchRequest<Note>) == 0)
      }
    }
  }

  @Test(
    "Key-value coding reads and writes attributes, relationships and key paths", arguments: Storage.allCases)
  func keyValueCoding(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      context.performAndWait {
        let note = Note(context: context)
        note.setValue("kvc", forKey: "title")
        note.setValue(12, forKey: "wordCount")
        note.setValue(true, forKey: "isPinned")
        note.setValue(nil, forKey: "body")
        note.setValuesForKeys(["rating": 2.5, "moodValue": 1])
        #expect(note.value(forKey: "title") as? String == "kvc")
        #expect(note.value(forKey: "wordCount") as? Int == 12)
        #expect(note.value(forKey: "isPinned") as? Bool == true)
        #expect(note.value(forKey: "body") == nil)
        let tags = note.mutableSetValue(forKey: "tags")
        for name in ["x", "y"] {
          let tag = Tag(context: context)
          tag.name = name
          tags.add(tag)
        }
        #expect(note.tags.count == 2)
        #expect(note.value(forKeyPath: "tags.@count") as? Int == 2)
        #expect((note.value(forKeyPath: "tags.name") as? NSSet)?.count == 2)
        let notebook = Notebook(name: "KVC", insertInto: context)
        notebook.mutableOrderedSetValue(forKey: "notes").add(note)
        note.setValue("renamed", forKeyPath: "notebook.name")
        #expect(notebook.name == "renamed")
        #expect(
          notebook.dictionaryWithValues(forKeys: ["name", "sortIndex"])["name"] as? String == "renamed")
        #expect((note.tags as NSSet).value(forKey: "name") as? NSSet == NSSet(array: ["x", "y"]))
        #expect((notebook.notes!.array as NSArray).value(forKey: "title") as? [String] == ["kvc"])
        #expect(note.primitiveValue(forKey: "title") as? String == "kvc")
      }
    }
  }

  @Test("A context tells what it holds, takes back, refreshes and forgets", arguments: Storage.allCases)
  func contexts(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        let note = Note(context: context)
        note.title = "before"
        #expect(context.insertedObjects.contains(note))
        try context.save()
        note.title = "after"
        #expect(context.updatedObjects == [note])
        #expect(note.hasPersistentChangedValues && note.isUpdated && note.hasChanges)
        #expect(note.changedValues().keys.sorted() == ["title"])
        #expect(note.committedValues(forKeys: ["title"])["title"] as? String == "before")
        context.rollback()
        #expect(note.title == "before")
        note.title = "again"
        context.refresh(note, mergeChanges: false)
        #expect(note.isFault)
        #expect(note.title == "before")
        context.refreshAllObjects()
        context.delete(note)
        #expect(note.isDeleted && context.deletedObjects.contains(note))
        context.processPendingChanges()
        try context.save()
        #expect(note.managedObjectContext == nil)
        #expect(context.registeredObject(for: note.objectID) == nil)
        #expect(throws: NSError.self) { try context.existingObject(with: note.objectID) }
        let free = Note(entity: Note.entity(), insertInto: nil)
        #expect(free.managedObjectContext == nil)
        context.insert(free)
        #expect(free.managedObjectContext === context)
        context.reset()
        #expect(context.registeredObjects.isEmpty && !context.hasChanges)
      }
    }
  }

  @Test("Validation errors are told by their codes", arguments: Storage.allCases)
  func validation(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      context.performAndWait {
        let notebook = NSEntityDescription.insertNewObject(forEntityName: "Notebook", into: context)
        do {
          try context.save()
          Issue.record("A notebook without a name was saved.")
        } catch let error as NSError where error.code == NSValidationMissingMandatoryPropertyError {
          #expect(error.domain == NSCocoaErrorDomain)
          #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "name")
          #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === notebook)
        } catch {
          Issue.record(error)
        }
        let note = Note(context: context)
        note.title = "forbidden"
        note.wordCount = -1
        do {
          try context.save()
        } catch let error as NSError {
          switch error.code {
          case NSValidationMultipleErrorsError:
            let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? []
            #expect(details.contains { $0.code == NSValidationMissingMandatoryPropertyError })
            #expect(details.contains { $0.code == NSValidationNumberTooSmallError })
          case NSManagedObjectValidationError: Issue.record("Only one error was told.")
          default: Issue.record(error)
          }
        }
        context.delete(notebook)
        note.wordCount = 0
        do {
          try context.save()
          Issue.record("A forbidden title was saved.")
        } catch CocoaError.managedObjectValidation {
          // As it should be.
        } catch {
          Issue.record(error)
        }
        do {
          try context.save()
          Issue.record("A forbidden title was saved.")
        } catch let error as CocoaError where error.code == .managedObjectValidation {
          #expect(error.validationKey == "title")
        } catch {
          Issue.record(error)
        }
        do {
          try note.validateForUpdate()
          Issue.record("A forbidden title is valid.")
        } catch {
          #expect((error as NSError).code == NSManagedObjectValidationError)
        }
      }
    }
  }

  @Test(
    "A repository fetches with predicates, sorting, limits, ids and dictionaries", arguments: Storage.allCases
  )
  func repository(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        let repository = NoteRepository(context: context)
        let first = try repository.add(title: "Shopping list", body: "milk")
        let second = try repository.add(title: "Reading list", body: nil)
        let notebook = Notebook(name: "Lists", insertInto: context)
        notebook.insertIntoNotes(first, at: 0)
        let tag = Tag(context: context)
        tag.name = "daily"
        first.tags.insert(tag)
        try context.save()
        #expect(try repository.notes(titled: "LIST").map(\.title) == ["Reading list", "Shopping list"])
        #expect(repository.note(id: try #require(first.id)) === first)
        #expect(try repository.notes(createdAfter: Date(timeIntervalSinceNow: -60)).count == 2)
        #expect(try repository.notes(createdAfter: .distantFuture).isEmpty)
        #expect(try repository.notes(in: notebook, tagged: ["daily", "other"]) == [first])
        #expect(repository.numberOfNotes() == 2)
        #expect(try Set(repository.identifiers()) == [first.objectID, second.objectID])
        #expect(try repository.note(withURI: first.objectID.uriRepresentation()) === first)
        try repository.delete(second)
        #expect(repository.numberOfNotes() == 1)
      }
    }
  }

  @Test("Dictionaries and sums come from the store", arguments: Storage.allCases)
  func dictionaries(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        let repository = NoteRepository(context: context)
        for text in ["one", "three", "one"] { try repository.add(title: text, body: text) }
        #expect(try repository.titles() == ["one", "three"])
        #expect(try repository.totalWords() == 11)
      }
    }
  }

  final class JournalContainer: NSPersistentContainer, @unchecked Sendable {
    override class func defaultDirectoryURL() -> URL { FileManager.default.temporaryDirectory }
  }

  @Test("A container of one's own is made by its name")
  func ownContainer() {
    let container = JournalContainer(name: "Journal")
    #expect(container.managedObjectModel.entitiesByName["Note"] != nil)
    #expect(
      container.persistentStoreDescriptions.map(\.url)
        == [FileManager.default.temporaryDirectory.appendingPathComponent("Journal.sqlite")])
  }

  @Test("Models built in code carry attributes, relationships, rules and constraints")
  func codeModel() throws {
    let container = NSPersistentContainer(name: "Cities", managedObjectModel: .cities())
    container.persistentStoreDescriptions = [
      NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    ]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let country = Country(context: context)
      country.setValue("FR", forKey: "code")
      for name in ["Paris", "Lyon"] {
        let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: context)
        city.setValue(name, forKey: "name")
        city.setValue(country, forKey: "country")
      }
      try context.save()
      #expect((country.value(forKey: "cities") as? Set<NSManagedObject>)?.count == 2)
      let request = NSFetchRequest<NSManagedObject>(entityName: "City")
      request.predicate = NSPredicate(format: "country.code == 'FR' && name != nil")
      #expect(try context.fetch(request).count == 2)
      context.delete(country)
      try context.save()
      #expect(try context.count(for: request) == 0)
    }
    let entity = try #require(container.managedObjectModel.entitiesByName["City"])
    #expect(entity.attributesByName["area"]?.userInfo?["unit"] as? String == "km2")
    #expect(entity.relationshipsByName["country"]?.isToMany == false)
    #expect(entity.propertiesByName.count == 4)
  }
}
