/// A position in a text that only moves forward.
struct CodeScanner {
  private let text: Substring
  private(set) var position: Substring.Index

  init(_ text: some StringProtocol) {
    self.text = Substring(text)
    position = self.text.startIndex
  }

  var isAtEnd: Bool { position == text.endIndex }
  var rest: Substring { text[position...] }
  var next: Character? { isAtEnd ? nil : text[position] }

  /// The character before the current position.
  var previous: Character? { position == text.startIndex ? nil : text[text.index(before: position)] }

  /// Whether the current position is the beginning of a line.
  var isAtLineStart: Bool { previous?.isNewline ?? true }

  /// The text from an earlier position to the current one.
  func slice(from start: Substring.Index) -> Substring { text[start..<position] }

  mutating func advance() {
    if !isAtEnd { position = text.index(after: position) }
  }

  mutating func skip(while condition: (Character) -> Bool) {
    while let next, condition(next) { advance() }
  }

  /// Skips `word` if it is next.
  mutating func skip(_ word: String) -> Bool {
    guard rest.hasPrefix(word) else { return false }
    position = text.index(position, offsetBy: word.count)
    return true
  }

  mutating func skipLine() { skip { !$0.isNewline } }

  /// Skips everything up to and including the first `end`, or to the end of the text.
  mutating func skip(behind end: String) {
    while !isAtEnd, !skip(end) { advance() }
  }

  /// Skips a quoted text on one line, from its opening mark. `escape` before a mark escapes it; if `escape` is the mark
  /// itself, doubled marks are part of the text.
  mutating func skipQuoted(_ mark: Character, escape: Character) {
    advance()
    while let next, !next.isNewline {
      if next == escape {
        advance()
        if escape == mark {
          if self.next != mark { return }
        } else if self.next?.isNewline ?? true {
          return
        }
        advance()
      } else if next == mark {
        return advance()
      } else {
        advance()
      }
    }
  }

  /// Skips a number, including digit separators, base and exponent.
  mutating func skipNumber() {
    skip { $0.isHexDigit || $0 == "_" || $0 == "x" || $0 == "o" }
    guard next == "." else { return }
    let point = position
    advance()
    guard next?.isNumber == true else {
      position = point
      return
    }
    skip { $0.isHexDigit || $0 == "_" }
  }
}

extension Character {
  var beginsIdentifier: Bool { isLetter || self == "_" }
  var continuesIdentifier: Bool { isLetter || isNumber || self == "_" }
}
