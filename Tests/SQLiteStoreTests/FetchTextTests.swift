import Foundation
import Testing

@testable import CoreData

/// A library: authors, books of two kinds, tags.
func libraryModel() -> NSManagedObjectModel {
  let model = ModelBuilder()
  model.entity("Author", [attribute("name", .stringAttributeType), attribute("born", .dateAttributeType)])
  model.entity(
    "Book",
    [
      attribute("title", .stringAttributeType), attribute("pages", .integer32AttributeType),
      attribute("price", .decimalAttributeType), attribute("isRead", .booleanAttributeType),
      attribute("id", .UUIDAttributeType), attribute("added", .dateAttributeType),
      attribute("weight", .doubleAttributeType),
    ])
  model.entity("Novel", [attribute("genre", .stringAttributeType)], parent: "Book")
  model.entity("Tag", [attribute("name", .stringAttributeType)])
  model.relate(.one("Book", "author"), .many("Author", "books"))
  model.relate(.many("Book", "tags"), .many("Tag", "books"))
  model.relate(.one("Author", "mentor"), .many("Author", "pupils"))
  let transient = attribute("mood", .stringAttributeType)
  transient.isTransient = true
  let made = model.make()
  let tag = made.entitiesByName["Tag"]!
  tag.properties = tag.ownProperties + [transient]
  return made
}

func node(_ format: String, _ arguments: Any?...) throws -> PredicateNode {
  try PredicateParser.predicate(format, arguments: arguments)
}

@Suite("The SQL of a fetch")
struct FetchTextTests {
  private let model = libraryModel()
  private let schema: StoreSchema
  private let identity = StoreIdentity(uuid: "A")

  init() throws {
    schema = try SchemaPlanner.plan(ModelLayouts.of(model), configuration: nil, existing: nil).schema
  }

  private func fetch(_ entity: String, _ format: String? = nil, _ arguments: Any?...) throws -> FetchDescription {
    var fetch = FetchDescription(layout: schema.layouts.layout(named: entity)!)
    fetch.predicate = try format.map { try PredicateParser.predicate($0, arguments: arguments) }
    return fetch
  }

  private func references(_ fetch: FetchDescription) throws -> SQLFragment {
    let query = try RowQuery(schema, fetch.layout, includesSubentities: fetch.includesSubentities)
    let planner = FetchPlanner(schema: schema, translator: PredicateTranslator(store: identity))
    return try planner.select(fetch, output: .references, query).fragment
  }

  /// What stands behind WHERE in a fetch of authors.
  private func condition(_ format: String, _ arguments: Any?...) throws -> String {
    var fetch = FetchDescription(layout: schema.layouts.layout(named: "Author")!)
    fetch.predicate = try PredicateParser.predicate(format, arguments: arguments)
    let sql = try references(fetch).sql
    return sql.replacingOccurrences(of: "SELECT 0, t0.Z_PK FROM ZAUTHOR t0 ", with: "")
  }

