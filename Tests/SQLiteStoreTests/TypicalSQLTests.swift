import Foundation
import TestFiles
import Testing

@testable import CoreData

/// Authors, books with indexes and a kind of their own, tags, chapters in order.
func catalogueModel() -> NSManagedObjectModel {
  let model = ModelBuilder()
  model.entity(
    "Author", [attribute("born", .dateAttributeType), attribute("name", .stringAttributeType)],
    indexes: [("byName", [("name", true)])])
  model.entity(
    "Book",
    [
      attribute("isbn", .stringAttributeType), attribute("pages", .integer32AttributeType),
      attribute("title", .stringAttributeType),
    ], unique: [["isbn"]], indexes: [("byTitle", [("title", true)])])
  model.entity("Chapter", [attribute("heading", .stringAttributeType)])
  model.entity("Item", [attribute("label", .stringAttributeType)])
  model.entity("Disc", [attribute("tracks", .integer16AttributeType)], parent: "Item")
  model.entity("Box", [attribute("discs", .integer16AttributeType)], parent: "Disc")
  model.entity("Tag", [attribute("name", .stringAttributeType)], indexes: [("byName", [("name", true)])])
  model.relate(.one("Book", "author"), .many("Author", "books"))
  model.relate(.one("Author", "mentor"), .many("Author", "pupils"))
  model.relate(.many("Book", "tags"), .many("Tag", "books"))
  model.relate(.one("Chapter", "book"), .ordered("Book", "chapters"))
  return model.make()
}

/// What requests as applications make them become: the texts to look at when the translator changes.
@Suite("The SQL of typical requests")
struct TypicalSQLTests {
  private let folder = TemporaryFolder()
  private let store: SQLiteStore

  init() throws {
    store = try openStore(catalogueModel(), at: folder.file("Catalogue.sqlite"))
  }

  /// A request as in a program, the statement that it becomes, and the values of the statement's parameters.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let make: @Sendable (NSFetchRequest<NSFetchRequestResult>) -> Void
    let entity: String
    let sql: String
    let values: String

    init(
      _ name: String, _ entity: String, _ sql: String, _ values: String = "",
      _ make: @escaping @Sendable (NSFetchRequest<NSFetchRequestResult>) -> Void = { _ in }
    ) {
      (self.name, self.entity, self.sql, self.values, self.make) = (name, entity, sql, values, make)
    }

