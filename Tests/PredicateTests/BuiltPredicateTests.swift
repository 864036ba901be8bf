import CoreData
import Foundation
import Testing

@Suite("Predicates and expressions built in code")
struct BuiltPredicateTests {
  private func key(_ path: String) -> NSExpression { NSExpression(forKeyPath: path) }
  private func constant(_ value: Any?) -> NSExpression { NSExpression(forConstantValue: value) }

  @Test("A key path that begins with a variable is a path on that variable; that of the root is the object itself")
  func variablePath() throws {
    let name = NSExpression(forKeyPath: "$x.name")
    #expect(name == NSExpression(format: "$x.name") && NSExpression(forKeyPath: "$x") == NSExpression(forVariable: "x"))
    #expect(NSExpression(forKeyPath: \NSManagedObject.self) == .expressionForEvaluatedObject())
    let long = NSComparisonPredicate(
      leftExpression: name, rightExpression: NSExpression(forConstantValue: "b"), modifier: .direct, type: .contains)
    let subquery = NSExpression(
      forSubquery: NSExpression(forKeyPath: "list"), usingIteratorVariable: "x", predicate: long)
    let object: [String: Any] = ["list": [["name": "abc"], ["name": "xyz"]]]
    let found = subquery.expressionValue(with: object, context: nil) as? [[String: String]]
    #expect(found == [["name": "abc"]])
  }

  @Test("Every operator, modifier and option of a comparison is kept, printed and read back")
  func comparisons() throws {
    let operators: [(NSComparisonPredicate.Operator, String)] = [
      (.lessThan, "<"), (.lessThanOrEqualTo, "<="), (.greaterThan, ">"), (.greaterThanOrEqualTo, ">="),
      (.equalTo, "=="),
      (.notEqualTo, "!="), (.matches, "MATCHES"), (.like, "LIKE"), (.beginsWith, "BEGINSWITH"),
      (.endsWith, "ENDSWITH"),
      (.in, "IN"), (.contains, "CONTAINS"), (.between, "BETWEEN"),
    ]
    let modifiers: [(NSComparisonPredicate.Modifier, String)] = [
      (.direct, ""), (.all, "ALL "), (.any, "ANY "),
    ]
    let options: [(NSComparisonPredicate.Options, String)] = [
      ([], ""), (.caseInsensitive, "[c]"), (.diacriticInsensitive, "[d]"), (.normalized, "[n]"),
      ([.caseInsensitive, .diacriticInsensitive], "[cd]"),
    ]
    for (type, sign) in operators {
      for (modifier, prefix) in modifiers {
        for (option, suffix) in options {
          let built = NSComparisonPredicate(
            leftExpression: key("a.b"), rightExpression: constant("x"), modifier: modifier, type: type,
            options: option)
          #expect(built.predicateFormat == "\(prefix)a.b \(sign)\(suffix) \"x\"")
          #expect(built == NSPredicate(format: built.predicateFormat))
          #expect(built.predicateOperatorType == type)
          #expect(built.comparisonPredicateModifier == modifier)
          #expect(built.options == option)
          #expect(built.leftExpression == key("a.b"))
          #expect(built.rightExpression.constantValue as? String == "x")
          #expect(built.copy() as? NSPredicate == built)
        }
      }
    }
    let custom = NSComparisonPredicate(
      leftExpression: key("name"), rightExpression: constant("Z"), customSelector: Selector("hasPrefix:"))
    #expect(custom.predicateFormat == "name hasPrefix: \"Z\"")
    #expect(custom.customSelector == Selector("hasPrefix:"))
    #expect(custom.evaluate(with: ["name": "Zoë"]))
  }