  @Test("All columns, attributes before relationships")
  func all() throws {
    let fetch = try fetch("Author")
    let query = try RowQuery(schema, fetch.layout, includesSubentities: true)
    let planner = FetchPlanner(schema: schema, translator: PredicateTranslator(store: nil))
    #expect(
      try planner.select(fetch, output: .rows, query).fragment.sql
        == "SELECT 0, t0.Z_PK, t0.Z_OPT, t0.ZBORN, t0.ZNAME, t0.ZMENTOR FROM ZAUTHOR t0")
    #expect(try planner.select(fetch, output: .count, query).fragment.sql == "SELECT COUNT(*) FROM ZAUTHOR t0")
  }

  @Test("Comparisons with constants bind the values")
  func constants() throws {
    let fragment = try references(
      fetch("Author", "name == %@ AND born < %@", "Ann", Date(timeIntervalSinceReferenceDate: 5)))
    #expect(fragment.sql == "SELECT 0, t0.Z_PK FROM ZAUTHOR t0 WHERE ( t0.ZNAME = ? AND  t0.ZBORN < ?)")
    #expect(fragment.bindings == [.text("Ann"), .double(5)])
  }

  @Test("Null has its own words, and != takes null in")
  func null() throws {
    #expect(try condition("name == nil") == "WHERE  t0.ZNAME IS NULL")
    #expect(try condition("name != nil") == "WHERE  t0.ZNAME IS NOT NULL")
    #expect(try condition("name != 'x'") == "WHERE ( t0.ZNAME <> ? OR t0.ZNAME IS NULL)")
    #expect(try condition("NOT name == 'x'") == "WHERE ( t0.ZNAME <> ? OR t0.ZNAME IS NULL)")
    #expect(try condition("NOT born > 4") == "WHERE  NOT IFNULL(( t0.ZBORN > ?), 0)")
    #expect(try condition("born > nil") == "WHERE  1 = 0")
  }

  @Test("Key paths through a to-one relationship share a join")
  func toOne() throws {
    #expect(
      try condition("mentor.name == 'a' OR mentor.mentor.name == 'b'")
        == "LEFT OUTER JOIN ZAUTHOR t1 ON t0.ZMENTOR = t1.Z_PK LEFT OUTER JOIN ZAUTHOR t2 "
        + "ON t1.ZMENTOR = t2.Z_PK WHERE ( t1.ZNAME = ? OR  t2.ZNAME = ?)")
    #expect(try condition("mentor == nil") == "WHERE  t0.ZMENTOR IS NULL")
  }

  @Test("A to-many relationship becomes a sub-select")
  func toMany() throws {
    #expect(
      try condition("ANY books.title == 'x'")
        == "WHERE  t0.Z_PK IN (SELECT t1.ZAUTHOR FROM ZBOOK t1 WHERE  t1.ZTITLE = ?)")
    #expect(
      try condition("books.@count > 2")
        == "WHERE  (SELECT COUNT(t1.Z_PK) FROM ZBOOK t1 WHERE  t1.ZAUTHOR = t0.Z_PK)  > ?")
    #expect(
      try condition("ANY books.tags.name IN {'a', 'b'}")
        == "WHERE  t0.Z_PK IN (SELECT t1.ZAUTHOR FROM ZBOOK t1 WHERE  t1.Z_PK IN (SELECT t3.Z_2BOOKS FROM ZTAG t2 "
        + "JOIN Z_2TAGS t3 ON t2.Z_PK = t3.Z_4TAGS WHERE  t2.ZNAME IN (?,?)))")
    #expect(
      try condition("SUBQUERY(books, $b, $b.pages > 5 AND $b.author.name == name).@count > 0")
        == "WHERE  EXISTS(SELECT 1 FROM ZBOOK t1 LEFT OUTER JOIN ZAUTHOR t2 ON t1.ZAUTHOR = t2.Z_PK "
        + "WHERE ( t1.ZAUTHOR = t0.Z_PK AND ( t1.ZPAGES > ? AND  t2.ZNAME IS t0.ZNAME)))")
    #expect(
      try condition("books.@max.pages > 100")
        == "WHERE  (SELECT MAX( t1.ZPAGES) FROM ZBOOK t1 WHERE  t1.ZAUTHOR = t0.Z_PK)  > ?")
    #expect(
      try condition("books == nil")
        == "WHERE  NOT EXISTS(SELECT 1 FROM ZBOOK t1 WHERE  t1.ZAUTHOR = t0.Z_PK)")
  }

  @Test("Texts are compared by functions where plain operators can't")
  func texts() throws {
    #expect(try condition("name BEGINSWITH 'Ab'") == "WHERE ( t0.ZNAME >= ? AND t0.ZNAME < ?)")
    #expect(try condition("name CONTAINS[cd] 'x'") == "WHERE  NSCoreDataStringSearch( t0.ZNAME,  ?, 385, 0)")
    #expect(try condition("name ==[c] 'x'") == "WHERE  NSCoreDataStringCompare( t0.ZNAME, ?, 257, 0) = 0")
    #expect(try condition("name LIKE 'a*'") == "WHERE  NSCoreDataLike( t0.ZNAME,  ?, 0)")
    #expect(try condition("name MATCHES '[a-z]+'") == "WHERE  NSCoreDataMatches( t0.ZNAME,  ?, 0)")
    #expect(PredicateTranslator.textAfter("Ab") == "Ac")
    #expect(PredicateTranslator.textAfter("a\u{10FFFF}") == "b")
  }

  @Test("Entities of a part of a hierarchy are told apart")
  func hierarchy() throws {
    #expect(
      try references(fetch("Novel", "genre == 'x'")).sql
        == "SELECT t0.Z_ENT, t0.Z_PK FROM ZBOOK t0 WHERE ( t0.ZGENRE = ? AND  t0.Z_ENT = ?)")
    #expect(try references(fetch("Book")).sql == "SELECT t0.Z_ENT, t0.Z_PK FROM ZBOOK t0")
    var plain = try fetch("Book")
    plain.includesSubentities = false
    #expect(try references(plain).sql == "SELECT t0.Z_ENT, t0.Z_PK FROM ZBOOK t0 WHERE  t0.Z_ENT = ?")
  }

  @Test("Objects are compared by key, those of other stores with none")
  func objects() throws {
    let author = schema.layouts.layout(named: "Author")!
    let mine = NSManagedObjectID(layout: author, key: 7, store: identity)
    let foreign = NSManagedObjectID(layout: author, key: 7, store: StoreIdentity(uuid: "B"))
    #expect(try references(fetch("Book", "author == %@", mine)).bindings == [.int(7)])
    #expect(try condition("SELF IN %@", [mine]) == "WHERE  t0.Z_PK IN (?)")
    #expect(try condition("mentor == %@", foreign) == "WHERE  1 = 0")
    #expect(try references(fetch("Author", "mentor != %@", foreign)).sql == "SELECT 0, t0.Z_PK FROM ZAUTHOR t0")
    #expect(
      try condition("%@ IN pupils", mine)
        == "WHERE  t0.Z_PK IN (SELECT t1.ZMENTOR FROM ZAUTHOR t1 WHERE  t1.Z_PK = ?)")
  }

  @Test("Long lists travel as one value")
  func longLists() throws {
    let names = (0..<1000).map { "n\($0)" }
    #expect(try condition("name IN %@", names) == "WHERE  t0.ZNAME IN (SELECT value FROM json_each(?))")
    #expect(try condition("name IN %@", ["a", "b", "c", "d", "e"]) == "WHERE  t0.ZNAME IN (?,?,?,?,?,?,?,?)")
    #expect(try condition("name IN %@", [String]()) == "WHERE  1 = 0")
  }

  @Test(
    "What can't be translated is named",
    arguments: [
      ("nope == 1", "keypath nope not found in entity Author"),
      ("mentor.nope == 1", "keypath mentor.nope not found in entity Author"),
      ("ANY books.tags.mood == 'x'", "mood"),
      ("ALL books.pages > 1", "Unsupported predicate"),
      ("median:(books.pages) > 1", "Unsupported function expression median:"),
      ("name MATCHES '['", "regular expression"),
    ])
  func untranslatable(_ format: String, _ words: String) throws {
    let failure = #expect(throws: Failure.self) { try references(fetch("Author", format)) }
    #expect(failure?.description.contains(words) == true, "\(failure?.description ?? "")")
  }
}
