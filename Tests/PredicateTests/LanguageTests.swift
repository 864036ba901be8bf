import Foundation
import Testing

@testable import CoreData

/// The language token by token.
@Suite("The format language")
struct LanguageTests {
  private typealias Options = CoreData.Comparison.Options

  private func comparison(_ format: String, _ arguments: Any?...) throws -> CoreData.Comparison {
    guard case .comparison(let comparison) = try PredicateParser.predicate(format, arguments: arguments)
    else {
      throw Failure.unsupportedFeature(format)
    }
    return comparison
  }

  @Test("Every alias means its operator, with every combination of options")
  func operators() throws {
    let signs: [(CoreData.Comparison.Comparator, [String])] = [
      (.equalTo, ["=", "=="]), (.notEqualTo, ["!=", "<>"]), (.lessThan, ["<"]),
      (.lessThanOrEqualTo, ["<=", "=<"]),
      (.greaterThan, [">"]), (.greaterThanOrEqualTo, [">=", "=>"]), (.in, ["IN", "in", "In"]),
      (.between, ["BETWEEN", "between"]), (.contains, ["CONTAINS", "Contains"]), (.like, ["LIKE", "like"]),
      (.beginsWith, ["BEGINSWITH", "beginsWith"]), (.endsWith, ["ENDSWITH", "endswith"]),
      (.matches, ["MATCHES", "matches"]),
    ]
    let letters: [(Character, Options)] = [
      ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .normalized), ("l", .localeSensitive),
      ("w", .word),
    ]
    for (comparator, spellings) in signs {
      for sign in spellings {
        for mask in 0..<32 {
          let chosen = letters.enumerated().filter { mask & (1 << $0.offset) != 0 }.map(\.element)
          let options = chosen.reduce(into: Options()) { $0.insert($1.1) }
          let text = String(chosen.map(\.0))
          for spelling in [text, text.uppercased(), String(text.reversed())]
          where !chosen.isEmpty || mask == 0 {
            for gap in ["", " ", "\n "] {
              let suffix = spelling.isEmpty ? "" : "\(gap)[\(spelling)]"
              let found = try comparison("a \(sign)\(suffix) b")
              #expect(found.comparator == comparator && found.options == options, "a \(sign)\(suffix) b")
            }
          }
        }
      }
    }
    #expect(try comparison("a ==[ cd ] b").options == [.caseInsensitive, .diacriticInsensitive])
    #expect(try comparison("a UTI-Conforms-To b").selector == "UTI-CONFORMS-TO")
    #expect(try comparison("a uti-equals b").selector == "UTI-EQUALS")
  }

  @Test("Reserved words are keys behind # or a dot, in any case")
  func reserved() throws {
    for (word, _) in PredicateToken.Kind.keywords {
      for spelling in [word, word.lowercased(), word.capitalized] {
        #expect(try comparison("#\(spelling) == 1").left == .keyPath([spelling]))
        #expect(try comparison("a.\(spelling) == 1").left == .keyPath(["a", spelling]))
        #expect(try comparison("a.#\(spelling).b == 1").left == .keyPath(["a", spelling, "b"]))
        #expect(try comparison("%K == 1", "b.\(spelling)").left == .keyPath(["b", spelling]))
        #expect(try comparison("\(spelling)x == 1").left == .keyPath(["\(spelling)x"]))
        #expect(try comparison("$\(spelling) == 1").left == .variable(spelling))
        let printed = PredicatePrinter.print(
          .comparison(Comparison(.keyPath([spelling]), .equalTo, .constant(.int(1)))))
        #expect(printed == "#\(spelling) == 1")
      }
    }
  }

  @Test("Every function is called by its selector and by its name")
  func functions() throws {
    for function in PredicateFunction.allCases where function != .cast {
      let count = function.rawValue.filter { $0 == ":" }.count
      let arguments = (0..<count).map { "k\($0)" }.joined(separator: ", ")
      let node = ExpressionNode.function(function.rawValue, (0..<count).map { .keyPath(["k\($0)"]) })
      let name = String(function.rawValue.prefix { $0 != ":" })
      for spelling in [function.rawValue, name, name.uppercased(), name.capitalized] {
        #expect(try PredicateParser.expression("\(spelling)(\(arguments))") == node, "\(spelling)")
        #expect(try PredicateParser.expression("\(spelling) ( \(arguments) )") == node, "\(spelling)")
      }
      guard function.accepts(1), let call = try? MethodCall.named(function.rawValue, count: 0) else {
        continue
      }
      // As a method of its first argument, it is the same.
      let value = PredicateValue.constant(function == .length ? .string("x") : .int(1))
      let direct = try FunctionEvaluation.of(function)([value])
      guard function != .randomBelow, function != .random else { continue }
      #expect(ValueComparison.equal(try call(value, []), direct), "\(function)")
    }
    #expect(try PredicateParser.expression("subtract(a, b)") == PredicateParser.expression("a - b"))
    #expect(try PredicateParser.expression("max(a, b, c)") == PredicateParser.expression("max:(a, b, c)"))
  }

  @Test("Every conversion takes an argument of its kind")
  func conversions() throws {
    let integers = [
      "d", "D", "i", "u", "U", "hd", "hu", "ld", "lu", "lld", "llu", "qi", "qu", "x", "X", "lx", "o", "O",
      "zd", "5d",
    ]
    for conversion in integers {
      let format = "a == %\(conversion)"
      #expect(try comparison(format, 7).right == .constant(.int(7)), "\(conversion)")
      #expect(try comparison(format, NSNumber(value: 7)).right == .constant(.int(7)), "\(conversion)")
      #expect(try comparison(format, 7.9).right == .constant(.int(7)), "\(conversion)")
      #expect(try comparison(format, true).right == .constant(.int(1)), "\(conversion)")
      #expect(try comparison(format, UInt8(7)).right == .constant(.int(7)), "\(conversion)")
      #expect(throws: Failure.self, "\(conversion)") { try comparison(format, "7") }
      #expect(throws: Failure.self, "\(conversion)") { try comparison(format, nil) }
    }
    for conversion in ["f", "F", "lf", "e", "E", "g", "G", "a", "A", ".2f"] {
      #expect(try comparison("a == %\(conversion)", 7).right == .constant(.double(7)), "\(conversion)")
      #expect(try comparison("a == %\(conversion)", 2.5).right == .constant(.double(2.5)), "\(conversion)")
      #expect(throws: Failure.self, "\(conversion)") { try comparison("a == %\(conversion)", "x") }
    }
    for conversion in ["s", "S"] {
      #expect(try comparison("a == %\(conversion)", "x").right == .constant(.string("x")))
      #expect(throws: Failure.self) { try comparison("a == %\(conversion)", 1) }
    }
    for conversion in ["c", "C"] {
      #expect(try comparison("a == %\(conversion)", "x").right == .constant(.string("x")))
      #expect(try comparison("a == %\(conversion)", 65).right == .constant(.int(65)))
      #expect(throws: Failure.self) { try comparison("a == %\(conversion)", "xy") }
    }
    for conversion in ["p", "n", "k", "v", "1$@", "*d"] {
      #expect(throws: Failure.self, "\(conversion)") { try comparison("a == %\(conversion)", 1) }
    }
  }

  @Test("%K is a key path wherever one may stand, and so is an expression for one")
  func keyPathArguments() throws {
    let formats: [(String, [Any?], ExpressionNode)] = [
      ("%K", ["a"], .keyPath(["a"])), ("%K", ["a.b.@count"], .keyPath(["a", "b", "@count"])),
      ("%K", ["self"], .evaluatedObject),
      ("%K.%K", ["a", "b.c"], .keyPath(["a", "b", "c"])), ("%K.name", ["a"], .keyPath(["a", "name"])),
      ("tags.%K", ["x"], .keyPath(["tags", "x"])), ("tags.%K.y", ["x"], .keyPath(["tags", "x", "y"])),
      ("$x.%K", ["a"], .nested(.variable("x"), ["a"])),
      ("$FETCH_SOURCE.%K.b", ["a"], .nested(.variable("FETCH_SOURCE"), ["a", "b"])),
      ("SELF.%K", ["a"], .keyPath(["a"])), ("%K.@count", ["a"], .keyPath(["a", "@count"])),
      ("a.@sum.%K", ["b"], .keyPath(["a", "@sum", "b"])),
      ("%K[0]", ["a"], .index(.keyPath(["a"]), .at(.constant(.int(0))))),
      ("lowercase:(%K)", ["a"], .function("lowercase:", [.keyPath(["a"])])),
      ("%K", ["first name"], .keyPath(["first name"])), ("SELF.%K", ["SELF.a"], .keyPath(["a"])),
      ("$x.%@", [NSExpression(forKeyPath: "a.b")], .nested(.variable("x"), ["a", "b"])),
      ("%@.%@", [NSExpression(forKeyPath: "a"), NSExpression(forKeyPath: "b")], .keyPath(["a", "b"])),
    ]
    for (format, arguments, node) in formats {
      #expect(try PredicateParser.expression(format, arguments: arguments) == node, "\(format)")
      #expect(
        try PredicateParser.predicate("ANY \(format) == 1", arguments: arguments)
          == .comparison(Comparison(node, .equalTo, .constant(.int(1)), modifier: .any)), "\(format)")
    }
    #expect(throws: Failure.self) { try PredicateParser.predicate("%K", arguments: ["flag"]) }
    #expect(throws: Failure.self) { try PredicateParser.predicate("%K == 1", arguments: [""]) }
    #expect(throws: Failure.self) { try PredicateParser.predicate("a.%@ == 1", arguments: ["b"]) }
  }

  @Test("Conversions between quotes are text")
  func quoted() throws {
    for text in ["%@", "%K", "%d", "%%", "100%", "%"] {
      #expect(try comparison("a == '\(text)'").right == .constant(.string(text)))
      #expect(try comparison("a LIKE \"*\(text)*\"").right == .constant(.string("*\(text)*")))
    }
  }
}
