import CoreData
import Foundation
import TestFiles
import Testing

/// Rules on which SQL and memory once differed.
@Suite("Rules that SQL and memory share")
struct FetchAgreementRuleTests {
  typealias Case = FetchAgreementTests.Case

  static let values: [Case] = [
    // A whole decimal is no integer, wherever it comes from.
    .init("Book", "(price + 1) / 2 == 2.5", "A2"), .init("Book", "abs:(price) / 8 == 0.5", "A2"),
    .init("Book", "TERNARY(pages > 50, pages, price) / 8 == 0.5", "A2"),
    .init("Book", "max(price, 1) / 8 == 0.5", "A2"), .init("Book", "pages / price == 1.75", "A2"),
    .init("Book", "CAST(price, 'NSNumber') / 8 == 0.5", "A2"),
    .init("Book", "CAST(CAST(pages, 'NSDate'), 'NSNumber') / 2 == 3.5", "A2"),
    .init("Book", "CAST(pages, 'NSDecimalNumber') / 2 == 3.5", "A2"),
    .init("Tag", "CAST('7', 'Decimal') / 2 == 3.5", "blue red"),
    // Of several values, one of them nil, there is none.
    .init("Book", "max(pages, weight) == nil", "A2 X"), .init("Book", "sum(pages, weight) == nil", "A2 X"),
    // What a text is as a number.
    .init("Tag", "CAST('0x5', 'NSNumber') == 0", "blue red"),
    .init("Tag", "CAST('nan', 'NSNumber') == 0", "blue red"),
    .init("Tag", "CAST('inf', 'NSNumber') == 0", "blue red"),
    .init("Tag", "CAST(' -12abc', 'NSNumber') == -12", "blue red"),
    .init("Tag", "CAST('5.0', 'NSNumber') / 2 == 2", "blue red"),
    .init("Tag", "CAST('1e1x', 'NSNumber') == 10", "blue red"),
    .init("Tag", "CAST('5.5x', 'NSDate') == CAST(5.5, 'NSDate')", "blue red"),
    .init("Tag", "CAST(key, 'NSDate') < CAST(1, 'NSDate')", "blue red"),
    // A whole decimal has no fraction as a text.
    .init("Book", "length:(price) == 1", "A2"), .init("Book", "uppercase:(price) == '4'", "A2"),
    // The digits of floating numbers.
    .init("Book", "CAST(pages / 3.0, 'NSString') == '2.3333333333333335'", "A2"),
    .init("Book", "(pages / 3.0) ENDSWITH '3335'", "A2 b1"),
    .init("Book", "length(CAST(pages / 3.0, 'NSString')) == 18", "A1 A2"),
    .init("Book", "CAST(added, 'NSString') == '86400.25'", "A1"), .init("Book", "added ENDSWITH '0.25'", "A1"),
    .init("Tag", "abs(-9223372036854775808) > 9e18", "blue red"),
    // Nothing is NaN: neither a number, nor nil, nor NaN.
    .init("Book", "weight != %@", [Double.nan], "A1 A2 X b1"), .init("Book", "weight == %@", [Double.nan], ""),
    .init("Book", "NOT weight == %@", [Double.nan], "A1 A2 X b1"), .init("Book", "weight < %@", [Double.nan], ""),
    .init("Book", "pages != %@", [Double.nan], "A1 A2 X b1"),
    .init("Book", "added != %@", [Date(timeIntervalSinceReferenceDate: .nan)], "A1 A2 X b1"),
    .init("Book", "weight IN %@", [[Double.nan, 0.1]], "A1"),
    .init("Book", "NOT weight IN %@", [[Double.nan, 0.1]], "A2 X b1"),
    .init("Book", "pages - pages != %@", [Double.nan], "A1 A2 X b1"),
    .init("Book", "%@ != weight", [Double.nan], "A1 A2 X b1"),
  ]

  static let relationships: [Case] = [
    // nil equals nil, but is in nothing.
    .init("Book", "weight IN author.books.weight", "A1 b1"),
    .init("Book", "NOT weight IN author.books.weight", "A2 X"),
    // Rows of two tables may have one key, and are not the same.
    .init("Book", "author == SELF", ""), .init("Book", "author != SELF", "A1 A2 X b1"),
    .init("Author", "ANY books == SELF", ""),
    // Behind a nil relationship to one there are no members.
    .init("Author", "mentor.books.pages != 7", "bob emile"),
    .init("Author", "mentor.books.title == nil", ""), .init("Author", "mentor.books == nil", "ann none"),
    .init("Author", "mentor.books != nil", "bob emile"),
    .init("Author", "mentor.books.@sum.pages == 0", "ann none"),
    .init("Author", "mentor.books.@max.pages == nil", "ann none"),
  ]

  @Test("Both find what is expected", arguments: values + relationships)
  func agreement(_ example: Case) throws {
    let found = try TwoStores().keys(example.entity, example.format, example.arguments)
    #expect(found[1] == example.expected, "in memory")
    #expect(found[0] == example.expected, "SQLite")
  }

