import BenchmarkDriver
import BenchmarkWorkload
import Foundation
import GRDB

private let insertAuthorSQL = "INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, 1, 1, ?)"
private let insertBookSQL = """
  INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZAUTHOR, ZISBN, ZPAGES, ZPRICE, ZPUBLISHED, ZINPRINT, \
  ZWRITER) VALUES (?, 2, 1, ?, ?, ?, ?, ?, ?, ?, ?)
  """

private func createTables(_ db: Database) throws {
  try db.execute(sql: String(cString: benchmark_schema()))
}

private func setGreatestKeys(_ db: Database, authors: Int, books: Int) throws {
  try db.execute(sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?) WHERE Z_ENT = 1", arguments: [authors])
  try db.execute(sql: "UPDATE Z_PRIMARYKEY SET Z_MAX = max(Z_MAX, ?) WHERE Z_ENT = 2", arguments: [books])
}

/// The writing operations, each on the clock; the transaction is inside, the tables and the data are not.
struct Writing {
  let run: Run
  let queue: DatabaseQueue

  func insertRecords<Book: BookRecord>(_: Book.Type, withWriters: Bool = true) throws {
    try queue.write(createTables)
    let library = Library(bookCount: run.size)
    let authors = withWriters ? library.authors : []
    run.measure {
      try queue.write { db in
        for (index, name) in authors.enumerated() {
          try Book.Author(key: Int64(index + 1), name: name).insert(db)
        }
        for (index, data) in library.books.enumerated() {
          let writer = withWriters ? Int64(data.writer + 1) : nil
          try Book(key: Int64(index + 1), writer: writer, data: data).insert(db)
        }
        try setGreatestKeys(db, authors: authors.count, books: library.books.count)
      }
    }
  }

  func insertByStatement(withWriters: Bool = true) throws {
    try queue.write(createTables)
    let library = Library(bookCount: run.size)
    let authors = withWriters ? library.authors : []
    run.measure {
      try queue.write { db in
        let insertAuthor = try db.makeStatement(sql: insertAuthorSQL)
        for (index, name) in authors.enumerated() {
          insertAuthor.setUncheckedArguments([index + 1, name])
          try insertAuthor.execute()
        }
        let insertBook = try db.makeStatement(sql: insertBookSQL)
        for (index, book) in library.books.enumerated() {
          let writer = withWriters ? Int64(book.writer + 1) : nil
          try insertBook.execute(book, key: Int64(index + 1), writer: writer)
        }
        try setGreatestKeys(db, authors: authors.count, books: library.books.count)
      }
    }
  }

  /// Decodes a catalogue of JSON as a whole, then inserts what it has, in one transaction.
  func importCatalog() throws {
    try queue.write(createTables)
    let catalog = try Catalog(run)
    let before = Memory.now()
    run.measure {
      let authors = try catalog.decoded()
      try queue.write { db in
        let insertAuthor = try db.makeStatement(sql: insertAuthorSQL)
        let insertBook = try db.makeStatement(sql: insertBookSQL)
        var bookCount = 0
        for (index, author) in authors.enumerated() {
          insertAuthor.setUncheckedArguments([index + 1, author.name])
          try insertAuthor.execute()
          for book in author.books {
            bookCount += 1
            try insertBook.execute(book, key: Int64(bookCount), writer: Int64(index + 1))
          }
        }
        try setGreatestKeys(db, authors: authors.count, books: bookCount)
      }
    }
    run.report("rss", Memory.now().peakResident - before.peakResident)
    try catalog.remove()
  }

  /// Updates the chosen books: all columns with `update`, or only what changed with `updateChanges`.
  func updateRecords<Book: BookRecord>(_: Book.Type, changesOnly: Bool) throws {
    var books = try chosen(Book.self)
    run.measure {
      try queue.write { db in
        for index in books.indices {
          if changesOnly {
            try books[index].updateChanges(db) {
              $0.pages += 1
              $0.version += 1
            }
          } else {
            books[index].pages += 1
            books[index].version += 1
            try books[index].update(db)
          }
        }
      }
    }
    run.report("count", books.count)
  }

  func deleteRecords<Book: BookRecord>(_: Book.Type) throws {
    let books = try chosen(Book.self)
    run.measure {
      try queue.write { db in
        for book in books { try book.delete(db) }
      }
    }
    run.report("count", books.count)
  }

  private func chosen<Book: BookRecord>(_: Book.Type) throws -> [Book] {
    try queue.read { db in
      try Book.filter(sql: "substr(ZISBN, 13) = ?", arguments: [chosenDigit]).order(Column("Z_PK")).fetchAll(
        db)
    }
  }
}

/// One transaction a block of books, one block after the other, through a pool's serialised writer.
func writeBlocks(_ run: Run, pool: DatabasePool, booksPerBlock: Int, createsTables: Bool = true) throws {
  if createsTables { try pool.write(createTables) }
  let library = Library(bookCount: benchmark_written_count(run.size))
  run.measure {
    for first in stride(from: 0, to: library.books.count, by: booksPerBlock) {
      try pool.write { db in
        let statement = try db.cachedStatement(sql: insertBookSQL)
        for index in first..<min(first + booksPerBlock, library.books.count) {
          try statement.execute(library.books[index], key: Int64(index + 1), writer: nil)
        }
      }
    }
  }
  try pool.write { db in try setGreatestKeys(db, authors: 0, books: library.books.count) }
}

/// The same, one book a transaction, while another thread reads a book again and again.
func writeBesideReader(_ run: Run, pool: DatabasePool) throws {
  let isWritten = DispatchSemaphore(value: 0)
  let hasEnded = DispatchSemaphore(value: 0)
  try pool.write(createTables)
  Thread.detachNewThread {
    var tally = Tally()
    while isWritten.wait(timeout: .now()) == .timedOut {
      do {
        try pool.read { db in
          let statement = try db.cachedStatement(sql: "SELECT \(bookColumns) FROM ZBOOK LIMIT 1")
          let rows = try Row.fetchCursor(statement)
          while let row = try rows.next() { tally.add(IndexBook(row: row)) }
        }
      } catch { fail("\(run.operation): \(error)") }
    }
    hasEnded.signal()
  }
  try writeBlocks(run, pool: pool, booksPerBlock: 1, createsTables: false)
  isWritten.signal()
  hasEnded.wait()
}

extension Statement {
  fileprivate func execute(_ book: some BookValues, key: Int64, writer: Int64?) throws {
    setUncheckedArguments([
      key, book.title, book.author, book.isbn, book.pages, book.price, book.published, book.inPrint, writer,
    ])
    try execute()
  }
}
