import BenchmarkWorkload

/// The seven attributes of a book that is to be stored.
public protocol BookValues {
  var title: String { get }
  var author: String { get }
  var isbn: String { get }
  var pages: Int32 { get }
  var price: Double { get }
  /// Seconds since 2001-01-01 00:00 UTC.
  var published: Double { get }
  var inPrint: Bool { get }
}

/// A book as a Swift program holds it before it is stored.
@frozen
public struct BookData: BookValues {
  public var title: String
  public var author: String
  public var isbn: String
  public var pages: Int32
  public var price: Double
  /// Seconds since 2001-01-01 00:00 UTC.
  public var published: Double
  public var inPrint: Bool
  /// Index into `Library.authors`.
  public var writer: Int
}

/// The library that all drivers store, as Swift values: made before the clock starts.
public struct Library {
  public let books: [BookData]
  public let authors: [String]

  public init(bookCount: Int) {
    let library = benchmark_library(bookCount)
    authors = (0..<library.authorCount).map { String(cString: library.authors[$0].name) }
    books = (0..<library.bookCount).map { index in
      let book = library.books[index]
      return BookData(
        title: String(cString: book.title), author: String(cString: book.author),
        isbn: String(cString: book.isbn), pages: book.pages, price: book.price, published: book.published,
        inPrint: book.inPrint, writer: Int(book.writer))
    }
  }
}

/// The ISBN of the book at `index`.
public func isbn(at index: Int) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 14) { buffer in
    benchmark_isbn(index, buffer.baseAddress!)
    return String(cString: buffer.baseAddress!)
  }
}

/// The ISBNs that `indexed` looks up, in order.
public func lookedUpISBNs(bookCount: Int) -> [String] {
  (0..<benchmark_lookup_count(bookCount)).map { isbn(at: benchmark_strided_index($0, bookCount)) }
}

/// The page counts that `scan` asks for, in order.
public func scannedPageCounts() -> [Int32] {
  (0..<benchmark_scan_count()).map { benchmark_scan_pages($0) }
}

/// The last digit of the ISBNs that `update` and `delete` choose: those of every tenth book.
public let chosenDigit = "7"