  @Test("Every kind of expression has its type, its description and its value")
  func expressions() {
    let object: [String: Any] = ["a": 5, "list": [1, 2, 3], "name": "x", "deep": ["b": 7]]
    let always = NSPredicate(format: "a > 1")
    let cases: [(NSExpression, NSExpression.ExpressionType, String, Any?)] = [
      (constant(3), .constantValue, "3", 3), (constant(nil), .constantValue, "nil", nil),
      (constant("q\"\n"), .constantValue, "\"q\\\"\\n\"", "q\"\n"),
      (constant([1, 2]), .constantValue, "{1, 2}", [1, 2]),
      (.expressionForEvaluatedObject(), .evaluatedObject, "SELF", nil),
      (key("deep.b"), .keyPath, "deep.b", 7),
      (NSExpression(forVariable: "v"), .variable, "$v", 9), (key("list.@count"), .keyPath, "list.@count", 3),
      (NSExpression(forFunction: "add:to:", arguments: [key("a"), constant(2)]), .function, "a + 2", 7),
      (NSExpression(forFunction: "sum:", arguments: [key("list")]), .function, "sum:(list)", 6),
      (
        NSExpression(forFunction: key("name"), selectorName: "uppercaseString", arguments: []), .function,
        "FUNCTION(name, \"uppercaseString\")", "X"
      ),
      (
        NSExpression(forFunction: key("name"), selectorName: "hasPrefix:", arguments: [constant("x")]),
        .function,
        "FUNCTION(name, \"hasPrefix:\" , \"x\")", true
      ),
      (NSExpression(forAggregate: [constant(1), key("a")]), .aggregate, "{1, a}", [1, 5]),
      (
        NSExpression(forUnionSet: key("list"), with: constant([9])), .unionSet, "list UNION {9}",
        [1, 2, 3, 9]
      ),
      (
        NSExpression(forIntersectSet: key("list"), with: constant([2])), .intersectSet, "list INTERSECT {2}",
        [2]
      ),
      (NSExpression(forMinusSet: key("list"), with: constant([2])), .minusSet, "list MINUS {2}", [1, 3]),
      (
        NSExpression(
          forSubquery: key("list"), usingIteratorVariable: "x", predicate: NSPredicate(format: "$x > 1")),
        .subquery, "SUBQUERY(list, $x, $x > 1)", [2, 3]
      ),
      (
        NSExpression(forConditional: always, trueExpression: key("a"), falseExpression: constant(0)),
        .conditional,
        "TERNARY(a > 1, a, 0)", 5
      ),
      (
        NSExpression(block: { _, values, _ in (values[0] as! Int) + 1 }, arguments: [key("a")]), .block,
        "BLOCK(a)", 6
      ),
      (NSExpression(format: "deep['b'] * %d", 2), .function, "deep[\"b\"] * 2", 14),
    ]
    for (expression, type, text, value) in cases {
      #expect(expression.expressionType == type)
      #expect(expression.description == text)
      #expect(expression.copy() as? NSExpression == expression)
      #expect(expression.hash == (expression.copy() as? NSExpression)?.hash)
      guard type != .evaluatedObject else { continue }
      let found = expression.expressionValue(with: object, context: ["v": 9])
      #expect(
        found as? NSObject == value as? NSObject || "\(found ?? "nil")" == "\(value ?? "nil")", "\(text)")
      if type != .block { #expect(NSExpression(format: text).description == text) }
    }
    #expect(NSExpression.expressionForAnyKey().expressionType == .anyKey)
    #expect((NSExpression.expressionForEvaluatedObject().expressionValue(with: 5, context: nil) as? Int) == 5)
  }

  @Test("The parts of an expression are those that it was made of")
  func parts() {
    let subquery = NSExpression(format: "SUBQUERY(list, $x, $x > 1)")
    #expect(subquery.variable == "x")
    #expect((subquery.collection as? NSExpression)?.keyPath == "list")
    #expect(subquery.predicate == NSPredicate(format: "$x > 1"))
    let call = NSExpression(format: "FUNCTION(a.b, 'hasPrefix:', 'x')")
    #expect(call.function == "hasPrefix:")
    #expect(call.operand.keyPath == "a.b")
    #expect(call.arguments?.first?.constantValue as? String == "x")
    let set = NSExpression(format: "a MINUS b")
    #expect(set.left.keyPath == "a")
    #expect(set.right.keyPath == "b")
    let conditional = NSExpression(format: "TERNARY(a == 1, b, c)")
    #expect(conditional.true.keyPath == "b")
    #expect(conditional.false.keyPath == "c")
    #expect(conditional.predicate.predicateFormat == "a == 1")
    let sum = NSExpression(format: "a + b")
    #expect(sum.function == "add:to:")
    #expect(sum.arguments?.map(\.keyPath) == ["a", "b"])
    #expect(NSExpression(format: "$x.name").operand.variable == "x")
    #expect(NSExpression(format: "a[0]").function == "objectFrom:withIndex:")
  }

  @Test(
    "An index is a function of two arguments, and is made again of them",
    arguments: ["0", "b", "FIRST", "LAST", "SIZE"])
  func indexParts(index: String) throws {
    let expression = NSExpression(format: "a[\(index)]")
    #expect(expression.expressionType == .function)
    let arguments = try #require(expression.arguments)
    #expect(arguments.count == 2 && arguments[0] == key("a"))
    #expect(arguments[1].expressionType == (index == "b" ? .keyPath : .constantValue))
    let again = NSExpression(forFunction: expression.function, arguments: arguments)
    #expect(again == expression && again.description == "a[\(index)]")
  }

