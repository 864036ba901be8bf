import Foundation
import Inspection
import TestFiles
import Testing

@Suite("Listing a store's objects")
struct ObjectListTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("Library.sqlite") }

  private func list(_ query: ObjectQuery) throws -> ObjectList { try ObjectList(open(url), query) }

  @Test("A table shows keys, values, to-ones, counts of to-many, bytes, and dates in ISO 8601")
  func table() throws {
    try Library.make(at: url)
    let books = try list(ObjectQuery(entity: "Book")).text
    #expect(
      books == """
        object        bought                  cover    extras   pages  title                                     author
        Book/p1       2001-01-01T00:00:00.5Z  3 bytes  2 bytes     66  Notes                                     Author/p1
        Book/p2                                                     7  long long long long long long long long…  Author/p1
        Book/p3                                                     0  <b>"Tags"</b>⏎and lines
        AudioBook/p4                                                0  Heard                                     Author/p1
        4 objects

        """)
    #expect(
      try list(ObjectQuery(entity: "Author", order: "-name", limit: 1)).text == """
        object     name   books
        Author/p2  Grace      0
        1 of 2 objects; 1 left out

        """)
  }

  @Test("JSON has whole values, data in base64, and transformable values as they are stored")
  func json() throws {
    try Library.make(at: url)
    let json = try list(ObjectQuery(entity: "Book", order: "pages")).json
    #expect(json["leftOut"] == .integer(0))
    let objects = try #require(json["objects"]?.array)
    #expect(
      objects.map { $0["object"] } == ["Book/p3", "AudioBook/p4", "Book/p2", "Book/p1"].map { .string($0) })
    let long = try #require(objects[2]["values"])
    #expect(long["title"] == .string(String(repeating: "long ", count: 20)))
    #expect(long["bought"] == .null)
    let notes = try #require(objects[3]["values"])
    #expect(notes["cover"] == .string("AQID"))
    // The transformer that wrote it turned it around, and nobody turned it back.
    #expect(notes["extras"] == .string("BQQ="))
    #expect(notes["pages"] == .integer(66))
    #expect(notes["author"] == .string("Author/p1"))
    #expect(objects[1]["values"]?["minutes"] == .double(90.25))
    #expect((try? JSONSerialization.jsonObject(with: Data(json.text.utf8))) != nil)
  }

  @Test("A condition and an order pick objects")
  func conditions() throws {
    try Library.make(at: url)
    let names = try list(
      ObjectQuery(entity: "Book", condition: "author.name == 'Ada' AND pages > 0", order: "-pages")
    )
    .json["objects"]?.array.map { $0["object"] }
    #expect(names == [.string("Book/p1"), .string("Book/p2")])
    #expect(
      try list(ObjectQuery(entity: "Book", condition: "FALSEPREDICATE")).text == "0 objects\n")
    let sorted = try list(ObjectQuery(entity: "Book", order: "author.name, -title")).json["objects"]?.array
    #expect(sorted?.map { $0["object"] }.first == .string("Book/p3"))
  }

  @Test("JSON written object by object is the JSON of the whole, with and without a limit, an order and a condition")
  func streamed() throws {
    try Library.make(at: url)
    let queries = [
      ObjectQuery(entity: "Book"), ObjectQuery(entity: "Book", limit: 2), ObjectQuery(entity: "AudioBook"),
      ObjectQuery(entity: "Book", order: "-title"), ObjectQuery(entity: "Book", condition: "pages > 0"),
      ObjectQuery(entity: "Book", condition: "FALSEPREDICATE"), ObjectQuery(entity: "Book", limit: 0),
    ]
    for query in queries {
      let list = try list(query)
      var text = ""
      try list.writeJSON { text += $0 }
      let whole = try list.json
      let parsed = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
      #expect(try JSONSerialization.jsonObject(with: Data(whole.text.utf8)) as? NSDictionary == parsed)
      if case .array(let objects) = whole["objects"], !objects.isEmpty { #expect(text == whole.text + "\n") }
      #expect(parsed["leftOut"] as? Int == (parsed["count"] as! Int) - (parsed["objects"] as! [Any]).count)
    }
  }

  @Test("More objects than are read at a time come once each, in the order of their keys, whatever lies between them")
  func windows() throws {
    try Library.make(at: url)
    try run(
      """
      WITH RECURSIVE k(i) AS (SELECT 10 UNION ALL SELECT i + 3 FROM k WHERE i < 4000)
      INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZPAGES)
      SELECT i, (SELECT Z_ENT FROM ZBOOK WHERE Z_PK = CASE i % 2 WHEN 0 THEN 1 ELSE 4 END), 1, i FROM k
      """, in: url)
    for condition in [nil, "pages > 2000"] as [String?] {
      var keys: [String] = []
      try list(ObjectQuery(entity: "Book", condition: condition)).writeJSON { text in
        if let match = text.firstMatch(of: #/"object": "(\w+)\/p(\d+)"/#) { keys.append(String(match.2)) }
      }
      let expected =
        (condition == nil ? [1, 2, 3, 4] : [])
        + stride(from: 10, through: 4000, by: 3).filter {
          condition == nil || $0 > 2000
        }
      #expect(keys == expected.map(String.init))
    }
    #expect(try list(ObjectQuery(entity: "Book", limit: 5)).text.contains("Book/p10"))
    #expect(try list(ObjectQuery(entity: "AudioBook", limit: 2)).text.contains("AudioBook/p13"))
  }

  @Test("What a terminal would act upon is written out, in tables and in JSON")
  func escapes() throws {
    try Library.make(at: url)
    try run(
      "UPDATE ZBOOK SET ZTITLE = 'a' || char(27) || '[2J' || char(155) || char(8238) || 'b' WHERE Z_PK = 1", in: url)
    let list = try list(ObjectQuery(entity: "Book", limit: 1))
    #expect(try list.text.contains(#"a\u{1B}[2J\u{9B}\u{202E}b"#))
    #expect(try list.json.text.contains(#"a\u001b[2J\u009b\u202eb"#))
  }

  @Test("A condition that can't be read, and one with an unknown key, show the place")
  func places() throws {
    try Library.make(at: url)
    let syntax = failure { _ = try list(ObjectQuery(entity: "Book", condition: "pages >> 3")) }
    #expect(syntax?.sentence.hasPrefix("--where: ") == true)
    #expect(syntax?.picture == "    pages >> 3\n              ^")
    let key = failure {
      _ = try list(ObjectQuery(entity: "Book", condition: "title == 'publisher' AND publisher == 'X'"))
    }
    #expect(
      key?.sentence == "--where: keypath publisher not found in entity Book: there is no \"publisher\". It has author, "
        + "bought, cover, extras, pages, title.")
    let lines = failure { _ = try list(ObjectQuery(entity: "Book", condition: "title\n== 1 &")) }
    #expect(lines?.sentence.hasPrefix("--where: Unable to parse the format string \"title⏎== 1 &\" at ") == true)
    #expect(lines?.picture?.hasPrefix("    title == 1 &\n") == true)
    #expect(
      key?.picture == """
            title == 'publisher' AND publisher == 'X'
                                     ^
        """)
    for condition in [
      "name == %@", "$X == 1", "author == 'Ada' AND", "ANY author.books.nonsense == 1",
      "pages MATCHES '['",
    ] {
      #expect(
        failure { _ = try list(ObjectQuery(entity: "Book", condition: condition)) } != nil, "\(condition)")
    }
  }

  @Test("What is wrong with a store is not said of the condition, and has its code")
  func damage() throws {
    try Library.make(at: url)
    try run(
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'ZBOOK_ZAUTHOR_INDEX')
      WHERE name = 'ZBOOK'
      """, in: url)
    let found = failure { _ = try list(ObjectQuery(entity: "Book", condition: "pages > 0")).text }
    #expect(found?.sentence.hasPrefix("The objects of \(url.path) cannot be read: ") == true, "\(found as Any)")
    #expect(found?.code == 259 && found?.isOfQuestion == false)
  }

  @Test("An entity that is not there, and a key that can't be sorted by, are told with what there is")
  func unknown() throws {
    try Library.make(at: url)
    #expect(
      failure { _ = try list(ObjectQuery(entity: "Bok")) }?.sentence
        == "The store \(url.path) has no entity Bok; it has AudioBook, Author, Book.")
    for key in ["nonsense", "author", "author.nonsense", "extras", "cover", "books.title", ""] {
      let found = failure { _ = try list(ObjectQuery(entity: "Book", order: key + ",title")) }
      if key.isEmpty {
        #expect(found == nil)
      } else {
        #expect(found?.sentence.hasPrefix("--sort \(key): ") == true)
      }
    }
  }
}
