import Foundation
import Testing

@testable import CoreData

/// What an evaluator finds of an object's slots is what it finds of the same values in general.
@Suite("Predicates about slots")
struct SlotTestTests {
  private static let types: [(name: String, type: NSAttributeType)] = [
    ("short", .integer16AttributeType), ("number", .integer64AttributeType), ("flag", .booleanAttributeType),
    ("real", .doubleAttributeType), ("single", .floatAttributeType), ("date", .dateAttributeType),
    ("text", .stringAttributeType), ("amount", .decimalAttributeType),
  ]

  private static let rows: [[String: Any]] = [
    [:],
    [
      "short": 0, "number": 0, "flag": false, "real": 0.0, "single": Float(0),
      "date": Date(timeIntervalSinceReferenceDate: 0), "text": "", "amount": NSDecimalNumber(string: "0"),
    ],
    [
      "short": 5, "number": Int.max, "flag": true, "real": 5.0, "single": Float(2.5),
      "date": Date(timeIntervalSinceReferenceDate: 5), "text": "Straße am Meer",
      "amount": NSDecimalNumber(string: "5"),
    ],
    ["short": -5, "number": Int.min, "real": -0.0, "date": Date(timeIntervalSinceReferenceDate: 0.5), "text": "am"],
    ["short": 300, "number": 9_007_199_254_740_993, "real": 9_007_199_254_740_992.0, "text": "AM MEER"],
    ["number": 5, "real": Double.infinity, "text": "e\u{301}tude", "single": Float(0.1)],
    ["number": 1, "real": 1.0, "text": "\u{E9}tude 5"],
    ["number": 4, "real": 5.5, "text": "5"],
    ["number": 6, "real": -5.0, "text": "a\u{0}am"],
  ]

  private static let constants: [PredicateConstant] = [
    .null, .bool(true), .bool(false), .int(0), .int(5), .int(-5), .int(.max), .int(.min), .int(9_007_199_254_740_993),
    .double(5), .double(2.5), .double(-0.0), .double(.nan), .double(.infinity), .double(9_007_199_254_740_992),
    .double(0x1p63), .double(Double(Float(0.1))), .date(Date(timeIntervalSinceReferenceDate: 0.5)), .decimal(5),
    .string(""), .string("5"), .string("am"), .string("AM"), .string("Straße am Meer"), .string("STRASSE AM MEER"),
    .string("etude"), .string("\u{E9}tude"), .string("e\u{301}tude"), .string("\u{FFFD}"),
    .collection([.int(5), .int(0)]),
  ]

  private static let comparators: [Comparison.Comparator] = [
    .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo, .notEqualTo, .like, .beginsWith,
    .endsWith, .contains, .in, .between,
  ]

  private static let options: [Comparison.Options] = [
    .caseInsensitive, [.caseInsensitive, .diacriticInsensitive], .diacriticInsensitive, .normalized,
    [.normalized, .caseInsensitive], .localeSensitive, [.caseInsensitive, .localeSensitive],
    [.normalized, .localeSensitive], .word,
  ]

  /// All relations without options, and those of texts with all options.
  private static var comparisons: [PredicateNode] {
    var nodes: [PredicateNode] = []
    for (name, _) in types {
      for comparator in comparators {
        for constant in constants {
          nodes.append(.comparison(Comparison(.keyPath([name]), comparator, .constant(constant))))
        }
      }
    }
    for comparator in comparators where comparator != .between {
      for text in constants.filter({ if case .string = $0 { true } else { false } }) {
        for options in options {
          nodes.append(.comparison(Comparison(.keyPath(["text"]), comparator, .constant(text), options: options)))
        }
      }
    }
    return nodes
  }

  private func check(_ objects: [NSManagedObject], _ nodes: [PredicateNode]) throws {
    let layout = try #require(objects.first?.layout)
    var compiled = 0
    defer { #expect(compiled > nodes.count / 2, "Only \(compiled) of \(nodes.count) predicates were compared.") }
    for node in nodes {
      // Some don't compile: nothing compares by a pattern that is none.
      guard let general = try? PredicateEvaluator(node) else { continue }
      compiled += 1
      var compiler = SlotCompiler(layout: layout, general: PredicateCompiler(variables: [:]))
      let slots = try compiler.test(node)
      for object in objects {
        let expected = try general.matches(PredicateValue.subject(object))
        let found = try slots.matches(object)
        if found != expected {
          Issue.record("\(PredicatePrinter.print(node)): \(found) of \(object.description)")
        }
      }
    }
  }

  private func withObjects(_ body: ([NSManagedObject]) throws -> Void) throws {
    let thing = entity("Thing", SlotTestTests.types.map { attribute($0.name, $0.type) })
    try withStack(.sqlite, model([thing])) { _, context in
      try body(SlotTestTests.rows.map { context.new("Thing", $0) })
    }
  }

  @Test("Every relation of every attribute to every constant: of values that were set, and of committed rows")
  func relations() throws {
    try withObjects { objects in
      try check(objects, SlotTestTests.comparisons)
      try objects[0].managedObjectContext?.save()
      objects[0].managedObjectContext?.forget()
      #expect(objects.count { $0.isFault } == objects.count)
      try check(objects, SlotTestTests.comparisons)
    }
  }

  @Test("AND, OR and NOT, of slots and of what is none")
  func trees() throws {
    let formats = [
      "number > 0 AND flag == YES", "number > 0 OR text BEGINSWITH 'a'", "NOT (number == 5)",
      "NOT (flag == YES OR real < 1)",
      "number > 0 AND real > 0 AND text != nil AND short != 5", "number == short", "number > 0 AND length(text) > 3",
      "text == nil OR text CONTAINS[cd] 'MEER' OR number IN {4, 5}", "(number == 5 OR number == 6) AND SELF != nil",
      "TRUEPREDICATE", "NOT FALSEPREDICATE AND number < 5", "objectID != nil AND number < 5",
    ]
    try withObjects { objects in
      try check(objects, formats.map { try PredicateParser.predicate($0) })
      let one = try PredicateParser.predicate("short != 1")
      try check(objects, [.and([]), .or([]), .and(Array(repeating: one, count: 999))])
    }
  }

  @Test("A predicate that meets objects of several entities finds in each what is there")
  func entities() throws {
    let one = entity("One", [attribute("a", .integer32AttributeType), attribute("b")])
    let other = entity("Other", [attribute("b", .integer32AttributeType), attribute("c"), attribute("d")])
    try withStack(.inMemory, model([one, other])) { _, context in
      let first = context.new("One", ["a": 1, "b": "7"])
      let second = context.new("Other", ["b": 7])
      let predicate = NSPredicate(format: "b == 7")
      for object in [first, second, first, first, first, second, second, second, first] {
        #expect(predicate.evaluate(with: object))
      }
      second["b"] = 8
      #expect(!predicate.evaluate(with: second) && !predicate.evaluate(with: second))
    }
  }

  @Test("A fault is read in by the first look at it")
  func faults() throws {
    try withObjects { objects in
      try objects[0].managedObjectContext?.save()
      objects[0].managedObjectContext?.forget()
      let predicate = NSPredicate(format: "number == 5")
      #expect(objects.count { predicate.evaluate(with: $0) } == 1)
      #expect(objects.count { $0.isFault } == 0)
    }
  }
}