    var testDescription: String { name }
  }

  private static let authorColumns = "0, t0.Z_PK, t0.Z_OPT, t0.ZBORN, t0.ZNAME, t0.ZMENTOR"
  private static let bookColumns = "0, t0.Z_PK, t0.Z_OPT, t0.ZISBN, t0.ZPAGES, t0.ZTITLE, t0.ZAUTHOR"

  @Test("A request becomes this statement with these values", arguments: Case.all)
  func text(_ typical: Case) throws {
    let fragment = try fragment(typical)
    let expected = typical.sql.replacingOccurrences(of: "AUTHOR*", with: Self.authorColumns)
      .replacingOccurrences(of: "BOOK*", with: Self.bookColumns)
    #expect(fragment.sql == expected)
    #expect(fragment.bindings.map(\.text).joined(separator: ", ") == typical.values)
  }

  private func fragment(_ typical: Case) throws -> SQLFragment {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: typical.entity)
    typical.make(request)
    return try sql(of: request, in: store)
  }

  @Test("Faults and members are read by their keys, many at once")
  func faults() throws {
    let author = try store.insert("Author", [["name": .string("A")]])[0]
    let book = try store.insert("Book", [["title": .string("B")]], to: ["author": author.reference])[0]
    _ = store.trace!.takeRecorded()
    func statements(_ body: () throws -> Void) throws -> [String] {
      try body()
      return store.trace!.takeRecorded().filter { $0.hasPrefix("SELECT") }
    }
    let layout = store.layout("Book")
    #expect(
      try statements { _ = try store.faultRow(forKey: 1, at: layout.places) }
        == ["SELECT \(Self.bookColumns) FROM ZBOOK t0 WHERE  t0.Z_PK = ? "])
    let places = Array(repeating: "?", count: 8).joined(separator: ",")
    #expect(
      try statements { _ = try store.rows(forKeys: Array(1...7), in: layout) }
        == ["SELECT \(Self.bookColumns) FROM ZBOOK t0 WHERE  t0.Z_PK IN (\(places)) "])
    func members(_ name: String, _ owner: RowReference) throws -> [String] {
      let layout = store.layouts[Int(owner.entity)]
      return try statements { _ = try store.members(of: layout.property(named: name)!, owner: owner) }
    }
    #expect(
      try members("books", author.reference) == ["SELECT 0, t0.Z_PK FROM ZBOOK t0 WHERE  t0.ZAUTHOR = ? "])
    #expect(
      try members("tags", book.reference)
        == ["SELECT 0, t0.Z_PK FROM ZTAG t0 JOIN Z_2TAGS t1 ON t0.Z_PK = t1.Z_7TAGS WHERE  t1.Z_2BOOKS = ? "])
    #expect(
      try members("chapters", book.reference)
        == ["SELECT 0, t0.Z_PK FROM ZCHAPTER t0 WHERE  t0.ZBOOK = ?  ORDER BY t0.Z_FOK_BOOK, t0.Z_PK"])
  }

  @Test(
    "SQLite finds the rows by an index where there is one",
    arguments: [
      ("Book", "isbn == '1'", "SEARCH t0 USING INDEX Z_Book_UNIQUE_isbn (ZISBN=?)"),
      ("Book", "title BEGINSWITH 'A'", "SEARCH t0 USING INDEX Z_Book_byTitle (ZTITLE>? AND ZTITLE<?)"),
      ("Book", "title IN {'a', 'b'}", "SEARCH t0 USING INDEX Z_Book_byTitle (ZTITLE=?)"),
      ("Book", "author == nil", "SEARCH t0 USING INDEX ZBOOK_ZAUTHOR_INDEX (ZAUTHOR=?)"),
      (
        "Book", "title == 'a' OR isbn == 'b'",
        "MULTI-INDEX OR; INDEX 1; SEARCH t0 USING INDEX Z_Book_byTitle (ZTITLE=?); INDEX 2; "
          + "SEARCH t0 USING INDEX Z_Book_UNIQUE_isbn (ZISBN=?)"
      ),
      (
        "Book", "author.name == 'a'",
        "SEARCH t1 USING COVERING INDEX Z_Author_byName (ZNAME=?); SEARCH t0 USING INDEX ZBOOK_ZAUTHOR_INDEX (ZAUTHOR=?)"
      ),
      (
        "Author", "ANY books.title == 'x'",
        "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?); LIST SUBQUERY 1; "
          + "SEARCH t1 USING INDEX Z_Book_byTitle (ZTITLE=?)"
      ),
      (
        "Author", "NONE books.title == 'x'",
        "SCAN t0; CORRELATED SCALAR SUBQUERY 1; SEARCH t1 USING INDEX Z_Book_byTitle (ZTITLE=?)"
      ),
      (
        "Book", "ANY tags.name == 'x'",
        "SEARCH t0 USING INTEGER PRIMARY KEY (rowid=?); LIST SUBQUERY 1; "
          + "SEARCH t1 USING COVERING INDEX Z_Tag_byName (ZNAME=?); "
          + "SEARCH t2 USING COVERING INDEX Z_2TAGS_Z_7TAGS_INDEX (Z_7TAGS=?)"
      ),
      (
        "Author", "books.@count == 0",
        "SCAN t0; CORRELATED SCALAR SUBQUERY 1; SEARCH t1 USING COVERING INDEX ZBOOK_ZAUTHOR_INDEX (ZAUTHOR=?)"
      ),
    ])
  func plans(_ entity: String, _ format: String, _ plan: String) throws {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
    request.predicate = NSPredicate(format: format)
    let sql = try sql(of: request, in: store).sql
    #expect(try self.plan(sql) == plan)
  }

  @Test("An order that an index has needs no sorting")
  func orderedPlan() throws {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    request.fetchLimit = 20
    #expect(try plan(sql(of: request, in: store).sql) == "SCAN t0 USING INDEX Z_Book_byTitle")
  }

  private func plan(_ sql: String) throws -> String {
    var options = Connection.Options()
    options.configure = StoreFunctions.register
    let connection = try Connection(path: store.url!.path, options: options)
    return try connection.rows("EXPLAIN QUERY PLAN " + sql).map { $0[3] ?? "" }.joined(separator: "; ")
  }
}

/// The statement of a request.
func sql<Result>(of request: NSFetchRequest<Result>, in store: SQLiteStore) throws -> SQLFragment {
  let fetch = try FetchDescription(request, store.layouts)
  let query = try RowQuery(store.schema, fetch.layout, includesSubentities: fetch.includesSubentities)
  let planner = FetchPlanner(schema: store.schema, translator: PredicateTranslator(store: store.identity))
  switch fetch.output {
  case .rows: return try planner.select(fetch, output: .rows, query).fragment
  case .references: return try planner.select(fetch, output: .references, query).fragment
  case .count: return try planner.select(fetch, output: .count, query).fragment
  case .dictionaries(let request):
    return try DictionaryQuery(planner, fetch: fetch, request: request, query: query).select.fragment
  }
}
