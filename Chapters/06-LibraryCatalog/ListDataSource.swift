import Foundation

/// Where a list of books comes from. The program cannot tell whether that is a file of JSON or a store.
///
/// Both give the same answers, down to the order of the books: `Tests/ChapterTests` asks both the same questions.
//> list-data-source
public protocol ListDataSource {
  /// The heading of a list.
  var name: String { get }
  func numberOfBooks(matching query: BookQuery) throws -> Int
  /// At most `limit` of the books, after the first `offset`.
  func books(matching query: BookQuery, offset: Int, limit: Int) throws -> [CatalogRecord]
  /// The book with that key, which may be an ISBN in any form.
  func book(withKey key: String) throws -> CatalogRecord?
  func statistics() throws -> CatalogStatistics
}
//< list-data-source

/// What is asked for, and how it is sorted.
public struct BookQuery: Equatable {
  public enum Order: String, CaseIterable, Sendable { case title, author, year }

  /// Words that must all occur, each in the title, an author's name or a subject, whatever the case and accents.
  public var words: [String]
  public var language: String?
  /// What must hold beside the words.
  public var condition: BookCondition?
  public var order: Order

  public init(
    text: String = "", language: String? = nil, condition: BookCondition? = nil, order: Order = .title
  ) {
    words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    self.language = language
    self.condition = condition
    self.order = order
  }
}

/// Counts over a whole catalogue.
public struct CatalogStatistics: Equatable, Sendable {
  public struct Row: Equatable, Sendable {
    public let name: String
    public let count: Int
  }

  public var books = 0
  public var authors = 0
  public var subjects = 0
  public var withoutISBN = 0
  public var withoutYear = 0
  /// Books per century, earliest first, centuries without books left out.
  public var centuries: [Row] = []
  /// Books per language, most first.
  public var languages: [Row] = []
  /// The ten subjects with most books.
  public var topSubjects: [Row] = []
  /// The ten authors with most books.
  public var topAuthors: [Row] = []

  static let topCount = 10

  /// Most first; among equals by name.
  static func sorted(_ rows: [Row]) -> [Row] {
    rows.sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The years of each century that may have books, with its name.
  static let centurySpans: [(name: String, years: ClosedRange<Int>)] = {
    let since: [(name: String, years: ClosedRange<Int>)] = (1...22).map { century in
      let last = century * 100
      return ("\(last - 99)-\(last)", (last - 99)...last)
    }
    return [("before our era", -4000 ... -1)] + since
  }()
}
