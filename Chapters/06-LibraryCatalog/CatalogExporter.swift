import Foundation

/// Writes a source's books as a catalogue that an import reads again.
public enum CatalogExporter {
  /// Books fetched and written at a time.
  private static let windowSize = 500

  /// Hands the text of the catalogue to `write`, piece by piece; returns the number of books.
  @discardableResult
  public static func export(
    _ source: any ListDataSource, to write: (Data) throws -> Void
  ) throws -> Int {
    try write(Data("[".utf8))
    var count = 0
    while true {
      let books = try source.books(
        matching: BookQuery(order: .year), offset: count, limit: windowSize)
      if books.isEmpty { break }
      for book in books {
        try write(Data((count == 0 ? "\n  " : ",\n  ").utf8))
        try write(line(book))
        count += 1
      }
    }
    try write(Data("\n]\n".utf8))
    return count
  }

  /// One record on one line, its fields in the order in which one reads them.
  static func line(_ record: CatalogRecord) throws -> Data {
    var fields = ["\"title\": \(try json(record.title))"]
    fields.append("\"authors\": \(try json(record.authors))")
    if let year = record.firstPublished { fields.append("\"firstPublished\": \(year)") }
    if let language = record.language { fields.append("\"language\": \(try json(language))") }
    fields.append("\"subjects\": \(try json(record.subjects))")
    if let isbn = record.isbn { fields.append("\"isbn\": \(try json(isbn.digits))") }
    if let uri = record.uri { fields.append("\"uri\": \(try json(uri))") }
    return Data("{\(fields.joined(separator: ", "))}".utf8)
  }

  private static func json(_ strings: [String]) throws -> String {
    "[\(try strings.map(json).joined(separator: ", "))]"
  }

  private static func json(_ string: String) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let text = String(decoding: try encoder.encode(string), as: UTF8.self)
    // JSON allows these as they are.
    guard text.unicodeScalars.contains(where: isEscaped) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if isEscaped(scalar) {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  /// Control characters, upon which a terminal would act, and the byte order mark, which Foundation's reader drops
  /// after an escape.
  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    (0x7F...0x9F).contains(scalar.value) || scalar.value == 0xFEFF
  }
}
