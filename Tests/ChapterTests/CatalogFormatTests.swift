import Foundation
import TestFiles
import Testing

@testable import LibraryCatalogChapter

@Suite("Chapter 6: what a catalogue file may look like")
struct CatalogFormatTests {
  @Test(
    "Both forms of an ISBN become thirteen digits",
    arguments: [
      ("978-0-306-40615-7", "9780306406157"), ("0-306-40615-2", "9780306406157"),
      ("080442957X", "9780804429573"), ("439023483", "9780439023481"), ("7442912", "9780007442911"),
    ])
  func isbn(text: String, digits: String) throws {
    #expect(try ISBN(text).digits == digits)
  }

  @Test(
    "An ISBN with a wrong digit, length or character is refused, and why is said",
    arguments: [
      ("9780306406158", ISBN.Failure.wrongCheckDigit("9780306406158")),
      ("0306406153", .wrongCheckDigit("0306406153")),
      ("12345", .wrongLength("12345")), ("97803064O6157", .wrongCharacter("97803064O6157")),
      ("978030640615X", .wrongCharacter("978030640615X")), ("", .wrongCharacter("")),
      ("4006381-333931", .wrongBeginning("4006381333931")),
    ])
  func badISBN(text: String, failure: ISBN.Failure) {
    #expect(throws: failure) { try ISBN(text) }
  }

  @Test("A number that is far too long is cut in the sentence that refuses it", arguments: ["9", "x"])
  func longISBN(character: String) throws {
    let text = String(repeating: character, count: 100_000)
    let error = #expect(throws: ISBN.Failure.self) { try ISBN(text) }
    #expect(error?.description.hasPrefix("the ISBN \(text.prefix(39))… has ") == true)
  }

