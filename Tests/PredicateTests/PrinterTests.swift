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
      ("a == CAST(10.5,'NSDate')", "a == CAST(10.500000, \"NSDate\")"),
      ("a == CAST(0.0000001,'NSDate')", "a == CAST(1e-07, \"NSDate\")"), ("#ci = 1", "#ci == 1"),
      ("a isKindOfClass: b", "a isKindOfClass: b"), ("a.self = 1", "a.self == 1"),
      ("subquery(a,$x,$x.b=1).@count>0", "SUBQUERY(a, $x, $x.b == 1).@count > 0"), ("(a&4)!=0", "a & 4 != 0"),
      ("a+b*2>3", "a + b * 2 > 3"), ("lowercase(a) like 'x*'", "lowercase:(a) LIKE \"x*\""),
      ("a = 'q\"\\n\\\\'", "a == \"q\\\"\\n\\\\\""),
      ("ternary(a=1,2,3)=b", "TERNARY(a == 1, 2, 3) == b"), ("a[first]=b[1]", "a[FIRST] == b[1]"),
      ("(a union b).@count = 1", "(a UNION b).@count == 1"), ("truepredicate", "TRUEPREDICATE"),
      ("a = yes", "a == 1"), ("a in {no, true}", "a IN {0, 1}"),
      ("function(a,'length')=3", "FUNCTION(a, \"length\") == 3"), ("a = 1e300", "a == 1e+300"),
      ("function(a,'pow:',3)=8", "FUNCTION(a, \"pow:\" , 3) == 8"),
    ])
  func normalForm(format: String, printed: String) throws {
    let node = try PredicateParser.predicate(format)
    #expect(PredicatePrinter.print(node) == printed)
    #expect(try PredicateParser.predicate(printed) == node.numeric)
  }

  @Test("predicateFormat says numbers, NSNull, ids, URLs and a NOT in a compound as Apple's framework does")
  func descriptions() throws {
    let uuid = UUID()
    let cases: [(NSPredicate, String)] = [
      (NSPredicate(format: "score == %@ AND weight < %@", 20.0, 10.5), "score == 20 AND weight < 10.5"),
      (NSPredicate(format: "score BETWEEN %@", [1.0, 10.0]), "score BETWEEN {1, 10}"),
      (NSPredicate(format: "score == %f", -3.0), "score == -3"),
      (NSPredicate(format: "a IN %@", [0.1, 12345.67, -33.3] as [Float]), "a IN {0.1, 12345.67, -33.3}"),
      (NSPredicate(format: "a == %@", NSNumber(value: Float(0.1))), "a == 0.1"),
      (NSPredicate(format: "a == %@ OR b == nil", NSNull()), "a == <null> OR b == nil"),
      (NSPredicate(format: "a == %@ AND b != NULL", Optional<Int>.none), "a == nil AND b != nil"),
      (NSPredicate(format: "a == $b").withSubstitutionVariables(["b": NSNull()]), "a == <null>"),
      (NSPredicate(format: "a > %@ AND a < %@", 0.1, 0.1234567890123), "a > 0.1 AND a < 0.1234567890123"),
      (NSPredicate(format: "a == 1e10 OR a == 0.0001220703125"), "a == 10000000000 OR a == 0.0001220703125"),
      (NSPredicate(format: "id == %@", uuid), "id == \(uuid)"),
      (NSPredicate(format: "price > %@", Decimal(string: "1.50")!), "price > 1.5"),
      (NSPredicate(format: "link == %@", URL(string: "https://example.org/a")!), "link == https://example.org/a"),
      (NSPredicate(format: "NOT a == 1 AND NOT b != nil"), "(NOT a == 1) AND (NOT b != nil)"),
      (NSPredicate(format: "NOT (a == 1 OR NOT b == 2)"), "NOT (a == 1 OR (NOT b == 2))"),
      (NSPredicate(format: "NOT NOT a == 1"), "NOT (NOT a == 1)"), (NSPredicate(format: "NOT a == 1"), "NOT a == 1"),
    ]
    for (predicate, text) in cases { #expect(predicate.predicateFormat == text && predicate.description == text) }
    #expect(NSExpression(forConstantValue: 5.0).description == "5")
    let null = NSPredicate(format: "a == %@", NSNull())
    #expect(null == NSPredicate(format: "a == nil") && null.evaluate(with: ["a": NSNull()] as [String: Any]))
    #expect(try PredicatePrinter.print(null.node) == "a == nil")
    #expect(NSExpression(format: "a / 2.0").description == "a / 2")
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

  @Test("Infinities are the same after printing and reading, wherever they stand")
  func infinities() throws {
    for value in [Double.infinity, -.infinity] {
      let infinity = ExpressionNode.constant(.double(value))
      for node in places(of: infinity) {
        let text = PredicatePrinter.print(node)
        let back = try PredicateParser.predicate(text)
        #expect(back == node, "\(text)")
        #expect(PredicatePrinter.print(back) == text)
      }
    }
  }

  @Test("What is not a number prints as it does when it is read again, and has no value either time")
  func notANumber() throws {
    for node in places(of: .constant(.double(.nan))) {
      let text = PredicatePrinter.print(node)
      #expect(try PredicatePrinter.print(PredicateParser.predicate(text)) == text)
    }
    let equal = try PredicateParser.predicate("x == 0.0 / 0.0")
    #expect(try PredicateEvaluator(equal).matches(PredicateValue(any: ["x": Double.nan])) == false)
  }

  /// Predicates that have an expression beside operators, in braces, in calls and before a key or an index.
  private func places(of value: ExpressionNode) -> [PredicateNode] {
    let key = ExpressionNode.keyPath(["a"])
    let signs: [PredicateFunction] = [.add, .subtract, .multiply, .divide, .power, .bitwiseAnd, .leftShift]
    let expressions =
      signs.flatMap { sign -> [ExpressionNode] in
        [.function(sign.rawValue, [key, value]), .function(sign.rawValue, [value, key])]
      } + [
        value, .aggregate([key, value]), .nested(value, ["b"]), .index(value, .first), .index(key, .at(value)),
        .function(PredicateFunction.onesComplement.rawValue, [value]), .setOperation(.union, value, value),
        .assignment("x", value), .conditional(.constant(true), value, key), .function("lowercase:", [value]),
      ]
    var constants: [PredicateConstant] = []
    if case .constant(let constant) = value {
      constants.append(.collection([.int(1), constant]))
      if case .double(let number) = constant { constants.append(.date(Date(timeIntervalSinceReferenceDate: number))) }
    }
    return (expressions + constants.map(ExpressionNode.constant)).map { .comparison(Comparison($0, .equalTo, key)) }
  }

  @Test("Random trees are the same after printing and reading")
  func randomTrees() throws {
    var random = TreeMaker(seed: 7)
    for _ in 0..<2000 {
      let node = random.predicate(depth: 4)
      let text = PredicatePrinter.print(node)
      let back = try PredicateParser.predicate(text)
      try #require(back == node.numeric, "\(text)\n\(PredicatePrinter.print(back))")
    }
  }

  @Test(
    "Trees of everything that the language has are the same after printing and reading, and print the same")
  func everything() throws {
    let seed = UInt64(ProcessInfo.processInfo.environment["STRATA_ORACLE_SEED"] ?? "") ?? 20_240_607
    var random = TreeMaker(seed: seed)
    random.isWide = true
    for round in 0..<4000 {
      let node = random.predicate(depth: 1 + round % 5)
      let text = PredicatePrinter.print(node)
      let back = try PredicateParser.predicate(text)
      try #require(back == node.numeric, "seed \(seed), round \(round): \(text)")
      try #require(PredicatePrinter.print(back) == text, "seed \(seed), round \(round)")
      #expect(back.hashValue == node.numeric.hashValue)
    }
  }
}

/// Makes trees that the parser can make: no AND of one, no constant arithmetic on negative literals' signs.
struct TreeMaker {
  var state: UInt64
  /// Whether the trees have everything, not the most frequent nodes only.
  var isWide = false
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
    if isWide, next(12) == 0 {
      let selectors = ["UTI-EQUALS", "UTI-CONFORMS-TO", "isKindOfClass:", "hasPrefix:"]
      return Comparison(
        expression(depth: depth), .customSelector, expression(depth: depth), selector: selectors[next(4)])
    }
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
    if isWide, next(3) == 0 { return wideExpression(depth: depth) }
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

  /// What `expression` leaves out.
  private mutating func wideExpression(depth: Int) -> ExpressionNode {
    if depth == 0 {
      let paths = [
        ["straße", "日本"], ["chapters", "@count"], ["a", "@sum", "b"], ["a", "@unionOfObjects", "b"], ["ci"],
      ]
      return next(3) == 0 ? .anyKey : next(2) == 0 ? .constant(constant()) : .keyPath(paths[next(5)])
    }
    let inner = expression(depth: depth - 1)
    switch next(10) {
    case 0: return .constant(.collection((0..<next(4)).map { _ in constant() }))
    case 1:
      // Constants that a CAST spells are read as constants.
      return inner.isConstant
        ? inner : .function("castObject:toType:", [inner, .constant(.string("NSString"))])
    case 2:
      return .function("FUNCTION", [inner, .constant(.string("compare:")), expression(depth: depth - 1)])
    case 3: return .function("FUNCTION", [inner, .constant(.string("length"))])
    case 4:
      let functions = PredicateFunction.allCases.filter { $0 != .cast }
      let function = functions[next(functions.count)]
      let count = function == .random ? 0 : max(function.rawValue.filter { $0 == ":" }.count, 0)
      return .function(function.rawValue, (0..<count).map { _ in expression(depth: depth - 1) })
    case 5: return .setOperation([.union, .intersect][next(2)], inner, expression(depth: depth - 1))
    case 6: return .index(inner, [.last, .size][next(2)])
    case 7: return .assignment("y", inner)
    case 8: return .fetch(inner, .variable("context"), countOnly: next(2) == 0)
    default:
      return .subquery(
        inner, variable: "s", .and([predicate(depth: depth - 1), predicate(depth: depth - 1)]))
    }
  }

  private mutating func constant() -> PredicateConstant {
    switch next(12) {
    case 0: .int(Int64(bitPattern: state))
    case 1: .double(Double(bitPattern: state & 0x7FDF_FFFF_FFFF_FFFF))
    case 2:
      .date(Date(timeIntervalSinceReferenceDate: Double(next(1_000_000_000)) + Double(next(1000)) / 997))
    case 3: .string("\u{1}\n\t\\ 'x' \"y\" é😀\(next(9))")
    case 4: .data(Data((0..<next(9)).map { _ in UInt8(next(256)) }))
    case 5: .uuid(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5\(next(10))")!)
    case 6: .url(URL(string: "https://example.org/\(next(99))?q=%20")!)
    case 7: .decimal(Decimal(next(1_000_000)) / 100)
    case 8: .null
    case 9: .bool(next(2) == 0)
    case 10: .int(.min)
    default: .double(Double(next(100)) - 50)
    }
  }
}
