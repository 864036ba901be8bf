import Foundation

/// Reads a record from a JSON object, whatever the catalogue calls its fields.
///
/// | what     | names; the first that has a value wins                                       |
/// |----------|------------------------------------------------------------------------------|
/// | title    | title, original_title, name                                                  |
/// | authors  | authors, author, creators, creator, by                                       |
/// | year     | firstPublished, first_publication_year, original_publication_year, publication_year, year |
/// | language | language, language_code, lang                                                |
/// | subjects | subjects, subject, genres, genre, categories, tags                           |
/// | ISBN     | isbn13, isbn_13, isbn, isbn10, isbn_10                                       |
/// | address  | uri, url                                                                     |
///
/// Authors are text, a list of text, or a list of objects with a `name`; subjects text or a list of text; a
/// year is a number or text such as `1813` or `1813.0`; an ISBN is text or a number; all others are text. A
/// value of another type makes the record a bad one.
///
/// Names are compared without case; a record that has one of these in two spellings, `title` and `Title`, is
/// a bad one. `Malory, Thomas` becomes `Thomas Malory`. A list of authors in one text
/// is parted at semicolons, else at commas. An ISBN that a spreadsheet rounded (`9.78044e+12`) is passed
/// over, for it has lost its digits; any other that does not check makes the record a bad one.
public struct CatalogFields {
  /// Why a record cannot go in, to be read after "record 17: ".
  public struct Unfit: Error, Equatable, CustomStringConvertible {
    public let description: String
  }

  /// By names in lower case, each with all its spellings.
  private let object: [String: [(name: String, value: Any)]]

  /// - Parameter value: A parsed JSON value; anything but an object is unfit.
  public static func record(from value: Any) throws -> CatalogRecord {
    guard let object = value as? [String: Any] else {
      throw Unfit(description: "it is no JSON object")
    }
    let fields = CatalogFields(
      object: Dictionary(grouping: object.map { ($0, $1) }) { $0.0.lowercased() })
    guard let title = try fields.text("title", "original_title", "name") else {
      throw Unfit(description: "it has no title")
    }
    return CatalogRecord(
      title: title,
      authors: try fields.authors(),
      firstPublished: try fields.year(),
      language: try fields.text("language", "language_code", "lang"),
      subjects: try fields.subjects().sorted(),
      isbn: try fields.isbn(),
      uri: try fields.text("uri", "url"))
  }

  /// The first of `names` with a value, with its own name. Null and blank text count as none.
  private func first(_ names: [String]) throws -> (name: String, value: Any)? {
    for name in names {
      let found = (object[name.lowercased()] ?? []).filter { !Self.isEmpty($0.value) }
      if found.count > 1 {
        let spellings = found.map { "\"\($0.name)\"" }.sorted().joined(separator: " and ")
        throw Unfit(description: "it has its \(name) more than once, as \(spellings)")
      }
      if let only = found.first { return (name, only.value) }
    }
    return nil
  }

  private static func isEmpty(_ value: Any) -> Bool {
    value is NSNull || (value as? String).map { trimmed($0).isEmpty } == true
  }

  private func text(_ names: String...) throws -> String? {
    guard let (name, value) = try first(names) else { return nil }
    guard let text = value as? String else {
      throw Unfit(description: "its \(name) is not text but \(Self.words(value))")
    }
    return Self.trimmed(text)
  }

  /// A number as JSON means it: `true` is none, though Foundation keeps it in an `NSNumber`.
  private static func number(_ value: Any) -> NSNumber? {
    guard let number = value as? NSNumber, !isBoolean(number) else { return nil }
    return number
  }

  private static func isBoolean(_ number: NSNumber) -> Bool { String(cString: number.objCType) == "c" }

  /// A value in a sentence: `5`, `true`, `a list`.
  private static func words(_ value: Any) -> String {
    switch value {
    case is NSNull: "null"
    case is [Any]: "a list"
    case is [String: Any]: "an object"
    case let number as NSNumber where isBoolean(number): number.boolValue ? "true" : "false"
    case let text as String: "\"\(text.shortened)\""
    default: "\(value)"
    }
  }

  private func authors() throws -> [String] {
    guard let (name, value) = try first(["authors", "author", "creators", "creator", "by"]) else { return [] }
    let names: [String]
    if let text = value as? String {
      let semicolons = text.contains(";")
      let parts = text.split(separator: semicolons ? ";" : ",").map { Self.trimmed(String($0)) }
      names = semicolons ? parts.map(Self.givenNameFirst) : parts
    } else if let list = value as? [Any] {
      names = try list.map { element in
        if let text = element as? String { return Self.givenNameFirst(Self.trimmed(text)) }
        if let text = (element as? [String: Any])?["name"] as? String {
          return Self.givenNameFirst(Self.trimmed(text))
        }
        throw Unfit(description: "its \(name) holds something that is no name: \(Self.words(element))")
      }
    } else {
      throw Unfit(description: "its \(name) is neither text nor a list but \(Self.words(value))")
    }
    return Self.unique(names)
  }

  private func year() throws -> Int? {
    let names = [
      "firstPublished", "first_publication_year", "original_publication_year", "publication_year", "year",
    ]
    guard let (name, value) = try first(names) else { return nil }
    let number = Self.number(value)?.doubleValue ?? (value as? String).flatMap { Double(Self.trimmed($0)) }
    guard let number, number.rounded() == number else {
      throw Unfit(description: "its \(name) is no year: \(Self.words(value))")
    }
    guard (-4000...2200).contains(number) else {
      throw Unfit(description: "its \(name) is out of range: \(Self.words(value))")
    }
    return Int(number)
  }

  private func subjects() throws -> [String] {
    guard let (name, value) = try first(["subjects", "subject", "genres", "genre", "categories", "tags"]) else {
      return []
    }
    if let text = value as? String {
      return Self.unique(
        text.split(whereSeparator: { $0 == "," || $0 == ";" }).map { Self.trimmed(String($0)) })
    }
    guard let list = value as? [Any] else {
      throw Unfit(description: "its \(name) is neither text nor a list but \(Self.words(value))")
    }
    return Self.unique(
      try list.map { element in
        guard let text = element as? String else {
          throw Unfit(description: "its \(name) holds something that is not text: \(Self.words(element))")
        }
        return Self.trimmed(text)
      })
  }

  private func isbn() throws -> ISBN? {
    for name in ["isbn13", "isbn_13", "isbn", "isbn10", "isbn_10"] {
      guard let value = try first([name])?.value else { continue }
      guard let text = value as? String ?? Self.number(value)?.stringValue else {
        throw Unfit(description: "its \(name) is neither text nor a number but \(Self.words(value))")
      }
      if text.lowercased().contains("e+") { continue }
      do {
        return try ISBN(Self.trimmed(text))
      } catch {
        throw Unfit(description: error.description)
      }
    }
    return nil
  }

  /// `Malory, Thomas` and `King, Martin Luther, Jr.` in speaking order; other names as they are.
  private static func givenNameFirst(_ name: String) -> String {
    let parts = name.split(separator: ",").map { trimmed(String($0)) }.filter { !$0.isEmpty }
    guard parts.count > 1 else { return parts.first ?? "" }
    return ([parts[1], parts[0]] + parts.dropFirst(2)).joined(separator: " ")
  }

  private static func trimmed(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { !$0.isEmpty && seen.insert($0).inserted }
  }
}
