import Foundation
import GRDB

/// A plain struct decoded by column index: the fastest that GRDB makes of a row that one keeps.
struct IndexBook: BookRow {
  var key: Int64
  var entity: Int
  var version: Int
  var title: String
  var author: String
  var isbn: String
  var pages: Int32
  var price: Double
  var published: Date
  var inPrint: Bool
  var writer: Int64?

  /// `row` has the columns `bookColumns`, in that order.
  init(row: Row) {
    key = row[0]
    entity = row[1]
    version = row[2]
    title = row[3]
    author = row[4]
    isbn = row[5]
    pages = row[6]
    price = row[7]
    published = Date(timeIntervalSinceReferenceDate: row[8])
    inPrint = row[9]
    writer = row[10]
  }

  static func fetchAll(_ db: Database) throws -> [IndexBook] {
    let statement = try db.makeStatement(sql: "SELECT \(bookColumns) FROM ZBOOK")
    let rows = try Row.fetchCursor(statement)
    var books: [IndexBook] = []
    while let row = try rows.next() {
      books.append(IndexBook(row: row))
    }
    return books
  }
}
