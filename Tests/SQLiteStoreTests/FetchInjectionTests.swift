import Foundation
import TestFiles
import Testing

@testable import CoreData

/// Texts that would do harm if they were ever part of a statement.
let hostileTexts: [String] = [
  "'", "''", "\"", "`", "\\", "\\'", "';", "'; DROP TABLE ZAUTHOR; --", "' OR '1'='1", "' OR 1=1 --", "\" OR \"\"=\"",
  "x' UNION SELECT Z_PK, ZNAME FROM ZAUTHOR --", "1; DELETE FROM ZBOOK", "/* */", "--", "-- \n", "*/", "?", "?1", ":a",
  "@a", "$a", "%@", "%K", "%d", "%n%s", "{", "}", "[]", "ZNAME", "t0.Z_PK", "NULL", "nil", "x'00'", "\u{0}", "a\u{0}b'",
  "\n", "\r\n", "\u{2028}", "\u{1F4A3}", "Ω'; --", "e\u{301}'", "\u{FEFF}'", "_", "%", "a_%", "*", "a*b?c", "(?i)x",
  "]]>", "\"]; DROP", "\",\"x", "SELF", "ANY books.title", "TRUEPREDICATE", "$books", "#name", "@count",
  String(repeating: "'", count: 500), String(repeating: "((", count: 200),
]

@Suite("No text from outside becomes part of a statement")
struct FetchInjectionTests {
  private let folder = TemporaryFolder()
  private let store: SQLiteStore

  init() throws {
    store = try openStore(catalogueModel(), at: folder.file("Catalogue.sqlite"))
  }

  private func keys(_ request: NSFetchRequest<NSFetchRequestResult>) throws -> [Int64] {
    request.resultType = .managedObjectIDResultType
    guard case .references(let found) = try store.rows(for: FetchDescription(request, store.layouts)) else { return [] }
    return found.map(\.key)
  }

  private func request(_ format: String, _ arguments: [Any] = [], entity: String = "Author") -> NSFetchRequest<
    NSFetchRequestResult
  > {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
    request.predicate = NSPredicate(format: format, argumentArray: arguments)
    return request
  }

  /// All of the store's tables and rows, as text.
  private func contents() throws -> [String] {
    try query("SELECT name, sql FROM sqlite_master ORDER BY name", at: store.url!)
      + query("SELECT Z_PK, hex(ZNAME) FROM ZAUTHOR ORDER BY Z_PK", at: store.url!)
      + query("SELECT Z_PK, hex(ZTITLE), ZAUTHOR FROM ZBOOK ORDER BY Z_PK", at: store.url!)
  }

  @Test(
    "A value is a parameter, whatever is in it: the statement is that of a harmless one",
    arguments: [
      "name == %@", "name != %@", "name < %@", "name IN {%@, 'x'}", "name BEGINSWITH %@", "name ENDSWITH %@",
      "name CONTAINS %@", "name CONTAINS[cd] %@", "name ==[c] %@", "name LIKE %@", "ANY books.title == %@",
      "NONE books.title == %@", "mentor.name == %@", "SUBQUERY(books, $b, $b.title == %@).@count > 0",
      "uppercase:(%@) == name", "TERNARY(name == %@, 1, 2) == 1", "name BETWEEN {%@, 'z'}", "%@ == name",
    ])
  func values(_ format: String) throws {
    let harmless = try sql(of: request(format, ["abc"]), in: store).sql
    for text in hostileTexts {
      let hostile = try sql(of: request(format, [text]), in: store)
      #expect(hostile.sql == harmless, "\(text)")
      #expect(hostile.bindings.contains(.text(text)) || format.contains("LIKE") || format.contains("[cd]"))
    }
  }

