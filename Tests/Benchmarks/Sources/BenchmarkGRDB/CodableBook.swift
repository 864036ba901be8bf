import BenchmarkDriver
import Foundation
import GRDB

/// A record that leaves decoding and encoding to Codable. Dates are numbers, as in the other drivers, and not
/// GRDB's default of text.
struct CodableBook: BookRecord, Codable {
  typealias Author = CodableAuthor
  static let databaseTableName = "ZBOOK"

  enum CodingKeys: String, CodingKey {
    case key = "Z_PK"
    case entity = "Z_ENT"
    case version = "Z_OPT"
    case title = "ZTITLE"
    case author = "ZAUTHOR"
    case isbn = "ZISBN"
    case pages = "ZPAGES"
    case price = "ZPRICE"
    case published = "ZPUBLISHED"
    case inPrint = "ZINPRINT"
    case writer = "ZWRITER"
  }

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

  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
    .timeIntervalSinceReferenceDate
  }

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy {
    .timeIntervalSinceReferenceDate
  }
}

struct CodableAuthor: AuthorRecord, Codable {
  static let databaseTableName = "ZAUTHOR"

  enum CodingKeys: String, CodingKey {
    case key = "Z_PK"
    case entity = "Z_ENT"
    case version = "Z_OPT"
    case name = "ZNAME"
  }

  var key: Int64
  var entity = 1
  var version = 1
  var name: String

  init(key: Int64, name: String) {
    self.key = key
    self.name = name
  }
}