  private func record(_ json: String) throws -> CatalogRecord {
    try CatalogFields.record(
      from: JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed))
  }

  @Test(
    "A field of another type makes the record a bad one, and the reason names field and value",
    arguments: [
      (#"{"title": 1984}"#, "its title is not text but 1984"),
      (#"{"title": ["a"]}"#, "its title is not text but a list"),
      (#"{"title": "A", "language": 5}"#, "its language is not text but 5"),
      (#"{"title": "A", "uri": {"a": 1}}"#, "its uri is not text but an object"),
      (#"{"title": "A", "isbn": true}"#, "its isbn is neither text nor a number but true"),
      (#"{"title": "A", "year": true}"#, "its year is no year: true"),
      (#"{"title": "A", "year": "soon"}"#, "its year is no year: \"soon\""),
      (#"{"title": "A", "year": 99999}"#, "its year is out of range: 99999"),
      (#"{"title": "A", "authors": 3}"#, "its authors is neither text nor a list but 3"),
      (#"{"title": "A", "authors": [null]}"#, "its authors holds something that is no name: null"),
      (#"{"title": "A", "subjects": false}"#, "its subjects is neither text nor a list but false"),
      (#"{"title": "A", "subjects": [1]}"#, "its subjects holds something that is not text: 1"),
      (#"{"author": "A"}"#, "it has no title"), (#"{"title": " "}"#, "it has no title"), ("7", "it is no JSON object"),
    ])
  func wrongTypes(json: String, reason: String) throws {
    #expect(throws: CatalogFields.Unfit(description: reason)) { try record(json) }
  }

  @Test("A field in two spellings makes the record a bad one, each time; one that is empty, or not read, does not")
  func spellings() throws {
    for _ in 0..<20 {
      #expect(throws: CatalogFields.Unfit(description: "it has its title more than once, as \"Title\" and \"title\"")) {
        try record(#"{"title": "One", "Title": "Two"}"#)
      }
    }
    #expect(try record(#"{"title": "One", "TITLE": null, "note": 1, "Note": 2}"#).title == "One")
  }

  @Test(
    "What is wrong with a record's JSON is said, with its line in the file",
    arguments: [
      (#"{"title": "A", "pages": 1e999}"#, "the number 1e999 in it is too large to be kept"),
      (
        "{\"title\": " + String(repeating: "[", count: 600) + String(repeating: "]", count: 600) + "}",
        "lists and objects in it are nested more than 512 deep"
      ),
      (
        "{\"title\": \"A\",\n\"year\" 5}",
        "it is not well-formed JSON: invalid value on line 3, near {\"title\": \"A\", \"year\" 5}"
      ),
      (#"{"title": "\x"}"#, "it is not well-formed JSON: invalid escape sequence on line 2, near {\"title\": \"\\x\"}"),
    ])
  func faults(json: String, reason: String) throws {
    let folder = TemporaryFolder()
    let file = try folder.file("a.json", "[\n" + json + "]")
    let raw = try #require(try JSONRecordReader(url: file).next())
    let bad = #expect(throws: CatalogImporter.BadRecord.self) { try CatalogImporter.record(from: raw, in: file) }
    #expect(bad?.reason == reason)
  }

  @Test("Latin-1 and UTF-16 are named, with the command that converts them")
  func encodings() throws {
    let folder = TemporaryFolder()
    let file = folder.url.appendingPathComponent("a.json")
    try Data("[{\"title\": \"Caf".utf8 + [0xE9] + "\"}]".utf8).write(to: file)
    let raw = try #require(try JSONRecordReader(url: file).next())
    let bad = #expect(throws: CatalogImporter.BadRecord.self) { try CatalogImporter.record(from: raw, in: file) }
    #expect(bad?.reason.contains("iconv -f latin1") == true)
    try Data([0xFF, 0xFE, 0x5B, 0, 0x5D, 0]).write(to: file)
    let failure = #expect(throws: JSONRecordReader.Failure.self) { try JSONRecordReader(url: file).next() }
    #expect(failure?.description.contains("iconv -f utf16") == true)
  }

  @Test("Fields of our own catalogue")
  func own() throws {
    let record = try record(
      """
      {"title": "Emma", "authors": ["Jane Austen"], "firstPublished": 1815, "language": "en",
       "subjects": ["Romance", "Novel"], "isbn": "9780306406157"}
      """
    )
    #expect(
      record
        == CatalogRecord(
          title: "Emma", authors: ["Jane Austen"], firstPublished: 1815, language: "en",
          subjects: ["Novel", "Romance"], isbn: try ISBN("9780306406157"), uri: nil))
  }

  @Test("Everything as text, with a rounded ISBN beside a good one")
  func strings() throws {
    let record = try record(
      """
      {"title": "X", "authors": "A. Writer, B. Writer", "original_publication_year": "2008.0",
       "language_code": "eng", "isbn": "439023483", "isbn13": "9.78043902348e+12"}
      """
    )
    #expect(record.authors == ["A. Writer", "B. Writer"])
    #expect(record.firstPublished == 2008)
    #expect(record.language == "eng")
    #expect(record.isbn?.digits == "9780439023481")
  }

  @Test("Family names first, no ISBN, and an address as key")
  func addressed() throws {
    let record = try record(
      #"{"uri": "https://example.org/1/", "title": "Arthur", "author": ["Malory, Thomas"], "year": 1485}"#
    )
    #expect(record.authors == ["Thomas Malory"])
    #expect(record.key == "https://example.org/1/")
  }

  @Test("Without ISBN and address the key is title, authors and year, without case and accents")
  func derivedKey() throws {
    let a = try record(#"{"title": "Les  Misérables", "authors": ["Victor Hugo"], "year": 1862}"#)
    let b = try record(#"{"Title": "LES MISERABLES", "Author": "Hugo, Victor;", "year": "1862"}"#)
    #expect(a.key == b.key)
  }

  @Test(
    "A record that cannot go in says why",
    arguments: [
      (#"{"authors": ["A"]}"#, "it has no title"), (#"{"title": "  "}"#, "it has no title"),
      (#"17"#, "it is no JSON object"), (#"{"title": "A", "year": "MDCCC"}"#, "its year is no year: \"MDCCC\""),
      (#"{"title": "A", "year": 99999}"#, "its year is out of range: 99999"),
      (#"{"title": "A", "authors": [7]}"#, "its authors holds something that is no name: 7"),
      (#"{"title": "A", "subjects": 7}"#, "its subjects is neither text nor a list but 7"),
      (#"{"title": "A", "isbn": "9780306406158"}"#, "the ISBN 9780306406158 has a wrong check digit"),
    ])
  func unfit(json: String, reason: String) throws {
    let error = try #require(throws: CatalogFields.Unfit.self) { try record(json) }
    #expect(error.description == reason)
  }

  private func records(_ text: String) throws -> [(Int, Int, String)] {
    let folder = TemporaryFolder()
    let reader = try JSONRecordReader(url: folder.file("c.json", text))
    var result: [(Int, Int, String)] = []
    while let raw = try reader.next() {
      result.append((raw.number, raw.line, String(decoding: raw.bytes, as: UTF8.self)))
    }
    return result
  }

  @Test("The reader finds each record with its number and line, past brackets in strings")
  func reader() throws {
    let found = try records("\u{FEFF}[\n {\"a\": \"]}\\\"{\"},\n\n {\"b\": [1, {}]} , 7,null]\n")
    #expect(found.map(\.0) == [1, 2, 3, 4])
    #expect(found.map(\.1) == [2, 4, 4, 4])
    #expect(found.map(\.2) == ["{\"a\": \"]}\\\"{\"}", "{\"b\": [1, {}]}", "7", "null"])
  }

  @Test("Records one after the other are read like a list")
  func lines() throws {
    #expect(try records("{\"a\": 1}\n{\"a\": 2}\n").map(\.2) == ["{\"a\": 1}", "{\"a\": 2}"])
    #expect(try records("[]").isEmpty)
  }

  @Test("Records longer than a read are whole")
  func longRecords() throws {
    let long = String(repeating: "é", count: 100_000)
    let found = try records("[{\"a\": \"\(long)\"}, {\"b\": 1}]")
    #expect(found.map(\.2) == ["{\"a\": \"\(long)\"}", "{\"b\": 1}"])
  }

  @Test("A record that is longer than memory should hold ends the reading, and is named")
  func endlessRecord() throws {
    let folder = TemporaryFolder()
    let text = "[{\"a\": 1},\n{\"a\": \"" + String(repeating: "b", count: 1000)
    let reader = try JSONRecordReader(url: folder.file("c.json", text), longestRecord: 500)
    #expect(try reader.next()?.number == 1)
    let error = #expect(throws: JSONRecordReader.Failure.self) { try reader.next() }
    #expect(error?.reason == "record 2, which begins on line 2, has more than 500 bytes")
  }

  @Test(
    "A file that is no catalogue says on which line",
    arguments: [
      ("", "it is empty"), ("hello", "it begins with neither [ nor {"), ("[{}", "it ends before the list"),
      ("[{\"a\":\n", "it ends within record 1, which begins on line 1"),
      ("[{} {}]", "a comma or ] is missing"),
      ("[{},]", "a comma stands before"), ("[{}] x", "something follows"), ("[,{}]", "a value is missing"),
    ])
  func malformed(text: String, reason: String) throws {
    let error = try #require(throws: JSONRecordReader.Failure.self) { try records(text) }
    #expect(error.reason.hasPrefix(reason), "\(error.reason)")
    #expect(error.description.contains("c.json"))
  }

  @Test("The generator makes the same catalogue for the same seed, with numbers that check")
  func generator() throws {
    func make(_ seed: UInt64) throws -> Data {
      var data = Data()
      var generator = CatalogGenerator(seed: seed)
      try generator.generate(count: 200) { data.append($0) }
      return data
    }
    let data = try make(7)
    #expect(try data == make(7))
    #expect(try data != make(8))
    let list = try #require(try JSONSerialization.jsonObject(with: data) as? [Any])
    let keys = try list.map { try CatalogFields.record(from: $0).key }
    #expect(Set(keys).count == 200)
  }

  @Test(
    "Every book of the catalogue that comes with the program has title, year, language, subjects and ISBN")
  func shipped() throws {
    let url = try #require(CatalogImporter.shippedCatalog)
    let source = try JSONListDataSource(url: url)
    let books = try source.books(matching: BookQuery(), offset: 0, limit: 1000)
    #expect(books.count >= 300)
    for book in books {
      #expect(
        book.isbn != nil && book.firstPublished != nil && book.language != nil && !book.subjects.isEmpty)
    }
  }
}
