import Foundation
import Testing

@testable import CoreData

@Suite("Malformed formats")
struct ParseErrorTests {
  @Test("The error says what was expected, where, with a caret under the place")
  func caret() throws {
    let error = #expect(throws: NSError.self) {
      try NSPredicate.parsing("title == AND pages > 3")
    }
    #expect(
      error?.localizedDescription == """
        Unable to parse the format string "title == AND pages > 3" at character 10: expected a value, found "AND".
            title == AND pages > 3
                     ^
        """)
  }

  @Test(
    "Each kind of mistake is named",
    arguments: [
      ("", 0, "expected a value, found the end"),
      ("title", 5, "expected a comparison such as ==, IN or CONTAINS, found the end"),
      ("a == 1 b == 2", 7, "expected AND, OR or the end, found \"b\""),
      ("(a == 1", 7, "expected \")\", found the end"),
      ("a == 'x", 5, "expected the end of the string that begins here"),
      ("a == 1 AND", 10, "expected a value, found the end"),
      ("a CONTAINS[q] 'x'", 11, "expected the options c, d, n, l or w"),
      ("a ? 1", 2, "the sign \"?\" means nothing in a predicate"),
      ("foo(a) == 1", 0, "there is no function \"foo\" in predicates"),
      ("a == %z", 5, "expected @, K or a conversion such as d, ld, f, s after \"%\""),
      ("a == %@", 5, "no argument is left for \"%@\": 0 given"),
      ("ANY (a == 1)", 4, "expected a key path after ANY, ALL or NONE, found a predicate"),
      ("SUBQUERY(a, x, b == 1).@count > 0", 12, "expected a variable such as $x, found \"x\""),
      ("a IN {1, 2", 10, "expected \",\" or \"}\", found the end"),
      ("a == 12abc", 7, "expected the end of the number"),
      ("a == 0xZZ", 5, "expected a number, found \"0xZZ\""),
      ("a == 1 AND b", 12, "expected a comparison such as ==, IN or CONTAINS, found the end"),
      ("(a == 1) + 2 == 3", 0, "expected a value, found a predicate"),
      ("a. == 1", 3, "expected a key after \".\", found \"==\""),
      ("äö == ", 6, "expected a value, found the end"),
      ("lowercase(a, b) == 1", 0, "the function \"lowercase:\" doesn't take 2 arguments"),
      ("a == 1 == 2", 7, "expected AND, OR or the end, found \"==\""),
      ("$ == 1", 0, "expected a variable's name after \"$\""),
      ("AND a == 1", 0, "expected a value, found \"AND\""),
      ("a == 1 OR OR b == 2", 10, "expected a value, found \"OR\""),
      ("NOT", 3, "expected a value, found the end"),
      ("a == 1)", 6, "expected AND, OR or the end, found \")\""),
      ("TRUE", 4, "expected a comparison such as ==, IN or CONTAINS, found the end"),
      ("a == b == c", 7, "expected AND, OR or the end, found \"==\""),
      ("a + 1", 5, "expected a comparison such as ==, IN or CONTAINS, found the end"),
      ("a == 1 + ", 9, "expected a value, found the end"),
      ("a BETWEEN {1, 2", 15, "expected \",\" or \"}\", found the end"),
      ("a IN {1 2}", 8, "expected \",\" or \"}\", found \"2\""),
      ("a[ == 1", 3, "expected a value, found \"==\""),
      ("a[1 == 2", 4, "expected \"]\" after the index, found \"==\""),
      ("a CONTAINS[] 'x'", 11, "expected options such as [c], [cd] or [n], found \"]\""),
      ("a CONTAINS[cd 'x'", 14, "expected \"]\" after the options, found \"'x'\""),
      ("a.0 == 1", 2, "expected a key after \".\", found \"0\""),
      ("$a.$b > 1", 3, "expected a key after \".\", found \"$b\""),
      ("a == #1", 5, "expected a name after \"#\""),
      ("%k == 1", 0, "expected @, K or a conversion such as d, ld, f, s after \"%\""),
      ("a %% 2 == 1", 2, "a percent sign may only stand between quotes"),
      ("a == %p", 5, "expected @, K or a conversion such as d, ld, f, s after \"%\""),
      ("name == “x”", 8, "the sign \"“\" means nothing in a predicate; put text between \" or '"),
      ("name == x’s", 9, "the sign \"’\" means nothing in a predicate; put text between \" or '"),
      ("a – 1 == 2", 2, "the sign \"–\" means nothing in a predicate"),
      ("SUBQUERY(a, $x)", 14, "expected \",\" after the variable, found \")\""),
      (
        "SUBQUERY(a, $x, $x.b).@count == 1", 20,
        "expected a comparison such as ==, IN or CONTAINS, found \")\""
      ),
      ("TERNARY(a == 1, 2) == 3", 17, "expected \",\" after the first value, found \")\""),
      ("CAST(a) == 1", 4, "expected CAST(expression, \"Type\")"),
      ("FUNCTION(a) == 1", 8, "expected FUNCTION(operand, \"selector:\", arguments…)"),
      ("FETCH(a) == 1", 5, "expected FETCH(request, context, YES or NO)"),
      ("modulus:by: 3 == 1", 12, "expected \"(\" after the function modulus:by:, found \"3\""),
      ("a ANY b == 1", 2, "expected an operator or the end, found \"ANY\""),
      ("ANY a.b", 7, "expected a comparison such as ==, IN or CONTAINS, found the end"),
      ("a == #", 5, "expected a name after \"#\""),
      ("a == @", 5, "expected an operator's name after \"@\""),
      ("a == \"x", 5, "expected the end of the string that begins here"),
      ("日本 == 'x' AND 😀 = ", 18, "expected a value, found the end"),
      ("a; b == 1", 1, "the sign \";\" means nothing in a predicate"),
    ] as [(String, Int, String)])
  func mistakes(format: String, offset: Int, what: String) throws {
    let failure = #expect(throws: Failure.self) { try PredicateParser.predicate(format) }
    guard case .malformedPredicate(let text, let place, let words)? = failure else {
      Issue.record("not a malformed predicate")
      return
    }
    #expect(text == format)
    #expect(place == offset)
    #expect(words == what)
  }

  @Test("Arguments of the wrong kind are named with their number")
  func arguments() {
    #expect(throws: (any Error).self) { try PredicateParser.predicate("a == %d", arguments: ["x"]) }
    #expect(throws: (any Error).self) { try PredicateParser.predicate("%K == 1", arguments: [3]) }
    let failure = #expect(throws: Failure.self) {
      try PredicateParser.predicate("a == %@ AND b == %d", arguments: [1, "x"])
    }
    #expect(failure?.description.contains("argument 2 for \"%d\" must be an integer, not x (String)") == true)
  }

  @Test("The caret stands under the place, whatever stands before it")
  func carets() throws {
    let cases = [
      ("straße == ", 10), ("日本 == ", 8), ("👩‍👩‍👧 == ", 6), ("e\u{301} == ", 5), ("a\n\t== ", 6), ("a\r\n== ", 5),
    ]
    for (format, column) in cases {
      let error = #expect(throws: NSError.self) { try NSPredicate.parsing(format) }
      let lines = error?.localizedDescription.split(separator: "\n", omittingEmptySubsequences: false) ?? []
      #expect(
        lines.last.map(String.init) == "    " + String(repeating: " ", count: column) + "^", "\(format)")
    }
  }

  @Test("Arguments beyond those that the format asks for are ignored, one too few is an error")
  func count() throws {
    #expect(
      try PredicateParser.predicate("a == 1", arguments: [2, 3]) == PredicateParser.predicate("a == 1"))
    let failure = #expect(throws: Failure.self) {
      try PredicateParser.predicate("a == %@ AND b == %@", arguments: [1])
    }
    #expect(failure?.description.contains("no argument is left for \"%@\": 1 given") == true)
    #expect(throws: Failure.self) { try PredicateParser.predicate("%K == 1") }
    #expect(throws: NSError.self) { try NSPredicate.parsing("a == %@") }
  }

  @Test("Without any argument those of a program's format are nil, with a warning; not %K, and not if some are given")
  func missing() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let predicate = NSPredicate(format: "%@ != 0 AND n == %d AND name == '%@'")
      precondition(predicate.predicateFormat == "nil != 0 AND n == nil AND name == \"%@\"", predicate.predicateFormat)
      precondition(predicate.evaluate(with: ["name": "%@"]))
      precondition(NSPredicate(format: "a == %@", argumentArray: nil).predicateFormat == "a == nil")
      precondition(NSExpression(format: "%@").description == "nil")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("The format \"a == %@\" asks for arguments and was given none, so each is nil."), "\(text)")
    await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "%K == %@") }
    await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "a == %@ AND b == %@", 1) }
  }

  @Test("A format without conversions needs no arguments and no warning")
  func none() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      precondition(NSPredicate(format: "name LIKE '100 %@ *'").evaluate(with: ["name": "100 %@ x"]))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(!text.contains("asks for arguments"), "\(text)")
  }

  @Test("Nesting without end is refused, not a crash")
  func depth() {
    let deep = String(repeating: "(", count: 5000) + "a == 1" + String(repeating: ")", count: 5000)
    #expect(throws: Failure.self) { try PredicateParser.predicate(deep) }
    #expect(throws: Failure.self) {
      try PredicateParser.predicate(String(repeating: "NOT ", count: 5000) + "a == 1")
    }
    #expect(throws: Failure.self) {
      try PredicateParser.predicate("a == " + String(repeating: "-", count: 5000) + "b")
    }
    let repeated: [(String, String, String)] = [
      ("a == ", "2 ** ", "b"), ("a == ", "b + ", "1"), ("a == ", "b & ", "1"), ("a == ", "b UNION ", "c"),
      ("a", "[0]", " == 1"), ("a == ", "~", "1"), ("a == ", "{", "1"), ("a == ", "$x := ", "1"),
      ("a == ", "f(", ""),
      ("", "!", "a == 1"), ("", "lowercase(", "a"), ("", "SUBQUERY(", ""), ("", "SUBQUERY(a, $x, ", ""),
      ("", "TERNARY(", "a == 1"), ("a[", "b[", ""), ("a == ", "CAST(", "1"), ("a == ", "FUNCTION(", "1"),
    ]
    for (start, middle, end) in repeated {
      let format = start + String(repeating: middle, count: 10_000) + end
      #expect(throws: Failure.self, "\(middle)") { try PredicateParser.predicate(format) }
    }
    // Side by side is not deep.
    let wide = (0..<5000).map { "a == \($0)" }.joined(separator: " OR ")
    #expect(!NSPredicate(format: wide).evaluate(with: ["a": -1]))
    let members = "a IN {" + (0..<5000).map(String.init).joined(separator: ", ") + "}"
    #expect(NSPredicate(format: members).evaluate(with: ["a": 4999]))
    let sum = "a == " + (0..<900).map(String.init).joined(separator: " + ")
    #expect(NSPredicate(format: sum).evaluate(with: ["a": 899 * 900 / 2]))
    #expect(NSPredicate(format: sum).predicateFormat == sum)
  }

  @Test("The Apple spelling ends the program with the sentence")
  func trap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = NSPredicate(format: "title ===")
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Unable to parse the format string \"title ===\" at character 9"))
    #expect(text.contains("NSPredicate.parsing(_:arguments:)"))
  }
}
