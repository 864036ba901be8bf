import Foundation

/// One book, as a value: what an import reads, what a list shows, what an export writes.
public struct CatalogRecord: Equatable, Sendable {
  public var title: String
  /// In the order of the title page, given name first.
  public var authors: [String]
  /// Negative before our era.
  public var firstPublished: Int?
  public var language: String?
  public var subjects: [String]
  public var isbn: ISBN?
  /// Where the record came from, if it says so.
  public var uri: String?

  //> key
  /// Equal for two records of the same book: the ISBN, else the address, else title, authors and
  /// year.
  public var key: String {
    if let isbn { return isbn.digits }
    if let uri { return uri }
    let names = authors.map(Self.sortForm).joined(separator: ";")
    let year = firstPublished.map(String.init) ?? "?"
    return "\(Self.sortForm(title))|\(names)|\(year)"
  }
  //< key

  /// The title to sort by.
  public var titleSort: String {
    let folded = Self.sortForm(title)
    for article in ["the ", "a ", "an "] where folded.hasPrefix(article) && folded.count > article.count {
      return String(folded.dropFirst(article.count))
    }
    return folded
  }

  /// The author to sort by: the first one's last name, then the rest of the name.
  public var authorSort: String {
    guard let first = authors.first else { return "" }
    let words = Self.sortForm(first).split(separator: " ")
    guard let last = words.last else { return "" }
    return ([last] + words.dropLast()).joined(separator: " ")
  }

  public var authorLine: String { authors.joined(separator: "; ") }

  /// Lower case, no accents, nothing but letters, digits and single spaces: so that SQLite and
  /// Swift sort it the same way.
  static func sortForm(_ text: String) -> String {
    let folded = text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
    let plain = folded.filter { $0.isLetter || $0.isNumber || $0.isWhitespace }
    return plain.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
