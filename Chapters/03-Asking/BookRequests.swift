import CoreData

/// Requests that differ in more than their predicate.
public enum BookRequests {
  //> sorted
  /// The newest first; books of one year by title.
  public static var newestFirst: NSFetchRequest<Book> {
    let request = Book.fetchRequest()
    request.sortDescriptors = [
      NSSortDescriptor(key: "year", ascending: false),
      NSSortDescriptor(key: "title", ascending: true),
    ]
    return request
  }
  //< sorted

  //> by-title
  /// By title: as bytes, or as a reader expects.
  public static func byTitle(localized: Bool) -> NSFetchRequest<Book> {
    let request = Book.fetchRequest()
    let selector = localized ? "localizedStandardCompare:" : "compare:"
    request.sortDescriptors = [
      NSSortDescriptor(key: "title", ascending: true, selector: Selector(selector))
    ]
    return request
  }
  //< by-title

  //> page
  /// A page of a long list. The first is number 0.
  public static func page(_ number: Int, size: Int) -> NSFetchRequest<Book> {
    let request = newestFirst
    request.fetchLimit = size
    request.fetchOffset = number * size
    return request
  }
  //< page

  //> batched
  /// All books, but only the rows of those that someone looks at.
  public static func batched(by size: Int) -> NSFetchRequest<Book> {
    let request = newestFirst
    request.fetchBatchSize = size
    return request
  }
  //< batched

  //> asynchronous
  /// Reads on another thread and shows the books when they are there.
  public static func read(
    _ request: NSFetchRequest<Book>, in context: NSManagedObjectContext,
    then show: @escaping ([Book]) -> Void
  ) throws {
    let fetch = NSAsynchronousFetchRequest(fetchRequest: request) { result in
      show(result.finalResult ?? [])
    }
    try context.execute(fetch)
  }
  //< asynchronous

  //> prefetching
  /// All books, with what lies behind `paths` along with them.
  public static func prefetching(_ paths: [String]) -> NSFetchRequest<Book> {
    let request = newestFirst
    request.relationshipKeyPathsForPrefetching = paths
    return request
  }
  //< prefetching

  //> titles
  /// Two columns of each book, and no book.
  public static var titlesAndAuthors: NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["title", "author.name"]
    request.predicate = NSPredicate(format: "year == 1847")
    return request
  }
  //< titles

  /// The prices that occur, each once.
  public static var prices: NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["price"]
    request.returnsDistinctResults = true
    request.sortDescriptors = [NSSortDescriptor(key: "price", ascending: true)]
    return request
  }

  //> column
  /// A column that is worked out: `function` of everything at `key`.
  public static func column(
    _ name: String, _ function: String, of key: String, as type: NSAttributeType
  ) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = NSExpression(
      forFunction: function, arguments: [NSExpression(forKeyPath: key)])
    column.expressionResultType = type
    return column
  }
  //< column

  //> groups
  /// A row for each author with at least `least` books: how many, and how long on average.
  public static func byAuthor(atLeast least: Int) -> NSFetchRequest<NSDictionary> {
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToGroupBy = ["author.name"]
    request.propertiesToFetch = [
      "author.name",
      column("books", "count:", of: "title", as: .integer64AttributeType),
      column("pages", "average:", of: "pages", as: .doubleAttributeType),
    ]
    request.havingPredicate = NSPredicate(format: "$books >= %ld", least)
    request.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
    return request
  }
  //< groups
}