  @Test("Hostile values are stored, found and counted as they are, and the tables stay")
  func results() throws {
    let authors = try store.insert("Author", hostileTexts.map { ["name": .string($0)] })
    for (author, text) in zip(authors, hostileTexts) {
      try store.insert("Book", [["title": .string(text)]], to: ["author": author.reference])
    }
    let before = try contents()
    for (author, text) in zip(authors, hostileTexts) {
      #expect(try keys(request("name == %@", [text])) == [author.key])
      #expect(try keys(request("name IN %@", [[text]])) == [author.key])
      #expect(
        try keys(request("name IN %@", [[text] + (0..<300).map { "no \($0)" }])) == [author.key], "\(text)")
      #expect(try keys(request("ANY books.title == %@", [text])) == [author.key])
      #expect(try keys(request("NOT name == %@", [text])).count == hostileTexts.count - 1)
      #expect(try keys(request("name CONTAINS %@", [text])).contains(author.key))
      #expect(try keys(request("name BEGINSWITH %@", [text])).contains(author.key))
    }
    #expect(
      try keys(request("name IN %@", [hostileTexts + (0..<300).map { "no \($0)" }])).count
        == hostileTexts.count)
    #expect(try contents() == before)
  }

  @Test("A key that the model does not have is refused by name: predicates, orders, columns, groups")
  func names() throws {
    let before = try contents()
    for text in hostileTexts where text != "SELF" {
      func refused(_ place: String, _ change: (NSFetchRequest<NSFetchRequestResult>) throws -> Void) {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
        #expect(throws: (any Error).self, "\(place): \(text)") {
          try change(request)
          _ = try store.rows(for: FetchDescription(request, store.layouts))
        }
      }
      refused("key") { $0.predicate = NSPredicate(format: "%K == 1", argumentArray: [text]) }
      refused("path") { $0.predicate = NSPredicate(format: "%K == 1", argumentArray: ["mentor." + text + "x"]) }
      refused("order") { $0.sortDescriptors = [NSSortDescriptor(key: text, ascending: true)] }
      refused("column") {
        $0.resultType = .dictionaryResultType
        $0.propertiesToFetch = [text]
      }
      refused("group") {
        $0.resultType = .dictionaryResultType
        $0.propertiesToFetch = ["name"]
        $0.propertiesToGroupBy = [text]
      }
      let other = NSFetchRequest<NSFetchRequestResult>(entityName: text)
      #expect(throws: (any Error).self, "entity: \(text)") { _ = try FetchDescription(other, store.layouts) }
    }
    #expect(try contents() == before)
  }

  @Test("A column's own name is a key of the dictionary, never SQL")
  func columnNames() throws {
    try store.insert("Author", [["name": .string("A")]])
    for text in hostileTexts {
      let column = NSExpressionDescription()
      column.name = text
      column.expression = FoundationExpression(format: "count:(name)")
      column.expressionResultType = .integer64AttributeType
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [column]
      #expect(try sql(of: request, in: store).sql == "SELECT COUNT( t0.ZNAME) FROM ZAUTHOR t0")
      guard case .dictionaries(let rows) = try store.rows(for: FetchDescription(request, store.layouts)) else {
        Issue.record("The store did not answer with dictionaries.")
        return
      }
      #expect(rows.count == 1)
      #expect(rows.first?[text] as? Int == 1)
    }
  }

  @Test("A format that is no predicate is an error, and nothing else")
  func formats() throws {
    let before = try contents()
    for text in hostileTexts {
      guard let predicate = try? NSPredicate.parsing("name == " + text) else { continue }
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
      request.predicate = predicate
      _ = try? store.rows(for: FetchDescription(request, store.layouts))
    }
    #expect(try contents() == before)
  }

  @Test("A store's file may have any name")
  func files() throws {
    for text in hostileTexts where !text.contains("\u{0}") && text.utf8.count < 200 {
      let name = text.replacingOccurrences(of: "/", with: ":") + ".sqlite"
      let store = try openStore(catalogueModel(), at: folder.file(name))
      try store.insert("Author", [["name": .string(text)]])
      #expect(try store.all("Author").count == 1)
      #expect(FileManager.default.fileExists(atPath: folder.file(name).path))
    }
  }
}
