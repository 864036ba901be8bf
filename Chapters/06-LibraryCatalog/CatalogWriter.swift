import CoreData

/// Turns records into objects of one context, each book, author and subject once.
///
/// Looks up what the store has for a whole batch at a time: one fetch for the books, one for the authors, one
/// for the subjects. Call everything on the context's queue.
final class CatalogWriter {
  private let context: NSManagedObjectContext
  private let looksUp: Bool
  // What this context has made or looked up since the last save: no fetch needs to find it again.
  private var keys: Set<String> = []
  private var authors: [String: AuthorManagedObject] = [:]
  private var subjects: [String: SubjectManagedObject] = [:]

  /// - Parameter looksUp: Whether the store is asked what it has before anything is inserted.
  init(context: NSManagedObjectContext, looksUp: Bool = true) {
    self.context = context
    self.looksUp = looksUp
  }

  //> add-batch
  /// Inserts those of `records` that the library does not have; returns their number.
  func add(_ records: [CatalogRecord]) throws -> Int {
    guard !records.isEmpty else { return 0 }
    let stored = try storedKeys(among: records.map(\.key))
    var fresh: [CatalogRecord] = []
    for record in records where !stored.contains(record.key) {
      if keys.insert(record.key).inserted { fresh.append(record) }
    }
    try lookUp(Set(fresh.flatMap(\.authors)), "Author", in: &authors) { $0.name }
    try lookUp(Set(fresh.flatMap(\.subjects)), "Subject", in: &subjects) { $0.name }
    for record in fresh { insert(record) }
    return fresh.count
  }
  //< add-batch

  //> save-and-forget
  /// Saves, and lets go of every object, so that each batch begins with the same memory.
  func saveAndForget() throws {
    try context.save()
    context.reset()
    keys = []
    authors = [:]
    subjects = [:]
  }
  //< save-and-forget

  private func insert(_ record: CatalogRecord) {
    let book = BookManagedObject(context: context)
    book.catalogKey = record.key
    book.isbn = record.isbn?.digits
    book.title = record.title
    book.titleSort = record.titleSort
    book.authorLine = record.authors.isEmpty ? nil : record.authorLine
    book.authorSort = record.authorSort
    book.firstPublished = record.firstPublished.map { NSNumber(value: Int16($0)) }
    book.language = record.language
    //> connect
    book.authors = NSSet(array: record.authors.map { author(named: $0) })
    book.subjects = NSSet(array: record.subjects.map { subject(named: $0) })
  }

  private func author(named name: String) -> AuthorManagedObject {
    if let author = authors[name] { return author }
    let author = AuthorManagedObject(context: context)
    author.name = name
    authors[name] = author
    return author
  }
  //< connect

  private func subject(named name: String) -> SubjectManagedObject {
    if let subject = subjects[name] { return subject }
    let subject = SubjectManagedObject(context: context)
    subject.name = name
    subjects[name] = subject
    return subject
  }

  //> stored-keys
  /// Those of `keys` that the store has. Fetches dictionaries, so no book becomes an object.
  private func storedKeys(among keys: [String]) throws -> Set<String> {
    guard looksUp else { return [] }
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["catalogKey"]
    request.includesPendingChanges = false
    request.predicate = NSPredicate(format: "catalogKey IN %@", keys)
    return Set(try context.fetch(request).compactMap { $0["catalogKey"] as? String })
  }
  //< stored-keys

  //> look-up
  /// Fetches the objects that have one of `names`, and adds them to `known`.
  private func lookUp<Object: NSManagedObject>(
    _ names: Set<String>, _ entity: String, in known: inout [String: Object],
    _ name: (Object) -> String?
  ) throws {
    let unknown = names.filter { known[$0] == nil }
    guard looksUp, !unknown.isEmpty else { return }
    let request = NSFetchRequest<Object>(entityName: entity)
    request.predicate = NSPredicate(format: "name IN %@", unknown.sorted())
    request.includesPendingChanges = false
    for object in try context.fetch(request) {
      if let name = name(object) { known[name] = object }
    }
  }
  //< look-up
}
