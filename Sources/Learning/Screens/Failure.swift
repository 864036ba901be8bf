import Foundation

/// An issue, taken apart for the reader: what was checked, what was expected, and what came.
package struct Failure: Equatable, Sendable {
  /// The expression in the test.
  package var checked: String?
  package var expected: String?
  package var came: String?
  /// Remarks of the test.
  package var remarks: [String] = []
  /// The sentence of an `Unfinished` error.
  package var unfinished: String?

  package init(_ issue: TestRun.Issue) {
    for message in issue.messages {
      switch message.symbol {
      case "fail": read(Self.readable(message.text))
      case "difference": break
      default: remarks.append(ErrorText.readable(Self.readable(message.text)))
      }
    }
  }

  private mutating func read(_ text: String) {
    if let words = text.range(of: "Not written yet: ") {
      // The sentence may also be quoted in another error's text.
      let sentence = String(text[words.upperBound...].prefix { !"\"\n".contains($0) })
      unfinished = sentence
      expected = sentence
      came = "nothing yet: that part is not written"
    } else if let error = text.dropping(prefix: "Caught error: ") {
      came = "an error: \(ErrorText.readable(error))"
    } else if let expectation = text.dropping(prefix: "Expectation failed: ") {
      readExpectation(expectation)
    } else if text != "Issue recorded" {
      remarks.insert(ErrorText.readable(text), at: 0)
    }
  }

  /// Reads `(count → 2) == 3`, `(a → 1) == (b → 2)`, `found → false`, `!(isFault → true)`, or an expression without
  /// values.
  private mutating func readExpectation(_ text: String) {
    let (left, rest) = Self.operand(text)
    guard let left else {
      if let arrow = text.range(of: " → "), !text.hasPrefix("(") {
        checked = String(text[..<arrow.lowerBound])
        came = ErrorText.readable(String(text[arrow.upperBound...]))
        if came == "false" { expected = "true" }
      } else if text.hasPrefix("an error was") || text.hasPrefix("no error was") || text.contains("was thrown") {
        came = ErrorText.readable(text)
      } else {
        checked = text
        // Swift Testing gives no values for an expression with `try` or `await`. The expected value may be in its text.
        if let match = text.wholeMatch(of: #/.* == ([^ ]+)/#.dotMatchesNewlines()) {
          expected = String(match.1)
          came = "something else"
        }
      }
      return
    }
    came = ErrorText.readable(left.value)
    guard let match = rest.wholeMatch(of: #/ (==|!=|<=|>=|<|>|===|!==) (.*)/#.dotMatchesNewlines()) else {
      checked = left.expression + rest
      return
    }
    let sign = String(match.1)
    let right = String(match.2)
    let other = Self.operand(right).0
    checked = "\(left.expression) \(sign) \(other?.expression ?? right)"
    let value = other?.value ?? right
    switch sign {
    case "==", "===": expected = value
    case "!=", "!==": expected = "something else than \(value)"
    case "<": expected = "less than \(value)"
    case "<=": expected = "at most \(value)"
    case ">": expected = "more than \(value)"
    default: expected = "at least \(value)"
    }
  }

  /// Reads `(expression → value)` at the beginning. Returns it and the rest.
  private static func operand(_ text: String) -> (operand: (expression: String, value: String)?, rest: String) {
    guard text.hasPrefix("(") else { return (nil, text) }
    var depth = 0
    var isQuoted = false
    var previous: Character = " "
    for index in text.indices {
      let character = text[index]
      if character == "\"", previous != "\\" { isQuoted.toggle() }
      if !isQuoted, character == "(" { depth += 1 }
      if !isQuoted, character == ")" { depth -= 1 }
      previous = character
      guard depth == 0 else { continue }
      let inside = text[text.index(after: text.startIndex)..<index]
      guard let arrow = inside.range(of: " → ") else { return (nil, text) }
      return (
        (String(inside[..<arrow.lowerBound]), String(inside[arrow.upperBound...])),
        String(text[text.index(after: index)...])
      )
    }
    return (nil, text)
  }

  /// Shortens the path of a bench's folder, whose name is long and says nothing.
  static func readable(_ text: String) -> String {
    text.replacing(#/(file:\/\/)?\/[^ "()\[\],]*strata-exercise-[0-9A-Fa-f-]{36}/#, with: "…")
  }
}

extension String {
  func dropping(prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}
