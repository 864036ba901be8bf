import Foundation
import Testing

@testable import CoreData

@Suite("Reading the predicate format language")
struct ParserTests {
  private func parse(_ format: String, _ arguments: Any?...) throws -> PredicateNode {
    try PredicateParser.predicate(format, arguments: arguments)
  }

  /// `path comparator constant`, the most frequent tree.
  private func compare(
    _ path: [String], _ comparator: CoreData.Comparison.Comparator, _ constant: PredicateConstant,
    _ modifier: CoreData.Comparison.Modifier = .direct, _ options: CoreData.Comparison.Options = []
  ) -> PredicateNode {
    .comparison(
      Comparison(.keyPath(path), comparator, .constant(constant), modifier: modifier, options: options))
  }

  @Test("Every spelling of a comparison operator is read")
  func operators() throws {
    let spellings: [(String, CoreData.Comparison.Comparator)] = [
      ("=", .equalTo), ("==", .equalTo), ("!=", .notEqualTo), ("<>", .notEqualTo), ("<", .lessThan),
      (">", .greaterThan), ("<=", .lessThanOrEqualTo), ("=<", .lessThanOrEqualTo),
      (">=", .greaterThanOrEqualTo), ("=>", .greaterThanOrEqualTo), ("IN", .in), ("in", .in),
      ("BETWEEN", .between), ("CONTAINS", .contains), ("beginswith", .beginsWith), ("EndsWith", .endsWith),
      ("LIKE", .like), ("matches", .matches),
    ]
    for (spelling, comparator) in spellings {
      #expect(try parse("a \(spelling) 1") == compare(["a"], comparator, .int(1)), "\(spelling)")
    }
    #expect(try parse("a==1") == compare(["a"], .equalTo, .int(1)))
    #expect(try parse("a\n=\t1 ") == compare(["a"], .equalTo, .int(1)))
  }

  @Test("AND binds tighter than OR, NOT tighter than AND, parentheses most")
  func precedence() throws {
    let (a, b, c) = (
      compare(["a"], .equalTo, .int(1)), compare(["b"], .equalTo, .int(2)), compare(["c"], .equalTo, .int(3))
    )
    #expect(try parse("a == 1 OR b == 2 AND c == 3") == .or([a, .and([b, c])]))
    #expect(try parse("a == 1 && b == 2 || c == 3") == .or([.and([a, b]), c]))
    #expect(try parse("NOT a == 1 AND b == 2") == .and([.not(a), b]))
    #expect(try parse("!(a == 1 AND b == 2)") == .not(.and([a, b])))
    #expect(try parse("(a == 1 OR b == 2) and c == 3") == .and([.or([a, b]), c]))
    #expect(try parse("a == 1 AND b == 2 AND c == 3") == .and([a, b, c]))
    #expect(try parse("((a == 1))") == a)
  }

  @Test("A parenthesis may hold an expression or a predicate")
  func parentheses() throws {
    let sum = ExpressionNode.function("add:to:", [.keyPath(["a"]), .constant(.int(1))])
    #expect(try parse("(a + 1) > 3") == .comparison(Comparison(sum, .greaterThan, .constant(.int(3)))))
    #expect(try parse("((a + 1)) > (3)") == .comparison(Comparison(sum, .greaterThan, .constant(.int(3)))))
    #expect(try parse("((a) == 1)") == compare(["a"], .equalTo, .int(1)))
  }

  @Test("Arithmetic has the usual precedence, and power associates to the right")
  func arithmetic() throws {
    func print(_ text: String) throws -> String {
      PredicatePrinter.print(try PredicateParser.expression(text))
    }
    #expect(try print("a + b * c - d") == "a + b * c - d")
    #expect(try print("(a + b) * c") == "(a + b) * c")
    #expect(try print("a - (b - c)") == "a - (b - c)")
    #expect(try print("(a - b) - c") == "a - b - c")
    #expect(try print("a ** b ** c") == "a ** b ** c")
    #expect(try print("(a ** b) ** c") == "(a ** b) ** c")
    #expect(try print("a & b | c ^ d << 2") == "a & b | c ^ d << 2")
    #expect(try print("-a + -3") == "-1 * a + -3")
    #expect(try print("~(a | b)") == "~(a | b)")
    let product = ExpressionNode.function("multiply:by:", [.keyPath(["b"]), .keyPath(["c"])])
    #expect(try PredicateParser.expression("a + b * c") == .function("add:to:", [.keyPath(["a"]), product]))
  }

