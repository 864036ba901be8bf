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
      ("a ? 1", 2, "there is no sign \"?\" in predicates"),
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
    ])
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
    #expect(throws: Failure.self) {
      try PredicateParser.predicate("a == " + String(repeating: "2 ** ", count: 5000) + "b")
    }
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
