import BenchmarkDriver
import CoreData

/// Questions: fetches whose answer the store has to work out, and predicates by themselves.
struct Asking {
  let run: Run
  let context: NSManagedObjectContext

  /// Authors with any book of a given number of pages; page counts have no index.
  func any() throws {
    let pageCounts = scannedPageCounts()
    var count = 0
    var bytes = 0
    run.measure {
      for pages in pageCounts {
        let request: NSFetchRequest<Author> = Author.fetchRequest()
        request.returnsObjectsAsFaults = false
        request.predicate = NSPredicate(format: "ANY books.pages == %d", pages)
        for author in try context.fetch(request) {
          count += 1
          bytes += author.name.utf8.count
        }
      }
    }
    run.report("count", count)
    run.report("sum", bytes)
  }

  /// Reads the name of each book's writer. The books were fetched before, the writers were not.
  func traverse() throws {
    let books = try allBooks()
    var count = 0
    var bytes = 0
    run.measure {
      for book in books {
        guard let writer = book.writer else { continue }
        count += 1
        bytes += writer.name.utf8.count
      }
    }
    run.report("count", count)
    run.report("sum", bytes)
  }

  /// All authors with their books, which are fetched along with them.
  func prefetch() throws {
    let request: NSFetchRequest<Author> = Author.fetchRequest()
    request.returnsObjectsAsFaults = false
    request.relationshipKeyPathsForPrefetching = ["books"]
    var count = 0
    var bytes = 0
    var tally = Tally()
    run.measure {
      for author in try context.fetch(request) {
        count += 1
        bytes += author.name.utf8.count
        for book in author.books ?? [] { tally.add(book) }
      }
    }
    run.report("count", count)
    run.report("sum", bytes)
    run.report(tally)
  }

  /// Number of books, pages and highest price of each writer, as dictionaries.
  func group() throws {
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToGroupBy = ["writer"]
    request.propertiesToFetch = [
      "writer",
      aggregate("books", "count:", .expressionForEvaluatedObject(), .integer64AttributeType),
      aggregate("pages", "sum:", NSExpression(forKeyPath: "pages"), .integer64AttributeType),
      aggregate("highest", "max:", NSExpression(forKeyPath: "price"), .doubleAttributeType),
    ]
    var count = 0
    var pages = 0
    var price = 0.0
    run.measure {
      for row in try context.fetch(request) {
        count += (row["books"] as! NSNumber).intValue
        pages += (row["pages"] as! NSNumber).intValue
        price += (row["highest"] as! NSNumber).doubleValue
      }
    }
    run.report("count", count)
    run.report("sum", pages + Int(price + 0.5))
  }

  private func aggregate(
    _ name: String, _ function: String, _ argument: NSExpression, _ type: NSAttributeType
  ) -> NSExpressionDescription {
    let description = NSExpressionDescription()
    description.name = name
    description.expression = NSExpression(forFunction: function, arguments: [argument])
    description.expressionResultType = type
    return description
  }

  /// A thousand typical predicates out of their format: milliseconds are microseconds a predicate.
  func parse() {
    var count = 0
    run.measure {
      for year in 0..<1000 {
        let predicate = NSPredicate(
          format: "title CONTAINS[cd] %@ AND pages >= %d AND writer.name == %@", "sea", year, "Ann")
        withExtendedLifetime(predicate) { count += 1 }
      }
    }
    run.report("count", count)
  }

  /// A predicate about each of the fetched books, by the predicate itself.
  func evaluate() throws {
    let books = try allBooks()
    let predicate = NSPredicate(format: "pages > %d AND inPrint == YES AND author BEGINSWITH %@", 300, "A")
    var count = 0
    run.measure { for book in books where predicate.evaluate(with: book) { count += 1 } }
    run.report("found", count)
  }

  /// The same by a closure over dictionaries, as one would write it without predicates and objects.
  func evaluateClosure() throws {
    let books: [[String: Any]] = try allBooks().map { book in
      [
        "title": book.title, "author": book.author, "isbn": book.isbn, "pages": book.pages,
        "price": book.price, "published": book.published, "inPrint": book.inPrint,
      ]
    }
    let meets: ([String: Any]) -> Bool = { book in
      guard let pages = book["pages"] as? Int32, pages > 300 else { return false }
      guard let inPrint = book["inPrint"] as? Bool, inPrint else { return false }
      guard let author = book["author"] as? String else { return false }
      return author.hasPrefix("A")
    }
    var count = 0
    run.measure { for book in books where meets(book) { count += 1 } }
    run.report("found", count)
  }

  private func allBooks() throws -> [Book] {
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.returnsObjectsAsFaults = false
    return try context.fetch(request)
  }
}
