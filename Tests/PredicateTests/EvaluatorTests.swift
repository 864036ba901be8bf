import Foundation
import Testing

@testable import CoreData

/// A small library to ask questions of. Chapters are to-many, the author is to-one.
enum Library {
  static let date = Date(timeIntervalSinceReferenceDate: 1000)
  static let uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!

  static let book: [String: Any] = [
    "title": "Straße nach Süden", "pages": 320, "price": 12.5, "isNew": true, "published": date, "id": uuid,
    "code": "42", "url": URL(string: "https://example.org/b")!, "blob": Data([1, 2, 3]), "flags": 6,
    "amount": Decimal(string: "19.99")!, "words": ["sea", "sun"],
    "author": ["name": "Ada", "age": 36, "books": [["title": "x"], ["title": "y"]] as [Any]] as [String: Any],
    "chapters": [
      ["name": "One", "pages": 10, "notes": [["text": "a"], ["text": "b"]] as [Any]] as [String: Any],
      ["name": "Two", "pages": 20, "notes": [] as [Any]] as [String: Any],
      ["name": "Three", "notes": [["text": "c"]] as [Any]] as [String: Any],
    ],
    "empty": [] as [Any],
  ]
}

@Suite("Evaluating predicates")
struct EvaluatorTests {
  private func expect(
    _ format: String, _ arguments: Any?..., is expected: Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let predicate = try NSPredicate.parsing(format, arguments: arguments)
    let result = try predicate.checkedEvaluate(with: Library.book)
    #expect(result == expected, "\(format)", sourceLocation: sourceLocation)
    #expect(predicate.evaluate(with: Library.book) == expected, "\(format)", sourceLocation: sourceLocation)
  }

  private func isTrue(_ formats: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    for format in formats { try expect(format, is: true, sourceLocation: sourceLocation) }
  }

  private func isFalse(_ formats: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    for format in formats { try expect(format, is: false, sourceLocation: sourceLocation) }
  }

  @Test("Numbers compare by value, whatever their kind")
  func numbers() throws {
    try isTrue([
      "pages == 320", "pages == 320.0", "pages > 319.5", "price < 13", "price >= 12.5", "isNew == 1",
      "isNew == YES",
      "pages != 1", "320 == pages", "pages BETWEEN {320, 400}", "pages IN {1, 320.0}", "published > 999",
      "pages == amount + 300.01", "9007199254740993 > 9007199254740992.0", "pages == author.age + 284",
    ])
    try isFalse([
      "pages == 321", "isNew == NO", "pages BETWEEN {321, 400}", "pages IN {1, 2}", "pages < price",
      "pages IN {}",
    ])
    try expect("pages IN %@", Array(1...1000), is: true)
    try expect("pages IN %@", Set([1, 2]), is: false)
    try expect("published == %@", Library.date, is: true)
    try expect("published BETWEEN %@", [Library.date, Library.date.addingTimeInterval(1)], is: true)
    try expect("id == %@ AND id IN %@", Library.uuid, [UUID(), Library.uuid], is: true)
    try expect("blob == %@", Data([1, 2, 3]), is: true)
    try expect("amount == %@", Decimal(string: "19.99")!, is: true)
  }

  @Test("nil equals nil only; every other test of nil is false, and NOT turns that round")
  func nilValues() throws {
    try isTrue([
      "missing == nil", "title != nil", "missing != 3", "NOT (missing == 3)", "NOT (missing > 3)",
      "NOT (missing IN {1})",
      "nil == missing", "missing == other", "author.missing == nil", "missing.deeper == nil",
      "missing.books.@count == 0",
    ])
    try isFalse([
      "title == nil", "missing != nil", "missing > 0", "missing < 0", "missing <= nil", "missing >= nil",
      "missing IN {nil, 1}",
      "missing BETWEEN {0, 9}", "missing CONTAINS 'a'", "missing LIKE '*'", "missing MATCHES '.*'",
      "missing BEGINSWITH ''",
      "'a' CONTAINS missing", "missing == 3", "title CONTAINS nil",
    ])
  }

  @Test("Looking for the empty text finds nothing in any text")
  func emptyPieces() throws {
    try isFalse([
      "title CONTAINS ''", "title CONTAINS[cd] ''", "title BEGINSWITH ''", "title BEGINSWITH[c] ''",
      "title ENDSWITH ''", "'' IN title", "'' CONTAINS ''", "title LIKE ''",
    ])
    try isTrue(["NOT title CONTAINS ''", "NOT missing BEGINSWITH ''", "'' LIKE ''", "'' == ''", "title MATCHES '.*'"])
  }

