import CoreData
import Testing

/// Accessors that a program writes by hand over primitive ones, and the accessors that Core Data made before Swift.
@Suite("Primitive accessors and those of old", .serialized)
struct PrimitiveSurfaceTests {
  /// A context of its own over an SQLite store in memory.
  private func withContext(_ body: (NSManagedObjectContext) throws -> Void) throws {
    let container = NSPersistentContainer(name: "Diary")
    container.persistentStoreDescriptions = [NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))]
    container.loadPersistentStores { _, error in #expect(error == nil) }
    let context = container.newBackgroundContext()
    try context.performAndWait { try body(context) }
  }

  @Test("A private primitive accessor holds the property's value, through a save and a fault")
  func privateAccessors() throws {
    try withContext { context in
      let day = Day(context: context)
      day.title = "ABC"
      day.mood = .bright
      let morning = Date(timeIntervalSinceReferenceDate: 0)
      day.date = morning
      try context.save()
      #expect(!day.hasChanges)
      context.refresh(day, mergeChanges: false)
      #expect(day.isFault)
      #expect(day.title == "abc")
      #expect(!day.isFault)
      #expect(day.mood == .bright && day.date == morning)
      #expect(day.primitiveValue(forKey: "title") as? String == "abc")
    }
  }

  @Test("A primitive accessor of every type reads and writes its property, and tells nobody")
  func types() throws {
    try withContext { context in
      let day = Day(context: context)
      try context.save()
      let uid = UUID()
      day.primitiveWords = 1200
      day.primitiveWeight = 72.5
      day.primitiveIsDone = true
      day.primitiveUid = uid
      day.primitiveLink = URL(string: "https://example.org")
      day.primitivePhoto = Data([1, 2])
      day.primitivePrice = NSDecimalNumber(string: "9.90")
      day.primitiveTags = ["a", "b"]
      #expect(!day.hasChanges && day.changedValues().isEmpty)
      #expect(day.words == 1200 && day.value(forKey: "weight") as? Double == 72.5)
      #expect(day.value(forKey: "isDone") as? Bool == true && day.value(forKey: "uid") as? UUID == uid)
      #expect(day.primitiveLink?.host == "example.org" && day.primitivePhoto == Data([1, 2]))
      #expect(day.primitivePrice == NSDecimalNumber(string: "9.9") && day.primitiveTags == ["a", "b"])
      day.primitiveUid = nil
      day.primitiveWords = nil
      #expect(day.value(forKey: "uid") == nil && day.primitiveWords == nil)
      day.willChangeValue(forKey: "weight")
      day.primitiveWeight = 73
      day.didChangeValue(forKey: "weight")
      #expect(day.changedValues().keys.sorted() == ["weight"])
    }
  }

  @Test("Key-value coding knows the keys of primitive accessors")
  func keyValueCoding() throws {
    try withContext { context in
      let day = Day(context: context)
      try context.save()
      day.setValue("XYZ", forKey: "primitiveTitle")
      #expect(day.value(forKey: "primitiveTitle") as? String == "XYZ")
      #expect(day.title == "XYZ" && !day.hasChanges)
    }
  }

  @Test("A subclass has them, and a property of the entity comes before a primitive one of that name")
  func subclass() throws {
    try withContext { context in
      let day = Holiday(context: context)
      #expect(day.occasion == "none")
      day.occasion = "first"
      day.title = "UP"
      day.count = 3
      day.primitiveCount = 7
      #expect(day.count == 3 && day.primitiveCount == 7)
      try context.save()
      context.refresh(day, mergeChanges: false)
      #expect(day.occasion == "first" && day.title == "up")
      #expect(day.count == 3 && day.primitiveCount == 7)
    }
  }

  @Test("A primitive set changes what is held; an announced change brings the inverse along")
  func primitiveSet() throws {
    try withContext { context in
      let day = Day(context: context)
      let (one, two) = (Line(context: context), Line(context: context))
      day.holdOnly(one)
      #expect(day.lines == [one] && one.day == nil)
      day.take(two)
      #expect(day.lines == [one, two] && two.day === day)
      day.primitiveMarks?.insert(two, at: 0)
      day.primitiveMarks?.add(one)
      #expect(day.marks.array as? [Line] == [two, one])
      #expect(one.value(forKey: "markedBy") == nil)
    }
  }

  @Test("addBooksObject and its kin change the relationship and its inverse")
  func older() throws {
    try withContext { context in
      let day = Day(context: context)
      let lines = (0..<4).map { _ in Line(context: context) }
      day.addLinesObject(lines[0])
      day.addLines(NSSet(array: [lines[1], lines[2]]))
      #expect(day.lines == [lines[0], lines[1], lines[2]] && lines[1].day === day)
      day.removeLinesObject(lines[0])
      day.removeLines([lines[1]])
      #expect(day.lines == [lines[2]] && lines[0].day == nil)
      day.insertObject(lines[0], inMarksAtIndex: 0)
      day.insertMarks([lines[1], lines[2]], atIndexes: [0, 2])
      #expect(day.marks.array as? [Line] == [lines[1], lines[0], lines[2]])
      day.replaceObjectInMarksAtIndex(1, withObject: lines[3])
      day.removeObjectFromMarksAtIndex(0)
      #expect(day.marks.array as? [Line] == [lines[3], lines[2]])
      day.removeMarksAtIndexes(NSIndexSet(index: 1))
      day.replaceMarks(at: 0, with: lines[0])
      #expect(day.marks.array as? [Line] == [lines[0]])
    }
  }

  @Test("A class's own accessor of a transient attribute gives the sections of a list, and values by key")
  func ownAccessor() throws {
    try withContext { context in
      for day in [0.0, 40, 41, 80] {
        Day(context: context).date = Date(timeIntervalSinceReferenceDate: day * 86_400)
      }
      try context.save()
      context.reset()
      let request = NSFetchRequest<Day>(entityName: "Day")
      request.sortDescriptors = [NSSortDescriptor(key: "date", ascending: true)]
      let controller = NSFetchedResultsController(
        fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "month", cacheName: nil)
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["2001-01", "2001-02", "2001-03"])
      #expect(controller.sections?.map(\.numberOfObjects) == [1, 2, 1])
      let day = try #require(controller.fetchedObjects?.first)
      #expect(day.value(forKey: "month") as? String == "2001-01")
      #expect(day.primitiveValue(forKey: "month") as? String == "2001-01")
      // Predicates and orders in memory ask the class as well, of objects whose month nobody has asked for.
      context.reset()
      request.sortDescriptors = []
      let days = try context.fetch(request)
      let february = NSPredicate(format: "month == '2001-02'")
      #expect(days.filter(february.evaluate(with:)).count == 2)
      let latest = NSArray(array: days).sortedArray(using: [NSSortDescriptor(key: "month", ascending: false)])
      #expect((latest.first as? Day)?.value(forKey: "month") as? String == "2001-03")
    }
  }

  @Test("In a test target a model finds a class by its name alone, before the program has used any")
  func plainClassName() async {
    await #expect(processExitsWith: .success) {
      let entity = NSEntityDescription()
      entity.name = "Footnote"
      entity.managedObjectClassName = "Footnote"
      let text = NSAttributeDescription()
      text.name = "text"
      text.attributeType = .stringAttributeType
      entity.properties = [text]
      let model = NSManagedObjectModel()
      model.entities = [entity]
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      let name = context.performAndWait {
        "\(type(of: NSEntityDescription.insertNewObject(forEntityName: "Footnote", into: context)))"
      }
      precondition(name == "Footnote", name)
    }
  }
}
