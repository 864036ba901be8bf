import BenchmarkDriver
import Foundation
import GRDB

/// A record with decoding and encoding written by hand, column by name.
struct HandBook: BookRecord {
  typealias Author = HandAuthor
  static let databaseTableName = "ZBOOK"

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

  init(key: Int64, writer: Int64?, data: BookData) {
    self.key = key
    entity = 2
    version = 1
    title = data.title
    author = data.author
    isbn = data.isbn
    pages = data.pages
    price = data.price
    published = Date(timeIntervalSinceReferenceDate: data.published)
    inPrint = data.inPrint
    self.writer = writer
  }

  init(row: Row) {
    key = row["Z_PK"]
    entity = row["Z_ENT"]
    version = row["Z_OPT"]
    title = row["ZTITLE"]
    author = row["ZAUTHOR"]
    isbn = row["ZISBN"]
    pages = row["ZPAGES"]
    price = row["ZPRICE"]
    published = Date(timeIntervalSinceReferenceDate: row["ZPUBLISHED"])
    inPrint = row["ZINPRINT"]
    writer = row["ZWRITER"]
  }

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = key
    container["Z_ENT"] = entity
    container["Z_OPT"] = version
    container["ZTITLE"] = title
    container["ZAUTHOR"] = author
    container["ZISBN"] = isbn
    container["ZPAGES"] = pages
    container["ZPRICE"] = price
    container["ZPUBLISHED"] = published.timeIntervalSinceReferenceDate
    container["ZINPRINT"] = inPrint
    container["ZWRITER"] = writer
  }
}

struct HandAuthor: AuthorRecord {
  static let databaseTableName = "ZAUTHOR"

  var key: Int64
  var name: String

  func encode(to container: inout PersistenceContainer) {
    container["Z_PK"] = key
    container["Z_ENT"] = 1
    container["Z_OPT"] = 1
    container["ZNAME"] = name
  }
}