  /// Objects named `a`, `b` … and what they are to each other, in both kinds of stores.
  private func withBoth(_ names: [String], _ body: (NSManagedObjectContext, [NSManagedObject]) throws -> Void)
    throws
  {
    let builder = ModelBuilder()
    builder.entity(
      "Person", [attribute("name", .stringAttributeType), attribute("age", .integer64AttributeType)])
    builder.relate(.one("Person", "parent"), .many("Person", "kids"))
    try withBoth(builder.make()) { context in
      let people = names.map { name in
        let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
        person.setValue(name, forKey: "name")
        person.setValue(1, forKey: "age")
        return person
      }
      for index in people.indices.dropFirst() {
        people[index].setValue(people[index - 1], forKey: "parent")
      }
      try context.save()
      try body(context, people)
    }
  }

  /// Objects with a name and one value, in both kinds of stores.
  private func withBoth(
    _ values: [(String, Any)], _ type: NSAttributeType, _ body: (NSManagedObjectContext) throws -> Void
  ) throws {
    let builder = ModelBuilder()
    builder.entity("Thing", [attribute("name", .stringAttributeType), attribute("value", type)])
    try withBoth(builder.make()) { context in
      for (name, value) in values {
        let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        thing.setValue(name, forKey: "name")
        thing.setValue(value, forKey: "value")
      }
      try context.save()
      try body(context)
    }
  }

