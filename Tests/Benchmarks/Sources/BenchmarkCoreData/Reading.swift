import BenchmarkDriver
import CoreData

/// The reading operations, each on the clock, with what they read reported for comparison.
struct Reading {
  let run: Run
  let context: NSManagedObjectContext

  /// How many objects `batch` asks for at a time.
  private let batchSize = 100

  private func allBooks() -> NSFetchRequest<Book> {
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.returnsObjectsAsFaults = false
    return request
  }

  private func allFaults() -> NSFetchRequest<Book> {
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.includesPropertyValues = false
    return request
  }

  /// Fetches all books as full objects and reads their properties; then reads them again.
  func fetch() throws {
    var tally = Tally()
    var books: [Book] = []
    run.measure {
      books = try context.fetch(allBooks())
      for book in books { tally.add(book) }
    }
    run.report(tally)
    run.report(checksum: books.reduce(into: 0) { $0 &+= checksum($1) })
  }

  /// Reads the properties of objects that were read before.
  func reread() throws {
    let books = try context.fetch(allBooks())
    var warmUp = Tally()
    for book in books { warmUp.add(book) }
    var tally = Tally()
    run.measure {
      for book in books { tally.add(book) }
    }
    run.report(tally)
  }

  /// The same by key: a number, a text and so on out of `value(forKey:)`.
  func rereadByKey() throws {
    let books = try context.fetch(allBooks())
    let keys = ["title", "author", "isbn", "pages", "price", "published", "inPrint"]
    var present = 0
    run.measure {
      for book in books {
        for key in keys where book.value(forKey: key) != nil { present += 1 }
      }
    }
    run.report("count", present)
  }

  /// Makes one fault a book.
  func faults() throws {
    var books: [Book] = []
    run.measure { books = try context.fetch(allFaults()) }
    run.report("count", books.count)
  }

  /// Fetches object ids alone.
  func objectIDs() throws {
    let request = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
    request.resultType = .managedObjectIDResultType
    var identifiers: [NSManagedObjectID] = []
    run.measure { identifiers = try context.fetch(request) }
    run.report("count", identifiers.count)
  }

  /// True of every book. SQLite reads bare keys from the index on the foreign key, in an order that jumps
  /// about the table; with a condition on a column that no index has it walks the table, and keys come in
  /// order, as in the other drivers.
  private let anyPageCount = NSPredicate(format: "pages > 0")

  /// Fires faults one at a time by reading, in the order of their keys.
  func fire() throws {
    let request = allFaults()
    request.predicate = anyPageCount
    let books = try context.fetch(request)
    var tally = Tally()
    run.measure {
      for book in books { tally.add(book) }
    }
    run.report(tally)
  }

  /// Reads the objects of a result that is fetched in batches, which fires faults a batch at a time.
  func batch() throws {
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.predicate = anyPageCount
    request.fetchBatchSize = batchSize
    let books = try context.fetch(request)
    var tally = Tally()
    run.measure {
      for book in books { tally.add(book) }
    }
    run.report(tally)
  }

  /// One fetch an ISBN, with the predicate that a program would write.
  func indexed() throws {
    let isbns = lookedUpISBNs(bookCount: run.size)
    var tally = Tally()
    run.measure {
      for isbn in isbns {
        let request = allBooks()
        request.predicate = NSPredicate(format: "isbn == %@", isbn)
        for book in try context.fetch(request) { tally.add(book) }
      }
    }
    run.report(tally)
  }

  /// One fetch a page count; nothing indexes page counts.
  func scan() throws {
    let pageCounts = scannedPageCounts()
    var tally = Tally()
    run.measure {
      for pages in pageCounts {
        let request = allBooks()
        request.predicate = NSPredicate(format: "pages == %d", pages)
        for book in try context.fetch(request) { tally.add(book) }
      }
    }
    run.report(tally)
  }

  /// Memory of all books, fetched and read.
  func memory() throws {
    let before = Memory.now()
    let books = try context.fetch(allBooks())
    var tally = Tally()
    for book in books { tally.add(book) }
    let after = Memory.now()
    run.report("rss", after.peakResident - before.peakResident)
    run.report("heap", after.heap - before.heap)
    run.report(tally)
    withExtendedLifetime(books) {}
  }

  /// Memory of a result fetched in batches, before and after walking through it.
  func batchMemory() throws {
    let before = Memory.now()
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.fetchBatchSize = batchSize
    let books = try context.fetch(request)
    run.report("unfired", Memory.now().heap - before.heap)
    var tally = Tally()
    for book in books { tally.add(book) }
    let after = Memory.now()
    run.report("rss", after.peakResident - before.peakResident)
    run.report("heap", after.heap - before.heap)
    run.report(tally)
    withExtendedLifetime(books) {}
  }
}