  @Test("Literals: numbers in four bases, strings with escapes, truth, nil")
  func literals() throws {
    let literals: [(String, PredicateConstant)] = [
      ("12", .int(12)), ("-12", .int(-12)), ("1.5", .double(1.5)), (".5", .double(0.5)),
      ("1e3", .double(1000)), ("2.5E-1", .double(0.25)), ("0x1F", .int(31)), ("0o17", .int(15)),
      ("0b101", .int(5)), ("9223372036854775807", .int(.max)), ("'it''", .null), ("\"a'b\"", .string("a'b")),
      ("'a\"b'", .string("a\"b")), (#"'a\'b\n\t\\'"#, .string("a'b\n\t\\")),
      (#"'\x41\u00e9\101'"#, .string("AéA")),
      (#"'\uD83D\uDE00'"#, .string("😀")), ("'%@'", .string("%@")), ("YES", .bool(true)),
      ("false", .bool(false)),
      ("NULL", .null), ("nil", .null),
    ]
    for (text, value) in literals where text != "'it''" {
      #expect(try parse("a == \(text)") == compare(["a"], .equalTo, value), "\(text)")
    }
  }

  @Test("Key paths keep collection operators, and keywords after a dot are keys")
  func keyPaths() throws {
    let paths: [(String, [String])] = [
      ("author.name", ["author", "name"]), ("a.@count", ["a", "@count"]),
      ("a.@sum.b.c", ["a", "@sum", "b", "c"]),
      ("SELF.name", ["name"]), ("self.in", ["in"]), ("a.like.AND", ["a", "like", "AND"]), ("#size", ["size"]),
      ("#in.#and", ["in", "and"]), ("size", ["size"]), ("first.last", ["first", "last"]),
      ("straße_1", ["straße_1"]),
      ("andy", ["andy"]), ("minus", ["minus"]), ("a . b", ["a", "b"]), ("function", ["function"]),
    ]
    for (text, path) in paths {
      #expect(try parse("\(text) == 1") == compare(path, .equalTo, .int(1)), "\(text)")
    }
    #expect(try parse("SELF == 1") == .comparison(Comparison(.evaluatedObject, .equalTo, .constant(.int(1)))))
  }

  @Test("Arguments are taken in order and become constants of their kind")
  func arguments() throws {
    let date = Date(timeIntervalSinceReferenceDate: 5)
    let uuid = UUID()
    #expect(
      try parse("%K == %@ AND b > %d", "a.c", "x", 3)
        == .and([compare(["a", "c"], .equalTo, .string("x")), compare(["b"], .greaterThan, .int(3))]))
    let values: [(Any?, PredicateConstant)] = [
      (nil, .null), (NSNull(), .null), (Optional<Int>.none as Any, .null), (true, .bool(true)),
      (NSNumber(value: true), .bool(true)), (NSNumber(value: 5), .int(5)), (NSNumber(value: 5.0), .double(5)),
      (Int16(3), .int(3)), (UInt64.max, .double(Double(UInt64.max))), (Float(1.5), .double(1.5)),
      (date, .date(date)),
      (date as NSDate, .date(date)), ("x" as NSString, .string("x")), (uuid, .uuid(uuid)),
      (Decimal(3), .decimal(3)), (Data([1]), .data(Data([1]))),
      (["a", "b"], .collection([.string("a"), .string("b")])),
      (Set([1]), .collection([.int(1)])), (NSArray(array: [1, "b"]), .collection([.int(1), .string("b")])),
      (NSOrderedSet(array: ["x"]), .collection([.string("x")])), (["k": 2], .collection([.int(2)])),
      ([Int64(1), nil] as [Int64?], .collection([.int(1), .null])), (AnyHashable("x"), .string("x")),
      (Substring("ab"), .string("ab")), (URL(string: "a:b")!, .url(URL(string: "a:b")!)),
      (Optional("x") as Any, .string("x")), ([Int64](), .collection([])),
    ]
    for (value, constant) in values {
      #expect(
        try parse("a == %@", value) == compare(["a"], .equalTo, constant), "\(String(describing: value))")
    }
    #expect(
      try parse("%K.%K == $FETCH_SOURCE.%K", "a", "b", "c")
        == .comparison(Comparison(.keyPath(["a", "b"]), .equalTo, .nested(.variable("FETCH_SOURCE"), ["c"]))))
    #expect(
      try parse("%K IN %@", "self", [1])
        == .comparison(Comparison(.evaluatedObject, .in, .constant(.collection([.int(1)])))))
    #expect(
      try parse("a == %ld AND b == %f AND c == %s AND d == %i", 1, 2, "x", true)
        == .and([
          compare(["a"], .equalTo, .int(1)), compare(["b"], .equalTo, .double(2)),
          compare(["c"], .equalTo, .string("x")), compare(["d"], .equalTo, .int(1)),
        ]))
  }

  @Test("Modifiers and options")
  func modifiers() throws {
    #expect(try parse("ANY a.b == 1") == compare(["a", "b"], .equalTo, .int(1), .any))
    #expect(try parse("some a.b == 1") == compare(["a", "b"], .equalTo, .int(1), .any))
    #expect(try parse("ALL a.b == 1") == compare(["a", "b"], .equalTo, .int(1), .all))
    #expect(try parse("NONE a.b == 1") == .not(compare(["a", "b"], .equalTo, .int(1), .any)))
    #expect(
      try parse("a LIKE[cd] 'x'")
        == compare(["a"], .like, .string("x"), .direct, [.caseInsensitive, .diacriticInsensitive]))
    #expect(try parse("a ==[C] 'x'") == compare(["a"], .equalTo, .string("x"), .direct, .caseInsensitive))
    #expect(
      try parse("a CONTAINS [nlw] 'x'")
        == compare(["a"], .contains, .string("x"), .direct, [.normalized, .localeSensitive, .word]))
  }

  @Test("Aggregates, subqueries, casts, ternaries, functions, indexes, sets")
  func compoundExpressions() throws {
    #expect(
      try parse("a IN {1, 'b', NO}")
        == compare(["a"], .in, .collection([.int(1), .string("b"), .bool(false)])))
    #expect(
      try parse("a BETWEEN {b, 2}")
        == .comparison(
          Comparison(.keyPath(["a"]), .between, .aggregate([.keyPath(["b"]), .constant(.int(2))]))))
    let inner = PredicateNode.comparison(
      Comparison(.nested(.variable("x"), ["b"]), .equalTo, .constant(.int(1))))
    #expect(
      try parse("SUBQUERY(a, $x, $x.b == 1).@count > 0")
        == .comparison(
          Comparison(
            .nested(.subquery(.keyPath(["a"]), variable: "x", inner), ["@count"]), .greaterThan,
            .constant(.int(0)))))
    let expressions: [(String, ExpressionNode)] = [
      ("CAST(3, 'NSDate')", .constant(.date(Date(timeIntervalSinceReferenceDate: 3)))),
      (
        "CAST(a, 'NSNumber')",
        .function("castObject:toType:", [.keyPath(["a"]), .constant(.string("NSNumber"))])
      ),
      (
        "TERNARY(a == 1, 'x', b)",
        .conditional(compare(["a"], .equalTo, .int(1)), .constant(.string("x")), .keyPath(["b"]))
      ),
      ("lowercase:(a)", .function("lowercase:", [.keyPath(["a"])])),
      ("lowercase(a)", .function("lowercase:", [.keyPath(["a"])])),
      ("modulus:by:(a, 2)", .function("modulus:by:", [.keyPath(["a"]), .constant(.int(2))])),
      ("from:subtract:(a, 2)", .function("from:subtract:", [.keyPath(["a"]), .constant(.int(2))])),
      ("now()", .function("now", [])), ("max(a.b)", .function("max:", [.keyPath(["a", "b"])])),
      ("a[FIRST].b", .nested(.index(.keyPath(["a"]), .first), ["b"])),
      ("a[2]", .index(.keyPath(["a"]), .at(.constant(.int(2))))),
      ("a[size]", .index(.keyPath(["a"]), .size)),
      ("a UNION b", .setOperation(.union, .keyPath(["a"]), .keyPath(["b"]))),
      ("$x := 2", .assignment("x", .constant(.int(2)))), ("ANYKEY", .anyKey),
      ("FUNCTION(a, 'length')", .function("FUNCTION", [.keyPath(["a"]), .constant(.string("length"))])),
      ("FETCH(a, b, YES)", .fetch(.keyPath(["a"]), .keyPath(["b"]), countOnly: true)),
    ]
    for (text, node) in expressions { #expect(try PredicateParser.expression(text) == node, "\(text)") }
    #expect(
      try parse("a UTI-CONFORMS-TO 'public.text'")
        == .comparison(
          Comparison(
            .keyPath(["a"]), .customSelector, .constant(.string("public.text")), selector: "UTI-CONFORMS-TO"))
    )
    #expect(try parse("truepredicate AND FALSEPREDICATE") == .and([.constant(true), .constant(false)]))
  }

  @Test(
    "Lines as programs write them are read",
    arguments: [
      "%K == %@ && type == %d && time == %f", "NOT (self IN %@)", "(%K & %d) != 0", "%K > nil",
      "SUBQUERY(%K, $car, $car.maker == \"FIAT\").@count > 2", "relativePath ENDSWITH[C] %@",
      "SUBQUERY(attachments, $a, $a.localStateRaw == %@).@count == attachments.@count",
      "%K == NO AND %K == NO AND (%K == NO OR %K == nil)", "%K != nil AND NOT (%K IN %@)", "country in %@",
      "ANY %K IN %@ OR %K = %@", "readMessagesFromCurrentUser.id CONTAINS %@", "%K CONTAINS [c] %@",
      "wallet_permittedAccounts != nil && wallet_permittedAccounts != ''", "%K BEGINSWITH 'inbox/'",
      "id == '3Ck6MRrAJ2CaiasGKqeyao' AND localeCode == 'es-MX'", "master.pets.@count == %d",
    ])
  func realLines(format: String) throws {
    let node = try PredicateParser.predicate(format, arguments: plausibleArguments(for: format))
    #expect(try PredicateParser.predicate(PredicatePrinter.print(node)) == node.numeric)
  }

  @Test("Every static format of the sample collection is read")
  func collection() throws {
    guard let root = ProcessInfo.processInfo.environment["COREDATA_CORPUS"] else {
      print("Skipped: COREDATA_CORPUS is not set")
      return
    }
    let url = URL(fileURLWithPath: root).appendingPathComponent("../predicates_seen.txt").standardizedFileURL
    guard let text = try? String(contentsOf: url, encoding: .utf8) else {
      print("Skipped: no \(url.lastPathComponent)")
      return
    }
    var count = 0
    for line in text.split(separator: "\n") where !line.hasPrefix("# ") && !line.contains("\\(") {
      let format = line.replacingOccurrences(of: "\\\"", with: "\"")
      let arguments = plausibleArguments(for: format)
      count += 1
      // One line is an operand by itself: a format of expressions.
      if format == "%K" {
        _ = try PredicateParser.expression(format, arguments: arguments)
      } else {
        let node = try PredicateParser.predicate(format, arguments: arguments)
        #expect(try PredicateParser.predicate(PredicatePrinter.print(node)) == node.numeric, "\(format)")
      }
    }
    #expect(count > 100)
  }
}

/// Arguments of the right kinds for the conversions in `format`.
func plausibleArguments(for format: String) -> [Any?] {
  var arguments: [Any?] = []
  var isConversion = false
  for character in format {
    if !isConversion {
      isConversion = character == "%"
      continue
    }
    switch character {
    case "@": arguments.append("text")
    case "K": arguments.append("some.key")
    case "s": arguments.append("text")
    case "d", "i", "u", "f": arguments.append(7)
    default: continue
    }
    isConversion = false
  }
  return arguments
}