  @Test("Strings compare by bytes without options, and fold with them")
  func strings() throws {
    try isTrue([
      "title == 'Straße nach Süden'", "title ==[c] 'STRASSE NACH SÜDEN'", "title ==[cd] 'strasse nach suden'",
      "title CONTAINS 'nach'", "title CONTAINS[c] 'NACH'", "title CONTAINS[cd] 'SUDEN'",
      "title BEGINSWITH 'Str'",
      "title BEGINSWITH[c] 'strasse'", "title ENDSWITH[d] 'Suden'", "title LIKE 'S*en'",
      "title LIKE 'Stra?e*'",
      "title LIKE[c] 's*NACH*'", "title LIKE[cd] '*suden'", "title MATCHES 'Str.*en'",
      "title MATCHES[c] 'STR.+'",
      "title IN {'a', 'Straße nach Süden'}", "'nach' IN title", "'a' < 'b'", "'B' < 'a'", "'B' >[c] 'a'",
      "title != 'x'",
      "title !=[c] 'x'", "title CONTAINS[w] 'nach'", "title LIKE '*'", "url == 'https://example.org/b'",
      "url BEGINSWITH 'https'", "code == 42", "pages == '320'", "pages BEGINSWITH '32'",
      "'a*b' LIKE 'a\\\\*b'", "title ==[n] title",
      "'NACH' IN[c] title", "words CONTAINS 'sea'", "'sun' IN words", "words CONTAINS[c] 'SEA'",
    ])
    try isFalse([
      "title == 'straße nach süden'", "title CONTAINS 'NACH'", "title CONTAINS[n] 'NACH'",
      "title LIKE 'nach'", "title LIKE 'Str?'",
      "title MATCHES 'nach'", "title MATCHES 'STR.*'", "title ENDSWITH 'Suden'", "title CONTAINS[w] 'nac'",
      "'axb' LIKE 'a\\\\*b'",
      "code == 42.5", "title == 5", "words CONTAINS 'se'", "'se' IN words", "id == 'x'", "blob == 'x'",
    ])
    // Canonical equivalents: other bytes.
    try expect("%@ == %@", "é", "e\u{301}", is: false)
    try expect("%@ ==[c] %@", "É", "e\u{301}", is: true)
  }

  @Test("AND, OR, NOT and constant predicates")
  func logic() throws {
    try isTrue([
      "TRUEPREDICATE", "NOT FALSEPREDICATE", "pages == 1 OR isNew == YES",
      "pages == 320 AND isNew == YES AND price > 1",
      "pages == 1 OR pages == 2 OR pages == 320", "NOT (pages == 1 AND isNew == YES)",
    ])
    try isFalse([
      "FALSEPREDICATE", "pages == 320 AND isNew == NO", "NOT isNew == YES",
      "pages == 1 OR pages == 2 OR pages == 3",
    ])
  }

  @Test("Key paths go through to-one and to-many, with ANY, ALL and NONE")
  func keyPaths() throws {
    try isTrue([
      "author.name == 'Ada'", "ANY chapters.pages > 15", "ANY chapters.name == 'Two'",
      "chapters.name == 'Two'",
      "NONE chapters.name == 'Four'", "ALL chapters.name != 'Four'", "ANY chapters.notes.text == 'c'",
      "ANY chapters.name IN {'x', 'Two'}",
      "'Two' IN chapters.name", "ALL empty.x == 1", "NONE empty.x == 1", "ANY chapters.pages == nil",
      "ANY chapters.name BEGINSWITH[c] 't'",
      "empty == nil OR empty.@count == 0", "author.books.title CONTAINS 'x'",
      "ANY chapters.pages BETWEEN {15, 25}",
    ])
    try isFalse([
      "ALL chapters.pages > 5", "ANY chapters.name == 'Four'", "ANY empty.x == 1",
      "NONE chapters.name == 'Two'", "ALL chapters.name == 'One'",
      "ANY empty.x != 1",
    ])
  }

  @Test("Collection operators, aggregate functions, SUBQUERY")
  func collections() throws {
    try isTrue([
      "chapters.@count == 3", "empty.@count == 0", "chapters.@sum.pages == 30", "chapters.@avg.pages == 15",
      "chapters.@max.pages == 20",
      "chapters.@min.pages == 10", "empty.@sum.x == 0", "empty.@max.x == nil", "empty.@avg.x == nil",
      "chapters.notes.@count == 3",
      "sum(chapters.pages) == 30", "max(chapters.pages) == 20", "count(chapters) == 3", "max(3, 7, 5) == 7",
      "average({1, 2, 3}) == 2",
      "median({1, 9, 3}) == 3", "stddev({2, 4, 4, 4, 5, 5, 7, 9}) == 2",
      "'Two' IN chapters.@distinctUnionOfObjects.name",
      "SUBQUERY(chapters, $c, $c.pages > 5).@count == 2",
      "SUBQUERY(chapters, $c, $c.pages > 5 AND $c.name == 'Two').@count == 1",
      "SUBQUERY(chapters, $c, SUBQUERY($c.notes, $n, $n.text == 'a' AND $c.name == 'One').@count > 0).@count == 1",
      "SUBQUERY(chapters, $c, $c.pages > 15).name CONTAINS 'Two'", "words[FIRST] == 'sea'",
      "words[LAST] == 'sun'", "words[SIZE] == 2",
      "words[1] == 'sun'", "words[9] == nil", "author['name'] == 'Ada'", "({1, 2} UNION {2, 3}).@count == 3",
      "({1, 2} MINUS {2}).@count == 1",
      "2 IN ({1, 2} INTERSECT {2, 3})", "words == {'sun', 'sea'}", "SELF.pages == 320", "SELF != nil",
    ])
    try isFalse(["SUBQUERY(chapters, $c, $c.pages > 50).@count > 0", "words == {'sun'}"])
  }

