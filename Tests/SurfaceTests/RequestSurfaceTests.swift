import CoreData
import Testing

/// The model's editor makes no property for it.
extension Tag {
  var pinnedNotes: [Note] { value(forKey: "pinnedNotes") as? [Note] ?? [] }
}

/// Requests, predicates and attribute types in the spellings that applications choose among.
@Suite("Requests as applications spell them", .serialized)
struct RequestSurfaceTests {
  private func fill(_ context: NSManagedObjectContext) throws {
    for (index, title) in ["alpha", "Beta", "gamma", "delta"].enumerated() {
      let note = Note(context: context)
      note.title = title
      note.isPinned = index % 2 == 0
      note.wordCount = Int64(index) * 10
      note.body = index == 3 ? nil : "text"
    }
    try context.save()
  }

  @Test(
    "Predicates in many spellings choose the same notes in the store and in memory",
    arguments: Storage.allCases)
  func predicates(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        try fill(context)
        let name = "alpha"
        let key = "title"
        let spellings: [(NSPredicate, [String])] = [
          (NSPredicate(format: "isPinned == YES"), ["alpha", "gamma"]),
          (NSPredicate(format: "isPinned = %d", true), ["alpha", "gamma"]),
          (NSPredicate(format: "body == nil"), ["delta"]),
          (NSPredicate(format: "%K == NULL", "body"), ["delta"]),
          (NSPredicate(format: "\(key) == '\(name)'"), ["alpha"]),
          (NSPredicate(format: "title ==[c] %@ || title LIKE[cd] \"g*\"", "BETA"), ["Beta", "gamma"]),
          (NSPredicate(format: "wordCount >= %lld && wordCount < %i", Int64(10), 30), ["Beta", "gamma"]),
          (NSPredicate(format: "wordCount BETWEEN {5, 15}"), ["Beta"]),
          (NSPredicate(format: "NOT (title IN %@)", ["alpha", "Beta"]), ["delta", "gamma"]),
          (
            NSPredicate(format: "tags.@count == 0 AND wordCount == $count").withSubstitutionVariables([
              "count": 0
            ]), ["alpha"]
          ),
          (
            NSPredicate(format: "title = %@ OR title = %@", argumentArray: ["alpha", "delta"]),
            ["alpha", "delta"]
          ),
          (
            NSCompoundPredicate(orPredicateWithSubpredicates: [
              NSPredicate(format: "title BEGINSWITH 'al'"), NSPredicate(format: "title ENDSWITH %@", "ta"),
            ]), ["Beta", "alpha", "delta"]
          ),
          (
            NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "title CONTAINS[cd] 'A'")),
            []
          ),
          (
            NSCompoundPredicate(
              type: .and, subpredicates: [NSPredicate(value: true), NSPredicate(format: "wordCount > 25")]),
            ["delta"]
          ),
          (
            NSComparisonPredicate(
              leftExpression: NSExpression(forKeyPath: "wordCount"),
              rightExpression: NSExpression(forConstantValue: 20), modifier: .direct, type: .equalTo),
            ["gamma"]
          ),
        ]
        let request: NSFetchRequest<Note> = Note.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        let all = try context.fetch(request)
        for (predicate, expected) in spellings {
          request.predicate = predicate
          let found = try context.fetch(request).compactMap(\.title)
          #expect(found == expected.sorted(), "\(predicate)")
          #expect(all.filter(predicate.evaluate(with:)).compactMap(\.title) == found, "\(predicate)")
        }
      }
    }
  }

  @Test("Counts, groups and casts of results", arguments: Storage.allCases)
  func results(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        try fill(context)
        let count = NSFetchRequest<NSNumber>(entityName: "Note")
        count.resultType = .countResultType
        let numbers = try context.fetch(count)
        #expect(numbers.first?.intValue == 4)

        let words = NSExpressionDescription()
        words.name = "words"
        words.expression = NSExpression(format: "sum:(wordCount)")
        words.resultType = .integer64
        let groups = NSFetchRequest<NSDictionary>(entityName: "Note")
        groups.resultType = .dictionaryResultType
        groups.propertiesToFetch = ["isPinned", words]
        groups.propertiesToGroupBy = ["isPinned"]
        groups.sortDescriptors = [NSSortDescriptor(key: "isPinned", ascending: true)]
        let sums = try context.fetch(groups).map { $0["words"] as? Int }
        #expect(sums == [40, 20])

        let plain = NSFetchRequest<NSFetchRequestResult>()
        plain.entity = NSEntityDescription.entity(forEntityName: "Note", in: context)
        let anything = try context.fetch(plain)
        #expect((anything as? [Note])?.count == 4)
        #expect((anything as! [NSManagedObject]).count == 4)
      }
    }
  }

  @Test(
    "A fetched property is read by a getter of one's own, and the model has its request template",
    arguments: Storage.allCases)
  func fetchedProperties(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        try fill(context)
        let tag = Tag(context: context)
        tag.name = "greek"
        let notes = try context.fetch(Note.fetchRequest() as NSFetchRequest<Note>)
        for note in notes where note.title != "alpha" { note.tags.insert(tag) }
        try context.save()
        #expect(tag.pinnedNotes.map(\.title) == ["gamma"])
        notes.first { $0.title == "delta" }?.isPinned = true
        #expect(tag.pinnedNotes.count == 1)
        context.refresh(tag, mergeChanges: true)
        #expect(Set(tag.pinnedNotes.map(\.title)) == ["delta", "gamma"])
        let request = try #require(
          CoreDataStack.model.fetchRequestFromTemplate(
            withName: "NotesWithTag", substitutionVariables: ["TAG": "greek"]))
        request.sortDescriptors = [NSSortDescriptor(keyPath: \Note.title, ascending: true)]
        let typed = try #require(request as AnyObject as? NSFetchRequest<Note>)
        #expect(try context.fetch(typed).map(\.title) == ["Beta", "delta", "gamma"])
        let template = try #require(CoreDataStack.model.fetchRequestTemplate(forName: "NotesWithTag"))
        #expect(template as AnyObject is NSFetchRequest<Note> && template.copy() is NSFetchRequest<Note>)
        let found = try context.fetch(request) as? [Note]
        #expect(found?.map(\.title) == ["Beta", "delta", "gamma"])
      }
    }
  }

  /// The first result that equals one, whatever their type.
  private func place<Result: NSFetchRequestResult>(of result: Result, in results: [Result]) -> Int? {
    results.firstIndex { $0.isEqual(result) && $0.hash == result.hash && $0.description == result.description }
  }

  @Test("Code for any type of result compares results and asks for their class", arguments: Storage.allCases)
  func anyResults(_ storage: Storage) throws {
    try storage.stack { stack in
      let context = stack.viewContext
      try context.performAndWait {
        try fill(context)
        let request = NSFetchRequest<Note>(entityName: "Note")
        request.sortDescriptors = [NSSortDescriptor(key: "wordCount", ascending: true)]
        let notes = try context.fetch(request)
        #expect(place(of: notes[2], in: notes) == 2)
        #expect(place(of: notes[2].objectID, in: notes.map(\.objectID)) == 2)
        #expect(place(of: NSNumber(value: 7), in: [1, 7]) == 1)
        let rows = [NSDictionary(object: 1, forKey: "a" as NSString), NSDictionary(object: 2, forKey: "a" as NSString)]
        #expect(place(of: NSDictionary(object: 2, forKey: "a" as NSString), in: rows) == 1)
        let mixed: [any NSFetchRequestResult] = [notes[0], notes[0].objectID]
        #expect(mixed[0].isKind(of: NSManagedObject.self) && !mixed[1].isKind(of: NSManagedObject.self))
        #expect(mixed[0].isMember(of: Note.self) && mixed[1].isEqual(notes[0].objectID) && !mixed[1].isEqual(mixed[0]))
      }
    }
  }

  @Test("Every type of attribute has its name, in a switch without default")
  func attributeTypes() throws {
    func name(_ type: NSAttributeType) -> String {
      switch type {
      case .undefinedAttributeType: "undefined"
      case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType: "integer"
      case .decimalAttributeType: "decimal"
      case .doubleAttributeType, .floatAttributeType: "real"
      case .stringAttributeType: "string"
      case .booleanAttributeType: "boolean"
      case .dateAttributeType: "date"
      case .binaryDataAttributeType: "data"
      case .UUIDAttributeType: "uuid"
      case .URIAttributeType: "uri"
      case .transformableAttributeType: "transformable"
      case .objectIDAttributeType: "id"
      case .compositeAttributeType: "composite"
      }
    }
    let note = try #require(CoreDataStack.model.entitiesByName["Note"])
    #expect(
      note.attributesByName.mapValues { name($0.attributeType) } == [
        "body": "string", "createdAt": "date", "id": "uuid", "isPinned": "boolean",
        "keywords": "transformable",
        "link": "uri", "moodValue": "integer", "price": "decimal", "priority": "integer", "rating": "real",
        "thumbnail": "data", "title": "string", "updatedAt": "date", "wordCount": "integer",
      ])
  }
}