  @Test("Every function of the language may be made by its selector, printed and read back")
  func functions() {
    for selector in [
      "sum:", "count:", "min:", "max:", "average:", "median:", "mode:", "stddev:", "add:to:",
      "from:subtract:",
      "multiply:by:", "divide:by:", "modulus:by:", "sqrt:", "log:", "ln:", "raise:toPower:", "exp:",
      "ceiling:", "floor:",
      "abs:", "trunc:", "random", "randomn:", "now", "bitwiseAnd:with:", "bitwiseOr:with:",
      "bitwiseXor:with:",
      "leftshift:by:", "rightshift:by:", "onesComplement:", "uppercase:", "lowercase:", "canonical:",
      "length:", "noindex:",
      "distanceToLocation:fromLocation:", "castObject:toType:", "objectFrom:withIndex:",
    ] {
      let count = selector.filter { $0 == ":" }.count
      let arguments =
        selector == "castObject:toType:"
        ? [key("a"), constant("NSNumber")] : (0..<count).map { key("k\($0)") }
      let expression = NSExpression(forFunction: selector, arguments: arguments)
      #expect(expression.function == selector)
      #expect(expression.arguments == arguments)
      #expect(NSExpression(format: expression.description) == expression, "\(expression)")
    }
  }

  @Test("Swift key paths name their properties")
  func keyPaths() {
    final class Thing: NSObject {
      var title = "x"
      var next: Thing?
    }
    #expect(NSExpression(forKeyPath: \Thing.title).keyPath == "title")
    #expect(NSExpression(forKeyPath: \Thing.next?.title).keyPath == "next.title")
  }

  @Test("Allowing evaluation changes nothing: nothing is locked")
  func allowEvaluation() {
    let predicate = NSPredicate(format: "a == 1")
    predicate.allowEvaluation()
    #expect(predicate.evaluate(with: ["a": 1]))
    let expression = NSExpression(format: "a + 1")
    expression.allowEvaluation()
    #expect(expression.expressionValue(with: ["a": 1], context: nil) as? Int == 2)
  }

  @Test("Predicates and expressions are equal when their trees are, and may be keys")
  func equality() {
    let texts = [
      "a == 1", "a == 2", "a == 1.5", "a == '1'", "a ==[c] '1'", "ANY a == 1", "a == 1 OR b == 2",
      "NOT a == 1",
    ]
    let predicates = texts.map { NSPredicate(format: $0) }
    for (i, a) in predicates.enumerated() {
      for (j, b) in predicates.enumerated() { #expect((a == b) == (i == j), "\(a) \(b)") }
    }
    #expect(Set(predicates + texts.map { NSPredicate(format: $0) }).count == texts.count)
    #expect(
      NSExpression(format: "a + 1")
        == NSExpression(forFunction: "add:to:", arguments: [key("a"), constant(1)]))
    #expect(NSExpression(format: "a + 1") != NSExpression(format: "1 + a"))
    #expect(NSPredicate(format: "a == 1") != NSPredicate(value: true))
  }

  @Test("Compounds made by Foundation fetch and evaluate at any reasonable depth; beyond, an error says so")
  func deepCompounds() throws {
    var predicate: NSPredicate = NSPredicate(format: "a == 1")
    for _ in 0..<900 { predicate = NSCompoundPredicate(notPredicateWithSubpredicate: predicate) }
    #expect(try predicate.checkedEvaluate(with: ["a": 1]))
    for _ in 0..<9_100 { predicate = NSCompoundPredicate(notPredicateWithSubpredicate: predicate) }
    let error = #expect(throws: NSError.self) { try predicate.checkedEvaluate(with: ["a": 1]) }
    #expect(error?.localizedDescription.contains("nests deeper than 1000 levels") == true)
    var parsed = NSPredicate(format: "a == 1")
    for _ in 0..<500 {
      parsed = NSCompoundPredicate(andPredicateWithSubpredicates: [parsed, NSPredicate(format: "b == 2")])
    }
    #expect(try parsed.checkedEvaluate(with: ["a": 1, "b": 2]))
  }

  @Test("An expression that nests without end ends the program with a sentence, not with its stack")
  func deepExpressions() async {
    var sum = key("a")
    for number in 0..<900 { sum = NSExpression(forFunction: "add:to:", arguments: [sum, constant(number)]) }
    #expect(sum.expressionValue(with: ["a": 0], context: nil) as? Int == 900 * 899 / 2)
    #expect(NSExpression(format: sum.description) == sum)
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var sum = NSExpression(forKeyPath: "a")
      for _ in 0..<10_000 {
        sum = NSExpression(forFunction: "add:to:", arguments: [sum, NSExpression(forConstantValue: 1)])
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("An expression nests deeper than 1000 levels."))
  }
}