  @Test("Arithmetic is SQLite's: integers divide as integers, a division by zero is nil")
  func arithmetic() throws {
    try isTrue([
      "pages + 1 == 321", "pages / 3 == 106", "pages / 3.0 > 106.6", "pages / 0 == nil", "2 ** 10 == 1024",
      "-pages == -320",
      "pages - 20 * 2 == 280", "(pages - 20) * 2 == 600", "modulus:by:(pages, 7) == 5",
      "modulus:by:(pages, 0) == nil", "abs(-5) == 5",
      "sqrt(16) == 4", "floor(2.7) == 2", "ceiling(2.2) == 3", "trunc(-2.7) == -2", "(flags & 4) != 0",
      "(flags | 1) == 7", "(flags ^ 2) == 4",
      "flags << 1 == 12", "flags >> 1 == 3", "~flags == -7", "missing + 1 == nil", "log(1000) > 2.99",
      "ln(1) == 0", "exp(0) == 1",
      "9223372036854775807 + 1 > 9000000000000000000", "sqrt(-1) == nil",
    ])
    try isFalse(["(flags & 8) != 0", "pages + 1 == 320"])
  }

  @Test("Text functions, casts, ternaries, dates")
  func functions() throws {
    try isTrue([
      "uppercase('süd') == 'SÜD'", "lowercase(title) BEGINSWITH 'straße'", "length('añb') == 3",
      "length(blob) == 3", "canonical('Süd') == 'sud'",
      "noindex:(pages) == 320", "CAST(pages, 'NSString') == '320'", "CAST('12', 'NSNumber') == 12",
      "CAST(published, 'NSNumber') == 1000",
      "CAST(1000, 'NSDate') == published", "TERNARY(pages > 5, 'big', 'small') == 'big'", "now() > published",
      "random() < 1",
      "FUNCTION(title, 'length') == 17", "FUNCTION(SELF, 'valueForKeyPath:', 'author.name') == 'Ada'",
      "title.length == 17",
    ])
  }

  @Test("Objects compare by what they stand for")
  func identity() throws {
    final class Row: PredicateSubject, PredicateIdentity {
      let number: Int
      weak var parent: Row?
      var children: [Row] = []
      init(_ number: Int) { self.number = number }
      var predicateIdentity: AnyHashable? { number }
      func predicateValue(for key: PredicateKey) throws -> PredicateValue {
        switch key.name {
        case "number": return .constant(.int(Int64(number)))
        case "parent": return parent.map { .subject($0) } ?? .null
        case "children": return .subjects(children)
        default: throw Failure.unknownKeyPath(keyPath: key.name, entity: "Row", missing: key.name)
        }
      }
    }
    let (parent, child, twin) = (Row(1), Row(2), Row(1))
    child.parent = parent
    parent.children = [child, Row(3)]
    func test(_ format: String, _ row: Row, _ arguments: Any?...) throws -> Bool {
      try PredicateEvaluator(PredicateParser.predicate(format, arguments: arguments)).matches(row)
    }
    #expect(try test("parent == %@", child, twin))
    #expect(try !test("parent == %@", child, child))
    #expect(try test("parent != %@", parent, child))
    #expect(try test("parent == nil", parent))
    #expect(try test("SELF == %@ AND SELF IN %@", parent, twin, [child, twin]))
    #expect(try test("ANY children == %@", parent, child))
    #expect(try test("%@ IN children", parent, child))
    #expect(try test("children CONTAINS %@", parent, Row(3)))
    #expect(try test("NOT (children CONTAINS %@)", parent, parent))
    #expect(try test("parent IN %@", child, (1...10).map(Row.init)))
    #expect(try test("children.@count == 2 AND children.@sum.number == 5", parent))
    #expect(try test("children == nil", child))
    #expect(try !test("children == nil", parent))
    #expect(try test("SUBQUERY(children, $c, $c.parent == SELF).@count == 1", parent))
    #expect(throws: NSError.self) { try test("nope == 1", child) }
    #expect(throws: NSError.self) { try test("parent.nope == 1", child) }
  }

