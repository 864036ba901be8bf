import BenchmarkDriver
import BenchmarkWorkload
import CoreData

/// The writing operations, each on the clock; making the objects is inside, the data and opening the store
/// are not.
struct Writing {
  let run: Run
  let context: NSManagedObjectContext

  func insert() throws {
    let library = Library(bookCount: run.size)
    run.measure {
      let authors = library.authors.map { name in
        let author = Author(context: context)
        author.name = name
        return author
      }
      for data in library.books {
        let book = Book(context: context)
        book.set(data)
        book.writer = authors[data.writer]
      }
      try context.save()
    }
  }

  /// A row at a time by a handler, which fills in the dictionary that it is given.
  func batchInsert() throws {
    var books = Library(bookCount: run.size).books.makeIterator()
    let request = NSBatchInsertRequest(entityName: "Book") { (dictionary: NSMutableDictionary) in
      guard let data = books.next() else { return true }
      dictionary["title"] = data.title
      dictionary["author"] = data.author
      dictionary["isbn"] = data.isbn
      dictionary["pages"] = data.pages
      dictionary["price"] = data.price
      dictionary["published"] = Date(timeIntervalSinceReferenceDate: data.published)
      dictionary["inPrint"] = data.inPrint
      return false
    }
    try execute(request)
  }

  /// The same by a handler that sets the properties of the object that it is given.
  func batchInsertObject() throws {
    var books = Library(bookCount: run.size).books.makeIterator()
    let request = NSBatchInsertRequest(entityName: "Book") { (object: NSManagedObject) in
      guard let data = books.next(), let book = object as? Book else { return true }
      book.set(data)
      return false
    }
    try execute(request)
  }

  private func execute(_ request: NSBatchInsertRequest) throws {
    request.resultType = .count
    var count: Int?
    run.measure {
      count = (try context.execute(request) as? NSBatchInsertResult)?.result as? Int
    }
    if count != run.size { fail("\(run.operation): \(count.map(String.init) ?? "no") rows were inserted") }
  }

  func update() throws {
    let books = try chosen()
    run.measure {
      for book in books { book.pages += 1 }
      try context.save()
    }
    run.report("count", books.count)
  }

  func delete() throws {
    let books = try chosen()
    run.measure {
      for book in books { context.delete(book) }
      try context.save()
    }
    run.report("count", books.count)
  }

  private func chosen() throws -> [Book] {
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.returnsObjectsAsFaults = false
    request.predicate = NSPredicate(format: "isbn ENDSWITH %@", chosenDigit)
    return try context.fetch(request)
  }

  /// One save a block of books, each on the queue of a background context, one block after the other.
  func writeBlocks(booksPerBlock: Int) throws {
    let library = Library(bookCount: benchmark_written_count(run.size))
    let writer = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    writer.persistentStoreCoordinator = context.persistentStoreCoordinator
    writer.undoManager = nil
    run.measure {
      for first in stride(from: 0, to: library.books.count, by: booksPerBlock) {
        var failure: (any Error)?
        writer.performAndWait {
          for data in library.books[first..<min(first + booksPerBlock, library.books.count)] {
            Book(context: writer).set(data)
          }
          do { try writer.save() } catch { failure = error }
        }
        if let failure { throw failure }
      }
    }
  }

  /// The same while another context reads a book, again and again, on a thread of its own.
  func writeBesideReader() throws {
    let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    reader.persistentStoreCoordinator = context.persistentStoreCoordinator
    let isWritten = DispatchSemaphore(value: 0)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      var tally = Tally()
      while isWritten.wait(timeout: .now()) == .timedOut {
        reader.performAndWait {
          let request: NSFetchRequest<Book> = Book.fetchRequest()
          request.returnsObjectsAsFaults = false
          request.fetchLimit = 1
          do { for book in try reader.fetch(request) { tally.add(book) } } catch { fail("\(run.operation): \(error)") }
        }
      }
      hasEnded.signal()
    }
    try writeBlocks(booksPerBlock: 1)
    isWritten.signal()
    hasEnded.wait()
  }

  /// One book a block, by a writer that saves the blocks together that wait. Each block reports after its commit, and
  /// as soon as one has reported the next one is enqueued: while a group is saved, another one waits.
  func writeGroups() throws {
    let library = Library(bookCount: benchmark_written_count(run.size))
    let groupSize = Int(BENCHMARK_GROUP_SIZE)
    let writer = GroupWriter(coordinator: context.persistentStoreCoordinator!, groupLimit: groupSize)
    let places = DispatchSemaphore(value: 2 * groupSize)
    run.measure {
      for data in library.books {
        places.wait()
        writer.enqueue {
          Book(context: $0).set(data)
        } completion: { result in
          if case .failure(let error) = result { fail("\(run.operation): \(error)") }
          places.signal()
        }
      }
      for _ in 0..<2 * groupSize { places.wait() }
    }
    for _ in 0..<2 * groupSize { places.signal() }
    run.report("commits", writer.saveCount)
  }
}

extension Book {
  /// Sets the seven attributes.
  @inline(__always)
  func set(_ data: some BookValues) {
    title = data.title
    author = data.author
    isbn = data.isbn
    pages = data.pages
    price = data.price
    published = Date(timeIntervalSinceReferenceDate: data.published)
    inPrint = data.inPrint
  }
}
