import CoreData
import Foundation
import Testing

@Suite("Dictionaries from SQLite")
struct FetchDictionaryTests {
  private let both: TwoStores
  private let context: NSManagedObjectContext

  init() throws {
    both = try TwoStores()
    context = both.contexts[0]
  }

  private func column(
    _ name: String, _ format: String, _ type: NSAttributeType = .undefinedAttributeType
  ) -> NSExpressionDescription {
    let column = NSExpressionDescription()
    column.name = name
    column.expression = FoundationExpression(format: format)
    column.expressionResultType = type
    return column
  }

  /// Each row as `key=value key=value`, keys in order.
  private func rows(
    _ entity: String, _ columns: [Any], _ change: (NSFetchRequest<NSDictionary>) -> Void = { _ in }
  ) throws -> [String] {
    try context.performAndWait {
      let request = NSFetchRequest<NSDictionary>(entityName: entity)
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = columns
      change(request)
      return try context.fetch(request).map { row in
        let keys = (row.allKeys as! [String]).sorted()
        return keys.map { key in
          let value = row[key]!
          if let id = value as? NSManagedObjectID {
            return "\(key)=\((try? context.existingObject(with: id))?.value(forKey: "key") ?? "?")"
          }
          return "\(key)=\(value)"
        }.joined(separator: " ")
      }
    }
  }

  private func sorted(_ request: NSFetchRequest<NSDictionary>) {
    request.sortDescriptors = [NSSortDescriptor(key: "key", ascending: true)]
  }

  @Test("A missing value has no key")
  func missing() throws {
    #expect(
      try rows("Book", ["key", "pages"], sorted)
        == ["key=A1 pages=100", "key=A2 pages=7", "key=X", "key=b1 pages=-7"])
  }

  @Test("Of an empty table a count and a sum are 0, other aggregates have no key")
  func empty() throws {
    let columns = [
      column("n", "count:(SELF)"), column("sum", "sum:(pages)"), column("max", "max:(pages)"),
      column("min", "min:(pages)"), column("average", "average:(pages)"), column("tags", "count:(tags)"),
    ]
    #expect(try rows("Book", columns) { $0.predicate = NSPredicate(value: false) } == ["n=0 sum=0 tags=0"])
  }

  @Test("A count of an attribute leaves nil out, a count of a relationship counts links")
  func counts() throws {
    let columns = [column("all", "count:(SELF)"), column("some", "count:(weight)"), column("links", "count:(tags)")]
    #expect(try rows("Book", columns) == ["all=4 links=3 some=2"])
    #expect(
      try rows("Author", ["key", column("books", "books.@count")], sorted)
        == ["books=2 key=ann", "books=1 key=bob", "books=0 key=emile", "books=0 key=none"])
  }

  @Test("Aggregates beside columns are those of all rows that the request finds")
  func mixed() throws {
    let found = try rows("Book", ["key", column("most", "max:(pages)")]) {
      sorted($0)
      $0.predicate = NSPredicate(format: "pages < 50")
    }
    #expect(found == ["key=A2 most=7", "key=b1 most=7"])
  }

  @Test("A declared type converts the value")
  func types() throws {
    let average = "average:(pages)"
    let found = try rows(
      "Book",
      [
        column("a", average), column("b", average, .integer64AttributeType), column("c", average, .stringAttributeType),
        column("d", average, .booleanAttributeType), column("e", "max:(added)", .dateAttributeType),
        column("f", "sum:(pages)", .doubleAttributeType), column("g", "sum:(price)", .decimalAttributeType),
      ])
    #expect(
      found == ["a=33.333333333333336 b=33 c=33.3333333333333 d=true e=\(TwoStores.day) f=100.0 g=16.5"])
  }

  @Test("Groups, with conditions on them, over a hierarchy")
  func groups() throws {
    func found(_ change: @escaping (NSFetchRequest<NSDictionary>) -> Void = { _ in }) throws -> [String] {
      try rows("Book", ["author", column("n", "count:(SELF)"), column("pages", "sum:(pages)")]) {
        $0.propertiesToGroupBy = ["author"]
        $0.sortDescriptors = [NSSortDescriptor(key: "author.key", ascending: true)]
        change($0)
      }
    }
    #expect(try found() == ["n=1 pages=0", "author=ann n=2 pages=107", "author=bob n=1 pages=-7"])
    #expect(try found { $0.havingPredicate = NSPredicate(format: "n > 1") } == ["author=ann n=2 pages=107"])
    #expect(
      try found { $0.havingPredicate = NSPredicate(format: "sum:(pages) < 0 OR n == 2") }
        == ["author=ann n=2 pages=107", "author=bob n=1 pages=-7"])
    #expect(
      try found { $0.havingPredicate = NSPredicate(format: "NOT max:(pages) > 50") }
        == ["n=1 pages=0", "author=bob n=1 pages=-7"])
    #expect(try found { $0.includesSubentities = false } == ["n=1 pages=0", "author=ann n=2 pages=107"])
    #expect(try found { $0.fetchLimit = 1 } == ["n=1 pages=0"])
    #expect(
      try rows("Novel", ["genre", column("n", "count:(SELF)")]) {
        $0.propertiesToGroupBy = ["genre"]
        $0.havingPredicate = NSPredicate(format: "n == 1")
      } == ["genre=crime n=1"])
  }

  @Test("Paths over to-one relationships, arithmetic, texts, ids")
  func expressions() throws {
    let columns: [Any] = [
      "author.name", column("double", "pages * 2"), column("loud", "uppercase:(title)"),
      column("id", "SELF", .objectIDAttributeType),
      "author.mentor",
    ]
    #expect(
      try rows("Book", columns, sorted) == [
        "author.name=Ann double=200 id=A1 loud=STRASSE", "author.name=Ann double=14 id=A2 loud=STRASSE", "id=X",
        "author.mentor=ann author.name=bob double=-14 id=b1 loud=BOB",
      ])
    let object = NSExpressionDescription()
    object.name = "objectID"
    object.expression = FoundationExpression.expressionForEvaluatedObject()
    object.expressionResultType = .objectIDAttributeType
    #expect(
      try rows("Book", ["key", object], sorted)
        == ["key=A1 objectID=A1", "key=A2 objectID=A2", "key=X objectID=X", "key=b1 objectID=b1"])
  }

  @Test("Columns with names in any alphabet keep their values")
  func names() throws {
    let found = try rows("Book", [column("größte", "max:(pages)"), column("最小", "min:(pages)")])
    #expect(found == ["größte=100 最小=-7"])
  }

  @Test("Distinct rows are told once")
  func distinct() throws {
    #expect(
      try rows("Book", ["author.name"]) {
        $0.returnsDistinctResults = true
        $0.sortDescriptors = [NSSortDescriptor(key: "author.name", ascending: true)]
      } == ["", "author.name=Ann", "author.name=bob"])
  }
}