  @Test("Variables are substituted, a SUBQUERY's own is not, a missing one is an error")
  func variables() throws {
    let predicate = NSPredicate(
      format: "pages > $limit AND SUBQUERY(chapters, $limit, $limit.pages > 5).@count == 2")
    #expect(predicate.withSubstitutionVariables(["limit": 100]).evaluate(with: Library.book))
    #expect(!predicate.withSubstitutionVariables(["limit": 1000]).evaluate(with: Library.book))
    #expect(predicate.evaluate(with: Library.book, substitutionVariables: ["limit": 100]))
    #expect(throws: (any Error).self) { try predicate.checkedEvaluate(with: Library.book) }
    let owner = NSPredicate(format: "name == $OWNER.author.name")
    #expect(owner.evaluate(with: ["name": "Ada"], substitutionVariables: ["OWNER": Library.book]))
  }

  @Test("What can't be evaluated says so")
  func unsupported() throws {
    for format in [
      "a UTI-EQUALS 'x'", "ANYKEY == 1", "distanceToLocation:fromLocation:(a, b) < 3",
      "FUNCTION(a, 'explode:') == 1", "a.@nope == 1",
    ] {
      let error = #expect(throws: NSError.self) {
        try NSPredicate.parsing(format).checkedEvaluate(with: Library.book)
      }
      #expect(error?.localizedDescription.contains("is not implemented") == true, "\(format)")
    }
    #expect(throws: (any Error).self) {
      try NSPredicate.parsing("title MATCHES '('").checkedEvaluate(with: Library.book)
    }
  }

  @Test("Plain values, arrays and Swift objects are evaluated too")
  func plainValues() {
    struct Point {
      var x = 3
      var name: String? = nil
    }
    class Animal { var legs = 4 }
    final class Dog: Animal { var name = "Rex" }
    #expect(NSPredicate(format: "SELF BEGINSWITH 'a'").evaluate(with: "abc"))
    #expect(NSPredicate(format: "SELF > 3").evaluate(with: 4))
    #expect(NSPredicate(format: "SELF CONTAINS 3").evaluate(with: [1, 2, 3]))
    #expect(NSPredicate(format: "x == 3 AND name == nil").evaluate(with: Point()))
    #expect(NSPredicate(format: "legs == 4 AND name == 'Rex'").evaluate(with: Dog()))
    #expect(NSPredicate(format: "SELF == nil").evaluate(with: nil))
    let array = ["b", "a", "ab"] as NSArray
    #expect(array.filtered(using: NSPredicate(format: "SELF CONTAINS 'a'")) as? [String] == ["a", "ab"])
  }

  @Test("LIKE and MATCHES take pathological patterns without blowing up")
  func pathological() {
    let text = String(repeating: "a", count: 2000)
    #expect(!LikePattern("*a*a*a*a*a*a*b", options: []).matches(text))
    #expect(LikePattern("*?é*", options: []).matches("xé"))
    #expect(LikePattern("?", options: []).matches("😀"))
    #expect(LikePattern("**", options: []).matches(""))
    #expect(!LikePattern("?", options: []).matches(""))
  }

  @Test("IN over many constants agrees with comparing one by one")
  func constantSet() throws {
    let numbers: [Any] = [1, 2.0, 2.5, true, Library.date, Library.uuid, Data([1]), Decimal(7)]
    let texts: [Any] = ["1", "x", "X", "é", "e\u{301}", URL(string: "a:b")!]
    // Each alone is hashed; together numbers and texts are compared one by one.
    for pool in [numbers, texts, numbers + texts] {
      for value in numbers + texts + [3, "2", "7.0", "É"] {
        for option in ["", "[c]", "[cd]"] {
          let membership = try PredicateParser.predicate("v IN\(option) %@", arguments: [pool])
          let text = pool.map { _ in "v ==\(option) %@" }.joined(separator: " OR ")
          let equalities = try PredicateParser.predicate(text, arguments: pool)
          let subject = DictionarySubject(["v": value])!
          let isIn = try PredicateEvaluator(membership).matches(subject)
          let isEqual = try PredicateEvaluator(equalities).matches(subject)
          #expect(isIn == isEqual, "\(value) in \(pool) \(option)")
        }
      }
    }
    #expect(NSPredicate(format: "v IN %@", ["1", "2", "3", "4", "5", "6"]).evaluate(with: ["v": 3]))
    #expect(NSPredicate(format: "v IN %@", [1, 2, 3, 4, 5, 6]).evaluate(with: ["v": "3"]))
  }
}
