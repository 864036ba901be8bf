import CoreData

protocol NoteRepositoryProtocol {
  func add(title: String, body: String?) throws -> Note
  func notes(titled text: String) throws -> [Note]
  func delete(_ note: Note) throws
}

enum NoteError: Error {
  case notFound
  case invalid(String)
}

/// Everything that an application does with its notes.
final class NoteRepository: NoteRepositoryProtocol {
  private let context: NSManagedObjectContext

  init(context: NSManagedObjectContext) { self.context = context }

  @discardableResult
  func add(title: String, body: String?) throws -> Note {
    let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context) as! Note
    note.title = title
    note.body = body
    note.setValue(3, forKey: "priority")
    note.setValue(body?.count ?? 0, forKey: #"wordCount"#)
    try context.save()
    return note
  }

  func notes(titled text: String) throws -> [Note] {
    let request: NSFetchRequest<Note> = Note.fetchRequest()
    request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSPredicate(format: "title CONTAINS[cd] %@", text),
      NSPredicate(format: "%K >= %d AND isPinned == %@", "wordCount", 0, NSNumber(value: false)),
    ])
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Note.title, ascending: true)]
    request.fetchLimit = 20
    request.fetchOffset = 0
    request.fetchBatchSize = 10
    request.relationshipKeyPathsForPrefetching = ["tags"]
    request.returnsObjectsAsFaults = false
    return try context.fetch(request)
  }

  func note(id: UUID) -> Note? {
    let request = Note.fetchRequest() as NSFetchRequest<Note>
    request.predicate = NSPredicate(format: "id == %@", id as CVarArg)
    request.fetchLimit = 1
    return (try? context.fetch(request))?.first
  }

  func notes(createdAfter date: Date) throws -> [Note] {
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.predicate = NSPredicate(format: "createdAt > %@", date as NSDate)
    request.sortDescriptors = [NSSortDescriptor(key: "createdAt", ascending: false)]
    return try context.fetch(request)
  }

  func notes(in notebook: Notebook, tagged names: [String]) throws -> [Note] {
    let request = NSFetchRequest<Note>(entityName: "Note")
    request.predicate = NSPredicate(format: "notebook == %@ AND ANY tags.name IN %@", notebook, names)
    return try context.fetch(request)
  }

  func numberOfNotes() -> Int {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Note")
    request.includesSubentities = false
    return (try? context.count(for: request)) ?? NSNotFound
  }

  func identifiers() throws -> [NSManagedObjectID] {
    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Note")
    request.resultType = .managedObjectIDResultType
    return try context.fetch(request)
  }

  func titles() throws -> [String] {
    let request = NSFetchRequest<NSDictionary>(entityName: "Note")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["title"]
    request.returnsDistinctResults = true
    return try context.fetch(request).compactMap { $0["title"] as? String }.sorted()
  }

  /// The sum of all words, computed by the store.
  func totalWords() throws -> Int {
    let sum = NSExpressionDescription()
    sum.name = "total"
    sum.expression = NSExpression(forFunction: "sum:", arguments: [NSExpression(forKeyPath: "wordCount")])
    sum.expressionResultType = .integer64AttributeType
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Note")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [sum]
    let results = try context.fetch(request) as! [[String: Any]]
    return results.first?["total"] as? Int ?? 0
  }

  func delete(_ note: Note) throws {
    context.delete(note)
    try context.save()
  }

  func note(withURI uri: URL) throws -> Note {
    guard let id = context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri),
      let note = try context.existingObject(with: id) as? Note
    else { throw NoteError.notFound }
    return note
  }
}
