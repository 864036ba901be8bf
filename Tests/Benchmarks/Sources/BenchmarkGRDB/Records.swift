import BenchmarkDriver
import Foundation
import GRDB

/// What the operations need of a book, however it is decoded.
protocol BookRow {
  var key: Int64 { get }
  var title: String { get }
  var author: String { get }
  var isbn: String { get }
  var pages: Int32 { get set }
  var price: Double { get }
  var published: Date { get }
  var inPrint: Bool { get }
  var version: Int { get set }
}

/// A book that is also written as a record.
protocol BookRecord: BookRow, FetchableRecord, PersistableRecord {
  associatedtype Author: AuthorRecord
  init(key: Int64, writer: Int64?, data: BookData)
}

protocol AuthorRecord: PersistableRecord {
  init(key: Int64, name: String)
}

extension Tally {
  @inline(__always)
  mutating func add(_ book: some BookRow) {
    add(
      title: book.title, author: book.author, isbn: book.isbn, pages: book.pages, price: book.price,
      published: book.published.timeIntervalSinceReferenceDate, inPrint: book.inPrint)
  }
}

func checksum(_ book: some BookRow) -> UInt64 {
  checksum(
    title: book.title, author: book.author, isbn: book.isbn, pages: book.pages, price: book.price,
    published: book.published.timeIntervalSinceReferenceDate, inPrint: book.inPrint)
}
