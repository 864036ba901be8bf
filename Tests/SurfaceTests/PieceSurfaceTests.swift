import CoreData
import Testing

/// Small things that sources take for granted.
@Suite("Small pieces that applications take for granted", .serialized)
struct PieceSurfaceTests {
  @Test("Values convert to CVarArg, for predicates and for formats")
  func variadicArguments() throws {
    try Storage.memory.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        let notebook = Notebook(name: "N", insertInto: context)
        let note = Note(context: context)
        note.title = "a"
        notebook.addToNotes(note)
        let now = Date()
        let predicate = NSPredicate(
          format: "id == %@ AND createdAt <= %@ AND title IN %@ AND notebook == %@ AND wordCount == %@",
          note.id! as CVarArg, now as CVarArg, ["a", "b"] as CVarArg, notebook as CVarArg,
          NSNumber(value: 0) as CVarArg)
        #expect(predicate.evaluate(with: note))
        let request = NSFetchRequest<Note>(entityName: "Note")
        request.predicate = predicate
        let found = try context.fetch(request)
        #expect(found == [note])
      }
    }
    let id = UUID()
    #expect(String(format: "%@!", id as CVarArg) == "\(id)!")
    let error = NSError(domain: "Shelf", code: 7)
    #expect(String(format: "Unresolved error %@, %@", error, error.userInfo) == "Unresolved error \(error), [:]")
  }

  @Test("The user's folders have names, and there is no iCloud")
  func folders() throws {
    let downloads = FileManager.default.urls(for: .downloadsDirectory, in: .userDomainMask).first
    #expect(URL.downloadsDirectory == downloads)
    let support = try URL(for: .applicationSupportDirectory, in: .userDomainMask)
    #expect(support == URL.applicationSupportDirectory)
    let manager = FileManager.default
    #expect(manager.ubiquityIdentityToken == nil && manager.url(forUbiquityContainerIdentifier: nil) == nil)
    #expect(!manager.isUbiquitousItem(at: support))
    let name = NSNotification.Name.NSUbiquityIdentityDidChange
    #expect(name.rawValue == "NSUbiquityIdentityDidChangeNotification")
  }

  @Test("Tables of objects let go of those that are freed, where they don't keep them")
  func tables() {
    final class Listener: NSObject {}
    let first = Listener()
    let listeners = NSHashTable<Listener>.weakObjects()
    let names: NSMapTable<Listener, NSString> = .weakToStrongObjects()
    let byName = NSMapTable<NSString, Listener>(
      keyOptions: .copyIn, valueOptions: NSPointerFunctions.Options.weakMemory)
    func register(_ listener: Listener, _ name: String) {
      listeners.add(listener)
      listeners.add(listener)
      names.setObject(NSString(string: name), forKey: listener)
      let key = NSMutableString(string: name)
      byName.setObject(listener, forKey: key)
      key.append("?")
    }
    register(first, "first")
    for number in 1...100 {
      let other = Listener()
      register(other, "other \(number)")
      #expect(listeners.count == 2 && listeners.contains(other) && byName.count == 2)
      listeners.remove(other)
      #expect(listeners.count == 1)
      listeners.add(other)
    }
    #expect(listeners.allObjects == [first] && listeners.anyObject === first)
    #expect(names.count == 1 && names.object(forKey: first) == "first")
    #expect(byName.count == 1 && byName.object(forKey: "first") === first)
    #expect(byName.keyEnumerator().nextObject() as? String == "first")
    names.removeObject(forKey: first)
    #expect(names.dictionaryRepresentation().isEmpty)
  }

  @Test("Tables of objects tell them apart as they are asked to")
  func tableEquality() {
    let (one, same) = (NSString(string: "a"), NSString(string: "a"))
    let equal = NSHashTable<NSString>()
    let identical = NSHashTable<NSString>(options: [.strongMemory, .objectPointerPersonality])
    for table in [equal, identical] {
      table.add(one)
      table.add(same)
    }
    #expect(equal.count == 1 && equal.member(same) === one && identical.count == 2)
    let other = NSHashTable<NSString>()
    other.add("b")
    other.add(same)
    #expect(equal.intersects(other) && equal.isSubset(of: other))
    other.minus(equal)
    #expect(other.allObjects == ["b"] && !other.intersects(equal))
    other.union(equal)
    #expect(other.setRepresentation.count == 2)
    other.intersect(equal)
    #expect(other.allObjects == ["a"])
    let anything = NSHashTable<AnyObject>.weakObjects()
    anything.add(one)
    #expect(anything.count == 1 && anything.copy() is NSHashTable<AnyObject>)
  }

  @Test("An error tells what it came of, and the time is told in seconds")
  func causes() {
    let full = NSError(domain: NSPOSIXErrorDomain, code: 28)
    let one = NSError(domain: "Shelf", code: 7, userInfo: [NSUnderlyingErrorKey: full])
    #expect(one.underlyingErrors.map { ($0 as NSError).code } == [28])
    let several = NSError(
      domain: "Shelf", code: 8,
      userInfo: [
        NSMultipleUnderlyingErrorsKey: [full, one], NSUnderlyingErrorKey: CocoaError(.fileNoSuchFile),
      ])
    #expect(several.underlyingErrors.map { ($0 as NSError).code } == [28, 7, 4])
    #expect(full.underlyingErrors.isEmpty)
    let start: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
    #expect(abs(start - Date.timeIntervalSinceReferenceDate) < 60)
  }

  @Test("One thread at a time is in the section of an object, as often as it likes")
  func synchronized() {
    final class Counter: @unchecked Sendable {
      var count = 0
      func increase() {
        objc_sync_enter(self)
        defer { objc_sync_exit(self) }
        objc_sync_enter(self)
        count += 1
        objc_sync_exit(self)
      }
    }
    let counter = Counter()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<1000 { counter.increase() }
    }
    #expect(counter.count == 8000)
    #expect(objc_sync_exit(counter) == -1)
    #expect(objc_sync_enter(counter) == 0)
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var answer: Int32 = 0
    DispatchQueue.global().async {
      answer = objc_sync_exit(counter)
      done.signal()
    }
    done.wait()
    #expect(answer == -1 && objc_sync_exit(counter) == 0)
  }

  @Test("Index paths have sections, rows and items")
  func indexPaths() {
    var path = IndexPath(row: 3, section: 1)
    #expect(path.section == 1 && path.row == 3 && path.item == 3)
    path.section = 2
    #expect(path == IndexPath(item: 3, section: 2))
  }

  @Test("autoreleasepool runs its block and returns what it returns")
  func autoreleasePool() throws {
    #expect(autoreleasepool { 5 } == 5)
    #expect(throws: NoteError.self) { try autoreleasepool { throw NoteError.notFound } }
  }

  @Test("A pointer for validation is made from a variable of any object's type")
  func pointers() throws {
    let model = NSManagedObjectModel.cities()
    let country = Country(entity: try #require(model.entitiesByName["Country"]), insertInto: nil)
    let code: Any = "FR"
    var any = code as AnyObject
    var pointer: AutoreleasingUnsafeMutablePointer<AnyObject?> = AutoreleasingUnsafeMutablePointer(&any)
    try country.validateValue(pointer, forKey: "code")
    #expect(pointer.pointee as? String == "FR")
    var null: NSObject? = nil
    pointer = AutoreleasingUnsafeMutablePointer(&null)
    #expect(pointer.pointee == nil)
    pointer.pointee = NSNumber(value: 7)
    #expect(null as? NSNumber == 7)
    var optional: AnyObject? = NSNumber(value: 8)
    pointer = AutoreleasingUnsafeMutablePointer(&optional)
    #expect(pointer.pointee as? NSNumber == 8)
    withExtendedLifetime((any, null, optional)) {}
  }

  @Test("A class tells its name, unless the program has a className of its own")
  func classNames() {
    let entity = NSEntityDescription()
    entity.managedObjectClassName = Todo.className()
    #expect(entity.managedObjectClassName == "SurfaceTests.Todo" && NSObject.className() == "NSObject")
    #expect(Drawer.className == "drawer" && (Drawer.self as any Labelled.Type).className == "drawer")
    #expect(Box.className() == "box" && Crate.className() == "crate")
    #expect(Shelf.className() == "shelf" && (Shelf.self as any Tagged.Type).className() == "shelf")
  }

  @Test("A context's subclass stands in for saving in a test")
  func contextSubclass() throws {
    let context = FailingContext(concurrencyType: .mainQueueConcurrencyType)
    context.persistentStoreCoordinator = CoreDataStack().persistentContainer.persistentStoreCoordinator
    context.performAndWait {
      let repository = NoteRepository(context: context)
      #expect(throws: CocoaError.self) { try repository.add(title: "a", body: nil) }
      #expect(context.saves == 1 && context.deleted.isEmpty)
      #expect(!context.saveOrRollback())
      #expect(context.insertedObjects.isEmpty)
    }
  }

  @Test("Entities and properties describe themselves")
  func descriptions() throws {
    let entity = try #require(CoreDataStack.model.entitiesByName["Todo"])
    #expect(entity.superentity?.name == "Note" && entity.subentities.isEmpty)
    #expect(entity.managedObjectClassName == "SurfaceTests.Todo")
    #expect(entity.attributesByName["isDone"]?.attributeType == .booleanAttributeType)
    #expect(entity.attributesByName["isDone"]?.defaultValue as? Bool == false)
    #expect(entity.attributesByName["keywords"]?.valueTransformerName == "NSSecureUnarchiveFromData")
    let tags = try #require(entity.relationshipsByName["tags"])
    #expect(tags.isToMany && !tags.isOrdered && tags.isOptional && tags.deleteRule == .nullifyDeleteRule)
    #expect(tags.destinationEntity?.name == "Tag" && tags.inverseRelationship?.name == "notes")
    #expect(entity.relationshipsByName["notebook"]?.maxCount == 1)
    #expect(CoreDataStack.model.entitiesByName["Tag"]?.uniquenessConstraints as? [[String]] == [["name"]])
    #expect(Todo.entity().name == "Todo")
    #expect(NSStringFromClass(Todo.self) == entity.managedObjectClassName)
  }
}

// Names of classes as programs have them from their own extensions.

private protocol Labelled { static var className: String { get } }

extension Labelled { fileprivate static var className: String { "drawer" } }

private protocol Tagged { static func className() -> String }

extension Tagged { fileprivate static func className() -> String { "shelf" } }

private final class Drawer: NSObject, Labelled {}

private final class Shelf: NSObject, Tagged {}

private class Box: NSObject {
  class func className() -> String { "box" }
}

private final class Crate: Box {
  override class func className() -> String { "crate" }
}

/// Saves nothing.
final class FailingContext: NSManagedObjectContext, @unchecked Sendable {
  var saves = 0
  var deleted: [NSManagedObject] = []

  override func save() throws {
    saves += 1
    throw CocoaError(.persistentStoreSave)
  }

  override func delete(_ object: NSManagedObject) {
    deleted.append(object)
    super.delete(object)
  }
}