  private func withBoth(_ model: NSManagedObjectModel, _ body: (NSManagedObjectContext) throws -> Void) throws {
    let folder = TemporaryFolder()
    for type in ComparedStores.types {
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: folder.place("\(type).sqlite", ofType: type), options: nil)
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      try context.performAndWait { try body(context) }
    }
  }

  private func names(
    _ context: NSManagedObjectContext, _ predicate: NSPredicate, of entity: String = "Person"
  ) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.predicate = predicate
    return try context.fetch(request).map { $0.value(forKey: "name") as! String }.sorted {
      Array($0.unicodeScalars).lexicographicallyPrecedes(Array($1.unicodeScalars))
    }
  }

  @Test(
    "Unsaved changes of related objects count in unchanged ones, wherever in a predicate they are met",
    arguments: [
      "ANY kids.age == 7", "kids.@sum.age == 7",
      "SUBQUERY(kids, $k, $k.age + 1 == 8).@count == 1",
      "SUBQUERY(parent.kids, $p, SUBQUERY($p.kids, $k, $k.age > 5).@count > 0).@count > 0",
      "TERNARY(ANY kids.age == 7, 1, 2) == 1",
    ])
  func unsavedRelatives(_ format: String) throws {
    try withBoth(["a", "b", "c", "d"]) { context, people in
      context.reset()
      let changed = try context.existingObject(with: people[2].objectID)
      changed.setValue(7, forKey: "age")
      let found = try names(context, NSPredicate(format: format))
      #expect(found == ["b"])
    }
  }

  @Test("A sum of integers beyond 64 bits is a floating number in memory, and an error of SQLite's")
  func largeSums() throws {
    try withBoth(["a", "b", "c"]) { context, people in
      for kid in people[1...] {
        kid.setValue(Int.max, forKey: "age")
        kid.setValue(people[0], forKey: "parent")
      }
      try context.save()
      let predicate = NSPredicate(format: "kids.@sum.age > 1e19")
      if context.persistentStoreCoordinator!.persistentStores[0].type == NSSQLiteStoreType {
        #expect(throws: (any Error).self) { try names(context, predicate) }
      } else {
        let found = try names(context, predicate)
        #expect(found == ["a"])
      }
    }
  }

  @Test("URLs are ordered as their texts are, by each of the selectors")
  func orderOfURLs() throws {
    let values = ["B10", "a", "b9", "C"].map { ($0, URL(string: "https://example.org/\($0)")! as Any) }
    try withBoth(values, .URIAttributeType) { context throws in
      func names(_ selector: Selector, ascending: Bool = true) throws -> String {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.sortDescriptors = [NSSortDescriptor(key: "value", ascending: ascending, selector: selector)]
        return try context.fetch(request).map { $0.value(forKey: "name") as! String }.joined(separator: " ")
      }
      #expect(try names("compare:") == "B10 C a b9")
      #expect(try names("caseInsensitiveCompare:") == "a B10 b9 C")
      #expect(try names("caseInsensitiveCompare:", ascending: false) == "C b9 B10 a")
      if ComparedStores.haveOneLocale { #expect(try names("localizedStandardCompare:") == "a b9 B10 C") }
    }
  }

  @Test("A regular expression may end within a comment or a quotation", .enabled(if: ComparedStores.haveOneLocale))
  func endsOfPatterns() throws {
    try withBoth(["abc", "a.c", "abcd"]) { context, _ in
      for (pattern, expected) in [("(?x)abc # three letters", "abc"), ("\\Qa.c", "a.c"), ("abc|abcd", "abc abcd")] {
        let found = try names(context, NSPredicate(format: "name MATCHES %@", pattern))
        #expect(found == expected.split(separator: " ").map(String.init), "\(pattern)")
      }
    }
  }

  @Test("A large whole decimal is compared with integers by all its digits")
  func largeDecimals() throws {
    let first = 9_007_199_254_740_992
    func decimal(_ number: Int) -> Any { NSDecimalNumber(decimal: Decimal(number)) }
    let values = [("a", decimal(first)), ("b", decimal(first + 1)), ("c", decimal(first + 2))]
    try withBoth(values, .decimalAttributeType) { context in
      let cases: [(String, [Any], [String])] = [
        ("value == %lld", [first + 1], ["b"]), ("value == %lld", [first], ["a"]), ("%lld == value", [first + 1], ["b"]),
        ("value > %lld", [first], ["b", "c"]), ("value <= %lld", [first], ["a"]),
        ("value != %lld", [first + 1], ["a", "c"]), ("value BETWEEN %@", [[first + 1, first + 1]], ["b"]),
        ("value IN %@", [[first + 1, 1]], ["b"]), ("value IN %@", [[1, 2, 3, 4, 5, first + 1]], ["b"]),
        ("value == %@", [decimal(first + 1)], ["b"]), ("value IN %@", [[first + 1, 1].map(decimal)], ["b"]),
        ("value IN %@", [[1, 2, 3, 4, 5, first + 1].map(decimal)], ["b"]),
      ]
      for (format, arguments, expected) in cases {
        let found = try names(context, NSPredicate(format: format, argumentArray: arguments), of: "Thing")
        #expect(found == expected, "\(format) \(arguments)")
      }
    }
  }

  @Test("A number in a list is a text beside a property that is one, also where case does not count")
  func numbersAmongTexts() throws {
    try withBoth(["5", "6.5", "x"]) { context, _ in
      let cases: [(String, [Any], [String])] = [
        ("name IN[c] %@", [5, "X"], ["5", "x"]), ("NOT name IN[cd] %@", [6.5, "X"], ["5"]),
        ("name IN[c] %@", [1, 2, 3, 4, 5], ["5"]),
        ("lowercase:(name) IN[c] %@", [5, "X"], ["x"]),
      ]
      for (format, list, expected) in cases {
        let found = try names(context, NSPredicate(format: format, argumentArray: [list]))
        #expect(found == expected, "\(format) \(list)")
      }
    }
  }

  @Test("Canonical equivalents are different texts: as pieces, in lists, as distinct values")
  func equivalents() throws {
    try withBoth(["e\u{301}", "\u{E9}", "e"]) { context, _ in
      let cases: [(Any, [Int])] = [
        ("xe\u{301}", [1, 2]), ("x\u{E9}", [1]), (["\u{E9}", "z"], [1]),
        (["\u{E9}", "z", "y", "x", "w", "v"], [1]),
      ]
      for (argument, expected) in cases {
        let found = try names(context, NSPredicate(format: "name IN %@", argumentArray: [argument]))
        #expect(found.map(\.unicodeScalars.count) == expected)
      }
      let request = NSFetchRequest<NSDictionary>(entityName: "Person")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["name"]
      request.returnsDistinctResults = true
      let count = try context.fetch(request).count
      #expect(count == 3)
    }
  }

  @Test("A key path on a SUBQUERY, built of expressions, is one")
  func builtPaths() throws {
    try withBoth(["a", "b", "c"]) { context, _ in
      let subquery = FoundationExpression(
        forSubquery: FoundationExpression(forKeyPath: "kids"), usingIteratorVariable: "k",
        predicate: NSPredicate(format: "$k.name == 'b'"))
      let count = FoundationExpression(
        forFunction: subquery, selectorName: "valueForKeyPath:",
        arguments: [FoundationExpression(forConstantValue: "@count")])
      let predicate = FoundationComparisonPredicate(
        leftExpression: count, rightExpression: FoundationExpression(forConstantValue: 1), modifier: .direct,
        type: .equalTo, options: [])
      let found = try names(context, predicate)
      #expect(found == ["a"])
    }
  }

  @Test("Aggregates in dictionaries: beside columns they repeat, the sum of nothing is 0")
  func dictionaries() throws {
    try withBoth(["a", "b"]) { context, people in
      func column(_ function: String) -> NSExpressionDescription {
        let description = NSExpressionDescription()
        description.name = function
        description.expression = FoundationExpression(
          forFunction: "\(function):", arguments: [FoundationExpression(forKeyPath: "age")])
        description.expressionResultType = .integer64AttributeType
        return description
      }
      people[0].setValue(5, forKey: "age")
      try context.save()
      let request = NSFetchRequest<NSDictionary>(entityName: "Person")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["name", column("sum"), column("max")]
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      func rows() throws -> [String] {
        try context.fetch(request).map { row in
          ["name", "sum", "max"].compactMap { row[$0].map { "\($0)" } }.joined(separator: " ")
        }
      }
      let mixed = try rows()
      #expect(mixed == ["a 6 5", "b 6 5"])
      request.propertiesToFetch = [column("sum"), column("max")]
      request.sortDescriptors = nil
      request.predicate = NSPredicate(value: false)
      let none = try rows()
      #expect(none == ["0"])
    }
  }
}
