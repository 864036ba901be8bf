import Foundation

/// A list out of a JSON file, which it reads as a whole and keeps in memory.
///
/// It is there before any store is, and good for a few thousand books. What it lacks is what the store is
/// for: every start reads everything, every question looks at every book, and nothing can be changed.
public final class JSONListDataSource: ListDataSource {
  public let name: String
  private let records: [CatalogRecord]
  private var library: LibraryStack?

  /// Reads `url`; throws at the first bad record. Of records with the same key the first one counts.
  public init(url: URL) throws {
    name = url.lastPathComponent
    let reader = try JSONRecordReader(url: url)
    var seen: Set<String> = []
    var records: [CatalogRecord] = []
    while let raw = try reader.next() {
      let record = try CatalogImporter.record(from: raw, in: url)
      if seen.insert(record.key).inserted { records.append(record) }
    }
    self.records = records
  }

  //> json-books
  public func books(
    matching query: BookQuery, offset: Int, limit: Int
  ) throws -> [CatalogRecord] {
    let found = try records(matching: query).filter { Self.matches($0, query) }
      .sorted { Self.precedes($0, $1, query.order) }
    return Array(found.dropFirst(offset).prefix(limit))
  }
  //< json-books

  /// All records, or those for which the query's condition holds.
  ///
  /// A condition goes along relationships, which records do not have: a library in memory, made when the
  /// first one is asked, answers it with the keys of the books.
  private func records(matching query: BookQuery) throws -> [CatalogRecord] {
    guard let condition = query.condition else { return records }
    let library = try self.library ?? LibraryStack(inMemory: records)
    self.library = library
    let keys = try library.keysOfBooks(meeting: condition)
    return records.filter { keys.contains($0.key) }
  }

  public func numberOfBooks(matching query: BookQuery) throws -> Int {
    try records(matching: query).reduce(0) { $0 + (Self.matches($1, query) ? 1 : 0) }
  }

  public func book(withKey key: String) -> CatalogRecord? {
    let key = (try? ISBN(key))?.digits ?? key
    return records.first { $0.key == key }
  }

  public func statistics() -> CatalogStatistics {
    var result = CatalogStatistics()
    result.books = records.count
    result.authors = Set(records.flatMap(\.authors)).count
    result.subjects = Set(records.flatMap(\.subjects)).count
    result.withoutISBN = records.reduce(0) { $0 + ($1.isbn == nil ? 1 : 0) }
    result.withoutYear = records.reduce(0) { $0 + ($1.firstPublished == nil ? 1 : 0) }
    result.centuries = CatalogStatistics.centurySpans.compactMap { span in
      let count = records.reduce(0) { $0 + ($1.firstPublished.map(span.years.contains) == true ? 1 : 0) }
      return count == 0 ? nil : CatalogStatistics.Row(name: span.name, count: count)
    }
    result.languages = Self.counts(records.compactMap(\.language))
    let top = CatalogStatistics.topCount
    result.topSubjects = Array(Self.counts(records.flatMap(\.subjects)).prefix(top))
    result.topAuthors = Array(Self.counts(records.flatMap(\.authors)).prefix(top))
    return result
  }

  private static func counts(_ names: [String]) -> [CatalogStatistics.Row] {
    let counts = names.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    return CatalogStatistics.sorted(counts.map { CatalogStatistics.Row(name: $0, count: $1) })
  }

  private static func matches(_ record: CatalogRecord, _ query: BookQuery) -> Bool {
    if let language = query.language, record.language != language { return false }
    return query.words.allSatisfy { word in
      ([record.title] + record.authors + record.subjects).contains {
        $0.range(of: word, options: [.caseInsensitive, .diacriticInsensitive]) != nil
      }
    }
  }

  /// By bytes, as SQLite sorts, so that both sources give the same order.
  private static func precedes(_ a: CatalogRecord, _ b: CatalogRecord, _ order: BookQuery.Order) -> Bool {
    switch order {
    case .title: break
    case .author: if a.authorSort != b.authorSort { return bytes(a.authorSort, b.authorSort) }
    case .year:
      // Unknown first, as SQLite has NULL before every number.
      if a.firstPublished != b.firstPublished {
        return (a.firstPublished ?? .min) < (b.firstPublished ?? .min)
      }
    }
    if a.titleSort != b.titleSort { return bytes(a.titleSort, b.titleSort) }
    return bytes(a.key, b.key)
  }

  private static func bytes(_ a: String, _ b: String) -> Bool {
    a.utf8.lexicographicallyPrecedes(b.utf8)
  }
}
