import CoreData

/// A list out of the library: each question is a fetch, and only the books asked for are in memory.
///
/// Reads in the view context: call it on the main queue.
public final class CoreDataListDataSource: ListDataSource {
  public let name: String
  private let context: NSManagedObjectContext

  public init(_ stack: LibraryStack) {
    name = stack.url.lastPathComponent
    context = stack.container.viewContext
  }

  //> core-data-books
  public func books(
    matching query: BookQuery, offset: Int, limit: Int
  ) throws -> [CatalogRecord] {
    let request = Self.request(for: query)
    request.sortDescriptors = Self.sortDescriptors(query.order)
    request.fetchOffset = offset
    request.fetchLimit = limit
    request.relationshipKeyPathsForPrefetching = ["subjects"]
    return try asking(query) { try context.fetch(request).map(Self.record(of:)) }
  }
  //< core-data-books

  //> core-data-request
  private static func request(for query: BookQuery) -> NSFetchRequest<BookManagedObject> {
    let request: NSFetchRequest<BookManagedObject> = BookManagedObject.fetchRequest()
    var parts = query.words.map { word in
      NSPredicate(
        format: "title CONTAINS[cd] %@ OR ANY authors.name CONTAINS[cd] %@"
          + " OR ANY subjects.name CONTAINS[cd] %@",
        word, word, word)
    }
    if let language = query.language {
      parts.append(NSPredicate(format: "language == %@", language))
    }
    if let condition = query.condition { parts.append(condition.predicate) }
    if !parts.isEmpty {
      request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
    }
    return request
  }
  //< core-data-request

  private static func sortDescriptors(_ order: BookQuery.Order) -> [NSSortDescriptor] {
    let first: [String]
    switch order {
    case .title: first = []
    case .author: first = ["authorSort"]
    case .year: first = ["firstPublished"]
    }
    return (first + ["titleSort", "catalogKey"]).map { NSSortDescriptor(key: $0, ascending: true) }
  }

  public func numberOfBooks(matching query: BookQuery) throws -> Int {
    try asking(query) { try context.count(for: Self.request(for: query)) }
  }

  private func asking<Answer>(_ query: BookQuery, _ body: () throws -> Answer) throws -> Answer {
    try query.condition?.asking(context, body) ?? body()
  }

  public func book(withKey key: String) throws -> CatalogRecord? {
    let request: NSFetchRequest<BookManagedObject> = BookManagedObject.fetchRequest()
    request.predicate = NSPredicate(format: "catalogKey == %@", (try? ISBN(key))?.digits ?? key)
    request.fetchLimit = 1
    return try context.fetch(request).first.map(Self.record(of:))
  }

  /// The values of an object, so that no object leaves its context.
  private static func record(of book: BookManagedObject) -> CatalogRecord {
    CatalogRecord(
      title: book.title ?? "",
      authors: book.authorLine?.components(separatedBy: "; ") ?? [],
      firstPublished: book.firstPublished?.intValue,
      language: book.language,
      subjects: (book.subjects?.allObjects ?? []).compactMap { ($0 as? SubjectManagedObject)?.name }.sorted(),
      isbn: book.isbn.flatMap { try? ISBN($0) },
      uri: book.catalogKey.flatMap { $0.contains("://") ? $0 : nil })
  }
}

extension CoreDataListDataSource {
  /// Counted by the store: no book becomes an object.
  public func statistics() throws -> CatalogStatistics {
    var result = CatalogStatistics()
    result.books = try count("Book")
    result.authors = try count("Author")
    result.subjects = try count("Subject")
    result.withoutISBN = try count("Book", NSPredicate(format: "isbn == nil"))
    result.withoutYear = try count("Book", NSPredicate(format: "firstPublished == nil"))
    result.centuries = try CatalogStatistics.centurySpans.compactMap { span in
      let count = try count(
        "Book",
        NSPredicate(
          format: "firstPublished >= %ld AND firstPublished <= %ld", span.years.lowerBound,
          span.years.upperBound))
      return count == 0 ? nil : CatalogStatistics.Row(name: span.name, count: count)
    }
    result.languages = CatalogStatistics.sorted(
      try languages().map { language in
        let books = try count("Book", NSPredicate(format: "language == %@", language))
        return CatalogStatistics.Row(name: language, count: books)
      })
    result.topSubjects = try most("Subject")
    result.topAuthors = try most("Author")
    return result
  }

  //> count
  private func count(_ entity: String, _ predicate: NSPredicate? = nil) throws -> Int {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = predicate
    return try context.count(for: request)
  }
  //< count

  private func languages() throws -> [String] {
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["language"]
    request.returnsDistinctResults = true
    request.predicate = NSPredicate(format: "language != nil")
    return try context.fetch(request).compactMap { $0["language"] as? String }
  }

  /// The authors or subjects with most books. A store cannot sort by the size of a relationship, but it can
  /// compare it: the number is found above which fewer than ten lie, and only those from it on are fetched.
  private func most(_ entity: String) throws -> [CatalogStatistics.Row] {
    let top = CatalogStatistics.topCount
    func atLeast(_ number: Int) -> NSPredicate { NSPredicate(format: "books.@count >= %ld", number) }
    var threshold = 1
    while try count(entity, atLeast(threshold * 2)) >= top { threshold *= 2 }
    while try count(entity, atLeast(threshold + 1)) >= top { threshold += 1 }
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = atLeast(threshold)
    request.relationshipKeyPathsForPrefetching = ["books"]
    let rows = try context.fetch(request).map { object in
      let named: (name: String?, books: NSSet?) =
        if let author = object as? AuthorManagedObject {
          (author.name, author.books)
        } else if let subject = object as? SubjectManagedObject {
          (subject.name, subject.books)
        } else {
          (nil, nil)
        }
      return CatalogStatistics.Row(name: named.name ?? "", count: named.books?.count ?? 0)
    }
    return Array(CatalogStatistics.sorted(rows).prefix(top))
  }
}
