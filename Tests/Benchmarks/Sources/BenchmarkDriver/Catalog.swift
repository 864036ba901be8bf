import BenchmarkWorkload
import Foundation

/// The library as a file of JSON: an array of authors, each with an array of his books.
public struct Catalog {
  public let url: URL

  /// Writes the file, beside the store of a run.
  public init(_ run: Run) throws {
    url = URL(fileURLWithPath: run.path + ".json")
    guard benchmark_write_catalog(url.path, run.size) else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
    }
  }

  public func remove() throws {
    try FileManager.default.removeItem(at: url)
  }

  /// The whole file at once, as Foundation decodes it.
  public func decoded() throws -> [CatalogAuthor] {
    try JSONDecoder().decode([CatalogAuthor].self, from: Data(contentsOf: url))
  }
}

/// An author of the catalogue.
public struct CatalogAuthor: Codable {
  public var name: String
  public var books: [CatalogBook]

  public init(name: String, books: [CatalogBook]) {
    self.name = name
    self.books = books
  }
}

/// A book of the catalogue.
public struct CatalogBook: Codable, BookValues {
  public var title: String
  public var author: String
  public var isbn: String
  public var pages: Int32
  public var price: Double
  public var published: Double
  public var inPrint: Bool
}

extension Tally {
  /// Adds the books of some authors, after the clock has stopped.
  public mutating func add(_ authors: some Sequence<CatalogAuthor>) {
    for author in authors {
      for book in author.books { add(book) }
    }
  }

  /// Adds the attributes of a book.
  public mutating func add(_ book: some BookValues) {
    add(
      title: book.title, author: book.author, isbn: book.isbn, pages: book.pages, price: book.price,
      published: book.published, inPrint: book.inPrint)
  }
}
