import BenchmarkWorkload

/// Cheap sums over what was read: they keep the reads from being optimized away while the clock runs, and
/// must be the same in all drivers. The C driver adds up the same things.
@frozen
public struct Tally {
  public var books = 0
  public var bytes = 0
  public var pages = 0
  public var price = 0.0
  public var published = 0.0
  public var inPrint = 0

  @inlinable
  public init() {}

  @inlinable
  @inline(__always)
  public mutating func add(
    title: String, author: String, isbn: String, pages: Int32, price: Double, published: Double, inPrint: Bool
  ) {
    books &+= 1
    bytes &+= title.utf8.count &+ author.utf8.count &+ isbn.utf8.count
    self.pages &+= Int(pages)
    self.price += price
    self.published += published
    self.inPrint &+= inPrint ? 1 : 0
  }

  /// The sums as one word. The floating-point ones are rounded: their last bits depend on the order of rows.
  var text: String {
    "\(books)/\(bytes)/\(pages)/\(Int(price.rounded()))/\(Int(published.rounded()))/\(inPrint)"
  }
}

/// The checksum of one book's seven attributes; to be added up with `&+`, after the clock has stopped.
public func checksum(
  title: String, author: String, isbn: String, pages: Int32, price: Double, published: Double, inPrint: Bool
) -> UInt64 {
  var title = title
  var author = author
  var isbn = isbn
  return title.withUTF8 { title in
    author.withUTF8 { author in
      isbn.withUTF8 { isbn in
        benchmark_book_checksum(
          title.baseAddress, title.count, author.baseAddress, author.count, isbn.baseAddress, isbn.count,
          pages,
          price, published, inPrint)
      }
    }
  }
}
