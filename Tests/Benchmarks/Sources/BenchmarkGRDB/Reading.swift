import BenchmarkDriver
import GRDB

/// The reading operations, each on the clock, with what they read reported for comparison.
struct Reading {
  let run: Run
  let queue: DatabaseQueue

  // Fetch all books and read their properties.

  func fetchRecords<Book: BookRecord>(_: Book.Type) throws {
    try fetch { db in try Book.fetchAll(db) }
  }

  func fetchByIndex() throws {
    try fetch { db in try IndexBook.fetchAll(db) }
  }

  private func fetch<Book: BookRow>(_ fetchAll: (Database) throws -> [Book]) throws {
    var tally = Tally()
    var books: [Book] = []
    run.measure {
      books = try queue.read(fetchAll)
      for book in books { tally.add(book) }
    }
    run.report(tally)
    run.report(checksum: books.reduce(into: 0) { $0 &+= checksum($1) })
  }

  // Keys only.

  func fetchKeys() throws {
    var keys: [Int64] = []
    run.measure {
      keys = try queue.read { db in try Int64.fetchAll(db, sql: "SELECT Z_PK FROM ZBOOK") }
    }
    run.report("count", keys.count)
  }

  private func keysInOrder() throws -> [Int64] {
    try queue.read { db in try Int64.fetchAll(db, sql: "SELECT Z_PK FROM ZBOOK ORDER BY Z_PK") }
  }

  // One look-up a book, by primary key, in one read transaction.

  func fireRecords<Book: BookRecord>(_: Book.Type) throws {
    let keys = try keysInOrder()
    var tally = Tally()
    run.measure {
      try queue.read { db in
        for key in keys {
          guard let book = try Book.fetchOne(db, key: key) else { fail("no book \(key)") }
          tally.add(book)
        }
      }
    }
    run.report(tally)
  }

  func fireByIndex() throws {
    let keys = try keysInOrder()
    var tally = Tally()
    run.measure {
      try queue.read { db in
        let statement = try db.makeStatement(sql: "SELECT \(bookColumns) FROM ZBOOK WHERE Z_PK = ?")
        for key in keys {
          statement.setUncheckedArguments([key])
          guard let row = try Row.fetchOne(statement) else { fail("no book \(key)") }
          tally.add(IndexBook(row: row))
        }
      }
    }
    run.report(tally)
  }

  // Look-ups and scans by a column.

  func indexedRecords<Book: BookRecord>(_: Book.Type) throws {
    let isbns = lookedUpISBNs(bookCount: run.size)
    var tally = Tally()
    run.measure {
      try queue.read { db in
        for isbn in isbns {
          for book in try Book.filter(Column("ZISBN") == isbn).fetchAll(db) { tally.add(book) }
        }
      }
    }
    run.report(tally)
  }

  func indexedByIndex() throws {
    let isbns = lookedUpISBNs(bookCount: run.size)
    var tally = Tally()
    run.measure {
      try queue.read { db in
        let statement = try db.makeStatement(sql: "SELECT \(bookColumns) FROM ZBOOK WHERE ZISBN = ?")
        for isbn in isbns {
          statement.setUncheckedArguments([isbn])
          let rows = try Row.fetchCursor(statement)
          while let row = try rows.next() { tally.add(IndexBook(row: row)) }
        }
      }
    }
    run.report(tally)
  }

  func scanRecords<Book: BookRecord>(_: Book.Type) throws {
    let pageCounts = scannedPageCounts()
    var tally = Tally()
    run.measure {
      try queue.read { db in
        for pages in pageCounts {
          for book in try Book.filter(Column("ZPAGES") == pages).fetchAll(db) { tally.add(book) }
        }
      }
    }
    run.report(tally)
  }

  // Memory of all books, fetched and read.

  func memoryOfRecords<Book: BookRecord>(_: Book.Type) throws {
    try memory { db in try Book.fetchAll(db) }
  }

  func memoryByIndex() throws {
    try memory { db in try IndexBook.fetchAll(db) }
  }

  private func memory<Book: BookRow>(_ fetchAll: (Database) throws -> [Book]) throws {
    let before = Memory.now()
    let books = try queue.read(fetchAll)
    var tally = Tally()
    for book in books { tally.add(book) }
    let after = Memory.now()
    run.report("rss", after.peakResident - before.peakResident)
    run.report("heap", after.heap - before.heap)
    run.report(tally)
    withExtendedLifetime(books) {}
  }
}

/// The look-ups of `indexed`, each in a read transaction of its own, as each fetch of a context is.
func lookUpOneByOne(_ run: Run, pool: DatabasePool) throws {
  let isbns = lookedUpISBNs(bookCount: run.size)
  var tally = Tally()
  run.measure {
    for isbn in isbns {
      try pool.read { db in
        let statement = try db.cachedStatement(sql: "SELECT \(bookColumns) FROM ZBOOK WHERE ZISBN = ?")
        statement.setUncheckedArguments([isbn])
        let rows = try Row.fetchCursor(statement)
        while let row = try rows.next() { tally.add(IndexBook(row: row)) }
      }
    }
  }
  run.report(tally)
}
