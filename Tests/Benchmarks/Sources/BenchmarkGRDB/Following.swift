import BenchmarkDriver
import GRDB

/// The operations that follow a relationship from one record to another, each on the clock.
///
/// `hand` does it as GRDB's own documentation does: associations, and records looked up by their keys. `index` is the
/// fastest that a program can write: plain structs, and dictionaries that it keeps itself.
struct Following {
  let run: Run
  let queue: DatabaseQueue

  // The name of each book's writer; each writer is looked up once.

  func traverseRecords() throws {
    try traverse { db in { key in try NamedAuthor.fetchOne(db, key: key)?.name } }
  }

  func traverseByIndex() throws {
    try traverse { db in
      let statement = try db.makeStatement(sql: "SELECT ZNAME FROM ZAUTHOR WHERE Z_PK = ?")
      return { key in
        statement.setUncheckedArguments([key])
        return try String.fetchOne(statement)
      }
    }
  }

  /// - Parameter makeNames: returns a function that looks up a writer's name, in a transaction.
  private func traverse(_ makeNames: (Database) throws -> (Int64) throws -> String?) throws {
    let books = try queue.read { db in try IndexBook.fetchAll(db) }
    var count = 0
    var bytes = 0
    run.measure {
      try queue.read { db in
        let name = try makeNames(db)
        var names: [Int64: String] = [:]
        for book in books {
          guard let writer = book.writer else { continue }
          let known = try names[writer] ?? name(writer)
          guard let known else { fail("no author \(writer)") }
          names[writer] = known
          count += 1
          bytes += known.utf8.count
        }
      }
    }
    run.report("count", count)
    run.report("sum", bytes)
  }

  // All authors with their books.

  func prefetchRecords() throws {
    try prefetch { db in
      try NamedAuthor.including(all: NamedAuthor.books).asRequest(of: AuthorWithBooks.self).fetchAll(db)
        .map { ($0.author.name, $0.books) }
    }
  }

  func prefetchByIndex() throws {
    try prefetch { db in
      let rows = try Row.fetchAll(db, sql: "SELECT Z_PK, ZNAME FROM ZAUTHOR")
      let authors: [(key: Int64, name: String)] = rows.map { ($0[0], $0[1]) }
      var books: [Int64: [IndexBook]] = [:]
      for book in try IndexBook.fetchAll(db) {
        if let writer = book.writer { books[writer, default: []].append(book) }
      }
      return authors.map { key, name in (name, books[key] ?? []) }
    }
  }

  private func prefetch<Book: BookRow>(_ fetchAll: (Database) throws -> [(name: String, books: [Book])]) throws {
    var count = 0
    var bytes = 0
    var tally = Tally()
    run.measure {
      for author in try queue.read(fetchAll) {
        count += 1
        bytes += author.name.utf8.count
        for book in author.books { tally.add(book) }
      }
    }
    run.report("count", count)
    run.report("sum", bytes)
    run.report(tally)
  }
}

/// An author as it is read, with an association to the books.
private struct NamedAuthor: TableRecord, FetchableRecord {
  static let databaseTableName = "ZAUTHOR"
  static let books = hasMany(HandBook.self, key: "books", using: ForeignKey(["ZWRITER"]))

  let name: String

  init(row: Row) { name = row["ZNAME"] }
}

private struct AuthorWithBooks: FetchableRecord {
  let author: NamedAuthor
  let books: [HandBook]

  init(row: Row) {
    author = NamedAuthor(row: row)
    books = row["books"]
  }
}
