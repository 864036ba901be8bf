import Foundation
import Testing

@testable import CoreData

@Suite("Printing predicates")
struct PrinterTests {
  @Test(
    "A predicate prints in the normal form",
    arguments: [
      ("a=1 and b<>2", "a == 1 AND b != 2"), ("(a=1 and b=2) or c=3", "(a == 1 AND b == 2) OR c == 3"),
      ("a=1 and b=2 or c=3", "(a == 1 AND b == 2) OR c == 3"), ("not (a=1 or b=2)", "NOT (a == 1 OR b == 2)"),
      ("!a=1", "NOT a == 1"), ("name contains[dc] 'x'", "name CONTAINS[cd] \"x\""),
      ("none a.b = 1", "NOT ANY a.b == 1"),
      ("some a.b = nil", "ANY a.b == nil"), ("a in {1,2.5,'x'}", "a IN {1, 2.5, \"x\"}"),
      ("a between {1,2}", "a BETWEEN {1, 2}"),
      ("#size > 1", "#size > 1"), ("SELF in {1}", "SELF IN {1}"),
      ("a == CAST(10.5,'NSDate')", "a == CAST(10.5, \"NSDate\")"),
      ("subquery(a,$x,$x.b=1).@count>0", "SUBQUERY(a, $x, $x.b == 1).@count > 0"), ("(a&4)!=0", "a & 4 != 0"),
      ("a+b*2>3", "a + b * 2 > 3"), ("lowercase(a) like 'x*'", "lowercase:(a) LIKE \"x*\""),
      ("a = 'q\"\\n\\\\'", "a == \"q\\\"\\n\\\\\""),
      ("ternary(a=1,2,3)=b", "TERNARY(a == 1, 2, 3) == b"), ("a[first]=b[1]", "a[FIRST] == b[1]"),
      ("(a union b).@count = 1", "(a UNION b).@count == 1"), ("truepredicate", "TRUEPREDICATE"),
      ("a = yes", "a == YES"),
      ("function(a,'length')=3", "FUNCTION(a, \"length\") == 3"), ("a = 1e300", "a == 1e+300"),
    ])
  func normalForm(format: String, printed: String) throws {
    let node = try PredicateParser.predicate(format)
    #expect(PredicatePrinter.print(node) == printed)
    #expect(try PredicateParser.predicate(printed) == node)
  }

  @Test("Constants without literals come back from their casts")
  func constants() throws {
    let values: [Any?] = [
      Date(timeIntervalSinceReferenceDate: 1234.567), UUID(), URL(string: "https://example.org/a?b=c%20d")!,
      Data([0, 255, 17]), Decimal(string: "12345678901234567890.123")!, 5.0, -0.1, Int64.min, "\u{1}\u{7f}é😀",
      [1, nil] as [Int?],
    ]
    for value in values {
      let node = try PredicateParser.predicate("a == %@", arguments: [value])
      #expect(try PredicateParser.predicate(PredicatePrinter.print(node)) == node, "\(value!)")
    }
  }

  @Test("Random trees are the same after printing and reading")
  func randomTrees() throws {
    var random = TreeMaker(seed: 7)
    for _ in 0..<2000 {
      let node = random.predicate(depth: 4)
      let text = PredicatePrinter.print(node)
      let back = try PredicateParser.predicate(text)
      try #require(back == node, "\(text)\n\(PredicatePrinter.print(back))")
    }
  }
}

/// Makes trees that the parser can make: no AND of one, no constant arithmetic on negative literals' signs.
struct TreeMaker {
  var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  mutating func predicate(depth: Int) -> PredicateNode {
    switch depth == 0 ? 4 : next(7) {
    case 0: .and((0..<(2 + next(2))).map { _ in predicate(depth: depth - 1) })
    case 1: .or((0..<(2 + next(2))).map { _ in predicate(depth: depth - 1) })
    case 2: .not(predicate(depth: depth - 1))
    case 3: .constant(next(2) == 0)
    default: .comparison(comparison(depth: depth))
    }
  }

  mutating func comparison(depth: Int) -> CoreData.Comparison {
    let comparators: [CoreData.Comparison.Comparator] = [
      .lessThan, .equalTo, .notEqualTo, .in, .contains, .beginsWith, .like, .matches, .between, .greaterThan,
    ]
    let modifiers: [CoreData.Comparison.Modifier] = [.direct, .direct, .any, .all]
    return Comparison(
      expression(depth: depth), comparators[next(comparators.count)], expression(depth: depth),
      modifier: modifiers[next(4)], options: .init(rawValue: UInt(next(32))))
  }

  mutating func expression(depth: Int) -> ExpressionNode {
    let names = ["a", "size", "in", "and", "title", "self_", "cast", "YES", "any"]
    switch depth == 0 ? next(4) : next(14) {
    case 0: return .keyPath((0..<(1 + next(3))).map { _ in names[next(names.count)] })
    case 1:
      return .constant(
        [.int(Int64(next(9)) - 4), .double(2.5), .string("it's \"x\""), .null, .bool(true)][next(5)])
    case 2: return .evaluatedObject
    case 3: return .variable("v")
    case 4: return .nested(.variable("x"), ["size", "@count"])
    case 5, 6, 7:
      let functions: [PredicateFunction] = [
        .add, .subtract, .multiply, .divide, .power, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftShift,
        .rightShift, .modulus,
      ]
      let function = functions[next(functions.count)]
      return .function(function.rawValue, [expression(depth: depth - 1), expression(depth: depth - 1)])
    case 8: return .function("lowercase:", [expression(depth: depth - 1)])
    case 9: return .aggregate([.keyPath(["a"]), expression(depth: depth - 1)])
    case 10: return .subquery(.keyPath(["a"]), variable: "x", predicate(depth: depth - 1))
    case 11:
      return .conditional(predicate(depth: depth - 1), expression(depth: depth - 1), .constant(.int(1)))
    case 12: return .setOperation(.minus, expression(depth: depth - 1), expression(depth: depth - 1))
    default:
      return .index(expression(depth: depth - 1), next(2) == 0 ? .first : .at(expression(depth: depth - 1)))
    }
  }
}
