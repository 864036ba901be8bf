import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("The results of a fetch")
struct FetchResultTests {
  private let folder = TemporaryFolder()
  private let model = libraryModel()
  private let store: SQLiteStore

  init() throws {
    store = try openStore(model, at: folder.file("Library.sqlite"))
    let authors = try store.insert(
      "Author",
      [
        ["name": .string("Ångström"), "born": .date(Date(timeIntervalSinceReferenceDate: 1))],
        ["name": .string("bob")], [:], ["name": .string("Bo*b")],
      ])
    try store.insert(
      "Book",
      [
        ["title": .string("A"), "pages": .int(10), "price": .decimal(12.5), "isRead": .int(1)],
        ["title": .string("B"), "pages": .int(30)],
      ], to: ["author": authors[0].reference])
    try store.insert(
      "Novel", [["title": .string("C"), "pages": .int(20), "genre": .string("crime")]],
      to: ["author": authors[1].reference])
    let tags = try store.insert("Tag", [["name": .string("x")], ["name": .string("y")]])
    var changes = ChangeSet()
    let book = RowReference(entity: store.layout("Book").index, key: 1)
    let property = store.layout("Book").property(named: "tags")!
    changes.links = [
      LinkChange(owner: book, relationship: property, added: tags.map(\.reference), removed: [])
    ]
    _ = try store.commit(changes)
  }

  private func keys(_ entity: String, _ format: String, _ arguments: Any?...) throws -> [Int64] {
    var fetch = FetchDescription(layout: store.layout(entity))
    fetch.predicate = try PredicateParser.predicate(format, arguments: arguments)
    fetch.output = .references
    guard case .references(let references) = try store.rows(for: fetch) else { return [] }
    return references.map(\.key)
  }

  @Test(
    "Predicates select what they select in memory",
    arguments: [
      ("name == 'bob'", [2]), ("name != 'bob'", [1, 3, 4]), ("name == nil", [3]),
      ("NOT name == nil", [1, 2, 4]), ("name BEGINSWITH[cd] 'ang'", [1]), ("name BEGINSWITH 'b'", [2]),
      ("name CONTAINS[c] 'B'", [2, 4]), ("name ENDSWITH 'b'", [2, 4]), ("name LIKE 'b*b'", [2]),
      ("name LIKE 'Bo\\\\*b'", [4]), ("name MATCHES '[a-z]+'", [2]), ("NOT name CONTAINS 'b'", [1, 3]),
      ("name IN {'bob', 'x'}", [2]), ("NOT (name IN {'bob', 'x'})", [1, 3, 4]),
      ("name IN[c] {'BOB'}", [2]), ("name ==[c] 'BOB'", [2]), ("name !=[c] 'BOB'", [1, 3, 4]),
      ("born BETWEEN {0, 2}", [1]), ("NOT born < 5", [2, 3, 4]), ("books.@count == 2", [1]),
      ("books.@count == 0", [3, 4]), ("ANY books.pages > 15", [1, 2]), ("NONE books.pages > 15", [3, 4]),
      ("ANY books.tags.name == 'x'", [1]), ("books.@sum.pages == 40", [1]),
      ("SUBQUERY(books, $b, $b.pages > 15 AND $b.title == 'B').@count == 1", [1]),
      ("ANY books.isRead == YES", [1]), ("ANY books.price == 12.5", [1]),
      ("books != nil", [1, 2]), ("name == books.name", [Int64]()), ("length:(name) == 3", [2]),
      ("uppercase:(name) == 'BOB'", [2]), ("TRUEPREDICATE", [1, 2, 3, 4]), ("FALSEPREDICATE", []),
    ] as [(String, [Int64])])
  func predicates(_ format: String, _ expected: [Int64]) throws {
    if format == "name == books.name" {
      #expect(throws: Failure.self) { try keys("Author", format) }
      return
    }
    #expect(try keys("Author", format) == expected)
  }

  @Test("Lists of every length and type")
  func lists() throws {
    #expect(try keys("Author", "name IN %@", ["bob"] + (0..<600).map { "n\"\\\($0)" }) == [2])
    #expect(try keys("Book", "pages IN %@", Array(0..<5000)) == [1, 2, 3])
    #expect(try keys("Book", "id IN %@", (0..<1000).map { _ in UUID() }) == [])
  }

  @Test("Limit, offset, count and a part of a hierarchy")
  func shapes() throws {
    var fetch = FetchDescription(layout: store.layout("Book"))
    fetch.output = .count
    func count() throws -> Int {
      guard case .count(let count) = try store.rows(for: fetch) else { return -1 }
      return count
    }
    #expect(try count() == 3)
    fetch.includesSubentities = false
    #expect(try count() == 2)
    fetch.includesSubentities = true
    fetch.offset = 2
    #expect(try count() == 1)
    fetch.offset = 0
    fetch.limit = 2
    #expect(try count() == 2)
    fetch.output = .rows
    guard case .rows(let rows) = try store.rows(for: fetch) else {
      Issue.record("The store did not answer with rows.")
      return
    }
    #expect(rows.map(\.key) == [1, 2])
    #expect(try store.all("Novel").map(\.key) == [3])
  }

  @Test("Dictionaries with aggregates, groups and ids")
  func dictionaries() throws {
    func fetch(_ request: DictionaryFetch) throws -> [[String: Any]] {
      var fetch = FetchDescription(layout: store.layout("Book"))
      fetch.output = .dictionaries(request)
      guard case .dictionaries(let rows) = try store.rows(for: fetch) else { return [] }
      return rows.compactMap { $0 as? [String: Any] }
    }
    func column(_ name: String, _ expression: ExpressionNode, _ type: NSAttributeType? = nil) -> DictionaryFetch.Column
    {
      DictionaryFetch.Column(name: name, expression: expression, type: type)
    }
    let plain = try fetch(
      DictionaryFetch(columns: [column("title", .keyPath(["title"])), column("price", .keyPath(["price"]))]))
    #expect(plain.map { $0["title"] as? String } == ["A", "B", "C"])
    #expect(plain[0]["price"] as? NSDecimalNumber == NSDecimalNumber(string: "12.5"))
    #expect(plain[1].keys.sorted() == ["title"])
    let totals = try fetch(
      DictionaryFetch(columns: [
        column("n", .function("count:", [.evaluatedObject])), column("sum", .function("sum:", [.keyPath(["pages"])])),
        column("avg", .function("average:", [.keyPath(["pages"])]), .integer64AttributeType),
      ]))
    #expect(totals.count == 1)
    #expect(totals[0]["n"] as? NSNumber == 3)
    #expect(totals[0]["sum"] as? NSNumber == 60)
    #expect(totals[0]["avg"] as? NSNumber == 20)
    var grouped = DictionaryFetch(columns: [
      column("author", .keyPath(["author"])), column("n", .function("count:", [.keyPath(["title"])])),
    ])
    grouped.groupBy = [.keyPath(["author"])]
    grouped.having = try node("n > 1")
    let groups = try fetch(grouped)
    #expect(groups.count == 1)
    #expect((groups[0]["author"] as? NSManagedObjectID)?.key == 1)
    let mixed = try fetch(
      DictionaryFetch(columns: [
        column("title", .keyPath(["title"])), column("m", .function("max:", [.keyPath(["pages"])])),
      ]))
    #expect(mixed.map { $0["m"] as? NSNumber } == [30, 30, 30])
    let ids = try fetch(DictionaryFetch(columns: [column("id", .evaluatedObject)]))
    #expect((ids[2]["id"] as? NSManagedObjectID)?.entity.name == "Novel")
  }
}
