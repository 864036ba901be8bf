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
}

extension Book {
  /// Sets the seven attributes.
  fileprivate func set(_ data: BookData) {
    title = data.title
    author = data.author
    isbn = data.isbn
    pages = data.pages
    price = data.price
    published = Date(timeIntervalSinceReferenceDate: data.published)
    inPrint = data.inPrint
  }
}
